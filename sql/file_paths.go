package sql

import (
	"slices"
	"strings"
)

// FilePath is a string in a statement of DuckDB's that names a file or folder.
type FilePath struct {
	Path string
	Span Span // of the string with its quotes, in the text
}

// FilePaths returns the strings of a statement of DuckDB's that name files: behind FROM and
// JOIN, behind TO and FROM of COPY, behind ATTACH, EXPORT and IMPORT DATABASE, and the first
// argument of the functions that read files, of a list each element.
func FilePaths(text string) []FilePath {
	s := fileScan{}
	s.toks, _ = lex(text, 0)
	var scalar []bool // per open bracket: FROM in it is not that of a query
	for i, t := range s.toks {
		switch {
		case t.isOp("("):
			scalar = append(scalar, i > 0 && takesFrom(s.toks[i-1]))
			if i > 0 && readsFiles(s.toks[i-1]) {
				s.argument(i + 1)
			}
		case t.isOp(")") && len(scalar) > 0:
			scalar = scalar[:len(scalar)-1]
		case t.kind == tokString && i > 0 && !(len(scalar) > 0 && scalar[len(scalar)-1]) && s.namesFile(s.toks[i-1]):
			s.take(i)
		}
	}
	return s.found
}

// fileScan gathers the paths of a statement.
type fileScan struct {
	toks  []token
	found []FilePath
}

func (s *fileScan) take(i int) {
	s.found = append(s.found, FilePath{Path: stringValue(s.toks[i].text), Span: s.toks[i].span()})
}

// namesFile reports whether a string behind a word is a path.
func (s *fileScan) namesFile(before token) bool {
	switch first := s.toks[0]; {
	case before.is("FROM"), before.is("JOIN"), before.is("ATTACH"):
		return true
	case before.is("TO"):
		return first.is("COPY")
	case before.is("EXISTS"):
		return first.is("ATTACH")
	case before.is("DATABASE"):
		return first.is("ATTACH") || first.is("EXPORT") || first.is("IMPORT")
	}
	return false
}

// argument takes the first argument of a function that reads files: a string or a list.
func (s *fileScan) argument(i int) {
	if s.toks[i].kind == tokString {
		s.take(i)
	}
	if !s.toks[i].isOp("[") {
		return
	}
	for ; i < len(s.toks) && !s.toks[i].isOp("]"); i++ {
		if s.toks[i].kind == tokString {
			s.take(i)
		}
	}
}

// takesFrom reports whether a function has FROM between its arguments.
func takesFrom(t token) bool {
	return t.kind == tokIdent && slices.Contains([]string{"extract", "overlay", "substring", "trim"}, strings.ToLower(t.text))
}

// readsFiles reports whether a function of DuckDB reads the files that its first argument
// names.
func readsFiles(t token) bool {
	name := strings.ToLower(t.text)
	return t.kind == tokIdent && (strings.HasPrefix(name, "read_") || strings.HasPrefix(name, "parquet_") || name == "glob" || name == "sniff_csv")
}
