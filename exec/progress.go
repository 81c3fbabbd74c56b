package exec

import (
	"encoding/json"
	"math"
	"slices"
	"strings"
	"time"

	"ssql/exec/op"
)

// Progress describes one batch with the field names of Spark's
// StreamingQueryProgress. What has no meaning is left out.
type Progress struct {
	ID                     string             `json:"id"`
	RunID                  int64              `json:"runId"` // number of the start, where Spark has a UUID
	Name                   string             `json:"name"`
	Timestamp              string             `json:"timestamp"` // the time of the batch, as now() shows it
	BatchID                int64              `json:"batchId"`
	BatchDuration          int64              `json:"batchDuration"` // ms
	NumInputRows           int64              `json:"numInputRows"`
	InputRowsPerSecond     float64            `json:"inputRowsPerSecond,omitempty"` // since the trigger before
	ProcessedRowsPerSecond float64            `json:"processedRowsPerSecond"`
	DurationMs             map[string]int64   `json:"durationMs"`          // steps that ran
	EventTime              map[string]string  `json:"eventTime,omitempty"` // min, max, avg, watermark
	StateOperators         []OperatorProgress `json:"stateOperators"`      // nearest to the sink first
	Sources                []SourceProgress   `json:"sources"`
	Sink                   SinkProgress       `json:"sink"` // the rows of all outputs

	// Outputs, of a statement set, shows every output for itself. Each accounts for all
	// rows that it read; what the query shows of used, filtered and late rows are the sums.
	Outputs []OutputProgress `json:"outputs,omitempty"`

	// Beyond Spark: every row read is used, filtered, late or bad.
	RowsUsed     int64 `json:"rowsUsed"`
	RowsFiltered int64 `json:"rowsFiltered"`
	RowsLate     int64 `json:"rowsLate"`
	RowsBad      int64 `json:"rowsBad"`
	// RowsPartlyLate are used rows of which something was late: one of the rows that unnest or
	// a join made of them.
	RowsPartlyLate int64 `json:"rowsPartlyLate,omitempty"`
	Replay         bool  `json:"replay,omitempty"` // the batch had been planned before a restart
	// Watermarks shows each input's own watermark, of which eventTime.watermark is the
	// least (or the greatest, by watermark_policy) one batch before.
	Watermarks []WatermarkProgress `json:"watermarks,omitempty"`
	// NextClose is the watermark at which the next result that is held comes out; absent
	// when none waits for a watermark.
	NextClose string `json:"nextClose,omitempty"`
	// Forced is why the batch closed what no event time closes: timeout or end of input.
	Forced string `json:"forced,omitempty"`

	// WatermarkMicros is the watermark the batch ran with, for renderers;
	// HasWatermark is false for a plan without one.
	WatermarkMicros int64 `json:"-"`
	HasWatermark    bool  `json:"-"`
}

// OperatorProgress is one entry of stateOperators.
type OperatorProgress struct {
	Output                    string           `json:"output,omitempty"` // the target, of a statement set
	OperatorName              string           `json:"operatorName"`
	NumRowsTotal              int64            `json:"numRowsTotal"`
	NumRowsUpdated            int64            `json:"numRowsUpdated"`
	AllUpdatesTimeMs          int64            `json:"allUpdatesTimeMs"`
	NumRowsRemoved            int64            `json:"numRowsRemoved"`
	AllRemovalsTimeMs         int64            `json:"allRemovalsTimeMs"`
	CommitTimeMs              int64            `json:"commitTimeMs"`
	MemoryUsedBytes           int64            `json:"memoryUsedBytes"`
	NumRowsDroppedByWatermark int64            `json:"numRowsDroppedByWatermark"`
	NumShufflePartitions      int64            `json:"numShufflePartitions"`   // 1: the state is not divided
	NumStateStoreInstances    int64            `json:"numStateStoreInstances"` // 1
	CustomMetrics             map[string]int64 `json:"customMetrics,omitempty"`
}

// SourceProgress is one entry of sources.
type SourceProgress struct {
	Description            string          `json:"description"`
	StartOffset            json.RawMessage `json:"startOffset"` // null before the first row
	EndOffset              json.RawMessage `json:"endOffset"`
	LatestOffset           json.RawMessage `json:"latestOffset"`
	NumInputRows           int64           `json:"numInputRows"`
	InputRowsPerSecond     float64         `json:"inputRowsPerSecond,omitempty"`
	ProcessedRowsPerSecond float64         `json:"processedRowsPerSecond"`
}

