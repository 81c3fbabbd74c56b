// Package library is what DuckDB adds to the functions of ssql: its own and the macros of a
// database. Catalog tells the planner what a call is, Evaluator computes it while a query
// runs.
package library

import (
	"context"
	"crypto/md5"
	"encoding/hex"
	"errors"
	"fmt"
	"slices"
	"strings"

	"ssql/internal/duck"
	"ssql/plan"
	"ssql/sql"
	"ssql/sql/types"
)

// Lend gives f a connection of the database for the time of the call.
type Lend func(ctx context.Context, f func(c *duck.Conn) error) error

// Catalog answers the planner's questions about functions for one statement. It is not
// safe for concurrent use.
type Catalog struct {
	ctx   context.Context
	lend  Lend
	known map[string]function // by name in lower case; nil before the first question
}

var _ plan.Library = (*Catalog)(nil)

// NewCatalog returns the functions of a database.
func NewCatalog(ctx context.Context, lend Lend) *Catalog { return &Catalog{ctx: ctx, lend: lend} }

// function is what duckdb_functions() says of a name.
type function struct {
	kind     string // aggregate, macro or scalar
	volatile bool
	macro    string // what a macro stands for
}

// Names returns the functions that a query on a stream can use, in lower case; true marks
// an aggregate. Operators and what stands behind them are left out.
func (c *Catalog) Names() (map[string]bool, error) {
	if _, err := c.find(""); err != nil {
		return nil, err
	}
	names := map[string]bool{}
	for name, f := range c.known {
		operator := strings.HasPrefix(name, "__internal") || strings.HasPrefix(name, "ssql_") || strings.ContainsFunc(name, func(r rune) bool { return !isNamePart(r) })
		if !operator && !f.changes(name) && !slices.Contains(internalFunctions, name) {
			names[name] = c.IsAggregate(name)
		}
	}
	return names, nil
}

// changes reports whether a function gives other values when it is called again.
func (f function) changes(name string) bool {
	return f.volatile || slices.Contains(sampling, name) || callsVolatile(f.macro)
}

// find returns the function of a name; its kind is "" if there is none.
func (c *Catalog) find(name string) (function, error) {
	if c.known == nil {
		known := map[string]function{}
		err := c.lend(c.ctx, func(conn *duck.Conn) error {
			// The last row of a name holds: a scalar function before a macro before an
			// aggregate, a macro of the user before one of DuckDB.
			const ask = `SELECT lower(function_name), function_type, coalesce(stability, 'CONSISTENT') <> 'CONSISTENT', coalesce(macro_definition, '')
FROM duckdb_functions() WHERE function_type IN ('scalar', 'macro', 'aggregate') ORDER BY function_type, internal DESC, 3`
			return conn.Query(c.ctx, ask, nil, func(row []any) error {
				name, _ := row[0].(string)
				kind, _ := row[1].(string)
				volatile, _ := row[2].(bool)
				macro, _ := row[3].(string)
				known[name] = function{kind, volatile, macro}
				return nil
			})
		})
		if err != nil {
			return function{}, fmt.Errorf("asking DuckDB for its functions: %w", err)
		}
		c.known = known
	}
	return c.known[strings.ToLower(name)], nil
}

// macroDepthMax bounds macros of macros.
const macroDepthMax = 16

// IsAggregate implements plan.Library. A macro is an aggregate if it calls one.
func (c *Catalog) IsAggregate(name string) bool { return c.folds(name, 0) }

func (c *Catalog) folds(name string, depth int) bool {
	// Without an answer the name is no aggregate; Function meets the error again.
	f, err := c.find(name)
	if err != nil || depth > macroDepthMax {
		return false
	}
	if f.kind != "macro" {
		return f.kind == "aggregate"
	}
	return slices.ContainsFunc(calledNames(f.macro), func(called string) bool { return c.folds(called, depth+1) })
}

// namedFunctions are the functions of DuckDB that are no macros and read the names of their
// arguments.
var namedFunctions = []string{"json_serialize_plan", "json_serialize_sql", "struct_insert", "struct_pack", "union_value"}

// TakesNames implements plan.Library. DuckDB itself checks those of a macro.
func (c *Catalog) TakesNames(name string) bool {
	f, err := c.find(name)
	return err == nil && (f.kind == "macro" || slices.Contains(namedFunctions, strings.ToLower(name)))
}

// Function implements plan.Library.
func (c *Catalog) Function(name, call string, columns []types.Type) (*plan.LibraryFunction, error) {
	f, err := c.find(name)
	switch {
	case err != nil:
		return nil, err
	case f.kind == "":
		return nil, nil
	case f.changes(strings.ToLower(name)):
		return nil, plan.ErrChanges
	}
	out := &plan.LibraryFunction{}
	if f.macro != "" {
		sum := md5.Sum([]byte(f.macro))
		out.Version = hex.EncodeToString(sum[:4])
	}
	nulls := make([]string, len(columns))
	for i, t := range columns {
		nulls[i] = fmt.Sprintf("CAST(NULL AS %s) AS a%d", t, i)
	}
	from := ""
	if len(nulls) > 0 {
		from = " FROM (SELECT " + strings.Join(nulls, ", ") + ", 0 AS " + rowColumn + ")"
	}
	fields, err := Describe(c.ctx, c.lend, "SELECT "+call+" AS v"+from)
	if err != nil {
		// DuckDB goes on to show a query that nobody wrote.
		message, _, _ := strings.Cut(err.Error(), "\n")
		return nil, errors.New(message)
	}
	out.Type = fields[0].Type
	return out, nil
}

// Describe returns the columns of a query that DuckDB would run.
func Describe(ctx context.Context, lend Lend, query string) ([]types.Field, error) {
	var fields []types.Field
	err := lend(ctx, func(c *duck.Conn) error {
		return c.Query(ctx, "DESCRIBE "+query, nil, func(row []any) error {
			name, _ := row[0].(string)
			typ, _ := row[1].(string)
			t, _ := TypeOf(typ)
			fields = append(fields, types.Field{Name: name, Type: t, Nullable: true})
			return nil
		})
	})
	return fields, err
}

// TypeOf returns a type of DuckDB by its name, or for one that streams do not have the
// nearest that they have; exact says which.
func TypeOf(name string) (t types.Type, exact bool) {
	t, err := sql.ParseType(name)
	switch {
	case err == nil:
		return t, true
	case name == "HUGEINT":
		return types.DecimalOf(38, 0), false
	}
	return types.Of(types.Varchar), false
}
