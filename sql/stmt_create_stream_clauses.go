package sql

import (
	"strings"

	"ssql/sql/types"
)

// declarationClauses consumes what stands behind the columns of a stream, sink or
// table of any engine: WITH (..), FORMAT, INCLUDE, SETTINGS, COMMENT, PARTITIONED BY.
func (p *parser) declarationClauses(s *CreateStream) error {
	for {
		var err error
		lo := p.pos
		switch {
		case p.accept("WITH"):
			err = p.moreOptions(s)
		case p.at("FORMAT"):
			err = p.formatClause(s)
		case p.at("INCLUDE"):
			err = p.includeClause(s)
		case p.at("SETTINGS"):
			err = p.settingsClause(s)
		case p.accept("COMMENT"):
			p.accept("=")
			_, err = p.str("text")
			p.changesNothing("COMMENT", lo)
		case p.accept("TBLPROPERTIES"):
			_, err = p.optionList()
			p.changesNothing("TBLPROPERTIES", lo)
		case p.accept("APPEND", "ONLY"): // RisingWave: every stream is
			p.changesNothing("APPEND ONLY", lo)
		case p.accept("PARTITIONED", "BY"):
			err = p.partitionedBy(s)
		default:
			return nil
		}
		if err != nil {
			return err
		}
	}
}

// changesNothing notes a clause that has no meaning here and does no harm.
func (p *parser) changesNothing(clause string, lo int) {
	p.noteAlias(Alias{Written: clause, Canonical: "nothing: it is not kept"}, p.spanFrom(lo))
}

func (p *parser) moreOptions(s *CreateStream) error {
	more, err := p.optionList()
	s.Options = append(s.Options, more...)
	return err
}

// partitionedBy consumes (a, b) behind Flink's PARTITIONED BY: the option of the sink.
func (p *parser) partitionedBy(s *CreateStream) error {
	lo := p.pos
	columns, err := p.nameList("the name of a column")
	if err != nil {
		return err
	}
	names := make([]string, len(columns))
	for i, c := range columns {
		names[i] = c.Name
	}
	at := p.spanFrom(lo)
	s.Options = append(s.Options, Option{Key: Ident{Name: "partition_by", Span: at}, Value: strings.Join(names, ", "), ValueAt: at})
	return nil
}

// settingsClause consumes Proton's SETTINGS key = value, .. whose type is the connector.
func (p *parser) settingsClause(s *CreateStream) error {
	lo := p.pos
	p.take()
	for {
		o, err := p.option()
		if err != nil {
			return err
		}
		if strings.EqualFold(o.Key.Name, "type") {
			o.Key.Name = "connector"
		}
		s.Options = append(s.Options, o)
		if !p.acceptOp(",") {
			break
		}
	}
	p.spelling(aliasSettings, lo)
	return nil
}

// includeTypes are what RisingWave can add to the columns of a source, with its type.
var includeTypes = []struct {
	what string
	typ  types.Kind
}{
	{"FILE", types.Varchar}, {"KEY", types.Varchar}, {"OFFSET", types.BigInt}, {"PARTITION", types.Varchar},
	{"PAYLOAD", types.Varchar}, {"TIMESTAMP", types.Timestamp},
}

// includeClause consumes RisingWave's INCLUDE what [AS name]: a column METADATA.
func (p *parser) includeClause(s *CreateStream) error {
	lo := p.pos
	p.take()
	for _, i := range includeTypes {
		if !p.accept(i.what) {
			continue
		}
		key, typ := strings.ToLower(i.what), types.Of(i.typ)
		c := ColumnDef{Name: Ident{Name: "_rw_" + key, Span: p.last().span()}, Type: &typ, Metadata: &key}
		if p.accept("AS") {
			name, err := p.name("the name of a column")
			if err != nil {
				return err
			}
			c.Name = name
		}
		c.Span = p.spanFrom(lo)
		s.Columns = append(s.Columns, c)
		p.spelling(aliasInclude, lo)
		return nil
	}
	return p.unexpected("KEY, TIMESTAMP, PARTITION, OFFSET, FILE or PAYLOAD")
}

// formatClause consumes FORMAT f [ENCODE e] [(key = value, ..)]. With RisingWave's
// ENCODE the format is what stands there, FORMAT PLAIN and APPEND ONLY say nothing.
func (p *parser) formatClause(s *CreateStream) error {
	lo := p.pos
	p.take()
	format, err := p.name("a format such as JSON")
	if err != nil {
		return err
	}
	name := strings.ToLower(format.Name)
	if p.accept("ENCODE") {
		encoding, err := p.name("an encoding such as JSON")
		if err != nil {
			return err
		}
		switch {
		case strings.EqualFold(format.Name, "DEBEZIUM") && strings.EqualFold(encoding.Name, "JSON"):
			name = "debezium_json"
		case strings.EqualFold(format.Name, "PLAIN"):
			name = strings.ToLower(encoding.Name)
		default:
			return unsupported(format.Span, "FORMAT %s (RisingWave) is not supported", strings.ToUpper(format.Name)).
				WithHint("FORMAT PLAIN ENCODE JSON has one row in each record, FORMAT DEBEZIUM ENCODE JSON one change")
		}
		p.spelling(aliasEncode, lo)
	}
	s.Options = append(s.Options, Option{Key: Ident{Name: "format", Span: format.Span}, Value: name, ValueAt: format.Span})
	if p.cur().isOp("(") {
		return p.moreOptions(s)
	}
	return nil
}
