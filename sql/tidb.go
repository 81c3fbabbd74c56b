package sql

import (
	"fmt"
	"sort"
	"strings"

	tidb "github.com/pingcap/tidb/pkg/parser"
	"github.com/pingcap/tidb/pkg/parser/ast"
	"github.com/pingcap/tidb/pkg/parser/mysql"
	_ "github.com/pingcap/tidb/pkg/parser/test_driver" // TiDB's parser needs a driver for its literals; no literal of ours reaches it
)

// sqlMode is the mode in which TiDB reads the skeleton: "x" is a name, || joins
// text, a backslash is a character.
const sqlMode = "ANSI_QUOTES,PIPES_AS_CONCAT,NO_BACKSLASH_ESCAPES,IGNORE_SPACE"

// tidbParser owns a TiDB parser, made on first use. It is not safe for concurrent
// use; every statement has its own.
type tidbParser struct{ parser *tidb.Parser }

func newTiDBParser() *tidbParser { return &tidbParser{} }

// skeletonError is a text that TiDB refuses, with the offset of the token.
type skeletonError struct {
	offset int
	err    error
}

// parse returns the tree of one SELECT. A panic of TiDB's parser is an error here:
// the only place in ssql where a panic of foreign code is caught.
func (t *tidbParser) parse(sql string) (sel *ast.SelectStmt, fault *skeletonError) {
	defer func() {
		if r := recover(); r != nil {
			sel, fault = nil, &skeletonError{offset: 0, err: fmt.Errorf("the parser of TiDB panicked: %v", r)}
		}
	}()
	if t.parser == nil {
		t.parser = tidb.New()
		mode, err := mysql.GetSQLMode(sqlMode)
		if err != nil {
			return nil, &skeletonError{err: err}
		}
		t.parser.SetSQLMode(mode)
	}
	stmts, _, err := t.parser.ParseSQL(sql)
	if err != nil {
		return nil, &skeletonError{offset: nearOffset(sql, err.Error()), err: err}
	}
	if len(stmts) == 1 {
		if sel, ok := stmts[0].(*ast.SelectStmt); ok {
			return sel, nil
		}
	}
	return nil, &skeletonError{err: fmt.Errorf("%d statements of type %T", len(stmts), stmts)}
}

// nearOffset finds the offset of the token that TiDB's message is about. The line
// and column in it are unreliable (the probes in tidb_test.go); the text behind "near" is
// what remains of the input from that token on.
func nearOffset(sql, message string) int {
	_, near, ok := strings.Cut(message, ` near "`)
	if !ok {
		return len(sql)
	}
	var total int
	if i := strings.LastIndex(near, `"(total length `); i >= 0 {
		if _, err := fmt.Sscanf(near[i:], `"(total length %d)`, &total); err == nil {
			return max(len(sql)-total, 0)
		}
	}
	near = near[:max(strings.LastIndexByte(near, '"'), 0)]
	return max(len(sql)-len(near), 0)
}

// parseSkeleton parses the text for TiDB and returns its tree with a converter for
// it. An error of TiDB is mapped back to the source token.
func (p *parser) parseSkeleton() (*ast.SelectStmt, *converter, error) {
	sql, starts := sqlText(p.out)
	sel, fault := p.tidb.parse(sql)
	if fault == nil {
		return sel, &converter{parser: p}, nil
	}
	if !strings.Contains(fault.err.Error(), "near") {
		return nil, nil, p.internal(p.out[0].tok, "parsing %q: %v", sql, fault.err)
	}
	i := sort.SearchInts(starts, fault.offset+1) - 1
	if i < 0 || fault.offset >= len(sql) {
		return nil, nil, p.unexpected("")
	}
	return nil, nil, p.unexpectedAt(p.out[i].tok, "")
}
