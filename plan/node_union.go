package plan

// Union concatenates inputs of equal schema.
type Union struct {
	Ins  []Node
	Cols []Column
}

func (n *Union) Columns() []Column { return n.Cols }
func (n *Union) Inputs() []Node    { return n.Ins }
func (*Union) node()               {}
