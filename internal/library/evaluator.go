package library

import (
	"context"
	"fmt"
	"strings"
	"sync"

	"github.com/apache/arrow/go/v17/arrow"
	"github.com/apache/arrow/go/v17/arrow/array"
	"github.com/apache/arrow/go/v17/arrow/memory"

	"ssql/internal/duck"
	"ssql/plan/expr"
	"ssql/sql/types"
)

// Evaluator evaluates DuckDB's functions over columns. DuckDB runs one call at a time;
// other workers wait.
type Evaluator struct {
	lend Lend
	mu   sync.Mutex
}

var _ expr.Library = (*Evaluator)(nil)

// NewEvaluator returns the functions of a database.
func NewEvaluator(lend Lend) *Evaluator { return &Evaluator{lend: lend} }

// Call implements expr.Library.
func (e *Evaluator) Call(ctx context.Context, call string, columns []arrow.Array, rows int, t types.Type) (arrow.Array, error) {
	value := "SELECT CAST(" + call + " AS " + t.String() + ") AS v FROM "
	if len(columns) == 0 {
		return e.evaluate(ctx, nil, func(string) string { return fmt.Sprintf("%srange(%d)", value, rows) }, rows)
	}
	names := make([]string, len(columns))
	for i := range columns {
		names[i] = fmt.Sprintf("a%d", i)
	}
	rec := record(names, columns)
	defer rec.Release()
	return e.evaluate(ctx, rec, func(view string) string { return value + view }, rows)
}

// record puts columns under names, with their dictionaries taken apart.
func record(names []string, columns []arrow.Array) arrow.Record {
	fields := make([]arrow.Field, len(columns))
	plain := make([]arrow.Array, len(columns))
	for i, a := range columns {
		plain[i] = expr.Plain(a)
		defer plain[i].Release()
		fields[i] = arrow.Field{Name: names[i], Type: plain[i].DataType(), Nullable: true}
	}
	return array.NewRecord(arrow.NewSchema(fields, nil), plain, int64(columns[0].Len()))
}

// evaluate returns the one column of a query over the view of a record, if any, which must
// have the rows that were asked about.
func (e *Evaluator) evaluate(ctx context.Context, rec arrow.Record, query func(view string) string, rows int) (arrow.Array, error) {
	e.mu.Lock()
	defer e.mu.Unlock()
	var out arrow.Array
	err := e.lend(ctx, func(c *duck.Conn) error {
		view := ""
		if rec != nil {
			stage, err := stageOf(ctx, c, rec)
			if err != nil {
				return err
			}
			defer stage.Clear()
			view = stage.View()
		}
		parts, err := columnOf(ctx, c, query(view))
		if err != nil {
			return err
		}
		got := 0
		for _, p := range parts {
			got += p.Len()
			defer p.Release()
		}
		if got != rows || rows == 0 {
			return fmt.Errorf("DuckDB gave %d values for %d rows", got, rows)
		}
		out, err = array.Concatenate(parts, memory.DefaultAllocator)
		return err
	})
	return out, err
}

// stageOf makes the rows of a record a relation.
func stageOf(ctx context.Context, c *duck.Conn, rec arrow.Record) (*duck.Stage, error) {
	kinds := make([]string, rec.NumCols())
	for i, f := range rec.Schema().Fields() {
		kinds[i] = f.Name + " " + f.Type.String()
	}
	stage, err := c.Stage(ctx, "call:"+strings.Join(kinds, ","), rec.Schema())
	if err != nil {
		return nil, err
	}
	return stage, stage.Set([]arrow.Record{rec})
}

// columnOf returns copies of the pieces of the first column of a query.
func columnOf(ctx context.Context, c *duck.Conn, query string) ([]arrow.Array, error) {
	reader, err := c.QueryArrow(ctx, query)
	if err != nil {
		return nil, err
	}
	defer reader.Release()
	var parts []arrow.Array
	for reader.Next() {
		part, err := array.Concatenate([]arrow.Array{reader.Record().Column(0)}, memory.DefaultAllocator)
		if err != nil {
			return parts, fmt.Errorf("copying a result of DuckDB: %w", err)
		}
		parts = append(parts, part)
	}
	return parts, reader.Err()
}
