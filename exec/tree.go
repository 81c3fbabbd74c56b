package exec

import (
	"ssql/exec/op"
	"ssql/plan/expr"
)

// tree is the lowered tree of an output. Rows flow from the scans at the leaves to the
// breaker at the root, which collects the result. The set is closed.
type tree interface{ tree() }

type (
	// scan reads one source.
	scan struct {
		source int
	}
	// pipe applies stages, in order, to every chunk.
	pipe struct {
		in     tree
		stages []op.Stage
	}
	// union concatenates its inputs.
	union struct {
		ins []tree
	}
	// shared is rows that several places read: all of them have this very node.
	shared struct {
		in     tree
		source int // below it; known once the routes are laid
	}
	// breaker takes a whole batch before it answers.
	breaker struct {
		op     op.Breaker
		state  op.Stateful // op, if it keeps state; else nil
		index  int         // among the stateful operators, children first: its place in the log
		output int         // whose tree it stands in
		ins    []tree
		feeds  [][]feed // per input, where its rows come from
		// eventTime, per input and over its columns, is what makes a row late; nil
		// without.
		eventTime []expr.Expr
	}
)

func (*scan) tree()    {}
func (*pipe) tree()    {}
func (*union) tree()   {}
func (*shared) tree()  {}
func (*breaker) tree() {}

// statefuls returns the stateful operators below the roots, children first.
func statefuls(roots []*breaker) []*breaker {
	var out []*breaker
	for _, root := range roots {
		visit(root, func(t tree) {
			if b, ok := t.(*breaker); ok && b.state != nil {
				out = append(out, b)
			}
		})
	}
	return out
}

// visit calls f for every node, children first.
func visit(t tree, f func(tree)) {
	switch t := t.(type) {
	case *pipe:
		visit(t.in, f)
	case *shared:
		visit(t.in, f)
	case *union:
		for _, in := range t.ins {
			visit(in, f)
		}
	case *breaker:
		for _, in := range t.ins {
			visit(in, f)
		}
	}
	f(t)
}
