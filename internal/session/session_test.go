package session_test

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	"github.com/apache/arrow/go/v17/arrow"

	"ssql/exec"
	"ssql/internal/duck"
	"ssql/internal/session"
	"ssql/internal/sqlerr"
	"ssql/sinks"
	"ssql/sinks/console"
	"ssql/sinks/duckdb"
	"ssql/sources"
	"ssql/sources/files"
	"ssql/sources/memory"
	"ssql/sql"
	"ssql/sql/types"
)

// world is a session on a database file with a folder of input.
type world struct {
	t   *testing.T
	s   *session.Session
	dir string

	mu    sync.Mutex
	lines []string // what the running statement answers
	notes []string // of background queries
}

func open(t *testing.T, dir string) *world {
	t.Helper()
	return openAt(t, dir, nil)
}

// openAt is open with a clock; nil is the wall clock.
func openAt(t *testing.T, dir string, clock exec.Clock) *world {
	t.Helper()
	w := &world{t: t, dir: dir}
	s, err := session.Open(t.Context(), session.Config{
		Database: filepath.Join(dir, "lab.duckdb"), Clock: clock,
		Sources: []sources.Spec{files.Spec(), memory.Spec()},
		Sinks: func(db *duck.DB, print func(*sinks.Batch) error) []sinks.Spec {
			return []sinks.Spec{console.Spec(print), duckdb.Spec(db)}
		},
		Notify: func(text string) {
			w.mu.Lock()
			defer w.mu.Unlock()
			w.notes = append(w.notes, text)
		},
	})
	if err != nil {
		t.Fatal(err)
	}
	w.s = s
	t.Cleanup(func() { w.close() })
	return w
}

// tamper changes ssql's own tables, which no statement may.
func (w *world) tamper(text string) {
	w.t.Helper()
	db, err := duck.Open(filepath.Join(w.dir, "lab.duckdb"), duck.Options{}) // the one that the session has open
	if err != nil {
		w.t.Fatal(err)
	}
	defer db.Close()
	c, release, err := db.Conn(w.t.Context())
	if err != nil {
		w.t.Fatal(err)
	}
	defer release()
	if _, err := c.Exec(w.t.Context(), text); err != nil {
		w.t.Fatal(err)
	}
}

func (w *world) close() {
	if w.s == nil {
		return
	}
	if err := w.s.Close(); err != nil {
		w.t.Errorf("closing: %v", err)
	}
	w.s = nil
}

func (w *world) Table(*arrow.Schema) (session.TableWriter, error) { return w, nil }
func (w *world) Close() error                                     { return nil }
func (w *world) Message(text string)                              { w.lines = append(w.lines, text) }
func (w *world) Notice(text string)                               { w.lines = append(w.lines, "NOTE: "+text) }

func (w *world) Write(rec arrow.Record) error {
	for row := range int(rec.NumRows()) {
		cells := make([]string, rec.NumCols())
		for i, a := range rec.Columns() {
			cells[i] = strings.Clone(types.Text(a, row)) // the record is gone soon
		}
		w.lines = append(w.lines, strings.Join(cells, " | "))
	}
	return nil
}

// run runs statements and returns what they answer; wait is as in a script.
func (w *world) run(text string, wait bool) (string, error) {
	w.lines = nil
	pieces, err := sql.Split(text)
	for _, p := range pieces {
		err = w.s.Execute(w.t.Context(), session.Request{Piece: p, Source: &sqlerr.Source{Text: text}, Dir: w.dir, Wait: wait}, w)
		if err != nil {
			break
		}
	}
	return strings.Join(w.lines, "\n"), err
}

// want runs statements of a prompt and compares what they answer.
func (w *world) want(text, want string) {
	w.t.Helper()
	if got, err := w.run(text, false); err != nil || got != want {
		w.t.Errorf("%s\ngot:  %s\n      %v\nwant: %s", text, got, err, want)
	}
}

func (w *world) feed(name string, lines ...string) {
	w.t.Helper()
	if err := os.MkdirAll(filepath.Join(w.dir, "in"), 0o755); err != nil {
		w.t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(w.dir, "in", name), []byte(strings.Join(lines, "\n")+"\n"), 0o644); err != nil {
		w.t.Fatal(err)
	}
}

