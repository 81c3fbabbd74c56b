package sql

import (
	"os"
	"strings"
	"testing"

	"ssql/sql/types"
)

// TestEverySpellingIsPasted wants a statement for every row of the tables of foreign
// spellings: in testdata/paste, or refused in faults.txt.
func TestEverySpellingIsPasted(t *testing.T) {
	var b strings.Builder
	for _, file := range append(pasteFiles(t), "testdata/faults.txt") {
		data, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		b.Write(data)
	}
	all := strings.ToLower(b.String())
	want := func(table, text string) {
		if !strings.Contains(all, strings.ToLower(text)) {
			t.Errorf("%s: no statement with %s", table, text)
		}
	}
	for _, a := range aliasRules {
		want("aliases", a.Written+" => ")
	}
	for written := range showAliases {
		want("SHOW", "show "+written)
	}
	for name := range connectorNames {
		want("connectors", "connector "+types.QuoteText(name)+" => ")
	}
	for _, r := range optionRules {
		if r.key != r.to {
			want("options", r.key)
		}
	}
	for _, r := range settingRules {
		want("settings", r.key)
	}
	for _, r := range functionRules {
		if r.engine != "" {
			want("functions", r.name+"(")
		}
	}
	for _, r := range foreignStatements {
		want("statements", r.words)
	}
	for _, r := range foreignClauses {
		want("clauses", r.words)
	}
}
