package expr

// AggregateNames returns the names of the aggregate functions, sorted.
func AggregateNames() []string {
	names := make([]string, len(aggregateSpecs))
	for i, s := range aggregateSpecs {
		names[i] = s.name
	}
	return names
}
