package plan

import (
	"fmt"
	"strings"

	"ssql/plan/expr"
	"ssql/sql/types"
)

// Tail is what a snapshot does with the rows of its root once, behind the last one: it
// sorts them, leaves some out and shows the first columns.
type Tail struct {
	Keys          []TailKey
	Limit, Offset int64 // Limit is -1 without
	Columns       int   // that the result shows
	// Latest are the columns of a key, of rows that come again when they change: the last one
	// of each key counts. Nil where every row is final.
	Latest []int
}

// TailKey sorts by a column of the root.
type TailKey struct {
	Column           int
	Desc, NullsFirst bool
}

// chooseSnapshot gives an output the first mode in which its whole result is known at the
// end of its input. The first refusal is the error.
func chooseSnapshot(out *Output, o Options) error {
	whole := out.Root
	inner, tail := cutTail(whole)
	attempts := []struct {
		root Node
		tail *Tail
		mode types.Mode
	}{{whole, nil, types.Append}, {inner, tail, types.Append}, {whole, nil, types.Complete}, {inner, tail, types.Complete}, {inner, tail, types.Update}}
	var first error
	for i, a := range attempts {
		if a.tail == nil && i%2 == 1 || a.mode == types.Update && !keepsFirst(a.root) {
			continue
		}
		out.Root, out.Columns = a.root, a.root.Columns()
		if o.Retraction && a.mode != types.Append {
			out.Root = retract(a.root, a.mode)
		}
		err := setMode(out, a.mode)
		if err == nil && a.mode == types.Update {
			if out.KeyColumns == nil || out.HiddenKey != nil || out.Deletes {
				continue
			}
			if a.tail == nil {
				a.tail = &Tail{Limit: -1, Columns: len(out.Columns)}
			}
			a.tail.Latest = out.KeyColumns
		}
		if err == nil {
			out.Tail = a.tail
			return nil
		}
		if first == nil || i == 1 {
			first = err // what stands below ORDER BY says more than ORDER BY itself
		}
	}
	out.Root = whole
	return first
}

// keepsFirst reports whether a root shows one row of each key, which is replaced when a better
// one comes.
func keepsFirst(root Node) bool {
	for {
		switch n := root.(type) {
		case *Project:
			root = n.Input
			continue
		case *TopN:
			return n.Count == 1
		}
		return false
	}
}

// cutTail takes ORDER BY, LIMIT and OFFSET off a root, nil without.
func cutTail(root Node) (Node, *Tail) {
	t := &Tail{Limit: -1, Columns: len(root.Columns())}
	n := root
	if p, ok := n.(*Project); ok && showsFirst(p) {
		n = p.Input
	}
	if l, ok := n.(*Limit); ok {
		t.Limit, t.Offset, n = l.Count, l.Offset, l.Input
	}
	if s, ok := n.(*Sort); ok {
		for _, k := range s.Keys {
			c, ok := k.Expr.(*expr.Column)
			if !ok {
				return root, nil
			}
			t.Keys = append(t.Keys, TailKey{c.Index, k.Desc, k.NullsFirst})
		}
		n = s.Input
	}
	if t.Keys == nil && t.Limit < 0 && t.Offset == 0 {
		return root, nil
	}
	return n, t
}

// showsFirst reports whether a projection only leaves out columns at the end.
func showsFirst(p *Project) bool {
	for i, e := range p.Exprs {
		if c, ok := e.(*expr.Column); !ok || c.Index != i {
			return false
		}
	}
	return true
}

// text selects the result from a table with the rows of the root, whose columns are named
// c0, c1, ...
func (t *Tail) text(table string, columns []Column) string {
	shown := len(columns)
	if t != nil {
		shown = t.Columns
	}
	items := make([]string, shown)
	for i := range items {
		items[i] = fmt.Sprintf("c%d AS %s", i, types.QuoteIdent(columns[i].Name))
	}
	text := "SELECT " + strings.Join(items, ", ") + " FROM " + table
	if t == nil {
		return text
	}
	if t.Latest != nil {
		keys := make([]string, len(t.Latest))
		for i, c := range t.Latest {
			keys[i] = fmt.Sprintf("c%d", c)
		}
		text += " QUALIFY row_number() OVER (PARTITION BY " + strings.Join(keys, ", ") + " ORDER BY rowid DESC) = 1"
	}
	for i, k := range t.Keys {
		text += map[bool]string{true: " ORDER BY ", false: ", "}[i == 0] + fmt.Sprintf("c%d", k.Column)
		if k.Desc {
			text += " DESC"
		}
		text += map[bool]string{true: " NULLS FIRST", false: " NULLS LAST"}[k.NullsFirst]
	}
	if t.Latest != nil && len(t.Keys) == 0 {
		text += " ORDER BY rowid"
	}
	if t.Limit >= 0 {
		text += fmt.Sprintf(" LIMIT %d", t.Limit)
	}
	if t.Offset > 0 {
		text += fmt.Sprintf(" OFFSET %d", t.Offset)
	}
	return text
}
