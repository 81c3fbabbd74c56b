package op

import (
	"bytes"
	"fmt"

	"github.com/apache/arrow/go/v17/arrow"
	"github.com/apache/arrow/go/v17/arrow/array"

	"ssql/plan/expr"
	"ssql/state"
)

// StaticJoin joins each row of a stream with a table: inner, left, semi or anti. It
// keeps nothing between batches: exec loads the table anew before each.
type StaticJoin struct {
	Kind        JoinKind
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
func (s *StaticJoin) Apply(t *Task, rec arrow.Record) (arrow.Record, error) {
	n := int(rec.NumRows())
	pass := make([]bool, n)
	for i := range pass {
		pass[i] = true
	}
	var err error
	if s.LeftFilter != nil {
		if pass, err = evalMask(t.Expr, s.LeftFilter, rec); err != nil {
			return nil, err
		}
	}
	mine, theirs, err := s.pairs(t.Expr, rec, pass)
	if err != nil {
		return nil, err
	}
	if mine, theirs, err = s.check(t.Expr, rec, mine, theirs); err != nil {
		return nil, err
	}
	switch s.Kind {
	case JoinSemi, JoinAnti:
		matched := make([]bool, n)
		for _, row := range mine {
			matched[row] = true
		}
		rows := make([]int32, 0, n)
		for row, m := range matched {
			if m == (s.Kind == JoinSemi) {
				rows = append(rows, int32(row))
			}
		}
		return Take(rec, rows), nil
	case JoinLeft:
		mine, theirs = withUnmatched(int32(n), mine, theirs)
	}
	both := s.both(rec, mine, theirs)
	return tracedAs(both, array.NewRecord(schemaOf(s.Schema, both.Columns()), both.Columns(), both.NumRows())), nil
}

func (s *StaticJoin) pairs(c *expr.Ctx, rec arrow.Record, pass []bool) (mine, theirs []int32, err error) {
	keys, rows, err := s.keysOf(c, s.LeftKeys, rec, pass)
	if err != nil {
		return nil, nil, err
	}
	ids := make([]int32, len(keys))
	s.keys.FindAll(keys, ids)
	mine, theirs = make([]int32, 0, len(keys)), make([]int32, 0, len(keys))
	for i, id := range ids {
		if id < 0 {
			continue
		}
		for r := s.heads[id]; r >= 0; r = s.before[r] {
			mine, theirs = append(mine, rows[i]), append(theirs, r)
		}
	}
	return mine, theirs, nil
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

// withUnmatched adds a pair with -1 for each of n rows that has none. Pairs are in the
// order of the rows before and after: behind the others, rows without a partner would come
// in an order that depends on where chunks end, and so would sums of doubles over them.
func withUnmatched(n int32, mine, theirs []int32) (rows, partners []int32) {
	at := 0
	for row := range n {
		if at == len(mine) || mine[at] != row {
			rows, partners = append(rows, row), append(partners, -1)
			continue
		}
		for ; at < len(mine) && mine[at] == row; at++ {
			rows, partners = append(rows, row), append(partners, theirs[at])
		}
	}
	return rows, partners
}

func (s *StaticJoin) both(rec arrow.Record, mine, theirs []int32) arrow.Record {
	return joinColumns(0, Take(rec, mine), Take(s.table, theirs))
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
