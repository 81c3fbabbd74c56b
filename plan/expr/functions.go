package expr

import (
	"math"
	"sort"
	"strings"
	"sync"

	"ssql/internal/sqlerr"
	"ssql/sql/types"
)

// function is one row of the function table.
type function struct {
	name    string   // canonical, lower case
	aliases []string // other names of the same function
	argsMin int
	argsMax int // -1 for any number
	bind    binder
}

// binder binds a call whose number of arguments is right.
type binder func(b *binding) (Expr, error)

// binding is a call to be bound.
type binding struct {
	name string // canonical
	args []Expr
	span sqlerr.Span
}

// functions is the table of scalar functions, sorted by name. No binder may come back
// to BindFunction, which reads the table: binders call each other.
//
// Functions mean what they mean in DuckDB; aliases are names of DuckDB, Spark and Flink
// that mean the same.
var functions = []function{
	{"abs", nil, 1, 1, bindAbs},
	{"acos", nil, 1, 1, within(unit, "a number from -1 to 1", math.Acos)},
	{"acosh", nil, 1, 1, mathFunction(math.Acosh)},
	{"add", nil, 2, 2, operator("+")},
	{"add_months", nil, 2, 2, bindAddMonths},
	{"age", nil, 1, 2, bindAge},
	{"array_extract", []string{"list_extract", "list_element", "array_element"}, 2, 2, bindArrayExtract},
	{"array_join", nil, 2, 3, bindArrayJoin},
	{"array_slice", []string{"list_slice"}, 3, 3, bindSlice},
	{"array_to_string", []string{"list_to_string"}, 2, 3, bindArrayToString},
	{"ascii", nil, 1, 1, fixed(tInt, codePoint(0), tVarchar)},
	{"asin", nil, 1, 1, within(unit, "a number from -1 to 1", math.Asin)},
	{"asinh", nil, 1, 1, mathFunction(math.Asinh)},
	{"atan", nil, 1, 1, mathFunction(math.Atan)},
	{"atan2", nil, 2, 2, mathFunction2(math.Atan2)},
	{"atanh", nil, 1, 1, within(unit, "a number from -1 to 1", math.Atanh)},
	{"base64", []string{"to_base64"}, 1, 1, textOrBytes(tVarchar, text1(toBase64))},
	{"bin", []string{"to_binary"}, 1, 1, bindBin},
	{"bit_count", nil, 1, 1, bindBitCount},
	{"bit_length", nil, 1, 1, fixed(tBigInt, map1(func(s string) (int64, error) { return 8 * int64(len(s)), nil }), tVarchar)},
	{"cardinality", []string{"size"}, 1, 1, bindLength},
	{"cbrt", nil, 1, 1, mathFunction(math.Cbrt)},
	{"ceil", []string{"ceiling"}, 1, 1, toWhole(math.Ceil)},
	{"century", nil, 1, 1, partFunction("century")},
	{"chr", []string{"char"}, 1, 1, failing(tVarchar, text1(chr), tBigInt)},
	{"coalesce", nil, 1, -1, bindCoalesceCall},
	{"concat", nil, 1, -1, bindConcat},
	{"concat_ws", nil, 1, -1, bindConcatWs},
	{"contains", nil, 2, 2, bindContains},
	{"cos", nil, 1, 1, within(notInf, "a finite number", math.Cos)},
	{"cosh", nil, 1, 1, mathFunction(math.Cosh)},
	{"cot", nil, 1, 1, within(finiteNotZero, "a finite number other than 0", cot)},
	{"current_date", []string{"today", "curdate"}, 0, 0, bindToday},
	{"damerau_levenshtein", nil, 2, 2, fixed(tBigInt, comparing(damerauLevenshtein), tVarchar)},
	{"date", []string{"to_date"}, 1, 1, bindToDate},
	{"date_add", []string{"dateadd"}, 2, 2, bindDateAdd},
	{"date_diff", []string{"datediff"}, 2, 3, bindDateDiff},
	{"date_part", []string{"datepart", "extract"}, 2, 2, bindDatePart},
	{"date_sub", []string{"datesub"}, 3, 3, bindDateSub},
	{"date_trunc", []string{"datetrunc"}, 2, 2, bindDateTrunc},
	{"day", []string{"dayofmonth"}, 1, 1, partFunction("day")},
	{"dayname", nil, 1, 1, nameOf(dayName)},
	{"dayofweek", []string{"dow", "weekday"}, 1, 1, partFunction("dow")},
	{"dayofyear", []string{"doy"}, 1, 1, partFunction("doy")},
	{"decade", nil, 1, 1, partFunction("decade")},
	{"degrees", nil, 1, 1, mathFunction(degrees)},
	{"divide", nil, 2, 2, operator("//")},
	{"element_at", nil, 2, 2, bindElementAt},
	{"ends_with", []string{"suffix", "endswith"}, 2, 2, textTest(strings.HasSuffix)},
	{"epoch", nil, 1, 1, bindEpoch},
	{"epoch_ms", []string{"timestamp_millis", "to_epoch_ms"}, 1, 1, bindEpochMs},
	{"epoch_ns", nil, 1, 1, bindEpochNs},
	{"epoch_us", []string{"unix_micros"}, 1, 1, epochIn(1)},
	{"era", nil, 1, 1, partFunction("era")},
	{"even", nil, 1, 1, mathFunction(even)},
	{"exp", nil, 1, 1, mathFunction(math.Exp)},
	{"factorial", nil, 1, 1, failing(types.DecimalOf(38, 0), map1(factorial), tBigInt)},
	{"fdiv", nil, 2, 2, mathFunction2(func(a, b float64) float64 { return math.Floor(a / b) })},
	{"flatten", nil, 1, 1, bindFlatten},
	{"floor", nil, 1, 1, toWhole(math.Floor)},
	{"format", nil, 1, -1, bindFormat},
	{"format_bytes", []string{"formatreadablesize"}, 1, 1, fixed(tVarchar, formatBytes(1024, [6]string{"bytes", "KiB", "MiB", "GiB", "TiB", "PiB"}), tBigInt)},
	{"formatreadabledecimalsize", nil, 1, 1, fixed(tVarchar, formatBytes(1000, [6]string{"bytes", "kB", "MB", "GB", "TB", "PB"}), tBigInt)},
	{"from_base64", []string{"unbase64"}, 1, 1, failing(tBlob, map1(fromBase64), tVarchar)},
	{"from_utc_timestamp", nil, 2, 2, bindFromUTC},
	{"gamma", nil, 1, 1, within(otherThanZero, "a number other than 0", gamma)},
	{"gcd", []string{"greatest_common_divisor"}, 2, 2, failing(tBigInt, map2(gcd), tBigInt)},
	{"generate_series", []string{"sequence"}, 1, 3, bindRange(true)},
	{"get_json_object", nil, 2, 2, bindGetJSONObject},
	{"greatest", nil, 1, -1, bindExtremeOf(true)},
	{"hamming", []string{"mismatches"}, 2, 2, failing(tBigInt, map2(hamming), tVarchar)},
	{"hex", []string{"to_hex"}, 1, 1, bindHex},
	{"hour", nil, 1, 1, partFunction("hour")},
	{"if", []string{"iff"}, 3, 3, bindIf},
	{"ifnull", []string{"nvl"}, 2, 2, bindCoalesceCall},
	{"initcap", nil, 1, 1, fixed(tVarchar, text1(initcap), tVarchar)},
	{"instr", []string{"strpos"}, 2, 2, fixed(tBigInt, map2(positionOf), tVarchar)},
	{"isfinite", nil, 1, 1, floatTest(isFinite)},
	{"isinf", nil, 1, 1, floatTest(isInf)},
	{"isnan", nil, 1, 1, floatTest(math.IsNaN)},
	{"isodow", nil, 1, 1, partFunction("isodow")},
	{"isoyear", nil, 1, 1, partFunction("isoyear")},
	{"jaccard", nil, 2, 2, failing(tDouble, map2(jaccard), tVarchar)},
	{"jaro_similarity", nil, 2, 2, fixed(tDouble, comparing(jaro), tVarchar)},
	{"jaro_winkler_similarity", nil, 2, 2, fixed(tDouble, comparing(jaroWinkler), tVarchar)},
	{"json_array_length", nil, 1, 2, bindJSONLength},
	{"json_exists", nil, 2, 2, bindJSONExists},
	{"json_extract", []string{"json_extract_path"}, 2, 2, bindJSONExtract},
	{"json_extract_string", []string{"json_extract_path_text"}, 2, 2, bindJSONString},
	{"json_keys", nil, 1, 2, bindJSONKeys},
	{"json_type", nil, 1, 2, bindJSONType},
	{"json_valid", nil, 1, 1, fixed(tBool, map1(isJSON), tVarchar)},
	{"json_value", nil, 2, 2, bindJSONValue},
	{"julian", nil, 1, 1, bindJulian},
	{"last_day", nil, 1, 1, bindLastDay},
	{"lcm", []string{"least_common_multiple"}, 2, 2, failing(tBigInt, map2(lcm), tBigInt)},
	{"least", nil, 1, -1, bindExtremeOf(false)},
	{"left", nil, 2, 2, fixed(tVarchar, map2(left), tVarchar, tBigInt)},
	{"length", []string{"len", "char_length", "character_length", "array_length"}, 1, 1, bindLength},
	{"levenshtein", []string{"editdist3"}, 2, 2, fixed(tBigInt, comparing(levenshtein), tVarchar)},
	{"lgamma", nil, 1, 1, within(otherThanZero, "a number other than 0", lgamma)},
	{"list_aggregate", []string{"array_aggregate", "list_aggr", "array_aggr", "aggregate"}, 2, -1, bindListAggregate},
	{"list_any_value", nil, 1, 1, bindListAnyValue},
	{"list_append", []string{"array_append", "array_push_back"}, 2, 2, bindListAppend(false)},
	{"list_avg", []string{"array_avg"}, 1, 1, listAggregate("avg")},
	{"list_bit_and", nil, 1, 1, listAggregate("bit_and")},
	{"list_bit_or", nil, 1, 1, listAggregate("bit_or")},
	{"list_bit_xor", nil, 1, 1, listAggregate("bit_xor")},
	{"list_bool_and", nil, 1, 1, listAggregate("bool_and")},
	{"list_bool_or", nil, 1, 1, listAggregate("bool_or")},
	{"list_concat", []string{"list_cat", "array_concat", "array_cat"}, 1, -1, bindListConcats},
	{"list_contains", []string{"array_contains", "list_has", "array_has"}, 2, 2, bindListContains},
	{"list_count", []string{"array_count"}, 1, 1, listAggregate("count")},
	{"list_distinct", []string{"array_distinct"}, 1, 1, listFunction(distinct)},
	{"list_first", []string{"array_first"}, 1, 1, listAggregate("first")},
	{"list_has_all", []string{"array_has_all"}, 2, 2, bindListHas(true)},
	{"list_has_any", []string{"array_has_any", "arrays_overlap"}, 2, 2, bindListHas(false)},
	{"list_last", []string{"array_last"}, 1, 1, listAggregate("last")},
	{"list_max", []string{"array_max"}, 1, 1, listAggregate("max")},
	{"list_median", nil, 1, 1, listAggregate("median")},
	{"list_min", []string{"array_min"}, 1, 1, listAggregate("min")},
	{"list_mode", nil, 1, 1, listAggregate("mode")},
	{"list_position", []string{"array_position", "list_indexof", "array_indexof"}, 2, 2, bindListPosition},
	{"list_prepend", []string{"array_prepend", "array_push_front"}, 2, 2, bindListAppend(true)},
	{"list_resize", []string{"array_resize"}, 2, 3, bindListResize},
	{"list_reverse", []string{"array_reverse"}, 1, 1, listFunction(reversed)},
	{"list_reverse_sort", []string{"array_reverse_sort"}, 1, 2, listSort(true)},
	{"list_sort", []string{"array_sort"}, 1, 3, listSort(false)},
	{"list_stddev_pop", nil, 1, 1, listAggregate("stddev_pop")},
	{"list_stddev_samp", nil, 1, 1, listAggregate("stddev_samp")},
	{"list_sum", []string{"array_sum"}, 1, 1, listAggregate("sum")},
	{"list_unique", []string{"array_unique"}, 1, 1, bindListUnique},
	{"list_value", []string{"list_pack", "array"}, 0, -1, bindListValue},
	{"list_var_pop", nil, 1, 1, listAggregate("var_pop")},
	{"list_var_samp", nil, 1, 1, listAggregate("var_samp")},
	{"ln", nil, 1, 1, within(positive, "a number above 0", math.Log)},
	{"locate", []string{"position"}, 2, 2, fixed(tBigInt, map2(func(sub, s string) (int64, error) { return positionOf(s, sub) }), tVarchar)},
	{"log", nil, 1, 2, bindLog},
	{"log10", nil, 1, 1, within(positive, "a number above 0", math.Log10)},
	{"log2", nil, 1, 1, within(positive, "a number above 0", math.Log2)},
	{"lower", []string{"lcase"}, 1, 1, fixed(tVarchar, text1(lower), tVarchar)},
	{"lpad", nil, 2, 3, bindPad(true)},
	{"ltrim", nil, 1, 2, trimSide(strings.TrimLeft)},
	{"make_date", nil, 3, 3, bindMakeDate},
	{"make_dt_interval", nil, 0, 4, bindMakeDtInterval},
	{"make_interval", nil, 0, 7, bindMakeInterval},
	{"make_timestamp", []string{"timestamp_micros"}, 1, 6, bindMakeTimestamp},
	{"map", []string{"map_from_arrays"}, 2, -1, bindMap},
	{"map_contains", []string{"map_contains_key"}, 2, 2, bindMapContains},
	{"map_keys", nil, 1, 1, bindMapSide(false)},
	{"map_values", nil, 1, 1, bindMapSide(true)},
	{"md5", nil, 1, 1, textOrBytes(tVarchar, text1(md5Text))},
	{"microsecond", nil, 1, 1, partFunction("microsecond")},
	{"millennium", nil, 1, 1, partFunction("millennium")},
	{"millisecond", nil, 1, 1, partFunction("millisecond")},
	{"minute", nil, 1, 1, partFunction("minute")},
	{"mod", []string{"fmod"}, 2, 2, operator("%")},
	{"month", nil, 1, 1, partFunction("month")},
	{"monthname", nil, 1, 1, nameOf(monthName)},
	{"multiply", nil, 2, 2, operator("*")},
	{"named_struct", nil, 2, -1, bindNamedStruct},
	{"now", []string{"current_timestamp", "get_current_timestamp", "transaction_timestamp", "localtimestamp"}, 0, 0, bindNow},
	{"nullif", nil, 2, 2, bindNullif},
	{"nvl2", nil, 3, 3, bindNvl2},
	{"octet_length", nil, 1, 1, bindOctetLength},
	{"parse_dirname", nil, 1, 1, pathPart(dirName)},
	{"parse_dirpath", nil, 1, 1, pathPart(dirPath)},
	{"parse_filename", nil, 1, 1, pathPart(fileName)},
	{"parse_path", nil, 1, 1, bindParsePath},
	{"pi", nil, 0, 0, bindPi},
	{"pow", []string{"power"}, 2, 2, bindPower},
	{"printf", nil, 1, -1, bindPrintf},
	{"quarter", nil, 1, 1, partFunction("quarter")},
	{"radians", nil, 1, 1, mathFunction(radians)},
	{"random", []string{"rand"}, 0, 0, bindRandom},
	{"range", nil, 1, 3, bindRange(false)},
	{"regexp_escape", nil, 1, 1, fixed(tVarchar, text1(regexpEscape), tVarchar)},
	{"regexp_extract", nil, 2, 4, bindRegexpExtract},
	{"regexp_extract_all", nil, 2, 3, bindRegexpExtractAll},
	{"regexp_full_match", nil, 2, 3, bindRegexpTest(true)},
	{"regexp_matches", []string{"regexp_like", "rlike"}, 2, 3, bindRegexpTest(false)},
	{"regexp_replace", nil, 3, 4, bindRegexpReplace},
	{"repeat", nil, 2, 2, failing(tVarchar, growing2(repeatText), tVarchar, tBigInt)},
	{"replace", nil, 3, 3, fixed(tVarchar, growing3(replaceText), tVarchar)},
	{"reverse", nil, 1, 1, fixed(tVarchar, text1(reverseText), tVarchar)},
	{"right", nil, 2, 2, fixed(tVarchar, map2(right), tVarchar, tBigInt)},
	{"round", nil, 1, 2, bindRound},
	{"row", []string{"struct"}, 1, -1, bindRow},
	{"rpad", nil, 2, 3, bindPad(false)},
	{"rtrim", nil, 1, 2, trimSide(strings.TrimRight)},
	{"second", nil, 1, 1, partFunction("second")},
	{"sha1", []string{"sha"}, 1, 1, textOrBytes(tVarchar, text1(sha1Text))},
	{"sha256", nil, 1, 1, textOrBytes(tVarchar, text1(sha256Text))},
	{"sign", []string{"signum"}, 1, 1, bindSign},
	{"signbit", nil, 1, 1, floatTest(math.Signbit)},
	{"sin", nil, 1, 1, within(notInf, "a finite number", math.Sin)},
	{"sinh", nil, 1, 1, mathFunction(math.Sinh)},
	{"sort_array", nil, 1, 2, bindSortArray},
	{"split_part", nil, 3, 3, bindSplitPart},
	{"sqrt", nil, 1, 1, within(notNegative, "a number from 0 up", math.Sqrt)},
	{"starts_with", []string{"prefix", "startswith"}, 2, 2, textTest(strings.HasPrefix)},
	{"strftime", nil, 2, 2, bindStrftime},
	{"string_split", []string{"split", "str_split", "string_to_array"}, 2, 2, bindSplit},
	{"string_split_regex", []string{"str_split_regex", "regexp_split_to_array"}, 2, 3, bindSplitRegexp},
	{"strlen", nil, 1, 1, fixed(tBigInt, map1(byteLength), tVarchar)},
	{"strptime", nil, 2, 2, bindStrptime(false)},
	{"struct_extract", nil, 2, 2, bindStructExtract},
	{"substring", []string{"substr"}, 2, 3, bindSubstring},
	{"subtract", nil, 2, 2, operator("-")},
	{"tan", nil, 1, 1, within(notInf, "a finite number", math.Tan)},
	{"tanh", nil, 1, 1, mathFunction(math.Tanh)},
	{"time_bucket", nil, 2, 3, bindTimeBucket},
	{"timestamp_seconds", nil, 1, 1, scaledTimestamp(1_000_000)},
	{"timezone", nil, 2, 2, bindTimezone},
	{"to_base", nil, 2, 2, failing(tVarchar, text2(toBase), tBigInt)},
	{"to_centuries", nil, 1, 1, intervalOfUnits(types.Interval{Months: 1200})},
	{"to_days", nil, 1, 1, intervalOfUnits(types.Interval{Days: 1})},
	{"to_decades", nil, 1, 1, intervalOfUnits(types.Interval{Months: 120})},
	{"to_hours", nil, 1, 1, intervalOfUnits(types.Interval{Micros: 3_600_000_000})},
	{"to_microseconds", nil, 1, 1, intervalOfUnits(types.Interval{Micros: 1})},
	{"to_milliseconds", nil, 1, 1, intervalOfSeconds(1000)},
	{"to_minutes", nil, 1, 1, intervalOfUnits(types.Interval{Micros: 60_000_000})},
	{"to_months", nil, 1, 1, intervalOfUnits(types.Interval{Months: 1})},
	{"to_quarters", nil, 1, 1, intervalOfUnits(types.Interval{Months: 3})},
	{"to_seconds", nil, 1, 1, intervalOfSeconds(1_000_000)},
	{"to_timestamp", nil, 1, 1, bindToTimestamp},
	{"to_utc_timestamp", nil, 2, 2, bindToUTC},
	{"to_weeks", nil, 1, 1, intervalOfUnits(types.Interval{Days: 7})},
	{"to_years", nil, 1, 1, intervalOfUnits(types.Interval{Months: 12})},
	{"translate", nil, 3, 3, fixed(tVarchar, text3(translate), tVarchar)},
	{"trim", []string{"btrim"}, 1, 2, trimSide(strings.Trim)},
	{"trunc", []string{"truncate"}, 1, 1, bindTrunc},
	{"try_divide", nil, 2, 2, bindTryDivide},
	{"try_strptime", nil, 2, 2, bindStrptime(true)},
	{"typeof", nil, 1, 1, bindTypeof},
	{"unhex", []string{"from_hex"}, 1, 1, failing(tBlob, map1(unhex), tVarchar)},
	{"unicode", []string{"ord"}, 1, 1, fixed(tInt, codePoint(-1), tVarchar)},
	{"unix_millis", nil, 1, 1, epochIn(1000)},
	{"unix_seconds", nil, 1, 1, epochIn(1_000_000)},
	{"upper", []string{"ucase"}, 1, 1, fixed(tVarchar, text1(upper), tVarchar)},
	{"url_decode", nil, 1, 1, fixed(tVarchar, text1(urlDecode), tVarchar)},
	{"url_encode", nil, 1, 1, fixed(tVarchar, text1(urlEncode), tVarchar)},
	{"uuid", []string{"gen_random_uuid"}, 0, 0, bindUUID},
	{"week", []string{"weekofyear"}, 1, 1, partFunction("week")},
	{"xor", nil, 2, 2, bindXor},
	{"year", nil, 1, 1, partFunction("year")},
	{"yearweek", nil, 1, 1, partFunction("yearweek")},
}

