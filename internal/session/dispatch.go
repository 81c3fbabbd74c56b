package session

import (
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"runtime/debug"
	"strings"

	"ssql/internal/catalog"
	"ssql/internal/sqlerr"
	"ssql/plan"
	"ssql/sql"
)

// handler is a row of the dispatch table: it runs the statements of one type.
type handler struct {
	name string
	try  func(s *Session, ctx context.Context, st sql.Statement, r *Request, out Output) (mine bool, err error)
}

// on makes the row of statement type T.
func on[T sql.Statement](name string, run func(s *Session, ctx context.Context, st T, r *Request, out Output) error) handler {
	return handler{name, func(s *Session, ctx context.Context, st sql.Statement, r *Request, out Output) (bool, error) {
		t, mine := st.(T)
		if !mine {
			return false, nil
		}
		return true, run(s, ctx, t, r, out)
	}}
}

// handlers is the dispatch table: one row per type of statement, sorted by name. A
// new statement is a row here and a file stmt_x.go.
func handlers() []handler {
	return []handler{
		on("ALTER QUERY", (*Session).alterQuery),
		on("ALTER SINK", (*Session).alterSink),
		on("ALTER STREAM", (*Session).alterStream),
		on("ASSERT", (*Session).assert),
		on("ASSERT VALUES", (*Session).assertRows),
		on("AWAIT", (*Session).awaitStatement),
		on("CREATE QUERY", (*Session).createQuery),
		on("CREATE SINK", (*Session).createSink),
		on("CREATE STREAM", (*Session).createStream),
		on("CREATE STREAMING TABLE", (*Session).createStreamingTable),
		on("CREATE VIEW", (*Session).createView),
		on("DESCRIBE", (*Session).describe),
		on("DIAGNOSE", (*Session).diagnose),
		on("DROP SINK", (*Session).dropSink),
		on("DROP STREAM", (*Session).dropStream),
		on("DROP TABLE", (*Session).dropTable),
		on("DROP VIEW", (*Session).dropView),
		on("EXPLAIN", (*Session).explain),
		on("INSERT", (*Session).insert),
		on("PEEK", (*Session).peek),
		on("QUERY VERB", (*Session).queryVerb),
		on("RESET", (*Session).reset),
		on("RESET QUERY", (*Session).resetQuery),
		on("RUN SCRIPT", (*Session).runScript),
		on("SELECT", (*Session).selectStream),
		on("SET", (*Session).set),
		on("SHOW", (*Session).show),
		on("STATEMENT SET", (*Session).statementSet),
		on("passthrough", (*Session).passthroughStatement),
		on("undecided", (*Session).undecided),
	}
}

// execute parses a statement and gives it to its handler. A panic below is an error
// of this statement and ends nothing else.
func (s *Session) execute(ctx context.Context, r Request, out Output) (err error) {
	defer func() {
		if p := recover(); p != nil {
			err = sqlerr.New(sqlerr.Internal, "the statement panicked: %v", p).WithDetail("%s", debug.Stack()).
				WithHint("this is a bug in ssql; please report it with the statement")
		}
	}()
	// Folders are compared, and kept relative to that of the database: links are followed once.
	if real, err := filepath.EvalSymlinks(r.Dir); err == nil && r.Dir != "" {
		r.Dir = real
	}
	st, err := sql.ParseStatement(r.Piece, s.settings.Limits())
	if err != nil {
		return err
	}
	return placeAtName(s.dispatch(ctx, st, &r, out), &r)
}

// placeAtName gives an error without a place that of the first name which it quotes and which
// stands in the statement: connectors, checkpoints and batches know no statements.
func placeAtName(err error, r *Request) error {
	var e *sqlerr.Error
	if r.Source == nil || !errors.As(err, &e) || e.Span != (sql.Span{}) {
		return err
	}
	if at, ok := e.Point(r.Source.Text, r.Piece.Span); ok {
		e.Span = at
	}
	return err
}

func (s *Session) dispatch(ctx context.Context, st sql.Statement, r *Request, out Output) error {
	s.noteAliases(st, out)
	if err := s.refuseWriting(st); err != nil {
		return err
	}
	for _, h := range handlers() {
		if mine, err := h.try(s, ctx, st, r, out); mine {
			return err
		}
	}
	return sqlerr.At(st.Pos(), sqlerr.Internal, "no handler for %s", fmt.Sprintf("%T", st))
}

// refuseWriting refuses statements that store something while the database is open for
// reading. What goes to DuckDB is refused there.
func (s *Session) refuseWriting(st sql.Statement) error {
	what := stores(st)
	s.stored = s.stored || what != ""
	if what == "" || !s.readOnly {
		return nil
	}
	return sqlerr.At(st.Pos(), "E_STORAGE_READONLY", "the database %q is open for reading, so that %s cannot store anything", s.db.Path(), what).
		WithHint("open it without -readonly, where it can be written")
}

