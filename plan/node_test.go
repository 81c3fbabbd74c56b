package plan

import (
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"testing"
)

// allNodes is one node of each kind, with inputs where the kind has some.
func allNodes() []Node {
	in := &Scan{Stream: "s"}
	return []Node{
		&Aggregate{Input: in}, &AsOf{Left: in, Right: in}, &Changes{Input: in}, &Dedup{Input: in}, &Expand{Input: in},
		&Filter{Input: in}, &Join{Left: in, Right: in}, &Limit{Input: in}, &Project{Input: in}, in, &Shared{Input: in},
		&Sort{Input: in}, &StaticScan{Table: "t"}, &TopN{Input: in}, &Union{Ins: []Node{in, in}}, &Unnest{Input: in},
		&Watermark{Input: in, Def: &WatermarkDef{}}, &WindowAssign{Input: in, Spec: &WindowSpec{}},
	}
}

// A copy over other inputs has these inputs, in their order, and all else of the node, which
// stays as it is.
func TestWithInputs(t *testing.T) {
	for _, n := range allNodes() {
		before := n.Inputs()
		ins := make([]Node, len(before))
		for i := range ins {
			ins[i] = &Scan{Stream: string(rune('a' + i))}
		}
		c := n.WithInputs(ins)
		if len(before) == 0 {
			if c != n {
				t.Errorf("%T without inputs is copied", n)
			}
			continue
		}
		if got := c.Inputs(); !reflect.DeepEqual(got, ins) {
			t.Errorf("%T over other inputs has %v", n, got)
		}
		if got := n.Inputs(); got[0] != before[0] {
			t.Errorf("%T has changed when it was copied", n)
		}
		if back := c.WithInputs(before); !reflect.DeepEqual(back, n) {
			t.Errorf("%T over its inputs again is %+v, not %+v", n, back, n)
		}
	}
}

// allNodes has every kind there is: each has a file of its own.
func TestAllNodes(t *testing.T) {
	files, err := filepath.Glob("node_*.go")
	if err != nil {
		t.Fatal(err)
	}
	files = slices.DeleteFunc(files, func(name string) bool { return strings.HasSuffix(name, "_test.go") })
	kinds := map[reflect.Type]bool{}
	for _, n := range allNodes() {
		kinds[reflect.TypeOf(n)] = true
	}
	if len(kinds) != len(files) {
		t.Errorf("%d kinds of nodes are tested, and there are %d files of nodes", len(kinds), len(files))
	}
}