// functionsByName finds a row by any of its names.
var functionsByName = sync.OnceValue(func() map[string]*function {
	byName := make(map[string]*function)
	for i := range functions {
		f := &functions[i]
		byName[f.name] = f
		for _, a := range f.aliases {
			byName[a] = f
		}
	}
	return byName
})

// IsFunction reports whether a name, in any case, is a scalar function.
func IsFunction(name string) bool { return functionsByName()[strings.ToLower(name)] != nil }

// FunctionNames returns the canonical names of all scalar functions, sorted.
func FunctionNames() []string {
	names := make([]string, len(functions))
	for i, f := range functions {
		names[i] = f.name
	}
	return names
}

// BindFunction binds a call of a scalar function. The errors are UNRESOLVED_ROUTINE
// with the nearest name, WRONG_NUM_ARGS and DATATYPE_MISMATCH, at span.
func BindFunction(name string, args []Expr, span sqlerr.Span) (Expr, error) {
	f := functionsByName()[strings.ToLower(name)]
	if f == nil {
		e := sqlerr.At(span, codeRoutine, "function %q does not exist", name)
		if near := sqlerr.Nearest(name, knownFunctions()); near != "" {
			e.WithHint("did you mean %q?", near)
		}
		return nil, e
	}
	if len(args) < f.argsMin || f.argsMax >= 0 && len(args) > f.argsMax {
		return nil, sqlerr.At(span, codeArgCount, "function %q takes %s, found %d", f.name, countText(f.argsMin, f.argsMax), len(args))
	}
	return f.bind(&binding{name: f.name, args: args, span: span})
}

