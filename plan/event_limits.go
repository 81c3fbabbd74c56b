package plan

import (
	"slices"
	"strings"

	"ssql/sql/types"
)

// eventLimits are the options of a stream about its event times.
type eventLimits struct {
	maxFutureMicros int64 // 0: no limit
	idleMicros      int64 // 0: never idle
}

// limitsBelow returns the limits for a watermark over n. Of several streams the
// strictest bound of the future holds, and the input is idle when all of them are.
func limitsBelow(n Node) eventLimits {
	if s, ok := n.(*Scan); ok {
		return s.limits
	}
	inputs := n.Inputs()
	if j, ok := n.(*Join); ok && j.Static {
		inputs = inputs[:1] // a table has no event time
	}
	if a, ok := n.(*AsOf); ok && a.Static {
		inputs = inputs[:1]
	}
	var out eventLimits
	for i, in := range inputs {
		l := limitsBelow(in)
		if i == 0 {
			out = l
			continue
		}
		if out.maxFutureMicros == 0 || l.maxFutureMicros != 0 && l.maxFutureMicros < out.maxFutureMicros {
			out.maxFutureMicros = l.maxFutureMicros
		}
		if out.idleMicros == 0 || l.idleMicros == 0 {
			out.idleMicros = 0
		} else {
			out.idleMicros = max(out.idleMicros, l.idleMicros)
		}
	}
	return out
}

// TimeoutMicros is after how long without input what is open is closed: the shortest that
// EMIT ... TIMEOUT says of a result that holds rows back, 0 if none says one.
func (p *Plan) TimeoutMicros() int64 {
	return least(p.Outputs, func(o *Output) int64 {
		if o.Mode != types.Append {
			return 0 // the other modes hold nothing back
		}
		return o.TimeoutMicros
	})
}

// EveryMicros is the interval of the trigger by EMIT ... EVERY: the shortest of all
// outputs, 0 if none says one.
func (p *Plan) EveryMicros() int64 {
	return least(p.Outputs, func(o *Output) int64 { return o.EveryMicros })
}

// least returns the least value that is set, 0 if none is.
func least(outputs []*Output, micros func(*Output) int64) int64 {
	v := int64(0)
	for _, o := range outputs {
		if m := micros(o); m > 0 && (v == 0 || m < v) {
			v = m
		}
	}
	return v
}

// HoldsBack reports whether some output comes out only when it is final: the watermark
// decides when.
func (p *Plan) HoldsBack() bool {
	return slices.ContainsFunc(p.Outputs, func(o *Output) bool { return o.Mode == types.Append })
}

// limitsText says what bounds a watermark besides its delay, for EXPLAIN.
func (w *WatermarkDef) limitsText() string {
	var b strings.Builder
	if w.MaxFutureMicros > 0 {
		b.WriteString("; rows more than " + durationText(w.MaxFutureMicros) + " ahead of the clock are bad rows (max_future)")
	}
	if w.IdleMicros > 0 {
		b.WriteString("; left out after " + durationText(w.IdleMicros) + " without input (idle_timeout)")
	}
	return b.String()
}
