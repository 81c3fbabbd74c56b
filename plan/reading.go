package plan

import (
	"fmt"
	"slices"
	"strings"

	"ssql/internal/sqlerr"
	"ssql/sql"
)

// Reader is a Catalog whose streams take options at the place where they are read.
type Reader interface {
	// Reading returns a stream as it is with further options, which come before its own.
	// Errors are placed at the option.
	Reading(stream string, options []sql.Option) (*Stream, error)
}

// read returns the stream of a relation as one place in FROM reads it.
func (b *binder) read(rel *Relation, r sql.Reading, span Span) (*Stream, error) {
	if len(r.Options) == 0 {
		return rel.Stream, nil
	}
	reader, ok := b.cat.(Reader)
	if !ok {
		return nil, sqlerr.At(span, codeUnsupported, "stream %q takes no options where it is read", rel.Name)
	}
	return reader.Reading(rel.Name, r.Options)
}

// checkReading refuses what only a stream can have.
func checkReading(r sql.Reading, name, what string, span Span) error {
	switch {
	case r.Source != nil:
		return sqlerr.At(span, codeNotStream, "%q is a %s: IDENTIFIED BY names a source, which is a stream", name, what).
			WithHint("leave IDENTIFIED BY out, or write it behind the stream that %q reads", name)
	case len(r.Options) > 0:
		return sqlerr.At(span, codeNotStream, "%q is a %s: WITH gives options to the reading of a stream", name, what).
			WithHint("leave WITH out, or write it behind the stream that %q reads", name)
	}
	return nil
}

// readingKey tells readings of a stream apart.
func readingKey(r sql.Reading) string {
	key := OptionsText(r.Options)
	if r.Source != nil {
		key += " by " + strings.ToLower(r.Source.Name)
	}
	return key
}

// OptionsText writes options in a form that equal ones share; the last of two equal keys counts.
func OptionsText(options []sql.Option) string {
	set := map[string]string{}
	for _, o := range options {
		key := strings.ToLower(o.Key.Name)
		set[key] = fmt.Sprintf("%s = '%v'", key, o.Value)
	}
	parts := make([]string, 0, len(set))
	for _, text := range set {
		parts = append(parts, text)
	}
	slices.Sort(parts)
	return strings.Join(parts, ", ")
}

// readingText is how a reading is described, "" for one as the stream says.
func readingText(r sql.Reading) string {
	text := ""
	if len(r.Options) > 0 {
		text = " with " + OptionsText(r.Options)
	}
	if r.Source != nil {
		text += " identified by " + r.Source.Name
	}
	return text
}

// sourceRef is what a plan has of a scan.
func (n *Scan) sourceRef() SourceRef {
	ref := SourceRef{Stream: n.Stream, ID: n.id, Options: n.Reading.Options}
	for _, c := range n.Cols {
		ref.Fields = append(ref.Fields, c.Field)
	}
	if n.Reading.Source != nil {
		ref.Name = strings.ToLower(n.Reading.Source.Name)
	}
	return ref
}

// nameSources names the sources and watermarks of a plan of which a source is IDENTIFIED BY a
// name, so that a checkpoint finds each of them again among others. A source that has no such
// name goes by that of its stream.
func nameSources(p *Plan) error {
	if !slices.ContainsFunc(p.Sources, func(s SourceRef) bool { return s.Name != "" }) {
		return nil
	}
	scans := map[string]*Scan{}
	for _, n := range scansOf(p) {
		s := &p.Sources[n.Source]
		if s.Name == "" {
			s.Name = strings.ToLower(s.Stream)
		}
		if other := scans[s.Name]; other != nil && other.Source != n.Source {
			return sqlerr.At(n.span, codeSourceName, "two sources of the query are called %q", s.Name).
				WithHint("give each a name of its own: FROM STREAM %s IDENTIFIED BY %s_2", n.Stream, s.Name)
		}
		scans[s.Name] = n
	}
	used, unions := map[string]int{}, 0
	for _, root := range rootsOf(p) {
		eachNode(root, func(n Node) {
			switch n := n.(type) {
			case *Watermark:
				if n.Def.Name == "" {
					n.Def.Name = watermarkName(p, n, used)
				}
			case *Union:
				if n.Number == 0 {
					unions++
					n.Number = unions
				}
			}
		})
	}
	return nil
}

// watermarkName names a watermark by the source below it, or by its relation over several. used
// counts the names that others have.
func watermarkName(p *Plan, w *Watermark, used map[string]int) string {
	name := strings.ToLower(w.Def.Relation + "." + w.Def.Column)
	if below := scansBelow(w.Input); len(below) == 1 {
		name = p.Sources[below[0].Source].Name + "." + strings.ToLower(w.Def.Column)
	}
	if used[name]++; used[name] > 1 {
		name = fmt.Sprintf("%s %d", name, used[name])
	}
	return name
}

// rootsOf returns the roots of a plan's outputs.
func rootsOf(p *Plan) []Node {
	roots := make([]Node, len(p.Outputs))
	for i, o := range p.Outputs {
		roots[i] = o.Root
	}
	return roots
}

// eachNode visits the nodes of a tree, inputs first.
func eachNode(n Node, visit func(n Node)) {
	for _, in := range n.Inputs() {
		eachNode(in, visit)
	}
	visit(n)
}

// scansBelow returns the scans of a tree, each source once, in order.
func scansBelow(n Node) []*Scan {
	var out []*Scan
	eachNode(n, func(n Node) {
		if s, ok := n.(*Scan); ok && !slices.ContainsFunc(out, func(o *Scan) bool { return o.Source == s.Source }) {
			out = append(out, s)
		}
	})
	return out
}

// scansOf returns the scans of a plan by source.
func scansOf(p *Plan) []*Scan {
	out := make([]*Scan, len(p.Sources))
	for _, root := range rootsOf(p) {
		for _, s := range scansBelow(root) {
			out[s.Source] = s
		}
	}
	return out
}

// SourceNames are the names of the sources of a plan; nil where its checkpoint goes by their order.
func (p *Plan) SourceNames() []string {
	var names []string
	for _, s := range p.Sources {
		if s.Name == "" {
			return nil
		}
		names = append(names, s.Name)
	}
	return names
}
