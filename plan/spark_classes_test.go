package plan

import "testing"

// sparkClasses maps codes of ours to the error classes with which Spark 4.0.1 refuses
// the same. Many of its refusals have no class of their own but a number.
var sparkClasses = map[string][]string{
	codeUnresolvedColumn: {"UNRESOLVED_COLUMN.WITH_SUGGESTION", "UNRESOLVED_COLUMN.WITHOUT_SUGGESTION"},
	codeTypeMismatch:     {"DATATYPE_MISMATCH.BINARY_OP_DIFF_TYPES"},
	codeWindowMonths:     {"_LEGACY_ERROR_TEMP_3231"},
	codeManyWindows:      {"_LEGACY_ERROR_TEMP_1039"},
	// Spark casts the text and then misses the watermark.
	codeWindowTime:        {"STREAMING_OUTPUT_MODE.UNSUPPORTED_OPERATION"},
	codeTwoEventTimes:     {"_LEGACY_ERROR_TEMP_3077"},
	codeDistinct:          {"_LEGACY_ERROR_TEMP_3102"},
	codeSort:              {"_LEGACY_ERROR_TEMP_3102"},
	codeLimit:             {"_LEGACY_ERROR_TEMP_3102"},
	codeOffset:            {"_LEGACY_ERROR_TEMP_3102"},
	codeSetOperation:      {"_LEGACY_ERROR_TEMP_3102"},
	codeUnionTable:        {"_LEGACY_ERROR_TEMP_3102"},
	codeDedupWatermark:    {"_LEGACY_ERROR_TEMP_3102"},
	codeJoinMode:          {"_LEGACY_ERROR_TEMP_3102"},
	codeJoinTable:         {"_LEGACY_ERROR_TEMP_3102"},
	codeJoinUnbounded:     {"_LEGACY_ERROR_TEMP_3102"},
	codeJoinAnti:          {"_LEGACY_ERROR_TEMP_3102"},
	codeSessionUpdate:     {"_LEGACY_ERROR_TEMP_3102"},
	codeStatefulAfter:     {"_LEGACY_ERROR_TEMP_3102"},
	codeUnresolvedRoutine: {"_LEGACY_ERROR_TEMP_3102"}, // monotonically_increasing_id
	"UNSUPPORTED_FEATURE": {"_LEGACY_ERROR_TEMP_3102"}, // sampling
}

// standsFor reports whether a code of ours is how we refuse what Spark refuses with a
// class.
func standsFor(code, class string) bool {
	if code == class {
		return true
	}
	for _, c := range sparkClasses[code] {
		if c == class {
			return true
		}
	}
	return false
}

func TestStandsFor(t *testing.T) {
	if !standsFor(codeSort, "_LEGACY_ERROR_TEMP_3102") || standsFor(codeSort, codeLimit) {
		t.Error("the table of classes is not read as it is written")
	}
}
