package ndjson

import (
	"ssql/internal/format/cell"
	"ssql/internal/format/column"
	"ssql/sql/types"
)

// op is how the value of a step is read.
type op uint8

const (
	opValue  op = iota // by the grammar
	opText             // VARCHAR
	opBigInt           // BIGINT
	opInt              // any smaller or unsigned integer
	opDouble           // DOUBLE
	opTime             // TIMESTAMP
	opSkip             // a key that is no column
	opEnd              // no value: the row ends behind the literal
)

func opOf(c *column.Builder) op {
	switch k := c.Type.Kind; {
	case k == types.Varchar && !c.Type.JSON:
		return opText
	case k == types.BigInt:
		return opBigInt
	case c.Type.IsInteger():
		return opInt
	case k == types.Double:
		return opDouble
	case k == types.Timestamp && c.Format == nil:
		return opTime
	}
	return opValue
}

// step is an edge of the tree: bytes that stand between two values, and how to
// read the value behind them.
type step struct {
	next  *step // the first of the steps that may follow
	other *step // the next of those that may stand here instead

	first, last uint64 // the first and last 8 bytes of literal
	mask        uint64 // for a literal of fewer than 8 bytes
	size        int
	literal     string

	op    op
	depth int8
	col   *column.Builder
	node  *node
	// missing are the columns that are NULL in rows that end here.
	missing []*column.Builder

	minute cell.Minute // of opTime
}

func (s *step) matches(buf []byte, p int) bool {
	switch {
	case s.size <= 8:
		return load(buf, p)&s.mask == s.first
	case s.size <= 16:
		return load(buf, p) == s.first && load(buf, p+s.size-8) == s.last
	}
	return p+s.size <= len(buf) && load(buf, p) == s.first && load(buf, p+s.size-8) == s.last &&
		string(buf[p:p+s.size]) == s.literal
}

const (
	literalMax = 512  // longer literals are not worth the memory
	stepsMax   = 2048 // of a tree
	othersMax  = 16   // alternatives at one place
	missesMax  = 64   // rows in a row that leave the tree before it is given a rest
	restRows   = 1024
)

// tree holds the ways through the rows seen so far, and the way of the row being
// parsed, which becomes part of it when the row turns out good.
type tree struct {
	root   step // its next is where rows begin
	size   int
	misses int
	rest   int

	recording bool
	nested    int // lists and maps around the position: what is in them is no step
	from      int // where the next literal starts
	way       []step
	nulls     []*column.Builder
}

// worthTrying reports whether walking the tree is likely to be quicker than
// parsing. Input without any regular order pays for it in one row of 16.
func (t *tree) worthTrying() bool {
	if t.rest > 0 {
		t.rest--
		return false
	}
	return t.root.next != nil
}

// missed notes that a row left the tree.
func (t *tree) missed() {
	if t.misses++; t.misses < missesMax {
		return
	}
	t.misses, t.rest = 0, restRows
	if t.size >= stepsMax {
		t.root.next, t.size = nil, 0
	}
}

// begin starts the way of the row at p.
func (t *tree) begin(p int) {
	t.recording, t.nested, t.from = t.rest == 0 && t.size < stepsMax, 0, p
	t.way, t.nulls = t.way[:0], t.nulls[:0]
}

// giveUp says that the row's way cannot be repeated by comparing bytes alone.
func (t *tree) giveUp() { t.recording = false }

func (t *tree) active() bool { return t.recording && t.nested == 0 }

// valueBegins adds the bytes since the last value as a step.
func (t *tree) valueBegins(buf []byte, p int, o op, c *column.Builder, n *node, depth int) {
	if !t.active() {
		return
	}
	if p-t.from > literalMax {
		t.recording = false
		return
	}
	s := step{size: p - t.from, op: o, col: c, node: n, depth: int8(depth), first: load(buf, t.from), mask: ^uint64(0)}
	if s.size < 8 {
		s.mask >>= 64 - 8*s.size
		s.first &= s.mask
	} else {
		s.last = load(buf, p-8)
	}
	if s.size > 16 {
		s.literal = string(buf[t.from:p])
	}
	t.way = append(t.way, s)
}

func (t *tree) valueEnds(p int) {
	if t.active() {
		t.from = p
	}
}

func (t *tree) missing(c *column.Builder) {
	if t.active() {
		t.nulls = append(t.nulls, c)
	}
}

// end makes the way of a good row part of the tree. p is the start of the next
// row.
func (t *tree) end(buf []byte, p int) {
	t.valueBegins(buf, p, opEnd, nil, nil, 0)
	if !t.recording {
		return
	}
	t.recording = false
	at := &t.root
	for k := range t.way {
		if at = t.follow(at, &t.way[k]); at == nil {
			return
		}
	}
	if at.missing == nil {
		at.missing = append(at.missing, t.nulls...)
	}
}

// follow returns the step behind at that equals s, adding it where there is room.
func (t *tree) follow(at, s *step) *step {
	place := &at.next
	for n := 0; *place != nil; n++ {
		o := *place
		if o.size == s.size && o.first == s.first && o.last == s.last && o.literal == s.literal {
			if o.op != s.op || o.col != s.col {
				return nil
			}
			return o
		}
		if n >= othersMax {
			return nil
		}
		place = &o.other
	}
	added := *s
	*place = &added
	t.size++
	return *place
}

// walk reads the row at p along the tree into slot d.row and returns where the
// next row starts; -1 if the row is none that the tree knows, or not good: then
// parse decides, after a rollback.
func (d *Decoder) walk(p int) int {
	buf, i := d.buf, d.row
	for s := d.steps.root.next; s != nil; {
		if !s.matches(buf, p) {
			s = s.other
			continue
		}
		p += s.size
		end := -1
		switch s.op {
		case opText:
			end = walkText(buf, s.col, i, p)
		case opBigInt:
			var v int64
			if v, end = cell.ReadInt(buf, p); end > 0 {
				s.col.I64[i] = v
			}
		case opDouble:
			end = cell.ReadDouble(buf, s.col, i, p)
		case opTime:
			end = d.walkTime(s, i, p)
		case opSkip:
			end = walkSkip(buf, p)
		case opInt:
			if v, q := cell.ReadInt(buf, p); q > 0 && cell.SetInt(s.col, i, v) {
				end = q
			}
		case opEnd:
			for _, c := range s.missing {
				c.SetNull(i)
			}
			d.steps.misses = 0
			return p
		}
		if end < 0 {
			if end = d.walkSlow(s, i, p); end < 0 {
				break
			}
		}
		p = end
		s = s.next
	}
	d.steps.missed()
	return -1
}

// walkSlow reads one value by the grammar; -1 if it is not good.
func (d *Decoder) walkSlow(s *step, i, p int) int {
	p = d.blanks(p)
	var f *fault
	if s.op == opSkip {
		p, f = d.skip(p, int(s.depth)+1)
	} else {
		s.col.Last = i
		p, f = d.value(s.node, s.col, i, p, int(s.depth))
	}
	if f != nil {
		return -1
	}
	return p
}
