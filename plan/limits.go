package plan

import (
	"context"
	"strings"

	"ssql/internal/sqlerr"
	"ssql/sql"
)

// Limits bound what a statement may come to. 0: no limit.
type Limits struct {
	// NodesMax is how many queries and relations a statement may have when its views and
	// WITH entries are put in their places (plan_nodes_max): each use of one is planned on its
	// own, so that ten lines that double each other come to a thousand.
	NodesMax int64
	// WindowsMax is how many windows one row may fall in (windows_per_row_max).
	WindowsMax int64
}

// codeTooMuch is that of a statement that comes to more than its limits.
const codeTooMuch = "E_LIMIT"

// tree counts what the binder has to plan.
type tree struct {
	ctx   context.Context // nil: planning is not cancelled
	nodes int64
	// stopped is why planning ended before its time, nil while it goes on: nothing may be
	// tried in another way then.
	stopped error
	// relations are the answers of the catalog to this statement, which it need not give
	// again for each use of a view; tables says of queries whether they read tables only.
	relations map[string]*Relation
	tables    map[*sql.Query]bool
}

// count counts a query or relation at a place, and ends planning where there are too many, or
// where the user does not wait any more.
func (b *binder) count(span Span) error {
	b.nodes++
	switch {
	case b.stopped != nil:
	case b.limits.NodesMax > 0 && b.nodes > b.limits.NodesMax:
		b.stopped = sqlerr.At(b.at(span), codeTooMuch, "the statement comes to more than plan_nodes_max = %d queries and relations", b.limits.NodesMax).
			WithDetail("Each use of a view or of a WITH entry is planned on its own.").
			WithHint("write the rows of a view that is read many times to a table; or raise plan_nodes_max")
	case b.ctx != nil:
		b.stopped = b.ctx.Err()
	}
	return b.stopped
}

// relation asks the catalog for a name, once for a statement.
func (b *binder) relation(name sql.Name) (*Relation, error) {
	parts := make([]string, len(name))
	for i, p := range name {
		parts[i] = p.Name
	}
	key := strings.Join(parts, "\x00")
	if rel, ok := b.relations[key]; ok {
		return rel, nil
	}
	rel, err := b.cat.Relation(name)
	if err != nil {
		return nil, err
	}
	if b.relations == nil {
		b.relations = map[string]*Relation{}
	}
	b.relations[key] = rel
	return rel, nil
}

// checkWindows refuses windows that one row falls in too many of: it would become as many
// rows, or groups.
func (x *exprBinder) checkWindows(w *windowArgs, spec *WindowSpec) error {
	n := (spec.SizeMicros + spec.SlideMicros - 1) / max(spec.SlideMicros, 1)
	if limit := x.b.limits.WindowsMax; limit <= 0 || n <= limit || w.slide == nil {
		return nil
	}
	step := map[WindowKind]string{Hop: "slide", Cumulate: "step"}[w.kind]
	return sqlerr.At(x.b.at(w.slide.Pos()), codeTooMuch, "a row falls in %d windows of %s, more than windows_per_row_max = %d", n, w.name, x.b.limits.WindowsMax).
		WithHint("make the %s longer or the window shorter, or raise windows_per_row_max", step)
}