// stores returns the word for a statement of ssql that stores something, "" for others.
func stores(st sql.Statement) string {
	switch st := st.(type) {
	case *sql.AlterQuery, *sql.AlterSink, *sql.AlterStream, *sql.CreateQuery, *sql.CreateSink, *sql.CreateStream, *sql.CreateStreamingTable, *sql.CreateView,
		*sql.DropSink, *sql.DropStream, *sql.DropView, *sql.Insert, *sql.ResetQuery, *sql.StatementSet:
		return strings.ToUpper(catalog.FirstWord(sql.StatementText(st)))
	case *sql.QueryVerb:
		switch st.Verb {
		case "DROP", "REFRESH", "RESTART", "RESUME", "START":
			return st.Verb
		}
	}
	return ""
}

// noteAliases says how ssql writes what a statement spells as another engine does, once
// in a session for each spelling.
func (s *Session) noteAliases(st sql.Statement, out Output) {
	if s.settings.Get("dialect_notes") == "off" {
		return
	}
	for _, a := range st.Foreign() {
		key := a.Engine + " " + a.Written
		if s.noted[key] && !a.Always || a.Canonical == "" {
			continue
		}
		s.noted[key] = true
		whose := ""
		if a.Engine != "" {
			whose = " (" + a.Engine + ")"
		}
		out.Notice(fmt.Sprintf("%s%s is read as: %s", a.Written, whose, a.Canonical))
	}
}

// noteMeanings says of names that mean different things in two engines which meaning holds,
// once in a session for each name.
func (s *Session) noteMeanings(meanings []plan.Meaning, out Output) {
	if s.settings.Get("dialect_notes") == "off" {
		return
	}
	for _, m := range meanings {
		if key := "meaning " + m.Name; !s.noted[key] {
			s.noted[key] = true
			text := m.Text
			if m.Write != "" {
				text += ": for that write " + m.Write
			}
			out.Notice(text)
		}
	}
}

// undecided routes a statement by the names in it: with a stream it is ours, else
// DuckDB's.
func (s *Session) undecided(ctx context.Context, st *sql.Undecided, r *Request, out Output) error {
	cat, err := s.store.Snapshot(ctx)
	if err != nil {
		return err
	}
	if !cat.Concerns(st, r.Dir) {
		if err := s.refuseTableIntoSink(ctx, st); err != nil {
			return err
		}
		return explainMissing(cat, st, s.passthrough(ctx, st.Node, catalog.FirstWord(st.Text), r.Dir, out))
	}
	if readsOnce(st.Text) || copiesFiles(st, cat) {
		return s.foldStatement(ctx, st, cat, nil, r, out)
	}
	parsed, err := st.Parse(s.settings.Limits())
	switch word := catalog.FirstWord(st.Text); {
	case err == nil:
		return s.dispatch(ctx, parsed, r, out)
	case word == "INSERT" || word == "CREATE" || sqlerr.Code(err) == sql.CodeHint:
		return err
	}
	return s.foldStatement(ctx, st, cat, err, r, out) // syntax that only DuckDB has
}

// explainMissing replaces DuckDB's error about a statement with a name that nobody
// knows: DuckDB complains of the target of an INSERT first, and does not know streams.
func explainMissing(cat *catalog.Snapshot, st *sql.Undecided, refused error) error {
	if sqlerr.Code(refused) != "DUCKDB_CATALOG" {
		return refused
	}
	for _, name := range st.Refs {
		if table, err := cat.Table(name); err != nil || table != nil || len(name) != 1 {
			continue
		}
		return missing(cat, name[0])
	}
	return refused
}

// missing says that nothing has a name.
func missing(cat *catalog.Snapshot, name sql.Ident) error {
	err := sqlerr.At(name.Span, "TABLE_OR_VIEW_NOT_FOUND", "there is no stream, view or table %q", name.Name)
	if near := cat.Similar(name.Name); near != "" {
		return err.WithHint("did you mean %q?", near)
	}
	return err.WithHint("SHOW STREAMS and SHOW TABLES list what there is")
}

// passthroughStatement hands a statement to DuckDB. One that fails on a stream, which
// DuckDB does not know, says so.
func (s *Session) passthroughStatement(ctx context.Context, st *sql.Passthrough, r *Request, out Output) error {
	err := s.passthrough(ctx, st.Node, st.First, r.Dir, out)
	var refused *sqlerr.Error
	if sqlerr.Code(err) != "DUCKDB_CATALOG" || !errors.As(err, &refused) {
		return err
	}
	cat, e := s.store.Snapshot(ctx)
	if e != nil {
		return err
	}
	for _, name := range cat.StreamNames() {
		if strings.Contains(refused.Text, " "+name+" ") {
			refused.Detail = "" // it names something of DuckDB's that looks similar
			return refused.WithHint("%q is a stream, which %s cannot read: INSERT INTO a table SELECT ... FROM %s, and use the table", name, st.First, sql.IdentText(name))
		}
	}
	return err
}
