// Package console is the sink of ad-hoc queries: rows go to whoever prints them. It
// keeps nothing, so a query into it starts from the beginning every time.
package console

import (
	"context"

	"ssql/sinks"
	"ssql/sources"
)

// Name is the name of the connector.
const Name = "console"

// Print takes the rows of one batch, which are valid during the call. Its error stops
// the query; that is how a reader who has seen enough ends it.
type Print func(b *sinks.Batch) error

// Sink hands batches on.
type Sink struct{ print Print }

// New returns a sink that prints.
func New(print Print) *Sink { return &Sink{print} }

// Spec returns the connector's row.
func Spec(print Print) sinks.Spec {
	return sinks.Spec{
		Name:    Name,
		Summary: "the terminal; nothing is kept",
		Options: []sources.Option{}, // a sink may be declared with it
		Open:    func(sinks.OpenContext) (sinks.Sink, error) { return New(print), nil },
	}
}

// Head finds nothing: nothing is kept.
func (s *Sink) Head(context.Context, string) (sinks.Marker, bool, error) {
	return sinks.Marker{}, false, nil
}

// Write prints a batch.
func (s *Sink) Write(_ context.Context, b *sinks.Batch) error { return s.print(b) }

// Transactional reports false.
func (s *Sink) Transactional() bool { return false }

// Close does nothing.
func (s *Sink) Close() error { return nil }
