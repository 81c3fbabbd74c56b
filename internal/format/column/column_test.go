package column

import (
	"fmt"
	"strings"
	"testing"

	"github.com/apache/arrow/go/v17/arrow"
	"github.com/apache/arrow/go/v17/arrow/array"

	"ssql/sql/types"
)

func texts(a arrow.Array) string {
	out := make([]string, a.Len())
	for i := range out {
		out[i] = types.Text(a, i)
	}
	return strings.Join(out, " ")
}

func varchar(pool *Pool, encode bool) *Builder {
	return NewBuilder(pool, types.Field{Name: "v", Type: types.Of(types.Varchar)}, encode)
}

func TestPoolGivesBackTheSameMemory(t *testing.T) {
	p := &Pool{}
	for _, size := range []int{0, 1, 64, 65, 1000, 1 << 20} {
		b := p.Allocate(size)
		if len(b) != size || cap(b) < 64 || cap(b)&(cap(b)-1) != 0 {
			t.Errorf("Allocate(%d) has length %d, capacity %d", size, len(b), cap(b))
		}
		p.Free(b)
	}
	p.Free(make([]byte, 100)) // not ours, and no power of two: dropped
	b := p.Reallocate(200, append(p.Allocate(0), "kept"...))
	if string(b[:4]) != "kept" || len(b) != 200 {
		t.Errorf("Reallocate lost the content: %q", b[:4])
	}
}

// TestReleasedMemoryIsScribbledOver shows that the memory of a chunk comes back
// when it is released, and not before.
func TestReleasedMemoryIsScribbledOver(t *testing.T) {
	p := &Pool{Scribble: true}
	b := varchar(p, false)
	b.Start(4)
	b.SetText(0, []byte("text"))
	b.SetNull(1)
	a := b.Finish(2).(*array.String)
	inside := a.Value(0)
	a.Retain()
	a.Release()
	if inside != "text" {
		t.Fatalf("the chunk is still referenced, but holds %q", inside)
	}
	a.Release()
	if inside != "\xDB\xDB\xDB\xDB" {
		t.Errorf("after the release the memory holds %q", inside)
	}
}

func TestNullsAndReset(t *testing.T) {
	b := NewBuilder(&Pool{}, types.Field{Name: "v", Type: types.ListOf(types.Of(types.BigInt))}, false)
	b.Start(4)
	set := func(slot int, values ...int64) {
		elem, at := b.Children[0], int(b.Offsets[slot])
		for _, v := range values {
			elem.Grow(at + 1)
			elem.Last = at
			if v < 0 {
				elem.SetNull(at)
			} else {
				elem.I64[at] = v
			}
			at++
		}
		b.Offsets[slot+1] = int32(at)
		b.Last = slot
	}
	set(0, 1, -1, 3)
	set(1, -1, -1)
	b.Reset(1)
	set(1, 7)
	b.SetNull(2)
	b.Reset(2)
	b.SetNull(2)
	many := make([]int64, 1000)
	set(3, many...)
	a := b.Finish(4)
	defer a.Release()
	if got := texts(a.(*array.List).ListValues())[:14]; got != "1 NULL 3 7 0 0" || a.NullN() != 1 || a.(*array.List).ListValues().NullN() != 1 {
		t.Errorf("values %s ..., %d and %d nulls", got, a.NullN(), a.(*array.List).ListValues().NullN())
	}
}

func TestDictionaryIDs(t *testing.T) {
	d := newDictionary()
	words := []string{"", "a", "b", "12345678", "123456789", "sixteen bytes!!!", "seventeen bytes!!", "seventeen bytes!?", strings.Repeat("long ", 50)}
	for round := range 2 {
		for want, w := range words {
			if got := d.Intern([]byte(w)); got != int32(want) {
				t.Errorf("round %d: Intern(%q) = %d, want %d", round, w, got, want)
			}
		}
	}
	for i := range 10_000 {
		d.Intern(fmt.Appendf(nil, "key %d", i))
	}
	for i := range 10_000 {
		if got := d.Intern(fmt.Appendf(nil, "key %d", i)); got != int32(len(words)+i) {
			t.Fatalf("key %d has id %d", i, got)
		}
	}
}

