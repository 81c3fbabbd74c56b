package plan

// Watermark observes the event-time column Index of its input: rows with a
// NULL there are bad rows.
type Watermark struct {
	Input Node
	Index int
	Def   *WatermarkDef
	Cols  []Column
}

func (n *Watermark) Columns() []Column { return n.Cols }
func (n *Watermark) Inputs() []Node    { return []Node{n.Input} }
func (*Watermark) node()               {}
