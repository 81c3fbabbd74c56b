package plan

import "testing"

// TestSharedSource: sides of a join that are the same rows of a stream are one source.
func TestSharedSource(t *testing.T) {
	cat := declared(t, compatDeclarations+"\nstream plain\nk VARCHAR\nv INT\nw INT\n\nview shown\nSELECT v % 5 AS k, v FROM plain WHERE v > 0\n")
	for _, c := range []struct {
		text    string
		sources int
	}{
		{"SELECT l.v, r.v FROM plain l JOIN plain r ON l.k = r.k", 1},
		{"SELECT l.v FROM shown l JOIN shown r ON l.k = r.k AND l.v < r.v", 1},
		{"SELECT l.v, r.w FROM (SELECT v, w FROM plain) l JOIN (SELECT v, w FROM plain) r ON l.v = r.v AND l.w < r.w", 1},
		{"SELECT l.v FROM shown l JOIN plain r ON l.v = r.v", 2},
		{"SELECT l.v, r.w FROM plain l JOIN plain r ON l.k = r.k", 2}, // other columns
		{"SELECT l.v, r.v FROM (SELECT v, random() AS x FROM plain) l JOIN (SELECT v, random() AS x FROM plain) r ON l.x = r.x", 2},
		{"SELECT l.v, r.v FROM s l JOIN s r ON l.k = r.k AND l.ts = r.ts", 2}, // each side has its watermark
		{"SELECT a.v, b.v FROM plain a JOIN plain b ON a.k = b.k JOIN plain c ON a.k = c.k", 2},
	} {
		p, err := bindText(cat, c.text, Options{})
		if err != nil {
			t.Errorf("%s: %v", c.text, err)
			continue
		}
		join, _ := findNode[*Join](p.Outputs[0].Root)
		if len(p.Sources) != c.sources {
			t.Errorf("%s: %d sources, want %d", c.text, len(p.Sources), c.sources)
		}
		if c.sources == 1 && join.Left != join.Right {
			t.Errorf("%s: the join does not know that its sides are the same", c.text)
		}
	}
}
