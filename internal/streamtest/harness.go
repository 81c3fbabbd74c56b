package streamtest

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"time"

	"ssql/internal/library"
	"ssql/internal/sqlerr"
	"ssql/internal/vfs"
	"ssql/plan"
	"ssql/sql"
	"ssql/sql/types"
)

// harness is the engine of one run of one script. What a real system keeps outside the
// process outlives a crash: the published rows, the sinks, the disk.
type harness struct {
	ctx    context.Context
	script *Script
	o      Options

	disk  *vfs.Mem
	fs    *vfs.Injector // over disk; renewed by a reboot
	rng   *rand.Rand
	armed *crash // by the verb crash, for the next run
	clock *clock

	*library.Catalog                           // functions of DuckDB
	relations        map[string]*plan.Relation // by name in lower case
	streams          map[string]*stream
	tables           *tables
	queries          map[string]*query
	order            []*query         // as defined
	refused          map[string]error // queries that never came to be, and why

	noDataBatches bool
	retraction    bool // plan.Options.Retraction
	ansi          bool // as in Spark where Spark has answered
	policy        plan.Policy
	session       Session
	reboots       int
}

// clockStart is the first time of the manual clock, which steps only by `advance`.
var clockStart = time.Date(2024, 1, 1, 0, 0, 0, 0, time.UTC)

// clock is the time of the batches. It never moves by itself.
type clock struct{ now time.Time }

// Now returns the time.
func (c *clock) Now() time.Time { return c.now }

func newHarness(ctx context.Context, s *Script, o Options) *harness {
	h := &harness{
		ctx: ctx, script: s, o: o,
		disk: vfs.NewMem(), rng: rand.New(rand.NewPCG(o.Seed, 1)), clock: &clock{clockStart},
		relations: map[string]*plan.Relation{}, streams: map[string]*stream{}, tables: newTables(), queries: map[string]*query{}, refused: map[string]error{},
		noDataBatches: true, ansi: s.Golden != "",
	}
	h.Catalog = library.NewCatalog(ctx, h.tables.lend)
	h.fs = vfs.NewInjector(h.disk, o.Fault)
	return h
}

// close ends everything that still runs. Errors no longer matter to anybody: what was
// acknowledged is durable.
func (h *harness) close() {
	for _, q := range h.order {
		q.stop()
	}
	h.tables.close()
	if h.session != nil {
		_ = h.session.Close()
	}
}

// scriptError is a fault of the script and ends the run of it.
func scriptError(format string, args ...any) error { return &Error{Text: fmt.Sprintf(format, args...)} }

// Relation implements plan.Catalog.
func (h *harness) Relation(name sql.Name) (*plan.Relation, error) {
	return h.relations[strings.ToLower(name[len(name)-1].Name)], nil
}

// Similar implements plan.Catalog.
func (h *harness) Similar(name string) string {
	var known []string
	for _, r := range h.relations {
		known = append(known, r.Name)
	}
	slices.Sort(known) // of names that are equally near the same one is told each time
	return sqlerr.Nearest(name, known)
}

var _ plan.Catalog = (*harness)(nil)

func (h *harness) define(r *plan.Relation) { h.relations[strings.ToLower(r.Name)] = r }

// columns reads lines `name TYPE [NOT NULL]`.
func columns(lines []string) ([]types.Field, error) {
	fields := make([]types.Field, len(lines))
	for i, line := range lines {
		name, text, _ := strings.Cut(strings.TrimSpace(line), " ")
		text = strings.TrimSpace(text)
		text, notNull := strings.CutSuffix(text, " NOT NULL")
		t, err := sql.ParseType(strings.TrimSpace(text))
		if err != nil {
			return nil, scriptError("column %q: %v", line, err)
		}
		fields[i] = types.Field{Name: name, Type: t, Nullable: !notNull}
	}
	return fields, nil
}

// stream declares an input and checks it, as the statement CREATE STREAM would.
func (h *harness) stream(st *Step) ([]string, error) {
	fields, err := columns(st.Input)
	if err != nil {
		return nil, err
	}
	declared := &plan.Stream{ID: "memory " + st.Name(), Stored: fields}
	for _, f := range fields {
		declared.Order = append(declared.Order, f.Name)
	}
	if text, ok := st.Options["watermark"]; ok {
		column, delay, _ := strings.Cut(text, ":")
		interval, err := delayOf(delay)
		if err != nil {
			return nil, err
		}
		micros := interval.Micros + (int64(interval.Days)+monthDays*int64(interval.Months))*types.DayMicros
		declared.Watermarks = []plan.StreamWatermark{{Column: column, DelayMicros: micros}}
	}
	h.define(&plan.Relation{Name: st.Name(), Stream: declared})
	h.streams[strings.ToLower(st.Name())] = &stream{name: st.Name(), fields: fields}
	all, err := sql.ParseQueryText("SELECT * FROM " + types.QuoteIdent(st.Name()))
	if err != nil {
		return nil, err
	}
	_, err = plan.Bind(all, h, plan.Options{})
	return nil, err
}

// monthDays is the length of a month in a watermark delay, as in Spark.
const monthDays = 31

