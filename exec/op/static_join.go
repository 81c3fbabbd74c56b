package op

import (
	"bytes"
	"fmt"

	"github.com/apache/arrow/go/v17/arrow"
	"github.com/apache/arrow/go/v17/arrow/array"

	"ssql/internal/sqlerr"
	"ssql/plan/expr"
	"ssql/sql/types"
	"ssql/state"
)

// StaticJoin joins each row of a stream with a table: inner, left, semi or anti. It
// keeps nothing between batches: exec loads the table anew before each.
type StaticJoin struct {
	Kind        types.JoinKind
	LeftKeys    []expr.Expr // over the stream's columns; none for a cross join
	RightKeys   []expr.Expr // over the table's columns
	NullSafe    []bool
	LeftFilter  expr.Expr // conjuncts of ON over the stream alone; nil without
	RightFilter expr.Expr // conjuncts over the table alone; nil without
	Residual    expr.Expr // over both, the stream's columns first; nil without
	TableSchema *arrow.Schema
	Schema      *arrow.Schema

	table  arrow.Record
	keys   *state.Interner
	heads  []int32 // per key: its last row
	before []int32 // per row: the row of the same key before it, -1 for none
}

var _ Expander = (*StaticJoin)(nil)

// Expands marks the stage: a row can have several partners or none.
func (s *StaticJoin) Expands() {}

// Load replaces the table's rows and indexes them by key. It must be called before
// each batch, and not while Apply runs.
func (s *StaticJoin) Load(c *expr.Ctx, chunks []arrow.Record) error {
	table, err := tableOf(c, s.TableSchema, chunks)
	if err != nil {
		return err
	}
	if s.table != nil && s.indexesColumns() && sameRows(s.table, table) {
		return nil
	}
	s.table = table
	s.keys, s.before = state.NewInterner(), make([]int32, table.NumRows())
	use := make([]bool, table.NumRows())
	for i := range use {
		use[i] = true
	}
	if s.RightFilter != nil {
		if use, err = evalMask(c, s.RightFilter, table); err != nil {
			return err
		}
	}
	keys, rows, err := s.keysOf(c, s.RightKeys, table, use)
	if err != nil {
		return fmt.Errorf("indexing the table of a join: %w", err)
	}
	ids := make([]int32, len(keys))
	s.keys.InternAll(keys, ids)
	s.heads = make([]int32, s.keys.Len())
	for i := range s.heads {
		s.heads[i] = -1
	}
	for i, row := range rows {
		s.before[row], s.heads[ids[i]] = s.heads[ids[i]], row
	}
	return nil
}

// indexesColumns reports whether the index follows from the rows of the table alone, and not from
// the time of the batch.
func (s *StaticJoin) indexesColumns() bool {
	for _, key := range s.RightKeys {
		if _, ok := key.(*expr.Column); !ok {
			return false
		}
	}
	return s.RightFilter == nil
}

// sameRows reports whether two tables are the same, byte by byte. Tables seldom change
// from batch to batch, and to compare 100,000 rows takes a tenth of indexing them.
func sameRows(a, b arrow.Record) bool {
	if a.NumRows() != b.NumRows() || a.NumCols() != b.NumCols() {
		return false
	}
	for i := range int(a.NumCols()) {
		if !sameData(a.Column(i).Data(), b.Column(i).Data()) {
			return false
		}
	}
	return true
}

func sameData(a, b arrow.ArrayData) bool {
	if !arrow.TypeEqual(a.DataType(), b.DataType()) || a.Len() != b.Len() || a.Offset() != b.Offset() ||
		len(a.Buffers()) != len(b.Buffers()) || len(a.Children()) != len(b.Children()) {
		return false
	}
	for i, x := range a.Buffers() {
		y := b.Buffers()[i]
		if (x == nil) != (y == nil) || x != nil && !bytes.Equal(x.Bytes(), y.Bytes()) {
			return false
		}
	}
	for i, x := range a.Children() {
		if !sameData(x, b.Children()[i]) {
			return false
		}
	}
	return true
}

// keysOf returns the rows for which use is true and that can match at all, with their keys.
func (s *StaticJoin) keysOf(c *expr.Ctx, exprs []expr.Expr, rec arrow.Record, use []bool) (keys [][]byte, rows []int32, err error) {
	cols, err := evalAll(c, exprs, rec)
	if err != nil {
		return nil, nil, err
	}
	if keys, err = encodeRows(cols, len(use)); err != nil {
		return nil, nil, err
	}
	for row, has := range hasKeys(cols, s.NullSafe, len(use)) {
		if has && use[row] {
			keys[len(rows)] = keys[row]
			rows = append(rows, int32(row))
		}
	}
	return keys[:len(rows)], rows, nil
}

// Apply joins a chunk.
func (s *StaticJoin) Apply(t *Task, rec arrow.Record, emit Emit) error {
	n := int(rec.NumRows())
	pass := make([]bool, n)
	for i := range pass {
		pass[i] = true
	}
	var err error
	if s.LeftFilter != nil {
		if pass, err = evalMask(t.Expr, s.LeftFilter, rec); err != nil {
			return err
		}
	}
	keys, rows, err := s.keysOf(t.Expr, s.LeftKeys, rec, pass)
	if err != nil {
		return err
	}
	ids := make([]int32, len(keys))
	s.keys.FindAll(keys, ids)
	probe := &probing{StaticJoin: s, t: t, rec: rec, emit: emit, matched: make([]bool, n)}
	for i, id := range ids {
		if id < 0 {
			continue
		}
		for r := s.heads[id]; r >= 0; r = s.before[r] {
			if err := probe.add(rows[i], r); err != nil {
				return err
			}
		}
	}
	return probe.end()
}

