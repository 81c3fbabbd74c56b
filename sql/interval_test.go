package sql

import (
	"testing"

	"ssql/sql/types"
)

func TestParseInterval(t *testing.T) {
	const second, minute, hour = int64(1_000_000), int64(60_000_000), int64(3_600_000_000)
	for _, c := range []struct {
		text string
		want types.Interval
	}{
		{"10 minutes", types.Interval{Micros: 10 * minute}},
		{"1 day 2 hours 3 minutes", types.Interval{Days: 1, Micros: 2*hour + 3*minute}},
		{"10m", types.Interval{Micros: 10 * minute}},
		{"1500us", types.Interval{Micros: 1500}},
		{"250ms", types.Interval{Micros: 250_000}},
		{"1h30m", types.Interval{Micros: hour + 30*minute}},
		{"interval '1-2' year to month", types.Interval{Months: 14}},
		{"INTERVAL '1 2:3:4.5' DAY TO SECOND", types.Interval{Days: 1, Micros: 2*hour + 3*minute + 4*second + second/2}},
		{"interval '-3:30' minute to second", types.Interval{Micros: -(3*minute + 30*second)}},
		{"interval 5 days", types.Interval{Days: 5}},
		{"interval '5' week", types.Interval{Days: 35}},
		{"1 month -30 days", types.Interval{Months: 1, Days: -30}},
		{"- 5 seconds", types.Interval{Micros: -5 * second}},
		{"+5 SECONDS", types.Interval{Micros: 5 * second}},
		{"1.5 hours", types.Interval{Micros: 90 * minute}},
		{"1.5 days", types.Interval{Days: 1, Micros: 12 * hour}},
		{"1.5 months", types.Interval{Months: 1, Days: 15}},
		{"2 weeks, 1 quarter", types.Interval{Months: 3, Days: 14}},
		{"1 day 02:03:04", types.Interval{Days: 1, Micros: 2*hour + 3*minute + 4*second}},
		{"02:03", types.Interval{Micros: 2*hour + 3*minute}},
		{"1 year 1 mon", types.Interval{Months: 13}},
		{"0 second", types.Interval{}},
		{"1 minute 1 minute", types.Interval{Micros: 2 * minute}},
		{"9223372036854775807us", types.Interval{Micros: 9223372036854775807}},
	} {
		got, err := ParseInterval(c.text)
		if err != nil || got != c.want {
			t.Errorf("%q: got %+v, %v; want %+v", c.text, got, err, c.want)
			continue
		}
		text := IntervalText(got)
		if again, err := ParseInterval(text); err != nil || again != got {
			t.Errorf("%q is printed as %q, which is %+v, %v", c.text, text, again, err)
		}
	}
}

func TestParseIntervalRefuses(t *testing.T) {
	for text, want := range map[string]string{
		"":                         `CANNOT_PARSE_INTERVAL: "" is not an interval: expected numbers with units, such as '1 day 2 hours'`,
		"soon":                     `CANNOT_PARSE_INTERVAL: "soon" is not an interval: expected numbers with units, such as '1 day 2 hours'`,
		"5":                        `CANNOT_PARSE_INTERVAL: "5" is not an interval: the number 5 has no unit`,
		"5 parsecs":                `CANNOT_PARSE_INTERVAL: "5 parsecs" is not an interval: "parsecs" is no unit of time`,
		"1.2.3 days":               `CANNOT_PARSE_INTERVAL: "1.2.3 days" is not an interval: "1.2.3" is no number`,
		"--5 days":                 `CANNOT_PARSE_INTERVAL: "--5 days" is not an interval: expected numbers with units, such as '1 day 2 hours'`,
		"1:2:3:4":                  `CANNOT_PARSE_INTERVAL: "1:2:3:4" is not an interval: "1:2:3:4" is no time of the form h:mm:ss`,
		"99999999999 months":       `CANNOT_PARSE_INTERVAL: "99999999999 months" is not an interval: it is too long`,
		"1 day or so":              `CANNOT_PARSE_INTERVAL: "1 day or so" is not an interval: expected numbers with units, such as '1 day 2 hours'`,
		"interval '1' parsec":      `CANNOT_PARSE_INTERVAL: "1" is not an interval: the number 1 has no unit`,
		"interval 'x' minute":      `CANNOT_PARSE_INTERVAL: "x" is not a number of MINUTES`,
		"interval '1:2' second":    `CANNOT_PARSE_INTERVAL: "1:2" is not a number of SECONDS`,
		"interval '1' hour to day": `PARSE_SYNTAX_ERROR: syntax error at or near "day", expected a smaller unit of the range`,
		"interval 5":               `PARSE_SYNTAX_ERROR: syntax error at end of input, expected a unit of time such as MINUTE`,
	} {
		if _, err := ParseInterval(text); err == nil || err.Error() != want {
			t.Errorf("%q\n got %v\nwant %s", text, err, want)
		}
	}
}