// knownFunctions returns every name that a call may have, sorted.
func knownFunctions() []string {
	var names []string
	for name := range functionsByName() {
		names = append(names, name)
	}
	for i := range aggregateSpecs {
		names = append(names, aggregateSpecs[i].name)
	}
	sort.Strings(names)
	return names
}

func countText(least, most int) string {
	plural := "s"
	if least == 1 && most == 1 {
		plural = ""
	}
	switch {
	case most < 0:
		return "at least " + countWord(least) + " argument" + plural
	case least == most:
		return countWord(least) + " argument" + plural
	}
	return countWord(least) + " to " + countWord(most) + " arguments"
}

func countWord(n int) string {
	return [...]string{"no", "1", "2", "3", "4", "5", "6", "7", "8"}[n]
}

// call returns a strict call of the function over arguments that have the right
// types: NULL if an argument is.
func (b *binding) call(t types.Type, k kernel, args ...Expr) Expr {
	return newCall(spec{name: b.name, t: t, nullable: anyNullable(args...), span: b.span, kern: k}, args...)
}

// partial is call for a function that gives NULL on some values.
func (b *binding) partial(t types.Type, k kernel, args ...Expr) Expr {
	return newCall(spec{name: b.name, t: t, nullable: true, span: b.span, kern: k}, args...)
}

