//go:build linux

package main

import (
	"bytes"
	"compress/gzip"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/apache/arrow/go/v17/arrow"
	"github.com/apache/arrow/go/v17/arrow/array"
	"github.com/apache/arrow/go/v17/arrow/memory"
	"github.com/apache/arrow/go/v17/parquet"
	"github.com/apache/arrow/go/v17/parquet/compress"
	"github.com/apache/arrow/go/v17/parquet/pqarrow"
)

// boundedCase is an input and statements that read it.
type boundedCase struct {
	number int
	name   string // of the input, below in/
	input  []byte
	script string
}

func (c *boundedCase) write(dir string) error {
	path := filepath.Join(dir, c.name)
	if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
		return err
	}
	return os.WriteFile(path, c.input, 0o600)
}

// keep stores a case, to be tried by hand.
func (c *boundedCase) keep(t *testing.T, dir string) {
	if err := c.write(dir); err != nil {
		t.Error(err)
	}
	path := filepath.Join(dir, fmt.Sprintf("case%d.sql", c.number))
	if err := os.WriteFile(path, []byte(c.script+"\n"), 0o600); err != nil {
		t.Error(err)
	}
}

const (
	inputBytesMax     = 2_000_000
	statementBytesMax = 2_000
)

// drawCase draws a case: it is the same for the same seed and number.
func drawCase(seed uint64, number int) *boundedCase {
	d := &drawer{rand.New(rand.NewPCG(seed, uint64(number)))}
	in := d.input(number)
	c := &boundedCase{number: number, name: in.name, input: in.content}
	var out strings.Builder
	fmt.Fprintf(&out, "%s\n", d.create(in, number))
	statement := d.statement(in, number)
	if d.one(6) {
		statement = d.mutateText(statement)
	}
	out.WriteString(clip(statement, statementBytesMax) + ";\n")
	c.script = out.String()
	return c
}

func clip(text string, most int) string {
	if len(text) > most {
		return text[:most]
	}
	return text
}

// drawer draws parts of a case.
type drawer struct{ r *rand.Rand }

func (d *drawer) one(in int) bool { return d.r.IntN(in) == 0 }

func (d *drawer) of(texts ...string) string { return texts[d.r.IntN(len(texts))] }

// size draws a number up to most, small ones and large ones alike.
func (d *drawer) size(most int) int {
	n := 1
	for n < most && !d.one(6) {
		n *= 1 + d.r.IntN(9)
	}
	return min(n, most)
}

// drawnInput is a file. Its columns are those of drawnColumns, unless it is wild.
type drawnInput struct {
	name, format string
	content      []byte
	wild         bool
}

const drawnColumns = "k VARCHAR, n BIGINT, ts TIMESTAMP, s VARCHAR, l BIGINT[]"

// input draws a file of at most 2 MB.
func (d *drawer) input(number int) drawnInput {
	in := drawnInput{format: d.of("json", "json", "csv", "text", "parquet", "wild")}
	switch in.format {
	case "json":
		in.content = d.lines(inputBytesMax, d.jsonRow())
	case "csv":
		in.content = append([]byte("k,n,ts,s,l\n"), d.lines(inputBytesMax-20, d.csvRow())...)
	case "text":
		in.content = d.lines(inputBytesMax, func(i int) string { return fmt.Sprintf("%d %s", i, strings.Repeat("x", i%7)) })
	case "parquet":
		in.content = d.parquet()
	case "wild":
		in = d.wildInput()
	}
	if in.format != "parquet" && d.one(8) {
		in.content = d.wide(in.format)
		in.wild = true
	}
	if d.one(5) {
		in.content = d.mutateBytes(in.content)
	}
	in.content = in.content[:min(len(in.content), inputBytesMax)]
	in.name = fmt.Sprintf("in%d/a.%s", number, map[string]string{"text": "log"}[in.format]+map[bool]string{true: in.format}[in.format != "text"])
	if in.format != "parquet" && d.one(5) {
		in.content, in.name = d.pack(in.content), in.name+".gz"
	}
	return in
}