// delayOf reads `10s`, `1h30m` or an interval as SQL has it.
func delayOf(text string) (types.Interval, error) {
	if d, err := time.ParseDuration(text); err == nil {
		return types.Interval{Micros: d.Microseconds()}, nil
	}
	return sql.ParseInterval(text)
}

func (h *harness) view(st *Step) ([]string, error) {
	q, err := sql.ParseQueryText(st.Text())
	if err != nil {
		return nil, err
	}
	h.define(&plan.Relation{Name: st.Name(), View: q})
	return nil, nil
}

// selectFrom is SELECT [DISTINCT] * FROM input.
func selectFrom(input sql.TableExpr, distinct bool) *sql.Query {
	return &sql.Query{Body: &sql.Select{Distinct: distinct, Items: []sql.SelectItem{{Expr: &sql.Star{}, Text: "*"}}, From: input}}
}

func tableRef(name string) *sql.TableRef { return &sql.TableRef{Name: sql.Name{{Name: name}}} }

func (h *harness) watermark(st *Step) ([]string, error) {
	interval, err := delayOf(st.Options["delay"])
	if err != nil {
		return nil, err
	}
	ref := &sql.WatermarkRef{
		Input: tableRef(st.Options["of"]),
		Expr:  &sql.ColumnRef{Parts: []sql.Ident{{Name: st.Options["col"]}}},
		Delay: &sql.Interval{Value: interval},
	}
	h.define(&plan.Relation{Name: st.Name(), View: selectFrom(ref, false)})
	return nil, nil
}

func (h *harness) dedup(st *Step) ([]string, error) {
	within := len(st.Args) > 1 && st.Args[1] == "within"
	list, keyed := st.Options["keys"]
	if !keyed {
		if within {
			return nil, scriptError("dedup within needs keys=")
		}
		h.define(&plan.Relation{Name: st.Name(), View: selectFrom(tableRef(st.Options["of"]), true)})
		return nil, nil
	}
	ref := &sql.DedupRef{Input: tableRef(st.Options["of"]), Within: within}
	for _, key := range strings.Split(list, ",") {
		ref.Keys = append(ref.Keys, sql.Ident{Name: key})
	}
	h.define(&plan.Relation{Name: st.Name(), View: selectFrom(ref, false)})
	return nil, nil
}

// table declares a table: columns, a line `.`, rows.
func (h *harness) table(st *Step) ([]string, error) {
	split := 0
	for split < len(st.Input) && st.Input[split] != blankMark {
		split++
	}
	if split == len(st.Input) {
		return nil, scriptError("expected a line %q between columns and rows", blankMark)
	}
	fields, err := columns(st.Input[:split])
	if err != nil {
		return nil, err
	}
	rec, err := parseRows(fields, st.Input[split+1:])
	if err != nil {
		return nil, err
	}
	h.define(&plan.Relation{Name: st.Name(), Table: h.tables.add(st.Name(), fields, rec)})
	return nil, nil
}

// set knows Spark's settings that a script may name. What ssql always does can be
// named, its opposite cannot.
func (h *harness) set(st *Step) ([]string, error) {
	for key, value := range st.Options {
		switch key + "=" + value {
		case "no_data_batches=on", "no_data_batches=off":
			h.noDataBatches = value == "on"
		case "watermark_policy=min":
			h.policy = plan.MinPolicy
		case "watermark_policy=max":
			h.policy = plan.MaxPolicy
		case "ansi=on", "ansi=off":
			h.ansi = value == "on"
		case "retraction=on", "retraction=off":
			h.retraction = value == "on"
		case "multiple_stateful=on", "only=ssql":
		default:
			return nil, sqlerr.New("INVALID_OPTION", "option %q has no value %q here", key, value)
		}
	}
	return nil, nil
}

// feed adds rows to what the next run publishes.
func (h *harness) feed(st *Step) ([]string, error) {
	s := h.streams[strings.ToLower(st.Name())]
	if s == nil {
		return nil, scriptError("there is no stream %q", st.Name())
	}
	return nil, s.feed(st.Input)
}

func (h *harness) advance(st *Step) ([]string, error) {
	d, err := time.ParseDuration(st.Name())
	if err != nil {
		return nil, scriptError("expected a duration such as 5s, found %q", st.Name())
	}
	h.clock.now = h.clock.now.Add(d)
	return nil, nil
}

// sql gives a text to a session of its own, which the binary provides.
func (h *harness) sql(st *Step) ([]string, error) {
	if h.o.OpenSession == nil {
		return nil, scriptError("the verb sql needs a session, which only `ssql test` has")
	}
	if h.session == nil {
		s, err := h.o.OpenSession(h.ctx)
		if err != nil {
			return nil, fmt.Errorf("opening a session: %w", err)
		}
		h.session = s
	}
	return h.session.Execute(h.ctx, st.Text())
}

// query returns a defined query. Whoever asks for one that was refused gets the refusal
// again.
func (h *harness) query(name string) (*query, error) {
	key := strings.ToLower(name)
	if q := h.queries[key]; q != nil {
		return q, nil
	}
	if err := h.refused[key]; err != nil {
		return nil, err
	}
	return nil, scriptError("there is no query %q", name)
}

// crashed reports whether an error is that of the simulated machine.
func crashed(err error) bool { return errors.Is(err, vfs.ErrCrashed) }
