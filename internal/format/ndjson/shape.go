// Package ndjson reads JSON lines straight into Arrow columns of a known schema.
//
// A Shape is the compiled schema; each goroutine takes a Decoder from it, which is
// fed blocks of whole lines and gives record chunks. There is no tree of values in
// between: each value is read by the type of its column into the column's memory.
//
// Rows of machine-written JSON look alike: the bytes between two values (comma, key,
// colon, blanks) are mostly those of an earlier row. A Decoder therefore keeps a
// tree of the byte sequences it has seen between values (steps.go) and walks it
// with 8-byte compares; only a row that leaves the tree is parsed by the full
// grammar (object.go), which then adds its way to the tree. Both give the same
// rows: the tree holds nothing but what the grammar has read before.
//
// What each type takes is said in value.go and in package cell.
package ndjson

import (
	"strings"

	"ssql/internal/format"
	"ssql/internal/format/cell"
	"ssql/internal/format/column"
	"ssql/internal/sqlerr"
	"ssql/sql/types"
)

// depthMax is how deeply objects and arrays of one line may be nested; a deeper
// line is a bad row. It bounds the stack.
const depthMax = 64

// Options describe the rows to read.
type Options struct {
	// Fields are the columns of the chunks. Keys match them exactly, case included, unless
	// AnyCase is set; other keys are checked for syntax and skipped.
	Fields []types.Field
	// AnyCase lets keys match in any case: Infer makes one column of them, since names of
	// columns compare without it.
	AnyCase bool
	// Encode asks, per field, for dictionary encoding; only VARCHAR can have it. Nil
	// is none.
	Encode []bool
	// Formats are, per field, how the values of a DATE or TIMESTAMP are written; nil is as
	// Settings say.
	Formats []*types.TimeFormat
	cell.Settings
	// LineBytesMax refuses longer lines; 0 is format.RecordBytesMax.
	LineBytesMax int
	// ValuesWay says how a file is read whose records are values, not lines; "" where it cannot.
	ValuesWay string
	// Drift hears of keys that are no columns; nil does not.
	Drift *format.Drift
}

// Shape is a compiled schema. It is safe for concurrent use.
type Shape struct {
	options Options
	root    *node
	pool    *column.Pool
}

// node is what the grammar knows of a column with parts; nil for the others.
type node struct {
	path  string         // "" for the row itself
	index map[string]int // members of a STRUCT by name
	names []string
	lower map[string]int // and by lower-case name, for the notice on other cases
	parts []*node        // as the Children of the column's builder
}

// NewShape compiles a schema. It refuses types that JSON has no form for.
func NewShape(o Options) (*Shape, error) {
	root, err := newNode("", types.StructOf(o.Fields...))
	if err != nil {
		return nil, err
	}
	return &Shape{options: o, root: root, pool: &column.Pool{}}, nil
}

// Scribble makes the memory of released chunks unreadable; for tests.
func (s *Shape) Scribble() { s.pool.Scribble = true }

func newNode(path string, t types.Type) (*node, error) {
	switch t.Kind {
	case types.Struct:
		n := &node{path: path, index: map[string]int{}, lower: map[string]int{}}
		for i, f := range t.Fields {
			part, err := newNode(join(path, f.Name), f.Type)
			if err != nil {
				return nil, err
			}
			n.parts = append(n.parts, part)
			n.names = append(n.names, f.Name)
			n.index[f.Name] = i
			n.lower[strings.ToLower(f.Name)] = i
		}
		return n, nil
	case types.List:
		part, err := newNode(path+"[]", *t.Elem)
		return &node{path: path, parts: []*node{part}}, err
	case types.Map:
		if t.Key.Kind != types.Varchar {
			return nil, sqlerr.New("DATATYPE_MISMATCH", "column %q is %s, but the keys of a JSON object are text", path, t).
				WithHint("declare it MAP(VARCHAR, %s)", t.Elem)
		}
		part, err := newNode(path+"[]", *t.Elem)
		return &node{path: path, parts: []*node{nil, part}}, err
	case types.IntervalKind:
		return nil, sqlerr.New("DATATYPE_MISMATCH", "column %q is INTERVAL, which JSON has no form for", path).
			WithHint("declare it VARCHAR and cast it in the query")
	}
	return nil, nil
}

func join(path, name string) string {
	if path == "" {
		return name
	}
	return path + "." + name
}

// Ends implements format.Shape.
func (s *Shape) Ends(block []byte, max int64) (end int, records int64) {
	return format.LineEnds(block, max)
}

// LastEnd implements format.Shape.
func (s *Shape) LastEnd(block []byte) int { return format.LastLineEnd(block) }

// Rest implements format.Shape.
func (s *Shape) Rest(start []byte) func(block []byte) (int, bool) { return format.LineRest(start) }

// Header implements format.Shape.
func (s *Shape) Header() bool { return false }

// NewDecoder implements format.Shape.
func (s *Shape) NewDecoder() format.Decoder { return s.newDecoder() }

func (s *Shape) newDecoder() *Decoder {
	d := &Decoder{shape: s, lineMax: s.options.LineBytesMax, said: map[string]bool{}, unknown: map[unknown]bool{}}
	if d.lineMax <= 0 || d.lineMax > format.RecordBytesMax {
		d.lineMax = format.RecordBytesMax
	}
	d.chunk = column.NewChunk(s.pool, s.options.Fields, s.options.Encode)
	d.chunk.SetFormats(s.options.Formats, s.options.Timestamps, s.options.Dates)
	d.cols = d.chunk.Cols
	return d
}
