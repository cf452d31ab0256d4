package engine

// Score is ScoreBatch of one query.
func (m *Model) Score(prompt []int32, continuations [][]int32) ([][]float64, error) {
	out, err := m.ScoreBatch([]Query{{prompt, continuations}})
	if err != nil {
		return nil, err
	}
	return out[0], nil
}