const stream = `CREATE STREAM s (a INT) WITH (connector = 'files', path = 'in', order = 'name');`

func TestBackgroundQueries(t *testing.T) {
	w := open(t, t.TempDir())
	w.feed("a.json", `{"a":1}`)
	w.want(stream+`INSERT INTO t SELECT a FROM s`, `query "t" started; SHOW QUERIES shows it, STOP QUERY t stops it`)
	w.want(`INSERT INTO t SELECT a FROM s`, `NOTE: query "t" runs already`)
	done := make(chan struct{})
	go func() { // completion asks while queries run
		defer close(done)
		for range 20 {
			w.s.Names(context.Background(), session.Relations, "")
			w.s.Names(context.Background(), session.Settings, "")
		}
	}()
	w.want(`AWAIT QUERY t UNTIL ROWS 1; SELECT * FROM t`, "1")
	w.feed("b.json", `{"a":2}`, `{"a":3}`)
	w.want(`SET progress_rows = 5; AWAIT QUERY ALL UNTIL ROWS 3; AWAIT QUERY t UNTIL IDLE; SELECT sum(a) FROM t`, "6")
	w.want(`SELECT name, state FROM ssql.queries`, "t | running")
	<-done
	_, err := w.run(`CREATE QUERY t AS INSERT INTO t SELECT a + 1 AS a FROM s`, false)
	if sqlerr.Code(err) != "QUERY_ALREADY_EXISTS" {
		t.Errorf("another definition: %v", err)
	}
	w.want(`STOP QUERY t`, "t: 2 batches, 3 rows read = 3 used + 0 filtered + 0 late + 0 bad, 3 rows written")
	w.want(`STOP QUERY t; SELECT name, state FROM ssql.queries`, "NOTE: query \"t\" does not run here\nt | stopped")
	w.want(`SELECT batch, progress->>'numInputRows' FROM ssql.progress ORDER BY batch`, "0 | 1\n1 | 2")
	if n := w.s.Running(); n != 0 {
		t.Errorf("%d queries run", n)
	}
}

// Closing a session stops its queries after their batch; nothing runs when the next
// one opens the database, and START goes on.
func TestSessionsFollowEachOther(t *testing.T) {
	dir := t.TempDir()
	w := open(t, dir)
	w.feed("a.json", `{"a":1}`)
	w.want(stream+`INSERT INTO t SELECT a FROM s; AWAIT QUERY t UNTIL ROWS 1`, `query "t" started; SHOW QUERIES shows it, STOP QUERY t stops it`)
	w.close()
	w.feed("b.json", `{"a":2}`)
	w = open(t, dir)
	w.want(`SELECT name, state FROM ssql.queries; SELECT count(*) FROM t`, "t | stopped\n1")
	w.want(`START QUERY ALL; AWAIT QUERY t UNTIL ROWS 1; SELECT count(*) FROM t`,
		"query \"t\" resumed at batch 1; SHOW QUERIES shows it, STOP QUERY t stops it\n2")
}

// A running query is replaced only by what can go on from its checkpoint, which is found
// out before it is stopped.
func TestReplacingARunningQuery(t *testing.T) {
	w := open(t, t.TempDir())
	w.feed("a.json", `{"a":1}`, `{"a":2}`)
	w.want(stream+`CREATE QUERY q AS INSERT INTO t SELECT a FROM s; AWAIT QUERY q UNTIL ROWS 2`,
		`query "q" started; SHOW QUERIES shows it, STOP QUERY q stops it`)
	_, err := w.run(`CREATE OR REPLACE QUERY q AS INSERT INTO t SELECT a, count(*) AS n FROM s GROUP BY a EMIT ON UPDATE`, false)
	if sqlerr.Code(err) != "E_CKPT_INCOMPATIBLE" || w.s.Running() != 1 {
		t.Errorf("got %v and %d running queries", err, w.s.Running())
	}
	got, err := w.run(`CREATE OR REPLACE QUERY q AS INSERT INTO t SELECT a FROM s WHERE a > 5`, false)
	if err != nil || !strings.Contains(got, `query "q" resumed at batch 1`) {
		t.Errorf("got %s, %v", got, err)
	}
	w.feed("b.json", `{"a":3}`, `{"a":6}`)
	w.want(`AWAIT QUERY q UNTIL ROWS 1; SELECT a FROM t ORDER BY a`, "1\n2\n6")
}