// lines draws rows until a size is reached.
func (d *drawer) lines(most int, row func(i int) string) []byte {
	var b []byte
	rows := d.size(100_000)
	for i := range rows {
		text := row(i)
		if len(b)+len(text)+1 > most {
			break
		}
		b = append(append(b, text...), '\n')
	}
	return b
}

// shape draws how large the values of a file are.
func (d *drawer) shape() (text, list string, keys int) {
	text = strings.Repeat(d.of("x", "é", `\"`, "a b "), d.size(400_000))
	n := d.size(200_000)
	list = "[" + strings.TrimSuffix(strings.Repeat(d.of("1,", "2,", "12345,", "null,"), n), ",") + "]"
	return text, list, d.size(100_000)
}

func (d *drawer) jsonRow() func(i int) string {
	text, list, keys := d.shape()
	nested := strings.Repeat("[", d.size(100_000))
	deep := d.one(10)
	return func(i int) string {
		row := fmt.Sprintf(`{"k":"k%d","n":%d,"ts":"2024-01-01 %02d:%02d:%02d","s":"%s","l":%s`, i%keys, i, i/3600%24, i/60%60, i%60, text, list)
		if deep {
			row += `,"j":` + nested
		}
		return row + "}"
	}
}

func (d *drawer) csvRow() func(i int) string {
	text, list, keys := d.shape()
	text = strings.ReplaceAll(text, `\"`, `""`)
	return func(i int) string {
		return fmt.Sprintf(`k%d,%d,2024-01-01 %02d:%02d:%02d,"%s","%s"`, i%keys, i, i/3600%24, i/60%60, i%60, text, list)
	}
}

// wide draws a file of many columns.
func (d *drawer) wide(format string) []byte {
	columns := d.size(400_000)
	var b bytes.Buffer
	for row := 0; row < 2; row++ {
		for i := range columns {
			if b.Len() > inputBytesMax {
				break
			}
			if format == "json" {
				fmt.Fprintf(&b, `%s"c%d":%d`, map[bool]string{true: "{", false: ","}[i == 0], i, row)
			} else {
				fmt.Fprintf(&b, "%sc%d", map[bool]string{true: "", false: ","}[i == 0], i)
			}
		}
		if format == "json" {
			b.WriteString("}")
		}
		b.WriteString("\n")
	}
	return b.Bytes()
}

// wildInput draws a file of testdata/wild.
func (d *drawer) wildInput() drawnInput {
	paths, _ := filepath.Glob("../../testdata/wild/*.want")
	path := strings.TrimSuffix(paths[d.r.IntN(len(paths))], ".want")
	content, err := os.ReadFile(path)
	if err != nil {
		panic(err)
	}
	format := strings.TrimPrefix(filepath.Ext(strings.TrimSuffix(path, ".gz")), ".")
	return drawnInput{format: format, content: content, wild: true}
}

// parquet draws a file in which a text stands once for many rows.
func (d *drawer) parquet() []byte {
	rows := d.size(200_000)
	text := strings.Repeat("x", d.size(1_500_000))
	n := min(d.size(1000), max(1, 1_000_000/rows))
	schema := arrow.NewSchema([]arrow.Field{
		{Name: "k", Type: &arrow.DictionaryType{IndexType: arrow.PrimitiveTypes.Int32, ValueType: arrow.BinaryTypes.String}},
		{Name: "n", Type: arrow.PrimitiveTypes.Int64},
		{Name: "ts", Type: &arrow.TimestampType{Unit: arrow.Microsecond}},
		{Name: "s", Type: &arrow.DictionaryType{IndexType: arrow.PrimitiveTypes.Int32, ValueType: arrow.BinaryTypes.String}},
		{Name: "l", Type: arrow.ListOf(arrow.PrimitiveTypes.Int64)},
	}, nil)
	b := array.NewRecordBuilder(memory.DefaultAllocator, arrow.NewSchema(schema.Fields()[1:3], nil))
	l := array.NewListBuilder(memory.DefaultAllocator, arrow.PrimitiveTypes.Int64)
	keys, at, zeros := d.size(1000), make([]int32, rows), make([]int32, rows)
	var names []string
	for i := range rows {
		if i < keys {
			names = append(names, fmt.Sprintf("k%d", i))
		}
		at[i] = int32(i % len(names))
		b.Field(0).(*array.Int64Builder).Append(int64(i))
		b.Field(1).(*array.TimestampBuilder).Append(arrow.Timestamp(1_700_000_000_000_000 + i*1_000_000))
		l.Append(true)
		for range n {
			l.ValueBuilder().(*array.Int64Builder).Append(7)
		}
	}
	two := b.NewRecord()
	rec := array.NewRecord(schema, []arrow.Array{dictionaryOf(at, names), two.Column(0), two.Column(1), dictionaryOf(zeros, []string{text}), l.NewArray()}, int64(rows))
	var out bytes.Buffer
	w, err := pqarrow.NewFileWriter(schema, &out, parquet.NewWriterProperties(parquet.WithCompression(compress.Codecs.Zstd), parquet.WithDictionaryPageSizeLimit(8<<20), parquet.WithStats(false)), pqarrow.DefaultWriterProps())
	if err != nil {
		panic(err)
	}
	if err := w.Write(rec); err != nil {
		panic(err)
	}
	if err := w.Close(); err != nil {
		panic(err)
	}
	return out.Bytes()
}

