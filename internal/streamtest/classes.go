package streamtest

import (
	"slices"
	"strings"
)

// sparkClasses maps Spark's error classes to the codes with which ssql refuses the
// same. Codes that are equal, and codes of which Spark's class is a sub-class, need no
// row. Many refusals of Spark have no class of their own but a number.
var sparkClasses = map[string][]string{
	"DATATYPE_MISMATCH.BINARY_OP_DIFF_TYPES": {"DATATYPE_MISMATCH"},
	"IllegalArgumentException":               {"INVALID_OPTION"},
	// Spark casts the text and then misses the watermark.
	"STREAMING_OUTPUT_MODE.UNSUPPORTED_OPERATION": {"WINDOW_TIME_NOT_TIMESTAMP"},
	"_LEGACY_ERROR_TEMP_1039":                     {"MULTIPLE_WINDOWS"},
	"_LEGACY_ERROR_TEMP_3077":                     {"TWO_EVENT_TIMES"},
	"_LEGACY_ERROR_TEMP_3102": {
		"ANTI_JOIN_OF_STREAMS", "DEDUP_WITHOUT_WATERMARK", "DISTINCT_AGGREGATE", "JOIN_MODE", "JOIN_WITHOUT_EQUALITY",
		"JOIN_WITH_TABLE", "LIMIT_IN_UPDATE_MODE", "OFFSET_ON_STREAM", "OUTER_JOIN_WITHOUT_BOUND", "SESSION_IN_UPDATE_MODE",
		"SET_OPERATION_ON_STREAM", "SORT_NOT_IN_COMPLETE_MODE", "STATEFUL_AFTER_CHANGING_RESULT", "UNION_WITH_TABLE",
		"UNRESOLVED_ROUTINE",  // monotonically_increasing_id
		"UNSUPPORTED_FEATURE", // sampling
	},
	"_LEGACY_ERROR_TEMP_3231": {"WINDOW_MONTHS"},
}

// sameClass reports whether ssql's error line is its form of Spark's.
func sameClass(spark, ours string) bool {
	class, code := classOf(spark), classOf(ours)
	return class == code || strings.HasPrefix(class, code+".") || slices.Contains(sparkClasses[class], code)
}

// classOf returns CLASS of `error: CLASS: message`.
func classOf(line string) string {
	class, _, _ := strings.Cut(strings.TrimPrefix(line, errorMark), ":")
	return class
}