// harmless is call for a function that fails on no row.
func (b *binding) harmless(t types.Type, k kernel, args ...Expr) Expr {
	return newCall(spec{name: b.name, t: t, nullable: anyNullable(args...), span: b.span, kern: k, total: true}, args...)
}

// fixed returns the binder of a function with one signature.
func fixed(t types.Type, k kernel, params ...types.Type) binder {
	return func(b *binding) (Expr, error) {
		args, err := b.cast(params...)
		if err != nil {
			return nil, err
		}
		return b.harmless(t, k, args...), nil
	}
}

// failing is fixed for a function that can fail on a row.
func failing(t types.Type, k kernel, params ...types.Type) binder {
	return func(b *binding) (Expr, error) {
		args, err := b.cast(params...)
		if err != nil {
			return nil, err
		}
		return b.call(t, k, args...), nil
	}
}

// cast brings the arguments to parameter types; the last type stands for all
// arguments beyond.
func (b *binding) cast(params ...types.Type) ([]Expr, error) {
	out := make([]Expr, len(b.args))
	for i := range b.args {
		e, err := b.arg(i, params[min(i, len(params)-1)])
		if err != nil {
			return nil, err
		}
		out[i] = e
	}
	return out, nil
}

// arg brings one argument to a type if that needs no cast to be written out.
func (b *binding) arg(i int, t types.Type) (Expr, error) {
	e := b.args[i]
	if !fitsParameter(e, t) {
		return nil, b.mismatch(i, t.String())
	}
	return implicit(e, t, b.span)
}

