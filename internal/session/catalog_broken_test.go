package session_test

import (
	"regexp"
	"strings"
	"testing"

	"ssql/internal/sqlerr"
)

// One definition that cannot be read is listed with its error. It breaks no listing, no
// statement about anything else, and can be dropped.
func TestOneBadDefinition(t *testing.T) {
	w := open(t, t.TempDir())
	if _, err := w.run(`CREATE STREAM good (a INT) WITH (connector = 'memory'); CREATE STREAM bad (a INT) WITH (connector = 'memory');
		CREATE STREAM other (a INT) WITH (connector = 'memory');
		CREATE VIEW badview AS SELECT a FROM good; INSERT INTO badquery SELECT a FROM good; INSERT INTO badoptions SELECT a FROM good; STOP QUERY ALL;
		CREATE SINK badsink WITH (connector = 'console')`, false); err != nil {
		t.Fatal(err)
	}
	w.tamper(`UPDATE ssql.streams SET definition = 'CREATE STREAM ((' WHERE name = 'bad';
		UPDATE ssql.streams SET definition = 'CREATE SINK s WITH (connector = ''memory'')' WHERE name = 'other';
		UPDATE ssql.streams SET definition = 'CREATE VIEW badview AS SELECT FROM' WHERE name = 'badview';
		UPDATE ssql.streams SET definition = 'CREATE SINK badsink WITH (connector = ''nowhere'')' WHERE name = 'badsink';
		UPDATE ssql.queries SET definition = 'SELECT 1' WHERE name = 'badquery';
		UPDATE ssql.queries SET options = '[1]' WHERE name = 'badoptions'`)
	listings := map[string]string{
		"SHOW STREAMS": "good", "SHOW SINKS": "ERROR UNKNOWN_CONNECTOR", "SHOW VIEWS": "badview", "SHOW QUERIES": "badquery",
		"SHOW TABLES": "", "SHOW ALL TABLES": "", "SHOW CHECKPOINTS": "", "SHOW ERRORS": "", "SHOW PROGRESS": "", "SHOW STATE": "", "SHOW WATERMARKS": "",
		"DESCRIBE good": "a", "DESCRIBE EXTENDED good": "a", "SHOW CREATE badview": "SELECT FROM", "SHOW CREATE bad": "((",
		"SELECT * FROM good": "", "SELECT 1": "1", "CREATE TABLE tab (a INT); INSERT INTO tab VALUES (1); SELECT * FROM tab; DROP TABLE tab": "1",
		"INSERT INTO fresh SELECT a FROM good; DROP QUERY fresh": "started",
	}
	for text, want := range listings {
		if got, err := w.run(text, false); err != nil || !strings.Contains(got, want) {
			t.Errorf("%s: got %s, %v", text, got, err)
		}
	}
	if got, _ := w.run("SHOW STREAMS", false); strings.Count(got, "ERROR ") != 2 {
		t.Errorf("got %s", got)
	}
	codes := map[string]string{
		"SELECT * FROM bad": "PARSE_SYNTAX_ERROR", "SELECT * FROM other": "E_CATALOG", "SELECT * FROM badview": "PARSE_SYNTAX_ERROR", "DESCRIBE bad": "PARSE_SYNTAX_ERROR",
		"INSERT INTO badsink SELECT a FROM good": "UNKNOWN_CONNECTOR", "INSERT INTO badsink VALUES (1)": "UNKNOWN_CONNECTOR",
		"START QUERY badquery": "E_CATALOG", "START QUERY badoptions": "E_CATALOG",
	}
	for text, want := range codes {
		_, err := w.run(text, false)
		if sqlerr.Code(err) != want {
			t.Errorf("%s: got %v", text, err)
		}
		// The caret stands under the name in the statement, or nowhere: not at the place in the
		// stored text.
		lines := strings.Split(sqlerr.Render(err, &sqlerr.Source{Text: text}), "\n")
		for i, line := range lines {
			if at := strings.IndexByte(line, '^'); at >= 0 && strings.TrimSpace(line) == "^" && !strings.HasPrefix(lines[i-1][at:], broken.FindString(text)) {
				t.Errorf("%s: a place in the stored text is shown in the statement: %v", text, err)
			}
		}
	}
	if _, err := w.run("DROP QUERY badquery; DROP QUERY badoptions; DROP VIEW badview; DROP STREAM bad; DROP STREAM other; DROP SINK badsink", false); err != nil {
		t.Error(err)
	}
}

// broken finds the name of a broken definition in a statement on it.
var broken = regexp.MustCompile(`\b(bad\w*|other)\b`)

// A name with a NUL, which no statement can write, is left out with a notice; other odd names
// are kept.
func TestInferredNames(t *testing.T) {
	w := open(t, t.TempDir())
	w.feed("a.json", `{"a\u0000b":1,"c":2,"o":{"x\u0000":3},"l":[{"\u0000":4}],"new\nline":5,"q\"q":6,"\u0001":7,"--":8,"a;b":9}`)
	got, err := w.run(`CREATE STREAM s WITH (connector = 'files', path = 'in'); SHOW STREAMS; SELECT * FROM s; SELECT c FROM 'in/*.json'; DESCRIBE s`, true)
	if err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{
		`"a\x00b" is left out`, `"o" is read as VARCHAR`, `"l" is read as VARCHAR`,
		`s | files | "c, o, l, new\nline, q\"q, \x01, --, a;b" | NULL`, `2 | "{\"x\\u0000\":3}" | "[{\"\\u0000\":4}]" | 5 | 6 | 7 | 8 | 9`, "c | BIGINT | YES | ",
	} {
		if !strings.Contains(got, want) {
			t.Errorf("%q is missing in\n%s", want, got)
		}
	}
	if strings.Contains(got, "ADD COLUMN") {
		t.Errorf("a statement that cannot be written is proposed:\n%s", got)
	}
}