// SinkProgress is the sink's entry.
type SinkProgress struct {
	Description   string `json:"description"`
	NumOutputRows int64  `json:"numOutputRows"`
	// NumDeletedRows, beyond Spark, are rows that are in the result no more, in update mode.
	NumDeletedRows int64 `json:"numDeletedRows,omitempty"`
}

// OutputProgress is one entry of outputs. Rows that were read = used + filtered + late +
// bad; of a stream that the output reads by several ways they count once for each.
type OutputProgress struct {
	Target         string `json:"target"`
	Description    string `json:"description"`
	OutputMode     string `json:"outputMode"`
	NumInputRows   int64  `json:"numInputRows"`
	NumOutputRows  int64  `json:"numOutputRows"`
	NumDeletedRows int64  `json:"numDeletedRows,omitempty"`
	RowsUsed       int64  `json:"rowsUsed"`
	RowsFiltered   int64  `json:"rowsFiltered"`
	RowsLate       int64  `json:"rowsLate"`
	RowsBad        int64  `json:"rowsBad"`
	RowsPartlyLate int64  `json:"rowsPartlyLate,omitempty"`
}

// WatermarkProgress is the watermark of one input after the batch.
type WatermarkProgress struct {
	Column    string `json:"column"`              // relation.column
	Watermark string `json:"watermark,omitempty"` // absent before its first row
	Idle      bool   `json:"idle,omitempty"`      // the query does not wait for it
}

// progressTime is the format of times in progress: UTC with milliseconds.
const progressTime = "2006-01-02T15:04:05.000Z"

// describe makes the progress of a committed batch.
func (q *Query) describe(res *result) *Progress {
	took := time.Since(res.started)
	c := res.counts
	p := &Progress{
		ID: q.id, RunID: q.run, Name: q.cfg.Name,
		Timestamp: time.UnixMicro(res.plan.NowMicros).UTC().Format(progressTime),
		BatchID:   res.plan.Batch, BatchDuration: took.Milliseconds(),
		NumInputRows: c.read, DurationMs: map[string]int64{},
		RowsUsed: c.used, RowsFiltered: c.filtered, RowsLate: c.late, RowsBad: c.bad, RowsPartlyLate: c.partlyLate,
		Replay: res.replay, Forced: res.plan.Forced,
		Sink: SinkProgress{Description: strings.Join(q.cfg.SinkDescriptions, ", "), NumOutputRows: res.rowsOut, NumDeletedRows: res.deleted},

		Outputs: q.outputProgress(res),

		StateOperators: []OperatorProgress{}, // a list in JSON, as Spark's, also without any
	}
	for name, d := range res.durations {
		p.DurationMs[name] = d.Milliseconds()
	}
	p.DurationMs["triggerExecution"] = p.BatchDuration
	sinceLast := time.Duration(0)
	if !q.started.IsZero() {
		sinceLast = res.started.Sub(q.started)
	}
	q.started = res.started
	p.InputRowsPerSecond, p.ProcessedRowsPerSecond = rate(c.read, sinceLast), rate(c.read, max(took, time.Millisecond))
	if len(q.wm.nodes) > 0 {
		p.HasWatermark, p.WatermarkMicros = true, res.plan.WatermarkMicros
		p.EventTime = eventTimes(res)
		p.Watermarks = q.watermarkProgress(res)
		if res.closes {
			p.NextClose = time.UnixMicro(wholeMillis(res.nextClose)).UTC().Format(progressTime)
		}
	}
	// Nearest to the sink first: the reverse of the order in the log, which is
	// children first.
	for i := len(res.stats) - 1; i >= 0; i-- {
		o := q.operatorProgress(q.states[i], res.stats[i])
		t := res.times[i]
		o.AllUpdatesTimeMs, o.AllRemovalsTimeMs, o.CommitTimeMs = t.updates.Milliseconds(), t.removals.Milliseconds(), t.commit.Milliseconds()
		p.StateOperators = append(p.StateOperators, o)
	}
	for i, s := range q.cfg.Sources {
		sp := SourceProgress{Description: s.Description(), NumInputRows: c.bySource[i]}
		sp.InputRowsPerSecond, sp.ProcessedRowsPerSecond = rate(c.bySource[i], sinceLast), rate(c.bySource[i], max(took, time.Millisecond))
		if i < len(res.offsets) {
			sp.StartOffset, sp.EndOffset, sp.LatestOffset = res.offsets[i].start, res.offsets[i].end, res.offsets[i].end
		}
		p.Sources = append(p.Sources, sp)
	}
	return p
}

