package shell

import (
	"fmt"
	"strings"

	"github.com/apache/arrow/go/v17/arrow"

	"ssql/internal/session"
	"ssql/internal/shell/render"
	"ssql/sql"
)

// printer prints the answer of one statement.
type printer struct {
	shell  *Shell
	footer footer
	// answers says that the messages are what the statement was asked for.
	answers bool
}

// answers reports whether a statement asks for something that may come as text.
func answers(statement string) bool {
	words, _ := sql.Words(statement)
	if len(words) == 0 {
		return false
	}
	switch strings.ToUpper(words[0].Text) {
	case "DESC", "DESCRIBE", "DIAGNOSE", "EXPLAIN", "SHOW", "WHY":
		return true
	}
	return false
}

var (
	_ session.Output = (*printer)(nil)
	_ session.Footer = (*printer)(nil)
)

// Table implements session.Output.
func (p *printer) Table(schema *arrow.Schema) (session.TableWriter, error) {
	s := p.shell
	t, err := p.newTable(schema, s.renderOptions())
	if err != nil {
		return nil, err
	}
	if s.cfg.Terminal && s.redirected == nil {
		t.last = &lastTable{schema: schema}
		s.last = t.last
	}
	return t, nil
}

// newTable starts a table in the output mode, in the pager if that is on.
func (p *printer) newTable(schema *arrow.Schema, o render.Options) (t *tableWriter, err error) {
	t = &tableWriter{printer: p}
	out := p.shell.stdout()
	if p.shell.pages() {
		t.page = &pageWriter{shell: p.shell}
		out = t.page
	}
	if t.w, err = p.shell.mode.New(out, schema, o); err != nil {
		return nil, fmt.Errorf("printing a table: %w", err)
	}
	return t, nil
}

// Message implements session.Output. Where tables are meant for programs a message
// must not get between them.
func (p *printer) Message(text string) {
	p.shell.writeLock.Lock()
	defer p.shell.writeLock.Unlock()
	p.hideFooter()
	if p.shell.cfg.Quiet && !p.answers {
		return
	}
	w := p.shell.stdout()
	switch p.shell.mode.Name {
	case "box", "column", "duckbox":
	default: // a program or a document reads the rows
		w = p.shell.stderr()
	}
	if p.shell.redirected != nil {
		fmt.Fprintln(w, render.EscapeKeepLines(text))
		return
	}
	fmt.Fprintln(w, p.shell.wrapped(text))
}

// Footer implements session.Footer. It belongs to the table where tables are drawn for people.
func (p *printer) Footer(text string) {
	p.shell.writeLock.Lock()
	defer p.shell.writeLock.Unlock()
	p.hideFooter()
	w := p.shell.stderr()
	switch p.shell.mode.Name {
	case "box", "duckbox":
		w = p.shell.stdout()
	}
	fmt.Fprintln(w, render.EscapeKeepLines(text))
}

// Notice implements session.Output.
func (p *printer) Notice(text string) {
	if p.shell.cfg.Quiet {
		return
	}
	p.shell.writeLock.Lock()
	defer p.shell.writeLock.Unlock()
	p.hideFooter()
	fmt.Fprintln(p.shell.stderr(), p.shell.wrapped("NOTE: "+text))
}

// tableWriter keeps notices out of the lines of a table.
type tableWriter struct {
	printer *printer
	w       render.Writer
	last    *lastTable  // nil where .last has nothing to add
	page    *pageWriter // nil without a pager
}

func (t *tableWriter) Write(rec arrow.Record) error {
	t.printer.shell.writeLock.Lock()
	defer t.printer.shell.writeLock.Unlock()
	if t.last != nil {
		t.last.keep(rec)
	}
	return t.w.Write(rec)
}

func (t *tableWriter) Close() error {
	t.printer.shell.writeLock.Lock()
	defer t.printer.shell.writeLock.Unlock()
	t.printer.hideFooter()
	_, err := t.w.Close()
	if t.page != nil && err == nil {
		err = t.page.flush()
	}
	return err
}