func TestParseType(t *testing.T) {
	for text, want := range map[string]string{
		"STRING": "VARCHAR", "text": "VARCHAR", "VARCHAR(20)": "VARCHAR", "CHARACTER VARYING(5)": "VARCHAR", "json": "JSON", "JSONB[]": "JSON[]", "UUID": "VARCHAR",
		"INT": "INTEGER", "integer": "INTEGER", "LONG": "BIGINT", "BIGINT": "BIGINT", "INT UNSIGNED": "UINTEGER", "BIGINT UNSIGNED": "UBIGINT",
		"TINYINT": "TINYINT", "UTINYINT": "UTINYINT", "SMALLINT": "SMALLINT", "int8": "BIGINT",
		"BINARY": "BLOB", "BYTEA": "BLOB", "VARBINARY(10)": "BLOB", "bool": "BOOLEAN",
		"DECIMAL": "DECIMAL(18,3)", "NUMERIC(10)": "DECIMAL(10,0)", "DEC(38, 2)": "DECIMAL(38,2)",
		"DOUBLE": "DOUBLE", "DOUBLE PRECISION": "DOUBLE", "FLOAT": "FLOAT", "REAL": "FLOAT", "FLOAT(53)": "DOUBLE",
		"TIMESTAMP": "TIMESTAMP", "TIMESTAMP(3)": "TIMESTAMP", "TIMESTAMPTZ": "TIMESTAMP", "TIMESTAMP_LTZ(3)": "TIMESTAMP", "TIMESTAMP_NTZ": "TIMESTAMP",
		"TIMESTAMP(3) WITH LOCAL TIME ZONE": "TIMESTAMP", "TIMESTAMP WITH TIME ZONE": "TIMESTAMP", "TIMESTAMP WITHOUT TIME ZONE": "TIMESTAMP", "DATETIME": "TIMESTAMP",
		"DATE": "DATE", "INTERVAL": "INTERVAL",
		"ARRAY<INT>": "INTEGER[]", "INT[]": "INTEGER[]", "INT[][]": "INTEGER[][]", "INT ARRAY": "INTEGER[]", "ARRAY<ARRAY<ARRAY<STRING>>>": "VARCHAR[][][]",
		"STRUCT<a: INT, `b c` STRING NOT NULL>": `STRUCT("a" INTEGER, "b c" VARCHAR)`, "STRUCT(a INT)": `STRUCT("a" INTEGER)`,
		"ROW(a INT, b ROW<c MAP<STRING, INT>>)": `STRUCT("a" INTEGER, "b" STRUCT("c" MAP(VARCHAR, INTEGER)))`,
		"MAP<STRING, ARRAY<INT>>":               "MAP(VARCHAR, INTEGER[])", "MAP(VARCHAR, INT)[]": "MAP(VARCHAR, INTEGER)[]", `"varchar"`: "VARCHAR",
	} {
		got, err := ParseType(text)
		if err != nil || got.String() != want {
			t.Errorf("%s: got %s, %v; want %s", text, got, err, want)
			continue
		}
		if again, err := ParseType(got.String()); err != nil || !again.Equal(got) {
			t.Errorf("%s is printed as %s, which is %s, %v", text, got, again, err)
		}
	}
}

func TestParseTypeRefuses(t *testing.T) {
	for text, want := range map[string]string{
		"VARCHR":               `UNSUPPORTED_DATATYPE: type "VARCHR" does not exist`,
		"DECIMAL(39, 2)":       `UNSUPPORTED_DATATYPE: DECIMAL(39,2) does not exist: precision goes from 1 to 38, scale from 0 to precision`,
		"DECIMAL(2, 3)":        `UNSUPPORTED_DATATYPE: DECIMAL(2,3) does not exist: precision goes from 1 to 38, scale from 0 to precision`,
		"DATE UNSIGNED":        `UNSUPPORTED_DATATYPE: DATE has no unsigned form`,
		"INT[3]":               `UNSUPPORTED_DATATYPE: arrays of a fixed length are not supported`,
		"STRUCT<a: INT":        `PARSE_SYNTAX_ERROR: syntax error at end of input, expected ">"`,
		"STRUCT<>":             `PARSE_SYNTAX_ERROR: syntax error at or near "<>", expected at least one field`,
		"STRUCT<a INT, A INT>": `UNSUPPORTED_DATATYPE: struct has two fields "A"`,
		"INT INT":              `PARSE_SYNTAX_ERROR: syntax error at or near "INT", expected the end of the statement`,
		"":                     `PARSE_SYNTAX_ERROR: syntax error at end of input, expected a type`,
	} {
		if _, err := ParseType(text); err == nil || err.Error() != want {
			t.Errorf("%q\n got %v\nwant %s", text, err, want)
		}
	}
}

func TestTypeNamesAreSorted(t *testing.T) {
	for i := 1; i < len(typeNames); i++ {
		if typeNames[i-1].name >= typeNames[i].name {
			t.Errorf("%s stands before %s", typeNames[i-1].name, typeNames[i].name)
		}
	}
}