// mismatch is the error of an argument of a wrong type.
func (b *binding) mismatch(i int, expected string) error {
	e := sqlerr.At(b.span, codeMismatch, "argument %d of %s is expected to be %s, found %s", i+1, b.name, expected, b.args[i].Type())
	if !strings.Contains(expected, " ") {
		e.WithHint("write CAST(... AS %s)", expected)
	}
	return e
}

// fitsParameter reports whether a value is taken for a parameter without a cast
// that is written out: numbers widen, dates become timestamps, untyped text and
// NULL take any type.
func fitsParameter(e Expr, t types.Type) bool {
	from := e.Type()
	switch {
	case from.Equal(t), from.Kind == types.Null, isUntyped(e) && from.Kind == types.Varchar:
		return true
	case from.IsInteger() && t.IsInteger():
		return t.Kind >= from.Kind || t.Kind == types.BigInt || isUntyped(e)
	case from.IsNumeric() && t.IsFloat():
		return from.Kind != types.Double
	case from.IsInteger() && t.Kind == types.Decimal:
		return true
	case from.Kind == types.Date && t.Kind == types.Timestamp:
		return true
	case from.Kind == t.Kind && from.IsNested():
		common, ok := commonType(from, t)
		return ok && common.Equal(t)
	}
	return false
}
