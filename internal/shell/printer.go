package shell

import (
	"fmt"

	"github.com/apache/arrow/go/v17/arrow"

	"ssql/internal/session"
	"ssql/internal/shell/render"
)

// printer prints the answer of one statement.
type printer struct{ shell *Shell }

var _ session.Output = (*printer)(nil)

// Table implements session.Output.
func (p *printer) Table(schema *arrow.Schema) (session.TableWriter, error) {
	s := p.shell
	w, err := s.mode.New(s.stdout(), schema, s.renderOptions())
	if err != nil {
		return nil, fmt.Errorf("printing a table: %w", err)
	}
	return &tableWriter{s, w}, nil
}

// Message implements session.Output. Where tables are meant for programs a message
// must not get between them.
func (p *printer) Message(text string) {
	p.shell.writeLock.Lock()
	defer p.shell.writeLock.Unlock()
	w := p.shell.stdout()
	switch p.shell.mode.Name {
	case "csv", "json", "jsonlines", "trash":
		w = p.shell.stderr()
	}
	fmt.Fprintln(w, render.EscapeKeepLines(text))
}

// Notice implements session.Output.
func (p *printer) Notice(text string) {
	p.shell.writeLock.Lock()
	defer p.shell.writeLock.Unlock()
	fmt.Fprintf(p.shell.stderr(), "NOTE: %s\n", render.EscapeKeepLines(text))
}

// tableWriter keeps notices out of the lines of a table.
type tableWriter struct {
	shell *Shell
	w     render.Writer
}

func (t *tableWriter) Write(rec arrow.Record) error {
	t.shell.writeLock.Lock()
	defer t.shell.writeLock.Unlock()
	return t.w.Write(rec)
}

func (t *tableWriter) Close() error {
	t.shell.writeLock.Lock()
	defer t.shell.writeLock.Unlock()
	_, err := t.w.Close()
	return err
}
