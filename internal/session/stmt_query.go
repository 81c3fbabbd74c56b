package session

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"ssql/exec"
	"ssql/internal/sqlerr"
	"ssql/sql"
	"ssql/sql/types"
)

// createQuery is CREATE QUERY name WITH (...) AS INSERT ...
func (s *Session) createQuery(ctx context.Context, st *sql.CreateQuery, r *Request, out Output) error {
	if err := s.checkTargets(ctx, st.Inserts); err != nil {
		return err
	}
	options, err := querySettings(st.Options)
	if err != nil {
		return err
	}
	d := &definition{name: st.Name.Name, text: st.Text, dir: r.Dir, inserts: st.Inserts, options: options}
	return s.createDefined(ctx, d, creation{"QUERY", st.OrReplace, st.IfNotExists, st.Name}, r, out)
}

// creation is what CREATE says besides the definition.
type creation struct {
	what                   string // QUERY or MATERIALIZED VIEW
	orReplace, ifNotExists bool
	name                   sql.Ident
}

// createDefined stores and starts a new query, or decides what an existing one of the
// name means.
func (s *Session) createDefined(ctx context.Context, d *definition, c creation, r *Request, out Output) error {
	old, err := s.query(ctx, d.name)
	if err != nil {
		return err
	}
	if old != nil {
		same := sameDefinition(old.definition, d.text)
		switch {
		case same && old.state != stateRunning:
			out.Notice(fmt.Sprintf("query %q exists already with this definition", old.name))
		case same:
			out.Notice(fmt.Sprintf("query %q exists already with this definition, and runs", old.name))
			return nil
		case c.ifNotExists:
			out.Notice(fmt.Sprintf("query %q exists already, with another definition, and stays as it is", old.name))
			return nil
		case !c.orReplace:
			return sqlerr.At(c.name.Span, "QUERY_ALREADY_EXISTS", "query %q exists with another definition", old.name).
				WithDetail("%s", definitionDiff(old.definition, d.text, old.baseDir, d.dir)).
				WithHint("CREATE OR REPLACE %s %s goes on with the new one if its state allows it", c.what, c.name.Name)
		}
	}
	if j := s.jobOf(d.name); j != nil && c.orReplace {
		if err := s.stopToReplace(ctx, d, j); err != nil {
			return err
		}
	}
	return s.define(ctx, d, old, c.name.Span, r.Wait, out)
}

// stopToReplace stops a running query whose definition is to be replaced, after it has
// been found that the new one can go on from its checkpoint.
func (s *Session) stopToReplace(ctx context.Context, d *definition, j *job) error {
	b, err := s.bindNow(ctx, d)
	if err == nil {
		err = s.checkFits(b, j.row)
	}
	if err != nil {
		return err
	}
	j.stop()
	return s.await(ctx, j)
}

// insert is INSERT INTO ... SELECT from a stream, which makes or resumes the query
// named like its table, or INSERT INTO a stream.
func (s *Session) insert(ctx context.Context, st *sql.Insert, r *Request, out Output) error {
	if err := s.sinkByUse(ctx, st.Target); err != nil {
		return err
	}
	cat, err := s.relations(ctx)
	if err != nil {
		return err
	}
	if cat.isStream(st.Target) {
		return s.insertIntoStream(ctx, st, cat, r, out)
	}
	if named, err := s.sinkNamed(ctx, st.Target); err != nil || named.isConsole() {
		return joinErrors(err, s.insertIntoConsole(ctx, st, named, r, out))
	}
	target := st.Target[len(st.Target)-1]
	d := &definition{name: target.Name, text: st.Text, dir: r.Dir, inserts: []*sql.Insert{st}, options: settings{}}
	return s.defineUnnamed(ctx, d, target.Span, r.Wait, out)
}

// defineUnnamed stores and starts a query that is named like its targets, or resumes it.
func (s *Session) defineUnnamed(ctx context.Context, d *definition, at sql.Span, wait bool, out Output) error {
	old, err := s.query(ctx, d.name)
	if err != nil {
		return err
	}
	if old != nil && !isUnnamed(old.definition) {
		if !sameDefinition(withoutName(old.definition), d.text) {
			return sqlerr.At(at, "QUERY_ALREADY_EXISTS", "query %q was made by CREATE QUERY with another definition", old.name).
				WithDetail("%s", definitionDiff(withoutName(old.definition), d.text, "", "")).
				WithHint("a second query into the same table needs a name: CREATE QUERY name AS INSERT INTO %s ...", d.targets()[0])
		}
		d.text, d.options = old.definition, old.options
	}
	if old == nil {
		if err := s.refuseSecondWriter(ctx, d); err != nil {
			return err
		}
	}
	return s.define(ctx, d, old, at, wait, out)
}

// isUnnamed reports whether a stored definition is an INSERT or a statement set without
// CREATE QUERY.
func isUnnamed(definition string) bool { return firstWord(definition) != "CREATE" }

// withoutName returns what a CREATE QUERY runs, as a statement of its own.
func withoutName(definition string) string {
	parsed, err := parseStored(definition)
	st, ok := parsed.(*sql.CreateQuery)
	switch {
	case err != nil || !ok:
		return definition
	case len(st.Inserts) == 1:
		return sql.StatementText(st.Inserts[0])
	}
	return sql.StatementText(&sql.StatementSet{Inserts: st.Inserts})
}

