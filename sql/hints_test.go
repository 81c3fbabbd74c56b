package sql_test

import (
	"os"
	"strings"
	"testing"

	"ssql/internal/hinttest"
	"ssql/sql"
)

// faultAdvice is what stands in hints of faulty statements and says where something belongs.
var faultAdvice = []hinttest.Advice{
	{Words: "' around text", Why: "quotes in place of other quotes, anywhere"},
	{Words: ": WITH$|WITH \\((\\.\\.|connector = \\.\\.)\\)", Why: "where an option belongs"},
	{Words: "path = 'dir/", Why: "an option in place of another"},
	{Words: "NOT NULL out$|and CREATE compute all|: EMIT ON UPDATE($| shows)|: FORMAT DEBEZIUM|: WHERE |: CAST\\(\\.\\.|: DEDUP\\(\\.\\.\\)$|: SELECT \\.\\. FROM r\\)", Why: "belongs into the query, which is another statement"},
	{Words: "TIMESTAMP AS \\.\\.|a TIMESTAMP FORMAT|among the columns$|into CREATE STREAM$", Why: "the declaration of a column whose place is between the others"},
}

// TestHints types what the hints of faulty statements propose: they become statements that parse.
func TestHints(t *testing.T) {
	data, err := os.ReadFile("testdata/faults.txt")
	if err != nil {
		t.Fatal(err)
	}
	typist := &hinttest.Typist{T: t, Advice: faultAdvice}
	for _, block := range strings.Split(string(data), "\n\n") {
		text, _, _ := strings.Cut(block, "\n----")
		if strings.HasPrefix(text, "#") {
			continue
		}
		text = strings.NewReplacer(`\t`, "\t", `\n`, "\n").Replace(text)
		pieces, err := sql.Split(text)
		if err == nil && len(pieces) == 1 {
			var s sql.Statement
			s, err = sql.ParseStatement(pieces[0], sql.DefaultLimits())
			if u, ok := s.(*sql.Undecided); ok && err == nil {
				_, err = u.Parse(sql.DefaultLimits())
			}
		}
		typist.Check("faults.txt", text, err, func(string) error { return nil })
	}
	typist.Done(110)
}
