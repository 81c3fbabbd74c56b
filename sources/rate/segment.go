package rate

import (
	"context"
	"math"
	"strconv"

	"github.com/apache/arrow/go/v17/arrow"

	"ssql/internal/format/cell"
	"ssql/internal/format/column"
	"ssql/internal/sqlerr"
	"ssql/sources"
	"ssql/sql/types"
)

// segment makes some rows of a range.
type segment struct {
	source *source
	rows   batchRange
}

var _ sources.Segment = (*segment)(nil)

// maker sets a slot of a column for a row.
type maker func(s *segment, b *column.Builder, slot int, row, random int64)

// makerOf returns how a column is made.
func makerOf(f types.Field) (maker, error) {
	k := f.Type.Kind
	switch {
	case isNamed(f, "timestamp") && k == types.Timestamp:
		return func(s *segment, b *column.Builder, slot int, row, _ int64) {
			per := s.source.perSecond
			b.I64[slot] = s.rows.Start + row/per*1_000_000 + row%per*1_000_000/per
		}, nil
	case isNamed(f, "value") && k == types.BigInt:
		return func(_ *segment, b *column.Builder, slot int, row, _ int64) { b.I64[slot] = row }, nil
	case f.Type.IsInteger():
		return func(s *segment, b *column.Builder, slot int, _, random int64) {
			if !cell.SetInt(b, slot, random%s.source.keys) {
				b.SetNull(slot) // keys beyond the type
			}
		}, nil
	case k == types.Double:
		return func(_ *segment, b *column.Builder, slot int, _, random int64) {
			b.I64[slot] = int64(math.Float64bits(float64(random>>10) / (1 << 53)))
		}, nil
	case k == types.Boolean:
		return func(_ *segment, b *column.Builder, slot int, _, random int64) { b.SetBool(slot, random&1 == 1) }, nil
	case k == types.Varchar:
		return func(s *segment, b *column.Builder, slot int, _, random int64) {
			var text [24]byte
			b.SetText(slot, strconv.AppendInt(append(text[:0], 'k'), random%s.source.keys, 10))
		}, nil
	}
	return nil, sqlerr.New("DATATYPE_MISMATCH", "connector \"rate\" cannot make column %q of type %s", f.Name, f.Type).
		WithHint("it makes timestamp TIMESTAMP, value BIGINT, and columns of VARCHAR, DOUBLE, BOOLEAN or whole numbers; compute others")
}

func (g *segment) Read(ctx context.Context, c *sources.ReadContext, emit func(rec arrow.Record) error) error {
	chunk := column.NewChunk(&g.source.pool, g.source.fields, g.source.encode)
	makers := make([]maker, len(chunk.Cols))
	for i, f := range g.source.fields {
		var err error
		if makers[i], err = makerOf(f); err != nil {
			return err
		}
	}
	for from := g.rows.From; from < g.rows.To; {
		if err := ctx.Err(); err != nil {
			return err
		}
		n := int(min(int64(c.ChunkRows), g.rows.To-from))
		chunk.Start(n)
		for i, b := range chunk.Cols {
			for slot := range n {
				row := from + int64(slot)
				makers[i](g, b, slot, row, scatter(row, i))
			}
		}
		rec := chunk.Record(n)
		err := emit(rec)
		rec.Release()
		if err != nil {
			return err
		}
		from += int64(n)
	}
	return nil
}

// scatter returns a number from 0 up that looks random, by row and column: the finisher
// of SplitMix64.
func scatter(row int64, col int) int64 {
	z := uint64(row)*0x9E3779B97F4A7C15 + uint64(col+1)*0xD1B54A32D192ED03
	z = (z ^ z>>30) * 0xBF58476D1CE4E5B9
	z = (z ^ z>>27) * 0x94D049BB133111EB
	return int64((z ^ z>>31) >> 1)
}