// firstWord returns the first word of a statement in upper case.
func firstWord(text string) string {
	words, _ := sql.Words(text)
	if len(words) == 0 {
		return ""
	}
	return strings.ToUpper(words[0].Text)
}

// firstWords reports whether a statement begins with words, OR REPLACE left out.
func firstWords(text string, want ...string) bool {
	words, _ := sql.Words(text)
	if len(words) > 2 && strings.EqualFold(words[1].Text, "OR") {
		words = append(words[:1:1], words[3:]...)
	}
	for i, w := range want {
		if i >= len(words) || !strings.EqualFold(words[i].Text, w) {
			return false
		}
	}
	return true
}

// define stores a query and starts it unless it says start = false. With wait it
// waits for the end of the query and says what it did.
func (s *Session) define(ctx context.Context, d *definition, old *queryRow, at sql.Span, wait bool, out Output) error {
	if j := s.jobOf(d.name); j != nil {
		if sameDefinition(j.row.definition, d.text) {
			out.Notice(fmt.Sprintf("query %q runs already", j.row.name))
			return nil
		}
		return sqlerr.At(at, "QUERY_RUNNING", "query %q runs with another definition", j.row.name).
			WithDetail("%s", definitionDiff(j.row.definition, d.text, j.row.baseDir, d.dir)).
			WithHint("STOP QUERY %s first; the new definition then goes on where it stopped, if its state allows it", j.row.name)
	}
	if !d.start() {
		row, err := s.storeQuery(ctx, d, old, out)
		if err == nil {
			out.Message(fmt.Sprintf("query %q is stored; START QUERY %s starts it", row.name, identText(row.name)))
		}
		return err
	}
	b, err := s.bindNow(ctx, d)
	if err != nil {
		return err
	}
	row, err := s.rowOf(b, old, out)
	if err != nil {
		return err
	}
	return s.startQuery(ctx, b, row, wait, false, out)
}

// storeQuery stores a definition that can go on from the checkpoint of its query, if there
// is one, and starts nothing.
func (s *Session) storeQuery(ctx context.Context, d *definition, old *queryRow, out Output) (*queryRow, error) {
	b, err := s.bindNow(ctx, d)
	if err != nil {
		return nil, err
	}
	row, err := s.rowOf(b, old, out)
	if err != nil {
		return nil, err
	}
	if err := s.checkFits(b, row); err != nil {
		return nil, err
	}
	return row, s.saveQuery(ctx, row)
}

// rowOf returns what the catalog is to keep of a query. old is what it keeps, nil for
// a new one.
func (s *Session) rowOf(b *bound, old *queryRow, out Output) (*queryRow, error) {
	dir, err := s.checkpointDir(b.definition, out)
	if err != nil {
		return nil, err
	}
	row := &queryRow{
		name: b.name, definition: b.text, baseDir: b.dir, target: strings.Join(b.targets(), ", "),
		mode: b.modes(), checkpoint: dir, options: b.options, state: stateCreated,
	}
	switch {
	case old != nil:
		row.name, row.id, row.state = old.name, old.id, old.state
		b.name = old.name
	case len(b.inserts) > 1 && isUnnamed(b.text):
		out.Notice(fmt.Sprintf("the statement set is query %q", row.name))
	}
	return row, nil
}

// modes names the output mode, or one for each target where they differ.
func (b *bound) modes() string {
	modes := map[string]string{}
	for _, out := range b.plan.Outputs {
		modes[out.Target] = out.Mode.String()
	}
	var list []string
	for _, target := range b.targets() {
		list = append(list, modes[target])
	}
	if len(slices.Compact(slices.Clone(list))) == 1 {
		return list[0]
	}
	return strings.Join(list, ", ")
}

// start reports whether the definition starts at once.
func (d *definition) start() bool { return d.options.get("start") == "true" }

// startQuery opens a query, stores it as running and launches it; with wait it comes
// back when a query with an end has ended.
func (s *Session) startQuery(ctx context.Context, b *bound, row *queryRow, wait, stored bool, out Output) error {
	if err := s.refuseShared(ctx, row); err != nil {
		return err
	}
	when := trigger(b.settings, b.plan.EveryMicros(), wait)
	wait = wait && when.Kind != exec.ProcessingTime
	j := newJob(s, row, wait)
	j.plan, j.stored = b.plan, stored
	q, err := s.openQuery(ctx, b, j, out)
	if err != nil {
		return err
	}
	row.id, row.state = q.ID(), stateRunning
	if err := s.saveQuery(ctx, row); err != nil {
		return joinErrors(err, q.Close())
	}
	resumed := q.Resumed()
	j.launch(q, when)
	if !wait {
		from := "started"
		if !resumed.New {
			from = fmt.Sprintf("resumed at batch %d", resumed.NextBatch)
		}
		out.Message(fmt.Sprintf("query %q %s; SHOW QUERIES shows it, STOP QUERY %s stops it", row.name, from, identText(row.name)))
		return nil
	}
	if err := s.await(ctx, j); err != nil {
		return err
	}
	out.Message(j.summary())
	if note := j.openNote(); note != "" {
		out.Notice(note)
	}
	return nil
}

// identText returns a name as a user would write it.
func identText(name string) string {
	words, _ := sql.Words(name)
	if len(words) == 1 && words[0].Kind == sql.BareWord {
		return name
	}
	return types.QuoteIdent(name)
}
