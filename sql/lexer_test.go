package sql

import (
	"strings"
	"testing"
)

func TestLex(t *testing.T) {
	for _, c := range []struct{ text, want string }{
		{`a "b""c" 'd''e' 1.5e-3`, `i:a q:"b""c" s:'d''e' n:1.5e-3`},
		{"`a``b` E'x\\'y' X'0a' $$ ; $$ $t$'$$'$t$", "q:`a``b` s:E'x\\'y' b:X'0a' s:$$ ; $$ s:$t$'$$'$t$"},
		{`1_000 1. .5 1..2 1e5 1e 0x1F 5m 250ms 1__0`, `n:1_000 n:1. n:.5 n:1. n:.2 n:1e5 d:1e n:0x1F d:5m d:250ms d:1__0`},
		{"a--b\nc--", "i:a i:c"},
		{"a /* /* */ ; */ b /*! 1 */ c /*+ hint */ d", "i:a i:b i:c i:d"},
		{`a->>'b'->c::int:=d=>e<=>f||g//h**i!=j==k`, `i:a o:->> s:'b' o:-> i:c o::: i:int o::= i:d o:=> i:e o:<=> i:f o:|| i:g o:// i:h o:** i:i o:!= i:j o:== i:k`},
		{`a#b`, `i:a o:# i:b`},
		{`ARRAY<ARRAY<INT>>[1:2]`, `i:ARRAY o:< i:ARRAY o:< i:INT o:>> o:[ n:1 o:: n:2 o:]`},
		{`t.*, a.b.c;`, `i:t o:. o:* o:, i:a o:. i:b o:. i:c o:;`},
		{`größe 列名 _x x$1 N'a'`, `i:größe i:列名 i:_x i:x$1 i:N s:'a'`},
		{`$1 ? @x @@y`, `p:$1 p:? p:@x p:@@y`},
		{"a\u00a0b\ufeffc\r\nd", `i:a i:b i:c i:d`},
	} {
		toks, fault := lex(c.text, 0)
		if fault != nil {
			t.Errorf("%q: %v", c.text, fault.err)
			continue
		}
		kinds := map[tokenKind]string{tokIdent: "i", tokQuoted: "q", tokString: "s", tokBlob: "b", tokNumber: "n", tokDuration: "d", tokParam: "p", tokOp: "o"}
		var parts []string
		for _, tok := range toks[:len(toks)-1] {
			parts = append(parts, kinds[tok.kind]+":"+tok.text)
		}
		if got := strings.Join(parts, " "); got != c.want {
			t.Errorf("%q\n got %s\nwant %s", c.text, got, c.want)
		}
		checkJoin(t, c.text)
	}
}

// checkJoin checks that the tokens joined are the text.
func checkJoin(t *testing.T, text string) {
	t.Helper()
	toks, fault := lexAll(text, 7)
	var b strings.Builder
	at := 7
	for _, tok := range toks {
		if tok.start != at || tok.end != at+len(tok.text) || tok.text == "" {
			t.Fatalf("%q: token %q stands at %d to %d, want %d", text, tok.text, tok.start, tok.end, at)
		}
		at = tok.end
		b.WriteString(tok.text)
	}
	if fault == nil && b.String() != text || !strings.HasPrefix(text, b.String()) {
		t.Fatalf("%q came back as %q", text, b.String())
	}
	if fault != nil && (fault.err.Span.Start != at || fault.err.Span.End > 7+len(text)) {
		t.Fatalf("%q: fault at %v, want %d", text, fault.err.Span, at)
	}
}

func TestLexFaults(t *testing.T) {
	for _, c := range []struct {
		text, want string
		open       bool
	}{
		{`a 'b`, `PARSE_SYNTAX_ERROR: string is not closed`, true},
		{`a "b`, `PARSE_SYNTAX_ERROR: quoted name is not closed`, true},
		{"a `b", `PARSE_SYNTAX_ERROR: quoted name is not closed`, true},
		{`a E'b\'`, `PARSE_SYNTAX_ERROR: string is not closed`, true},
		{`a $$b`, `PARSE_SYNTAX_ERROR: string is not closed`, true},
		{`a $x$b$$`, `PARSE_SYNTAX_ERROR: string is not closed`, true},
		{`a /* b /* */`, `PARSE_SYNTAX_ERROR: comment is not closed`, true},
		{`a X'0`, `PARSE_SYNTAX_ERROR: blob is not closed`, true},
		{`a ""`, `PARSE_SYNTAX_ERROR: quoted name is empty`, false},
		{`a ‘b’`, `PARSE_SYNTAX_ERROR: typographic quote "‘"`, false},
		{"a \xff", `PARSE_SYNTAX_ERROR: byte 0xff is not UTF-8`, false},
		{"a \x00", `PARSE_SYNTAX_ERROR: control character 0x00`, false},
	} {
		_, fault := lex(c.text, 0)
		if fault == nil {
			t.Errorf("%q has no fault", c.text)
			continue
		}
		if fault.err.Error() != c.want || fault.open != c.open || fault.err.Span.Start != 2 {
			t.Errorf("%q: got %v, open %v, at %v", c.text, fault.err, fault.open, fault.err.Span)
		}
		checkJoin(t, c.text)
	}
}

