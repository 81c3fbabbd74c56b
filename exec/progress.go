package exec

import (
	"encoding/json"
	"time"

	"ssql/exec/op"
)

// progressTime is the format of times in progress: UTC with milliseconds.
const progressTime = "2006-01-02T15:04:05.000Z"

// describe makes the progress of a committed batch (spark-semantics §7).
func (q *Query) describe(res *result) *Progress {
	now := time.Now()
	c := res.counts
	p := &Progress{
		ID: q.id, RunID: q.run, Name: q.cfg.Name,
		Timestamp: time.UnixMicro(res.plan.NowMicros).UTC().Format(progressTime),
		BatchID:   res.plan.Batch, BatchDuration: now.Sub(res.started).Milliseconds(),
		NumInputRows: c.read, DurationMs: map[string]int64{},
		RowsUsed: c.used, RowsFiltered: c.filtered, RowsLate: c.late, RowsBad: c.bad,
		Replay: res.replay, Sink: SinkProgress{Description: q.cfg.SinkDescription, NumOutputRows: res.rowsOut},
	}
	for name, d := range res.durations {
		p.DurationMs[name] = d.Milliseconds()
	}
	p.DurationMs["walCommit"] = q.walCommit.Milliseconds()
	p.DurationMs["triggerExecution"] = p.BatchDuration
	p.ProcessedRowsPerSecond = float64(c.read) / max(now.Sub(res.started).Seconds(), 0.001)
	if !q.started.IsZero() {
		if d := res.started.Sub(q.started).Seconds(); d > 0 {
			p.InputRowsPerSecond = float64(c.read) / d
		}
	}
	q.started = res.started
	if len(q.wm.nodes) > 0 {
		p.HasWatermark, p.WatermarkMicros = true, res.plan.WatermarkMicros
		p.EventTime = eventTimes(res)
	}
	// Nearest to the sink first: the reverse of the order in the log, which is
	// children first.
	for i := len(res.stats) - 1; i >= 0; i-- {
		p.StateOperators = append(p.StateOperators, operatorProgress(q.states[i].state.Name(), res.stats[i]))
	}
	for i, s := range q.cfg.Sources {
		sp := SourceProgress{Description: s.Description(), NumInputRows: c.bySource[i]}
		if i < len(res.offsets) {
			sp.StartOffset, sp.EndOffset, sp.LatestOffset = res.offsets[i].start, res.offsets[i].end, res.offsets[i].end
		}
		p.Sources = append(p.Sources, sp)
	}
	return p
}

func operatorProgress(name string, s op.Stats) OperatorProgress {
	return OperatorProgress{
		OperatorName: name, NumRowsTotal: s.RowsTotal, NumRowsUpdated: s.RowsUpdated,
		NumRowsRemoved: s.RowsRemoved, NumRowsDroppedByWatermark: s.RowsLate, MemoryUsedBytes: s.MemoryBytes,
	}
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
		out = append(out, operatorProgress(q.states[i].state.Name(), q.states[i].state.Stats()))
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
