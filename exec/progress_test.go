package exec_test

import (
	"encoding/json"
	"regexp"
	"testing"
)

// Progress has Spark's names (StreamingQueryProgress); only what ran has a duration, and a
// plan without watermark has no event time.
func TestProgressJSON(t *testing.T) {
	w := newWorld(t, `SELECT window_start, count(*) AS n FROM TUMBLE((SELECT DISTINCT id, event_time FROM a), event_time, INTERVAL '5' MINUTE) GROUP BY window_start, window_end`, "a")
	w.feed("a", "x 1 12:01:00", "x 1 12:01:00", "y 1 12:06:00")
	w.mustRun()
	// Times, sizes and the identity differ from run to run.
	text := regexp.MustCompile(`("(?:id|[a-zA-Z]*Ms|latestOffset|walCommit|getBatch|addBatch|commitOffsets|triggerExecution|batchDuration|memoryUsedBytes|[a-z]*RowsPerSecond)":)("[^"]*"|[0-9.]+)`).
		ReplaceAllString(w.progress[0].JSON(), "${1}0")
	want := `{"id":0,"runId":1,"name":"q","timestamp":"2026-09-10T12:00:00.000Z","batchId":0,"batchDuration":0,"numInputRows":3,"processedRowsPerSecond":0,` +
		`"durationMs":{"addBatch":0,"commitOffsets":0,"getBatch":0,"latestOffset":0,"triggerExecution":0,"walCommit":0},` +
		`"eventTime":{"avg":"2026-09-10T12:02:40.000Z","max":"2026-09-10T12:06:00.000Z","min":"2026-09-10T12:01:00.000Z","watermark":"1970-01-01T00:00:00.000Z"},` +
		`"stateOperators":[` +
		`{"operatorName":"stateStoreSave","numRowsTotal":2,"numRowsUpdated":2,"allUpdatesTimeMs":0,"numRowsRemoved":0,"allRemovalsTimeMs":0,"commitTimeMs":0,"memoryUsedBytes":0,"numRowsDroppedByWatermark":0,"numShufflePartitions":1,"numStateStoreInstances":1},` +
		`{"operatorName":"dedupe","numRowsTotal":2,"numRowsUpdated":2,"allUpdatesTimeMs":0,"numRowsRemoved":0,"allRemovalsTimeMs":0,"commitTimeMs":0,"memoryUsedBytes":0,"numRowsDroppedByWatermark":0,"numShufflePartitions":1,"numStateStoreInstances":1,"customMetrics":{"numDroppedDuplicateRows":1}}],` +
		`"sources":[{"description":"memory","startOffset":null,"endOffset":0,"latestOffset":0,"numInputRows":3,"processedRowsPerSecond":0}],` +
		`"sink":{"description":"memory[q]","numOutputRows":0},"rowsUsed":3,"rowsFiltered":0,"rowsLate":0,"rowsBad":0,` +
		`"watermarks":[{"column":"a.event_time","watermark":"2026-09-10T12:06:00.000Z"}],"nextClose":"2026-09-10T12:05:00.000Z"}`
	if text != want {
		t.Errorf("got\n%s\nwant\n%s", text, want)
	}
	second := w.progress[1]
	if _, ok := second.DurationMs["walCommit"]; ok {
		t.Error("the plan of batch 1 rode with the commit of batch 0, but walCommit is there")
	}
	if second.EventTime["max"] != "" || second.EventTime["watermark"] != "2026-09-10T12:06:00.000Z" {
		t.Errorf("event time of a batch without rows: %v", second.EventTime)
	}

	w = newWorld(t, `SELECT id FROM a`, "a")
	w.streams["a"].Watermarks = nil
	w.feed("a", "x 1 12:01:00")
	w.mustRun()
	var fields map[string]json.RawMessage
	if err := json.Unmarshal([]byte(w.progress[0].JSON()), &fields); err != nil {
		t.Fatal(err)
	}
	for _, absent := range []string{"eventTime", "watermarks", "inputRowsPerSecond"} {
		if v, ok := fields[absent]; ok {
			t.Errorf("%s is %s", absent, v)
		}
	}
}
