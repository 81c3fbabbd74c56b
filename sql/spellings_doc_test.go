package sql

import (
	"fmt"
	"os"
	"sort"
	"strings"
	"testing"
)

// spellingsDoc is the page that lists what this package reads of other engines.
const spellingsDoc = "../docs/SPELLINGS.md"

// TestSpellingsAreListed keeps the page equal with the tables; -rewrite writes it.
func TestSpellingsAreListed(t *testing.T) {
	want := spellingsPage()
	if *rewriteGoldens {
		if err := os.WriteFile(spellingsDoc, []byte(want), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	have, err := os.ReadFile(spellingsDoc)
	if err != nil {
		t.Fatal(err)
	}
	if string(have) != want {
		t.Errorf("%s is not what the tables say; run go test ./sql -run TestSpellingsAreListed -rewrite", spellingsDoc)
	}
}

func spellingsPage() string {
	var b strings.Builder
	b.WriteString("# What is read of other engines\n\n" +
		"Statements can be pasted from Flink, RisingWave, Databricks and Spark, ksqlDB, Arroyo and Proton. They are read into the\n" +
		"same tree as ssql's own spelling; the first use of each in a session prints a note (`SET dialect_notes = off` ends that).\n" +
		"This page is written from the tables of package sql by `go test ./sql -run TestSpellingsAreListed -rewrite`.\n")
	section := func(title, head string, rows []string) {
		sort.Strings(rows)
		columns := strings.Count(head, "|") + 1
		fmt.Fprintf(&b, "\n## %s\n\n| %s |\n|%s\n%s\n", title, head, strings.Repeat(" --- |", columns), strings.Join(rows, "\n"))
	}
	var rows []string
	for _, a := range aliasRules {
		rows = append(rows, tableRow(a.Engine, code(a.Written), code(a.Canonical)))
	}
	for written, a := range showAliases {
		rows = append(rows, tableRow(a.engine, code("SHOW "+written), code("SHOW "+a.what)))
	}
	section("Statements and clauses", "Engine | Written | Read as", rows)
	rows = nil
	for name, c := range connectorNames {
		rows = append(rows, tableRow(c.engine, code("connector = '"+name+"'"), code("connector = '"+c.name+"'")))
	}
	for _, r := range optionRules {
		becomes := code(r.to)
		if r.refused != "" {
			becomes = refusal(r.holds, r.reason, r.refused)
		} else if r.to == "" {
			becomes = "nothing: " + r.reason
		} else if r.to == r.key {
			continue // only its values have other names
		}
		rows = append(rows, tableRow(r.engine, code(r.key), becomes))
	}
	section("Options", "Engine | Option | Read as", rows)
	rows = nil
	for _, r := range settingRules {
		becomes := code(r.to)
		if r.to == "" {
			becomes = refusal(r.holds, r.reason, r.refused)
		}
		rows = append(rows, tableRow(r.engine, code(r.key), becomes))
	}
	section("Settings", "Engine | Setting | Read as", rows)
	rows = nil
	for _, r := range functionRules {
		becomes := code(r.to)
		switch {
		case r.rewrite != nil && r.hint != "":
			becomes = "a call of another shape, or refused: " + r.hint
		case r.hint != "":
			becomes = "refused: " + r.hint
		case r.to == "":
			becomes = "a call of another shape"
		}
		if r.engine != "" {
			rows = append(rows, tableRow(r.engine, code(r.name), becomes))
		}
	}
	section("Functions", "Engine | Function | Read as", rows)
	rows = nil
	for _, r := range foreignClauses {
		rows = append(rows, tableRow(r.engine, code(r.words), r.hint))
	}
	for _, r := range foreignStatements {
		rows = append(rows, tableRow(r.engine, code(r.words), r.hint))
	}
	section("Refused by name", "Engine | Written | Instead", rows)
	rows = nil
	for _, c := range foreignConnectors {
		rows = append(rows, tableRow(c.engine, code("connector = '"+c.name+"'"), orNot(c.read), orNot(c.write)))
	}
	section("Connectors that are not there", "Engine | Written | To read | To write", rows)
	return b.String()
}

// refusal says which values change nothing, and what is written instead of others.
func refusal(holds, reason, refused string) string {
	switch holds {
	case "":
		return "refused: " + refused
	case "*":
		return "nothing: " + reason
	}
	return code(strings.ReplaceAll(holds, " ", "`, `")) + ": nothing, " + reason + "; else refused: " + refused
}

func orNot(text string) string {
	if text == "" {
		return "-"
	}
	return text
}

func tableRow(cells ...string) string {
	for i := range cells {
		cells[i] = strings.ReplaceAll(cells[i], "|", `\|`)
	}
	return "| " + strings.Join(cells, " | ") + " |"
}

func code(text string) string {
	if strings.HasPrefix(text, "nothing: ") {
		return text
	}
	return "`" + text + "`"
}