// rate returns rows per second to one decimal, 0 when there is no time to divide by.
func rate(rows int64, d time.Duration) float64 {
	if d <= 0 {
		return 0
	}
	return math.Round(10*float64(rows)/d.Seconds()) / 10
}

// outputProgress describes the outputs of a statement set; nil for one output.
func (q *Query) outputProgress(res *result) []OutputProgress {
	if len(q.roots) == 1 {
		return nil
	}
	out := make([]OutputProgress, len(q.roots))
	for i, o := range q.cfg.Plan.Outputs {
		c := res.counts.outputs[i]
		out[i] = OutputProgress{
			Target: o.Target, Description: q.cfg.SinkDescriptions[i], OutputMode: o.Mode.String(),
			NumInputRows: c.read, NumOutputRows: c.rowsOut, NumDeletedRows: c.rowsDeleted, RowsUsed: c.used, RowsFiltered: c.filtered, RowsLate: c.late, RowsBad: c.bad, RowsPartlyLate: c.partlyLate,
		}
	}
	return out
}

func (q *Query) operatorProgress(b *breaker, s op.Stats) OperatorProgress {
	state := b.state
	o := OperatorProgress{
		OperatorName: state.Name(), NumRowsTotal: s.RowsTotal, NumRowsUpdated: s.RowsUpdated,
		NumRowsRemoved: s.RowsRemoved, NumRowsDroppedByWatermark: s.RowsLate, MemoryUsedBytes: s.MemoryBytes,
		NumShufflePartitions: 1, NumStateStoreInstances: 1,
	}
	if len(q.roots) > 1 {
		o.Output = q.cfg.Plan.Outputs[b.output].Target
	}
	if _, ok := state.(*op.Dedup); ok {
		o.CustomMetrics = map[string]int64{"numDroppedDuplicateRows": s.RowsDuplicate}
	}
	if s.RowsPartlyLate > 0 {
		o.CustomMetrics = map[string]int64{"numRowsPartlyLate": s.RowsPartlyLate}
	}
	return o
}

func (q *Query) watermarkProgress(res *result) []WatermarkProgress {
	out := make([]WatermarkProgress, len(q.wm.defs))
	for id, def := range q.wm.defs {
		out[id] = WatermarkProgress{Column: def.Relation + "." + def.Column, Idle: slices.Contains(res.plan.Idle, id)}
		if n := res.nodes[id]; n != nil {
			out[id].Watermark = time.UnixMicro(*n).UTC().Format(progressTime)
		}
	}
	return out
}

// eventTimes shows the first watermark node that saw rows, as Spark does.
func eventTimes(res *result) map[string]string {
	at := func(millis int64) string { return time.UnixMilli(millis).UTC().Format(progressTime) }
	m := map[string]string{"watermark": at(res.plan.WatermarkMicros / 1000)}
	for _, s := range res.event {
		if s.Count > 0 {
			m["min"], m["max"] = at(s.MinMillis), at(s.MaxMillis)
			m["avg"] = at(int64(s.SumMillis / float64(s.Count)))
			break
		}
	}
	return m
}

// StateProgress returns the state operators after the newest batch, nearest to the
// sink first.
func (q *Query) StateProgress() []OperatorProgress {
	out := make([]OperatorProgress, 0, len(q.states))
	for i := len(q.states) - 1; i >= 0; i-- {
		out = append(out, q.operatorProgress(q.states[i], q.states[i].state.Stats()))
	}
	return out
}

// JSON returns the progress as Spark writes it.
func (p *Progress) JSON() string {
	text, err := json.Marshal(p)
	if err != nil {
		return "{}"
	}
	return string(text)
}
