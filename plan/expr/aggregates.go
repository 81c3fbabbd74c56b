package expr

import (
	"fmt"
	"sort"
	"strings"

	"ssql/internal/sqlerr"
	"ssql/sql/types"
)

// aggregateSpec is one row of the aggregate table.
type aggregateSpec struct {
	name string
	// canonical is the name that the fingerprint knows; "" is the name itself.
	canonical        string
	argsMin, argsMax int  // argsMax -1: any number
	star             bool // name(*) is accepted
	usage            string
	bind             func(call aggregateCall) (*Aggregate, error)
}

// aggregateCall is what a row of the table binds.
type aggregateCall struct {
	name string
	args []Expr
	star bool
	span sqlerr.Span
}

// aggregateSpecs is the aggregate table, sorted by name. An aggregate is a row here
// and a file agg_*.go that is named after it or its family. Types, NULL and overflow
// rules are Spark's; names that only DuckDB has mean what they mean there.
var aggregateSpecs = []aggregateSpec{
	{name: "any", canonical: "bool_or", argsMin: 1, argsMax: 1, usage: "any(condition)", bind: bindBoolOr},
	{name: "any_value", canonical: "first", argsMin: 1, argsMax: 2, usage: "any_value(value [, ignore_nulls])", bind: bindFirst},
	{name: "approx_count_distinct", argsMin: 1, argsMax: 2, usage: "approx_count_distinct(value [, error])", bind: bindApproxCountDistinct},
	{name: "approx_percentile", argsMin: 2, argsMax: 3, usage: "approx_percentile(number, fraction [, accuracy])", bind: bindApproxPercentile},
	{name: "array_agg", canonical: "list", argsMin: 1, argsMax: 1, usage: "array_agg(value)", bind: bindList},
	{name: "avg", argsMin: 1, argsMax: 1, usage: "avg(number)", bind: bindAvg},
	{name: "bit_and", argsMin: 1, argsMax: 1, usage: "bit_and(integer)", bind: bindBitAnd},
	{name: "bit_or", argsMin: 1, argsMax: 1, usage: "bit_or(integer)", bind: bindBitOr},
	{name: "bit_xor", argsMin: 1, argsMax: 1, usage: "bit_xor(integer)", bind: bindBitXor},
	{name: "bool_and", argsMin: 1, argsMax: 1, usage: "bool_and(condition)", bind: bindBoolAnd},
	{name: "bool_or", argsMin: 1, argsMax: 1, usage: "bool_or(condition)", bind: bindBoolOr},
	{name: "collect_list", argsMin: 1, argsMax: 1, usage: "collect_list(value)", bind: bindCollectList},
	{name: "collect_set", argsMin: 1, argsMax: 1, usage: "collect_set(value)", bind: bindCollectSet},
	{name: "corr", argsMin: 2, argsMax: 2, usage: "corr(number, number)", bind: bindCorr},
	{name: "count", argsMax: -1, star: true, usage: "count(*) or count(value, ...)", bind: bindCount},
	{name: "count_if", argsMin: 1, argsMax: 1, usage: "count_if(condition)", bind: bindCountIf},
	{name: "covar_pop", argsMin: 2, argsMax: 2, usage: "covar_pop(number, number)", bind: bindCovarPop},
	{name: "covar_samp", argsMin: 2, argsMax: 2, usage: "covar_samp(number, number)", bind: bindCovarSamp},
	{name: "every", canonical: "bool_and", argsMin: 1, argsMax: 1, usage: "every(condition)", bind: bindBoolAnd},
	{name: "first", argsMin: 1, argsMax: 2, usage: "first(value [, ignore_nulls])", bind: bindFirst},
	{name: "first_value", canonical: "first", argsMin: 1, argsMax: 2, usage: "first_value(value [, ignore_nulls])", bind: bindFirst},
	{name: "histogram", argsMin: 1, argsMax: 1, usage: "histogram(value)", bind: bindHistogram},
	{name: "kurtosis", argsMin: 1, argsMax: 1, usage: "kurtosis(number)", bind: bindKurtosis},
	{name: "kurtosis_pop", canonical: "kurtosis", argsMin: 1, argsMax: 1, usage: "kurtosis_pop(number)", bind: bindKurtosis},
	{name: "last", argsMin: 1, argsMax: 2, usage: "last(value [, ignore_nulls])", bind: bindLast},
	{name: "last_value", canonical: "last", argsMin: 1, argsMax: 2, usage: "last_value(value [, ignore_nulls])", bind: bindLast},
	{name: "list", argsMin: 1, argsMax: 1, usage: "list(value)", bind: bindList},
	{name: "listagg", canonical: "string_agg", argsMin: 1, argsMax: 2, usage: "listagg(text [, separator])", bind: bindStringAgg},
	{name: "max", argsMin: 1, argsMax: 1, usage: "max(value)", bind: bindMax},
	{name: "max_by", argsMin: 2, argsMax: 2, usage: "max_by(value, order)", bind: bindMaxBy},
	{name: "mean", canonical: "avg", argsMin: 1, argsMax: 1, usage: "mean(number)", bind: bindAvg},
	{name: "median", argsMin: 1, argsMax: 1, usage: "median(number)", bind: bindMedian},
	{name: "min", argsMin: 1, argsMax: 1, usage: "min(value)", bind: bindMin},
	{name: "min_by", argsMin: 2, argsMax: 2, usage: "min_by(value, order)", bind: bindMinBy},
	{name: "mode", argsMin: 1, argsMax: 1, usage: "mode(value)", bind: bindMode},
	{name: "percentile", canonical: "quantile_cont", argsMin: 2, argsMax: 2, usage: "percentile(number, fraction)", bind: bindQuantileCont},
	{name: "percentile_approx", canonical: "approx_percentile", argsMin: 2, argsMax: 3, usage: "percentile_approx(number, fraction [, accuracy])", bind: bindApproxPercentile},
	{name: "quantile", canonical: "quantile_disc", argsMin: 2, argsMax: 2, usage: "quantile(value, fraction)", bind: bindQuantileDisc},
	{name: "quantile_cont", argsMin: 2, argsMax: 2, usage: "quantile_cont(number, fraction)", bind: bindQuantileCont},
	{name: "quantile_disc", argsMin: 2, argsMax: 2, usage: "quantile_disc(value, fraction)", bind: bindQuantileDisc},
	{name: "regr_avgx", argsMin: 2, argsMax: 2, usage: "regr_avgx(y, x)", bind: bindRegrAvgx},
	{name: "regr_avgy", argsMin: 2, argsMax: 2, usage: "regr_avgy(y, x)", bind: bindRegrAvgy},
	{name: "regr_count", argsMin: 2, argsMax: 2, usage: "regr_count(y, x)", bind: bindRegrCount},
	{name: "regr_intercept", argsMin: 2, argsMax: 2, usage: "regr_intercept(y, x)", bind: bindRegrIntercept},
	{name: "regr_r2", argsMin: 2, argsMax: 2, usage: "regr_r2(y, x)", bind: bindRegrR2},
	{name: "regr_slope", argsMin: 2, argsMax: 2, usage: "regr_slope(y, x)", bind: bindRegrSlope},
	{name: "regr_sxx", argsMin: 2, argsMax: 2, usage: "regr_sxx(y, x)", bind: bindRegrSxx},
	{name: "regr_sxy", argsMin: 2, argsMax: 2, usage: "regr_sxy(y, x)", bind: bindRegrSxy},
	{name: "regr_syy", argsMin: 2, argsMax: 2, usage: "regr_syy(y, x)", bind: bindRegrSyy},
	{name: "skewness", argsMin: 1, argsMax: 1, usage: "skewness(number)", bind: bindSkewness},
	{name: "some", canonical: "bool_or", argsMin: 1, argsMax: 1, usage: "some(condition)", bind: bindBoolOr},
	{name: "std", canonical: "stddev_samp", argsMin: 1, argsMax: 1, usage: "std(number)", bind: bindStddevSamp},
	{name: "stddev", canonical: "stddev_samp", argsMin: 1, argsMax: 1, usage: "stddev(number)", bind: bindStddevSamp},
	{name: "stddev_pop", argsMin: 1, argsMax: 1, usage: "stddev_pop(number)", bind: bindStddevPop},
	{name: "stddev_samp", argsMin: 1, argsMax: 1, usage: "stddev_samp(number)", bind: bindStddevSamp},
	{name: "string_agg", argsMin: 1, argsMax: 2, usage: "string_agg(text [, separator])", bind: bindStringAgg},
	{name: "sum", argsMin: 1, argsMax: 1, usage: "sum(number)", bind: bindSum},
	{name: "try_sum", argsMin: 1, argsMax: 1, usage: "try_sum(number)", bind: bindTrySum},
	{name: "var_pop", argsMin: 1, argsMax: 1, usage: "var_pop(number)", bind: bindVarPop},
	{name: "var_samp", argsMin: 1, argsMax: 1, usage: "var_samp(number)", bind: bindVarSamp},
	{name: "variance", canonical: "var_samp", argsMin: 1, argsMax: 1, usage: "variance(number)", bind: bindVarSamp},
}

