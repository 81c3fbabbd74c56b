package op

import (
	"github.com/apache/arrow/go/v17/arrow"
	"github.com/apache/arrow/go/v17/arrow/array"

	"ssql/plan/expr"
)

// Project computes the columns of its result from each row.
type Project struct {
	Exprs  []expr.Expr
	Schema *arrow.Schema
	// Refuses says that a row for which an expression fails is a bad row.
	Refuses bool
}

var _ Stage = (*Project)(nil)

// Apply evaluates every expression over rec.
func (p *Project) Apply(t *Task, rec arrow.Record, emit Emit) error {
	out, err := evalRecord(t.Expr, p.Schema, p.Exprs, rec)
	if err != nil {
		return err
	}
	defer out.Release()
	return emit(out)
}

// evalRecord evaluates expressions into a record. A VARCHAR column may come out
// dictionary encoded, so the schema's types are those of the columns.
func evalRecord(c *expr.Ctx, schema *arrow.Schema, exprs []expr.Expr, rec arrow.Record) (arrow.Record, error) {
	cols := make([]arrow.Array, len(exprs))
	defer func() {
		for _, a := range cols {
			if a != nil {
				a.Release()
			}
		}
	}()
	made := int64(0) // bytes
	for i, e := range exprs {
		a, err := e.Eval(c, rec)
		if err != nil {
			return nil, expr.InColumn(err, schema.Field(i).Name)
		}
		cols[i] = a
		if _, passed := e.(*expr.Column); !passed {
			made += int64(a.Data().SizeInBytes())
		}
		if c.ColumnBytesMax > 0 && made > c.ColumnBytesMax && rec.NumRows() > 1 {
			return nil, expr.ErrChunkTooLarge
		}
	}
	return tracedAs(rec, array.NewRecord(schemaOf(schema, cols), cols, rec.NumRows())), nil
}

// schemaOf returns schema, with the types of cols where they are the other form
// of VARCHAR.
func schemaOf(schema *arrow.Schema, cols []arrow.Array) *arrow.Schema {
	same := true
	for i, a := range cols {
		if a.DataType().ID() != schema.Field(i).Type.ID() {
			same = false
			break
		}
	}
	if same {
		return schema
	}
	fields := make([]arrow.Field, len(cols))
	for i, a := range cols {
		fields[i] = schema.Field(i)
		fields[i].Type = a.DataType()
	}
	return arrow.NewSchema(fields, nil)
}
