package session_test

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"ssql/internal/hinttest"
)

// TestCreateStreamSniffs shows what CREATE STREAM finds out itself, that it says and keeps
// it, and that the same statement is the same stream.
func TestCreateStreamSniffs(t *testing.T) {
	w := openPaste(t)
	w.hints = &hinttest.Typist{T: t, Advice: append(slices.Clone(pasteAdvice),
		hinttest.Advice{Words: "has no connector", Why: "a list of the connectors, with the options of each left open"})}
	for name, content := range map[string]string{
		"semi.csv": "\"Time (UTC)\";\"Humidity, %\"\n2026-03-01 10:00:00;40,5\n",
		"bare.csv": "1|x\n2|y\n",
		"semi.dat": "id;name\n1;x\n2;y\n",
		"text.dat": "hello, you\nthere\n",
		"mac.csv":  "id,name\r1,x\r2,y\r",
	} {
		if err := os.WriteFile(filepath.Join(w.dir, name), []byte(content), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	for _, c := range []struct{ statement, want string }{
		{"CREATE STREAM semi WITH (path = 'DIR/semi.csv')", `stream "semi" has delimiter = ';', found in a sample`},
		{"CREATE STREAM semi WITH (path = 'DIR/semi.csv')", `stream "semi" exists already with this definition`},
		{"SHOW CREATE STREAM semi", `delimiter = ';'`},
		{"CREATE STREAM bare WITH (connector = 'files', path = 'DIR/bare.csv')", `stream "bare" has delimiter = '|', header = 'false', found in a sample`},
		{"CREATE STREAM declared (id BIGINT, name VARCHAR) WITH (path = 'DIR/bare.csv')", `stream "declared" has delimiter = '|', found in a sample`},
		{"CREATE STREAM given (id BIGINT) WITH (path = 'DIR/bare.csv', delimiter = ',')", ""},
		{"SHOW CREATE STREAM given", `delimiter = ','`},
		{"CREATE STREAM mac WITH (path = 'DIR/mac.csv')", `"id" BIGINT, "name" VARCHAR`},
		{"CREATE STREAM dat (id BIGINT, name VARCHAR) WITH (path = 'DIR/semi.dat')", `the first one looks like csv: ALTER STREAM dat SET (delimiter = ';', format = 'csv') reads them so`},
		{"ALTER STREAM dat SET (delimiter = ';', format = 'csv')", ""},
		{"SELECT name FROM dat WHERE id = 2", "y"},
		{"CREATE STREAM given_dat (id BIGINT, name VARCHAR) WITH (path = 'DIR/semi.dat', format = 'csv')", `stream "given_dat" has delimiter = ';', found in a sample`},
		{"CREATE STREAM text (id BIGINT, name VARCHAR) WITH (path = 'DIR/text.dat')", `the first one looks like text: CREATE OR REPLACE STREAM text (line VARCHAR) WITH (..., format = 'text')`},
		{"CREATE OR REPLACE STREAM text (line VARCHAR) WITH (path = 'DIR/text.dat', format = 'text')", ""},
		{"SELECT line FROM text", "there"},
		{"CREATE STREAM json (id BIGINT) WITH (path = 'DIR/semi.dat', format = 'json')", ""},
		{"CREATE STREAM none (id BIGINT) WITH (format = 'csv')", "MISSING_OPTION"},
	} {
		if got := w.answer(strings.ReplaceAll(c.statement, "DIR", w.dir)); !strings.Contains(got, c.want) {
			t.Errorf("%s\n got  %s\nwant %s", c.statement, got, c.want)
		}
	}
}