// probing is a chunk that is being joined. Pairs are checked and given on in parts: a key
// that many rows of the table have can make more of a chunk than fits.
type probing struct {
	*StaticJoin
	t       *Task
	rec     arrow.Record
	emit    Emit
	matched []bool // by row of the chunk
	next    int32  // the first row that may still be without a partner

	mine, theirs []int32
	bytes        int64
	row          int32 // of the newest pair, from 1, and how many it has
	count, cost  int64
}

// add adds a pair that the keys make.
func (p *probing) add(mine, theirs int32) error {
	if mine+1 != p.row {
		p.row, p.count, p.cost = mine+1, 0, sharedRowBytes(p.rec, mine)
	}
	p.count++
	s := p.t.Sizes
	if s.RowsPerRowMax > 0 && p.count > s.RowsPerRowMax {
		return &expr.RowError{Row: int(mine), Err: sqlerr.New("E_LIMIT", "a join makes more than rows_per_row_max = %d rows of one row", s.RowsPerRowMax).
			WithHint("join by a narrower condition, or raise rows_per_row_max")}
	}
	p.mine, p.theirs = append(p.mine, mine), append(p.theirs, theirs)
	p.bytes += p.cost + sharedRowBytes(p.table, theirs)
	if len(p.mine) >= pairsMax || s.ChunkBytes > 0 && p.bytes >= s.ChunkBytes {
		return p.cut()
	}
	return nil
}

// sharedRowBytes is rowBytes of what shared copies.
func sharedRowBytes(rec arrow.Record, row int32) int64 {
	n := int64(0)
	for _, a := range rec.Columns() {
		switch a.(type) {
		case *array.String, *array.Dictionary:
			n += 4
		default:
			n += expr.RowBytes(a, int(row))
		}
	}
	return n
}

// cut checks the pairs since the last cut and gives them on.
func (p *probing) cut() error {
	mine, theirs, err := p.check(p.t.Expr, p.rec, p.mine, p.theirs)
	if err != nil {
		return err
	}
	for _, row := range mine {
		p.matched[row] = true
	}
	if p.Kind == types.LeftJoin {
		// The newest row can have more pairs.
		mine, theirs = p.withUnmatched(p.row-1, mine, theirs)
	}
	p.mine, p.theirs, p.bytes = nil, nil, 0
	if p.Kind == types.SemiJoin || p.Kind == types.AntiJoin || len(mine) == 0 {
		return nil
	}
	both := p.both(p.rec, mine, theirs)
	out := tracedAs(both, array.NewRecord(schemaOf(p.Schema, both.Columns()), both.Columns(), both.NumRows()))
	defer out.Release()
	p.t.From = mine
	return p.emit(out)
}

// end gives the rest on.
func (p *probing) end() error {
	n := int32(p.rec.NumRows())
	if p.Kind == types.LeftJoin {
		p.row = n + 1
	}
	if err := p.cut(); err != nil || p.Kind != types.SemiJoin && p.Kind != types.AntiJoin {
		return err
	}
	rows := make([]int32, 0, n)
	for row, m := range p.matched {
		if m == (p.Kind == types.SemiJoin) {
			rows = append(rows, int32(row))
		}
	}
	out := Take(p.rec, rows)
	defer out.Release()
	p.t.From = rows
	return p.emit(out)
}

// check keeps the pairs for which the residual condition is true.
func (s *StaticJoin) check(c *expr.Ctx, rec arrow.Record, mine, theirs []int32) ([]int32, []int32, error) {
	if s.Residual == nil || len(mine) == 0 {
		return mine, theirs, nil
	}
	mask, err := evalMask(c, s.Residual, s.both(rec, mine, theirs))
	if err != nil {
		return nil, nil, err
	}
	kept := 0
	for i, ok := range mask {
		if ok {
			mine[kept], theirs[kept] = mine[i], theirs[i]
			kept++
		}
	}
	return mine[:kept], theirs[:kept], nil
}

// withUnmatched adds a pair with -1 for each row before end that has none. Pairs are in the
// order of the rows before and after: behind the others, rows without a partner would come
// in an order that depends on where chunks end, and so would sums of doubles over them.
func (p *probing) withUnmatched(end int32, mine, theirs []int32) (rows, partners []int32) {
	at := 0
	for ; p.next < end; p.next++ {
		if !p.matched[p.next] {
			rows, partners = append(rows, p.next), append(partners, -1)
			continue
		}
		for ; at < len(mine) && mine[at] == p.next; at++ {
			rows, partners = append(rows, p.next), append(partners, theirs[at])
		}
	}
	return append(rows, mine[at:]...), append(partners, theirs[at:]...)
}

func (s *StaticJoin) both(rec arrow.Record, mine, theirs []int32) arrow.Record {
	return joinColumns(0, shared(rec, mine), shared(s.table, theirs))
}

// tableOf joins the chunks of a table into one record, which has no rows for none.
func tableOf(c *expr.Ctx, schema *arrow.Schema, chunks []arrow.Record) (arrow.Record, error) {
	table, err := concat(c.Alloc, chunks)
	if err != nil || table != nil {
		return table, err
	}
	b := array.NewRecordBuilder(c.Alloc, schema)
	defer b.Release()
	return b.NewRecord(), nil
}