// dictionaryOf returns a column of texts that stand once each.
func dictionaryOf(at []int32, texts []string) arrow.Array {
	indices := array.NewInt32Builder(memory.DefaultAllocator)
	indices.AppendValues(at, nil)
	values := array.NewStringBuilder(memory.DefaultAllocator)
	values.AppendValues(texts, nil)
	return array.NewDictionaryArray(&arrow.DictionaryType{IndexType: arrow.PrimitiveTypes.Int32, ValueType: arrow.BinaryTypes.String}, indices.NewArray(), values.NewArray())
}

// pack packs a file; of what packs well more than there is.
func (d *drawer) pack(content []byte) []byte {
	var b bytes.Buffer
	w := gzip.NewWriter(&b)
	w.Write(content)
	w.Close()
	member := b.Bytes()
	out := bytes.Clone(member)
	for range d.size(200) - 1 {
		if len(out)+len(member) > inputBytesMax {
			break
		}
		out = append(out, member...)
	}
	return out
}

// mutateBytes changes a file at a few places.
func (d *drawer) mutateBytes(b []byte) []byte {
	b = bytes.Clone(b)
	for range 1 + d.r.IntN(4) {
		if len(b) == 0 {
			return b
		}
		at := d.r.IntN(len(b))
		end := min(len(b), at+d.size(100_000))
		switch d.r.IntN(6) {
		case 0:
			b = append(b[:at:at], b[end:]...)
		case 1:
			b = append(b[:end:end], b[at:]...)
		case 2:
			b[at] ^= 1 << d.r.IntN(8)
		case 3:
			b = b[:at]
		case 4:
			b = append(append(b[:at:at], d.of("\x00", "\"", "\n", "[", "{", ",", "\xff", "\r", "1e400")...), b[at:]...)
		case 5:
			b = append(append(b[:at:at], strings.Repeat(d.of("[", "{\"a\":", "\n", "\"", ",", "\r", "9"), d.size(200_000))...), b[at:]...)
		}
	}
	return b
}

// create draws how the file is made a stream s, and a table t of the same columns.
func (d *drawer) create(in drawnInput, number int) string {
	columns, declared := "", !in.wild && d.one(2)
	if declared {
		columns = " (" + drawnColumns + d.of("", ", WATERMARK FOR ts AS ts - INTERVAL '5' SECOND") + ")"
		if in.format == "text" {
			columns = " (s VARCHAR)"
		}
	}
	options := ""
	if in.format == "text" || in.format == "csv" || in.format == "json" {
		options = fmt.Sprintf(", format = '%s'", in.format)
	}
	return fmt.Sprintf("CREATE STREAM s%d%s WITH (connector = 'files', path = '%s'%s);\nCREATE TABLE t%d AS SELECT i AS n, 'k' || i AS k, TIMESTAMP '2024-01-01' + INTERVAL 1 SECOND * i AS ts, 'abc' AS s, [i, i + 1] AS l FROM range(%d) r(i);",
		number, columns, filepath.Dir(in.name), options, number, d.size(1000))
}
