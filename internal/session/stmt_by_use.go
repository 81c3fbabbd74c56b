package session

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"ssql/internal/catalog"
	"ssql/internal/sqlerr"
	"ssql/sql"
)

// Flink's CREATE TABLE .. WITH ('connector' = ..) does not say whether rows are read
// from the table or written to it. It is kept as a stream where it can be read, and
// becomes a sink by the first statement that inserts into it.

// sinkOf returns the sink that a declaration is when rows are written to it. Columns
// that are computed or METADATA are for readers only.
func sinkOf(st *sql.CreateStream) *sql.CreateSink {
	out := &sql.CreateSink{Node: st.Node, OrReplace: st.OrReplace, IfNotExists: st.IfNotExists, Name: st.Name, Options: st.Options}
	for _, c := range st.Columns {
		if c.Computed == nil && c.Metadata == nil {
			out.Columns = append(out.Columns, c)
		}
	}
	out.Text = sql.StatementText(out)
	return out
}

// createByUse makes a declaration a sink if it is one already, or if unread says why no
// rows can be read from it and the options are those of a sink.
func (s *Session) createByUse(ctx context.Context, st *sql.CreateStream, unread error, r *Request, out Output) (done bool, err error) {
	if !st.ByUse {
		return false, nil
	}
	all, err := s.store.Sinks(ctx)
	if err != nil {
		return false, err
	}
	sink := sinkOf(st)
	if all[strings.ToLower(st.Name.Name)] != nil {
		return true, s.createSink(ctx, sink, r, out)
	}
	if unread == nil {
		return false, nil
	}
	if _, err := s.store.DeclareSink(sink, r.Dir); err != nil {
		return false, moreToldBy(err, unread)
	}
	if err := s.createSink(ctx, sink, r, out); err != nil {
		return false, err
	}
	out.Notice(fmt.Sprintf("table %q is a sink: rows can be inserted into it, not read from it", st.Name.Name))
	return true, nil
}

// moreToldBy returns the error of a sink where the stream was refused for an option that
// the sink knows, so that its own refusal stands further behind; nil where the error of
// the stream says more.
func moreToldBy(asSink, asStream error) error {
	var sink, stream *sqlerr.Error
	if errors.As(asSink, &sink) && errors.As(asStream, &stream) && stream.Code == "UNKNOWN_OPTION" && sink.Span.Start > stream.Span.Start {
		return asSink
	}
	return nil
}

// sinkByUse makes a table of Flink that is a stream so far the sink that an INSERT
// needs. Everything else stays what it is.
func (s *Session) sinkByUse(ctx context.Context, target sql.Name) error {
	if len(target) != 1 {
		return nil
	}
	rows, err := s.store.Streams(ctx)
	if err != nil {
		return err
	}
	row := rows[strings.ToLower(target[0].Name)]
	if row == nil || row.View {
		return nil
	}
	parsed, err := catalog.ParseStored(row.Definition)
	st, ok := parsed.(*sql.CreateStream)
	if err != nil || !ok || !st.ByUse {
		return nil // whoever reads the definition says what is wrong with it
	}
	sink := sinkOf(st)
	if _, err := s.store.DeclareSink(sink, row.BaseDir); err != nil {
		var e *sqlerr.Error
		if !errors.As(err, &e) || e.Code == "UNKNOWN_CONNECTOR" {
			return nil // it takes rows itself, or it only reads
		}
		return catalog.PlaceOver(err, target[0].Span)
	}
	if err := s.refuseInUse(ctx, row.Name, target[0].Span, "written to"); err != nil {
		return err
	}
	if err := s.forgetStream(ctx, row); err != nil {
		return err
	}
	return s.saveSink(ctx, sink, nil, &Request{Dir: row.BaseDir})
}
