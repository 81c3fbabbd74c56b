package session

import (
	"context"
	"crypto/md5"
	"encoding/hex"
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync"

	"github.com/apache/arrow/go/v17/arrow"
	"github.com/apache/arrow/go/v17/arrow/array"
	"github.com/apache/arrow/go/v17/arrow/memory"

	"ssql/internal/duck"
	"ssql/plan"
	"ssql/plan/expr"
	"ssql/sql/types"
)

var _ plan.ScalarLibrary = (*relations)(nil)

// volatileFunctions give another value at every call; a macro that uses one would
// make a replayed batch differ. The native ones are pinned by the batch's seed.
var volatileFunctions = []string{"random", "setseed", "uuid", "gen_random_uuid", "nextval", "currval", "now", "get_current_timestamp", "today", "current_date"}

// Scalar implements plan.ScalarLibrary with the functions and macros of DuckDB.
func (r *relations) Scalar(name, call string, columns []types.Type) (*plan.ScalarFunction, error) {
	var kind, stability, macro string
	err := r.session.withConn(r.ctx, func(c *duck.Conn) error {
		const ask = `SELECT function_type, coalesce(stability, ''), coalesce(macro_definition, '')
FROM duckdb_functions() WHERE lower(function_name) = ? AND function_type IN ('scalar', 'macro', 'aggregate') ORDER BY function_type DESC LIMIT 1`
		return c.Query(r.ctx, ask, []any{strings.ToLower(name)}, func(row []any) error {
			kind, stability, macro = text(row[0]), text(row[1]), text(row[2])
			return nil
		})
	})
	switch {
	case err != nil:
		return nil, fmt.Errorf("asking DuckDB for function %s: %w", name, err)
	case kind == "":
		return nil, nil
	case kind == "aggregate":
		return nil, errors.New("it is an aggregate of DuckDB without a streaming form")
	case stability == "VOLATILE" || usesVolatile(macro):
		return nil, errors.New("its value changes from call to call, so a replayed batch would differ")
	}
	f := &plan.ScalarFunction{}
	if macro != "" {
		sum := md5.Sum([]byte(macro))
		f.Version = hex.EncodeToString(sum[:4])
	}
	nulls := make([]string, len(columns))
	for i, t := range columns {
		nulls[i] = fmt.Sprintf("CAST(NULL AS %s) AS a%d", t, i)
	}
	from := ""
	if len(nulls) > 0 {
		from = " FROM (SELECT " + strings.Join(nulls, ", ") + ")"
	}
	fields, err := r.Describe("SELECT " + call + " AS v" + from)
	if err != nil {
		// DuckDB goes on to show a query that nobody wrote.
		message, _, _ := strings.Cut(err.Error(), "\n")
		return nil, errors.New(message)
	}
	f.Type = fields[0].Type
	return f, nil
}

// usesVolatile looks for the names of volatile functions in the text of a macro.
func usesVolatile(macro string) bool {
	words := strings.FieldsFunc(strings.ToLower(macro), func(r rune) bool {
		return r != '_' && (r < 'a' || r > 'z') && (r < '0' || r > '9')
	})
	return slices.ContainsFunc(words, func(w string) bool { return slices.Contains(volatileFunctions, w) })
}

// library evaluates DuckDB's functions over the columns of a chunk. DuckDB runs one
// call at a time; the chunks of other workers wait.
type library struct {
	session *Session
	ctx     context.Context
	mu      *sync.Mutex
}

var _ expr.Library = library{}

// Call implements expr.Library.
func (l library) Call(call string, columns []arrow.Array, rows int, t types.Type) (arrow.Array, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	var out arrow.Array
	err := l.session.withConn(l.ctx, func(c *duck.Conn) error {
		from, err := stageColumns(l.ctx, c, columns, rows)
		if err != nil {
			return err
		}
		out, err = evaluate(l.ctx, c, "SELECT CAST("+call+" AS "+t.String()+") AS v FROM "+from, rows)
		return err
	})
	return out, err
}

// stageColumns makes the columns a relation with the names a0, a1, ….
func stageColumns(ctx context.Context, c *duck.Conn, columns []arrow.Array, rows int) (string, error) {
	if len(columns) == 0 {
		return fmt.Sprintf("range(%d)", rows), nil
	}
	fields := make([]arrow.Field, len(columns))
	plain := make([]arrow.Array, len(columns))
	kinds := make([]string, len(columns))
	for i, a := range columns {
		plain[i] = expr.Plain(a)
		kinds[i] = plain[i].DataType().String()
		fields[i] = arrow.Field{Name: fmt.Sprintf("a%d", i), Type: plain[i].DataType(), Nullable: true}
	}
	schema := arrow.NewSchema(fields, nil)
	stage, err := c.Stage(ctx, "call:"+strings.Join(kinds, ","), schema)
	if err != nil {
		return "", err
	}
	rec := array.NewRecord(schema, plain, int64(rows))
	defer rec.Release()
	if err := stage.Set([]arrow.Record{rec}); err != nil {
		return "", err
	}
	return stage.View(), nil
}

// evaluate returns the one column of a query, which must have the rows that were
// asked about.
func evaluate(ctx context.Context, c *duck.Conn, query string, rows int) (arrow.Array, error) {
	reader, err := c.QueryArrow(ctx, query)
	if err != nil {
		return nil, err
	}
	defer reader.Release()
	var parts []arrow.Array
	for reader.Next() {
		rec, err := copyRecord(reader.Record())
		if err != nil {
			return nil, err
		}
		parts = append(parts, rec.Column(0))
	}
	if err := reader.Err(); err != nil {
		return nil, err
	}
	got := 0
	for _, p := range parts {
		got += p.Len()
	}
	if got != rows || rows == 0 {
		return nil, fmt.Errorf("DuckDB gave %d values for %d rows", got, rows)
	}
	return array.Concatenate(parts, memory.DefaultAllocator)
}