func TestFailedQueriesAreTold(t *testing.T) {
	w := open(t, t.TempDir())
	w.feed("a.json", `{"a":1}`, `{"a":0}`)
	text := stream + `SET bad_records = 'fail'; CREATE QUERY q AS INSERT INTO t SELECT CAST(concat('x', a) AS INT) AS n FROM s`
	if _, err := w.run(text, false); err != nil {
		t.Fatal(err)
	}
	_, err := w.run(`AWAIT QUERY q`, false)
	var failed *session.QueryError
	if !errors.As(err, &failed) || failed.Name != "q" || sqlerr.Code(err) != "CAST_INVALID_INPUT" && sqlerr.Code(err) != "QUERY_FAILED" {
		t.Errorf("AWAIT: %v", err)
	}
	w.want(`SELECT query, batch, code FROM ssql.errors; SELECT state FROM ssql.queries`, "q | 0 | CAST_INVALID_INPUT\nfailed")
	w.mu.Lock()
	defer w.mu.Unlock()
	if len(w.notes) != 1 || !strings.HasPrefix(w.notes[0], "query \"q\" failed\nERROR CAST_INVALID_INPUT") {
		t.Errorf("notes: %q", w.notes)
	}
}

// Interrupt ends the waiting of AWAIT, not the query.
func TestInterruptStopsAWaitingStatement(t *testing.T) {
	w := open(t, t.TempDir())
	w.feed("a.json", `{"a":1}`)
	if _, err := w.run(stream+`SET trigger = '1 hour'; CREATE QUERY q AS INSERT INTO t SELECT a FROM s`, true); err != nil {
		t.Fatal(err)
	}
	errs := make(chan error, 1)
	go func() {
		_, err := w.run(`AWAIT QUERY q UNTIL BATCH 100`, true)
		errs <- err
	}()
	for {
		w.s.Interrupt()
		select {
		case err := <-errs:
			if !errors.Is(err, session.ErrInterrupted) || w.s.Running() != 1 {
				t.Errorf("got %v and %d running queries", err, w.s.Running())
			}
			return
		default:
		}
	}
}

// interrupting is an output that presses Ctrl-C at the first message.
type interrupting struct {
	*world
	told string
}

func (i *interrupting) Message(string) { i.told = i.s.Interrupt() }

// At the prompt queries outlive the waiting, in a script they end as it does.
func TestInterruptSaysWhatEnds(t *testing.T) {
	w := open(t, t.TempDir())
	w.feed("a.json", `{"a":1}`)
	if _, err := w.run(stream+`CREATE QUERY q AS INSERT INTO t SELECT a FROM s; AWAIT QUERY q UNTIL ROWS 1`, false); err != nil {
		t.Fatal(err)
	}
	for script, want := range map[bool]string{false: "only the waiting ends; the queries go on", true: "the waiting ends, and the script with it"} {
		text := "SHOW PROGRESS FOR q FOLLOW"
		pieces, err := sql.Split(text)
		if err != nil {
			t.Fatal(err)
		}
		out := &interrupting{world: w}
		err = w.s.Execute(t.Context(), session.Request{Piece: pieces[0], Source: &sqlerr.Source{Text: text}, Dir: w.dir, Wait: script}, out)
		if !errors.Is(err, session.ErrInterrupted) || out.told != want || w.s.Running() != 1 {
			t.Errorf("script %v: got %q, %v and %d running queries, want %q", script, out.told, err, w.s.Running(), want)
		}
	}
}

func TestCheckpointOfAnotherQuery(t *testing.T) {
	w := open(t, t.TempDir())
	w.feed("a.json", `{"a":1}`)
	text := func(name string) string {
		return fmt.Sprintf(`CREATE QUERY %s WITH (checkpoint = 'shared') AS INSERT INTO %s SELECT a FROM s`, name, name)
	}
	if _, err := w.run(stream+text("one"), true); err != nil {
		t.Fatal(err)
	}
	_, err := w.run(text("two"), true)
	if err == nil || !strings.HasPrefix(sqlerr.Code(err), "E_") {
		t.Errorf("two queries share a checkpoint: %v", err)
	}
}
