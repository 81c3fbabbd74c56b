package session

import (
	"path/filepath"
	"strings"

	"ssql/internal/catalog"
	"ssql/internal/sqlerr"
	"ssql/sinks"
	"ssql/sql"
	"ssql/sql/types"
)

// openSink opens the sink for an INSERT of a query. o has everything but what CREATE SINK says.
func openSink(n *catalog.Sink, b *bound, in *sql.Insert, o sinks.OpenContext) (sinks.Sink, error) {
	o.Target, o.Options = types.QuoteIdent(n.Name), n.Options
	if err := refuseLoop(n, b, in); err != nil {
		return nil, err
	}
	if n.Columns != nil {
		if err := declareColumns(n, in, &o); err != nil {
			return nil, err
		}
	}
	sink, err := n.Spec.Open(o)
	return sink, catalog.PlaceAt(err, in.Target[0].Span)
}

// declareColumns gives the columns of a query, which have the types of the sink already,
// the names that it declares.
func declareColumns(n *catalog.Sink, in *sql.Insert, o *sinks.OpenContext) error {
	at := in.Target[0].Span
	if len(n.Columns) != len(o.Fields) {
		return sqlerr.At(at, "INSERT_COLUMN_ARITY_MISMATCH", "sink %q has %s, but the query has %d", n.Name, sqlerr.CountOf(int64(len(n.Columns)), "column"), len(o.Fields)).
			WithHint("select one column for each of the sink")
	}
	names := o.Columns
	o.Columns = nil
	for i, c := range n.Columns {
		f := o.Fields[i]
		if names != nil && !strings.EqualFold(names[i], c.Name.Name) || o.ByName && !strings.EqualFold(f.Name, c.Name.Name) {
			return sqlerr.At(at, "UNRESOLVED_COLUMN", "column %d of sink %q is %q", i+1, n.Name, c.Name.Name).
				WithHint("give the columns in the order of the sink")
		}
		o.Columns = append(o.Columns, c.Name.Name)
	}
	o.ByName = false
	return nil
}

// refuseLoop refuses a sink in a folder that its own query reads: it would read what it
// writes, for ever.
func refuseLoop(n *catalog.Sink, b *bound, in *sql.Insert) error {
	if n.Path == "" {
		return nil
	}
	for _, ref := range b.plan.Sources {
		st, err := b.cat.Stream(ref.Stream)
		if err != nil {
			return err
		}
		read := st.Options.String("path")
		if read == "" {
			continue
		}
		read = filepath.Clean(catalog.Absolute(st.Options.BaseDir, fixedPart(read)))
		if n.Path == read || strings.HasPrefix(n.Path, strings.TrimSuffix(read, string(filepath.Separator))+string(filepath.Separator)) {
			return sqlerr.At(in.Target[0].Span, "INVALID_OPTION", "sink %q writes to %q, which is within what stream %q reads", n.Name, n.Path, st.Row.Name).
				WithHint("choose a path outside of %q: the query would read its own result", read)
		}
	}
	return nil
}

// fixedPart is the folder that a glob starts in.
func fixedPart(pattern string) string {
	at := strings.IndexAny(pattern, "*?[{")
	if at < 0 {
		return pattern
	}
	return filepath.Dir(pattern[:at] + "x")
}