func TestSplit(t *testing.T) {
	for _, c := range []struct {
		text string
		want []string
	}{
		{``, nil},
		{` ; ;-- nothing
		;`, nil},
		{`a; b`, []string{`a`, `b`}},
		{"-- first\n SELECT ';' /* ; */ , \";\" , $$;$$, $x$;$x$, E'\\';' ;\n\n/* last */ b -- c", []string{`SELECT ';' /* ; */ , ";" , $$;$$, $x$;$x$, E'\';'`, `b`}},
		{`EXECUTE STATEMENT SET BEGIN INSERT INTO a SELECT CASE WHEN x THEN 1 END; INSERT INTO b SELECT 2; END; c`,
			[]string{`EXECUTE STATEMENT SET BEGIN INSERT INTO a SELECT CASE WHEN x THEN 1 END; INSERT INTO b SELECT 2; END`, `c`}},
		{`BEGIN STATEMENT SET; a; b; END; c`, []string{`BEGIN STATEMENT SET; a; b; END`, `c`}},
		{`begin query set a; b; end; c`, []string{`begin query set a; b; end`, `c`}},
		{`BEGIN; a; COMMIT; BEGIN TRANSACTION; END; b`, []string{`BEGIN`, `a`, `COMMIT`, `BEGIN TRANSACTION`, `END`, `b`}},
		{`CREATE QUERY q AS EXECUTE STATEMENT SET BEGIN INSERT INTO a SELECT 1; INSERT INTO b SELECT 2; END; c`,
			[]string{`CREATE QUERY q AS EXECUTE STATEMENT SET BEGIN INSERT INTO a SELECT 1; INSERT INTO b SELECT 2; END`, `c`}},
		{`EXPLAIN EXECUTE STATEMENT SET BEGIN a; END; EXECUTE EXECUTE STATEMENT SET BEGIN b; END; EXECUTE STATEMENT SET; c`,
			[]string{`EXPLAIN EXECUTE STATEMENT SET BEGIN a; END`, `EXECUTE EXECUTE STATEMENT SET BEGIN b; END`, `EXECUTE STATEMENT SET`, `c`}},
		{`BEGIN STATEMENT SET; END; c`, []string{`BEGIN STATEMENT SET; END`, `c`}},
		{`a /*+ h */ ; /*+ h */ b /*+ h */ c /* x */ ;`, []string{`a /*+ h */`, `b /*+ h */ c`}},
		{`SELECT (1; b`, []string{`SELECT (1`, `b`}},
	} {
		pieces, err := Split(c.text)
		if err != nil {
			t.Errorf("%q: %v", c.text, err)
		}
		if len(pieces) != len(c.want) {
			t.Errorf("%q: got %v, want %q", c.text, pieces, c.want)
			continue
		}
		for i, p := range pieces {
			if p.Text != c.want[i] || c.text[p.Span.Start:p.Span.End] != p.Text {
				t.Errorf("%q: got %q at %v, want %q", c.text, p.Text, p.Span, c.want[i])
			}
		}
	}
}

func TestSplitStopsAtAFault(t *testing.T) {
	pieces, err := Split("a; b; SELECT 'c")
	if len(pieces) != 2 || pieces[1].Text != "b" || errorCode(err) != codeSyntax {
		t.Errorf("got %v, %v", pieces, err)
	}
}

func TestComplete(t *testing.T) {
	for text, want := range map[string]bool{
		``: true, ` -- x`: true, `a;`: true, `a; `: true, `a; -- b`: true, `a`: false, `a; b`: false, `a 'b;`: false, `a /* b;`: false, `a $$;`: false,
		`BEGIN STATEMENT SET; a;`: false, `BEGIN STATEMENT SET; a; END;`: true, `BEGIN;`: true, `SELECT (1;`: true, `a ‘b`: true, `;`: true,
	} {
		if got := Complete(text); got != want {
			t.Errorf("%q: got %v", text, got)
		}
	}
}