// IsAggregate reports whether a name, in any case, is an aggregate function.
func IsAggregate(name string) bool { return findAggregate(name) != nil }

// AggregateNames returns the names of the aggregate functions, sorted.
func AggregateNames() []string {
	names := make([]string, len(aggregateSpecs))
	for i, s := range aggregateSpecs {
		names[i] = s.name
	}
	return names
}

func findAggregate(name string) *aggregateSpec {
	name = strings.ToLower(name)
	i := sort.Search(len(aggregateSpecs), func(i int) bool { return aggregateSpecs[i].name >= name })
	if i < len(aggregateSpecs) && aggregateSpecs[i].name == name {
		return &aggregateSpecs[i]
	}
	return nil
}

// BindAggregate returns the aggregate of a call over bound arguments; star is set for
// name(*). FILTER and DISTINCT are the operator's. Errors: UNRESOLVED_ROUTINE,
// WRONG_NUM_ARGS, DATATYPE_MISMATCH, INVALID_PARAMETER_VALUE, at span.
func BindAggregate(name string, args []Expr, star bool, span sqlerr.Span) (*Aggregate, error) {
	s := findAggregate(name)
	if s == nil {
		return nil, sqlerr.At(span, codeRoutine, "%q is not an aggregate function", name)
	}
	name = s.name
	if s.canonical != "" {
		name = s.canonical
	}
	if star != (s.star && star) || !star && (len(args) < s.argsMin || s.argsMax >= 0 && len(args) > s.argsMax || s.star && len(args) == 0) {
		found := fmt.Sprintf("%d", len(args))
		if star {
			found = "*"
		}
		return nil, sqlerr.At(span, codeArgCount, "%s does not take these arguments: found %s", s.name, found).
			WithHint("write %s", s.usage)
	}
	agg, err := s.bind(aggregateCall{name: name, args: args, star: star, span: span})
	if err != nil {
		return nil, err
	}
	agg.Name, agg.Params = name, args[len(agg.Args):]
	return agg, nil
}

// mismatch is the error for an argument of a type that the aggregate does not take.
func (c aggregateCall) mismatch(arg int, expected string) error {
	return sqlerr.At(c.span, codeMismatch, "argument %d of %s is expected to be %s, found %s",
		arg+1, c.name, expected, c.args[arg].Type()).
		WithHint("cast the argument, as in %s(CAST(... AS %s))", c.name, suggestedType(expected))
}

func suggestedType(expected string) types.Type {
	if strings.Contains(expected, "BOOLEAN") {
		return tBool
	}
	if strings.Contains(expected, "integer") {
		return tBigInt
	}
	return tDouble
}

// constant returns the value of an argument that must not depend on rows.
func (c aggregateCall) constant(arg int) (*Literal, error) {
	refers := false
	Walk(c.args[arg], func(e Expr) bool {
		_, column := e.(*Column)
		refers = refers || column
		return !refers
	})
	if refers {
		return nil, sqlerr.At(c.span, codeParameter, "argument %d of %s must be a constant, found %s", arg+1, c.name, c.args[arg])
	}
	l, err := evalOnce(c.args[arg])
	if err != nil {
		return nil, fmt.Errorf("evaluating argument %d of %s: %w", arg+1, c.name, err)
	}
	return l, nil
}
