package sql

import "testing"

func TestOneLine(t *testing.T) {
	for in, want := range map[string]string{
		"select 1;": "select 1;",
		"select 1, -- the first\n  'a--b' /* and\nmore */ ;": "select 1,   'a--b'   ;",
		"select 'it''s": "select 'it''s",
		".mode csv":     ".mode csv",
	} {
		if got, ok := OneLine(in); !ok || got != want {
			t.Errorf("%q: got %q, %v; want %q", in, got, ok, want)
		}
	}
	for _, in := range []string{"select 'a\nb';", "select 'a\nb"} {
		if got, ok := OneLine(in); ok {
			t.Errorf("%q became %q", in, got)
		}
	}
}

func TestCanonical(t *testing.T) {
	a := Canonical("CREATE Stream s ( a INT -- x\n, \"B\" VARCHAR) WITH (path='X')")
	b := Canonical("create stream S(A int,\"B\" varchar) with (path = 'X') /* y */")
	if a != b {
		t.Errorf("%q and %q differ", a, b)
	}
	for _, other := range []string{"create stream S(A int,\"b\" varchar) with (path = 'X')", "create stream S(A int,\"B\" varchar) with (path = 'x')"} {
		if Canonical(other) == a {
			t.Errorf("%q is taken for the same", other)
		}
	}
}

func TestWords(t *testing.T) {
	words, open := Words("SELECT a.\"B\" FROM 'x.json' -- c\n WHERE n > 1 AND s = 'op")
	got := ""
	for _, w := range words {
		got += w.Text + "|"
	}
	if want := `SELECT|a|.|"B"|FROM|'x.json'|WHERE|n|>|1|AND|s|=|`; got != want || !open {
		t.Errorf("got %q, open %v; want %q, open", got, open, want)
	}
}
