package session

import (
	"strconv"
	"strings"

	"ssql/internal/sqlerr"
	"ssql/sources"
	"ssql/sql"
)

// connectorOf finds the connector that the options of CREATE STREAM name.
func (s *Session) connectorOf(st *sql.CreateStream) (*sources.Spec, error) {
	names := make([]string, len(s.cfg.Sources))
	for i := range s.cfg.Sources {
		names[i] = s.cfg.Sources[i].Name
	}
	for _, o := range st.Options {
		if !strings.EqualFold(o.Key.Name, "connector") {
			continue
		}
		given := optionText(o.Value)
		for i := range s.cfg.Sources {
			if strings.EqualFold(names[i], given) {
				return &s.cfg.Sources[i], nil
			}
		}
		if engine, hint, ok := sql.ForeignConnector(given, false); ok {
			return nil, sqlerr.At(o.ValueAt, "UNKNOWN_CONNECTOR", "connector %q (%s) is not supported", given, engine).WithHint("%s", hint)
		}
		err := sqlerr.At(o.ValueAt, "UNKNOWN_CONNECTOR", "connector %q does not exist", given)
		if near := sqlerr.Nearest(given, names); near != "" {
			return nil, err.WithHint("did you mean %q?", near)
		}
		return nil, err.WithHint("there are: %s", strings.Join(names, ", "))
	}
	return nil, sqlerr.At(st.Name.Span, "MISSING_OPTION", "stream %q has no connector", st.Name.Name).
		WithHint("say where its rows come from: WITH (connector = '%s', ...)", strings.Join(names, "' or '"))
}

// The options that every stream has, whatever its connector.
const (
	badRecords  = "bad_records"
	idleTimeout = "idle_timeout"
	maxFuture   = "max_future"
)

func streamOptions() []sources.Option {
	return []sources.Option{
		{Name: badRecords, Type: sources.StringOption, Values: []string{"table", "drop", "fail"},
			Summary: "what happens to rows of the stream that cannot be read; without it the setting of the same name holds"},
		{Name: idleTimeout, Type: sources.DurationOption,
			Summary: "how long the stream may deliver nothing before the watermark no longer waits for it"},
		{Name: maxFuture, Type: sources.DurationOption,
			Summary: "how far ahead of the clock an event time may be; rows further ahead are bad rows"},
	}
}

// connectorOptions checks the options of a stream against those that its connector
// declares, and gives them their types.
func connectorOptions(spec *sources.Spec, options []sql.Option, dir string) (sources.Values, error) {
	var given []sources.Given
	for _, o := range options {
		if !strings.EqualFold(o.Key.Name, "connector") {
			given = append(given, sources.Given{Name: o.Key.Name, Text: optionText(o.Value), NameAt: o.Key.Span, ValueAt: o.ValueAt})
		}
	}
	declared := append(streamOptions(), spec.Options...)
	set, err := sources.CheckOptions("connector "+strconv.Quote(spec.Name), declared, given)
	return sources.Values{BaseDir: dir, Set: set}, err
}
