package report

import (
	"strings"
	"testing"

	"hallmark/internal/stat"
)

// A number on the page says what it rests on, where it stands.
func TestFigureSaysWhatItRestsOn(t *testing.T) {
	doubtful := stat.Wilson(3, 1200, .95)
	doubtful.Warnings = []string{"<b>few\u202e</b>"}
	doc := treeOf(map[string]any{"known": doubtful.Known(), "rate": stat.Wilson(1, 4, .95).Rate(), "bare": .5,
		"none": stat.Wilson(0, 0, .95).Known()})
	for key, want := range map[string]string{
		"known": `<data value="0.0025" data-path="known.estimate" title="n = 1,200; interval: wilson; &lt;b&gt;few⟨U+202E⟩&lt;/b&gt;">0.2`,
		"rate":  `<data value="0.25" data-path="rate.rate" title="n = 4; interval: wilson">25.0`,
		"bare":  `<data value="0.5" data-path="bare">50.0`,
		"none":  `<span class="soft" title="no value">`,
	} {
		if got := string(doc.fig(share, key).Data()); !strings.HasPrefix(got, want) {
			t.Errorf("%s: %s, want %s…", key, got, want)
		}
	}
}
