package catalog

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"ssql/internal/settings"
	"ssql/internal/sqlerr"
	"ssql/sinks"
	"ssql/sources"
	"ssql/sql"
)

// connectorChoice is what the option connector of a CREATE statement can be.
type connectorChoice struct {
	owner   sql.Ident // what is created
	what    string    // stream or sink
	names   []string
	refused string // what a connector of another name does
	more    string // behind the list of the names
	missing string // what the option would say
	sink    bool
}

// connectorIn returns the number of the connector that the options name.
func connectorIn(options []sql.Option, c *connectorChoice) (int, error) {
	for _, o := range options {
		if !strings.EqualFold(o.Key.Name, "connector") {
			continue
		}
		given := settings.OptionText(o.Value)
		if at := IndexOf(c.names, given); at >= 0 {
			return at, nil
		}
		if engine, hint, ok := sql.ForeignConnector(given, c.sink); ok {
			return 0, sqlerr.At(o.ValueAt, "UNKNOWN_CONNECTOR", "connector %q (%s) is not supported", given, engine).WithHint("%s", hint)
		}
		return 0, sqlerr.At(o.ValueAt, "UNKNOWN_CONNECTOR", "connector %q %s", given, c.refused).
			WithNearest(given, c.names, "there are: %s%s", strings.Join(c.names, ", "), c.more)
	}
	return 0, sqlerr.At(c.owner.Span, "MISSING_OPTION", "%s %q has no connector", c.what, c.owner.Name).
		WithHint("say where its rows %s: WITH (connector = '%s', ...)", c.missing, strings.Join(c.names, "' or '"))
}

// sourceConnectorOf finds the connector that the options of CREATE STREAM name.
func (s *Store) sourceConnectorOf(st *sql.CreateStream) (*sources.Spec, error) {
	c := &connectorChoice{owner: st.Name, what: "stream", refused: "does not exist", missing: "come from"}
	for i := range s.sources {
		c.names = append(c.names, s.sources[i].Name)
	}
	if at := slices.Index(c.names, "files"); at >= 0 && !HasOption(st.Options, "connector") && HasOption(st.Options, "path") {
		return &s.sources[at], nil // what has a path are files
	}
	at, err := connectorIn(st.Options, c)
	if err != nil {
		return nil, err
	}
	return &s.sources[at], nil
}

// sinkConnectorOf finds the connector that the options of CREATE SINK name.
func (s *Store) sinkConnectorOf(st *sql.CreateSink) (*sinks.Spec, error) {
	c := &connectorChoice{owner: st.Name, what: "sink", refused: "takes no results", more: "; a table needs no sink, INSERT INTO makes it", missing: "go", sink: true}
	var specs []sinks.Spec
	for _, spec := range s.sinkSpecs(nil) {
		if spec.Options != nil {
			specs, c.names = append(specs, spec), append(c.names, spec.Name)
		}
	}
	at, err := connectorIn(st.Options, c)
	if err != nil {
		return nil, err
	}
	return &specs[at], nil
}

// The options that every stream has, whatever its connector.
const (
	BadRecords  = "bad_records"
	idleTimeout = "idle_timeout"
	maxFuture   = "max_future"
)

// OptionsOfStream returns the options that a stream of a connector may have.
func OptionsOfStream(spec *sources.Spec) []sources.Option {
	return append([]sources.Option{
		{Name: BadRecords, Type: sources.StringOption, Values: []string{"table", "drop", "fail"},
			Summary: "what happens to rows of the stream that cannot be read; without it the setting of the same name holds"},
		{Name: idleTimeout, Type: sources.DurationOption,
			Summary: "how long the stream may deliver nothing before the watermark no longer waits for it"},
		{Name: maxFuture, Type: sources.DurationOption,
			Summary: "how far ahead of the clock an event time may be; rows further ahead are bad rows"},
	}, spec.Options...)
}

// connectorOptions checks options against those that a connector declares, and gives them
// their types.
func connectorOptions(connector string, declared []sources.Option, options []sql.Option, dir string) (sources.Values, error) {
	var given []sources.Given
	for _, o := range options {
		if !strings.EqualFold(o.Key.Name, "connector") {
			text := settings.OptionText(o.Value)
			if key := strings.ToLower(o.Key.Name); key == "path" || key == "spool" {
				text = FromHome(text)
			}
			given = append(given, sources.Given{Name: o.Key.Name, Text: text, NameAt: o.Key.Span, ValueAt: o.ValueAt})
		}
	}
	set, err := sources.CheckOptions("connector "+strconv.Quote(connector), declared, given)
	return sources.Values{BaseDir: dir, Set: set}, err
}

// FindSink returns the sink connector of a name; print is where the console's rows go.
func (s *Store) FindSink(name string, print func(*sinks.Batch) error) (*sinks.Spec, error) {
	for _, spec := range s.sinkSpecs(print) {
		if spec.Name == name {
			return &spec, nil
		}
	}
	return nil, fmt.Errorf("there is no sink %q", name)
}