// TestDictionaryIsAPrefix shows what a consumer can rely on when it translates ids.
func TestDictionaryIsAPrefix(t *testing.T) {
	d := newDictionary()
	d.Intern([]byte("a"))
	first := d.Array()
	if d.Array() != first {
		t.Error("the array changed, but no value was added")
	}
	d.Intern([]byte("b"))
	second := d.Array()
	if &first.ValueOffsets()[0] != &second.ValueOffsets()[0] || first.Len() != 1 || texts(second) != "a b" {
		t.Errorf("the grown dictionary is %s, the old one %s", texts(second), texts(first))
	}
	for i := range 10_000 {
		d.Intern(fmt.Appendf(nil, "key %d", i))
	}
	moved := d.Array()
	if &second.ValueOffsets()[0] == &moved.ValueOffsets()[0] {
		t.Error("10,000 values more fit into the old memory")
	}
	if texts(second) != "a b" || moved.Value(1) != "b" {
		t.Error("an array changed after it was handed out")
	}
}

// TestDictionaryGivesUp shows when a column becomes plain, and when a dictionary is
// begun anew.
func TestDictionaryGivesUp(t *testing.T) {
	fill := func(b *Builder, distinct int) string {
		b.Start(dictRowsMin)
		for i := range dictRowsMin {
			b.SetText(i, fmt.Appendf(nil, "%d", i%distinct))
		}
		a := b.Finish(dictRowsMin)
		defer a.Release()
		return fmt.Sprint(a.DataType(), " ", b.arrowType())
	}
	plain, dictionary := "utf8 utf8", fmt.Sprint(types.ArrowDictionary, " ", types.ArrowDictionary)
	b := varchar(&Pool{}, true)
	for chunk := range 3 {
		if got := fill(b, dictRowsMin/2); got != dictionary {
			t.Errorf("chunk %d: half of the values are distinct, the column is %s", chunk, got)
		}
	}
	b = varchar(&Pool{}, true)
	for chunk, want := range []string{dictionary, plain, plain} {
		if got := fill(b, dictRowsMin); got != want {
			t.Errorf("chunk %d: all values are distinct, the column is %s, want %s", chunk, got, want)
		}
	}
	d := newDictionary()
	d.rows, d.size = 1<<40, dictSizeMax
	if next := d.next(); next == d || next == nil || next.Len() != 0 {
		t.Error("a dictionary of the largest size is used on")
	}
}

// A chunk of one row does not keep the memory of a full one, whatever its columns are.
func TestSmallChunksAreSmall(t *testing.T) {
	p := &Pool{Scribble: true}
	elem := types.Of(types.BigInt)
	fields := []types.Field{
		{Name: "b", Type: types.Of(types.Boolean)}, {Name: "i", Type: types.Of(types.BigInt)}, {Name: "d", Type: types.Type{Kind: types.Decimal, Precision: 30, Scale: 2}},
		{Name: "s", Type: types.Of(types.Varchar)}, {Name: "k", Type: types.Of(types.Varchar)},
		{Name: "l", Type: types.Type{Kind: types.List, Elem: &elem}},
		{Name: "r", Type: types.Type{Kind: types.Struct, Fields: []types.Field{{Name: "t", Type: types.Of(types.Varchar)}}}},
	}
	c := NewChunk(p, fields, []bool{false, false, false, false, true})
	fill := func(row int) {
		c.Cols[0].SetBool(row, true)
		c.Cols[1].I64[row] = 7
		c.Cols[2].I64[2*row], c.Cols[2].I64[2*row+1] = 100, 0
		c.Cols[3].SetText(row, []byte("text"))
		c.Cols[4].I32[row] = c.Cols[4].Dict.Intern([]byte("key"))
		l := c.Cols[5]
		at := int(l.Offsets[row])
		l.Children[0].Grow(at + 1)
		l.Children[0].I64[at] = 9
		l.Offsets[row+1] = int32(at + 1)
		c.Cols[6].Children[0].SetText(row, []byte("deep"))
	}
	for _, n := range []int{1, 5000} {
		c.Start(8192)
		for row := range n {
			fill(row)
		}
		rec := c.Record(n)
		held := 0
		var count func(d arrow.ArrayData)
		count = func(d arrow.ArrayData) {
			for _, b := range d.Buffers() {
				if b != nil {
					held += cap(b.Bytes())
				}
			}
			for _, part := range d.Children() {
				count(part)
			}
		}
		for _, a := range rec.Columns() {
			count(a.Data())
		}
		if limit := 2000 + 400*n; n == 1 && held > limit {
			t.Errorf("a record of %d rows holds %d bytes, want at most %d", n, held, limit)
		}
		want := []string{"true", "7", "1.00", `"text"`, `"key"`, "[9]", "{t: deep}"}
		for i, a := range rec.Columns() {
			if got := types.Text(a, n-1); strings.Trim(got, `"`) != strings.Trim(want[i], `"`) {
				t.Errorf("column %d of %d rows: %s, want %s", i, n, got, want[i])
			}
		}
		rec.Release()
	}
}
