package assay

import "hallmark/internal/prompt"

// A TemplateFile holds the templates of a file, which a plan uses in place of the generated ones.
type TemplateFile struct {
	From      string            `json:"from,omitempty"` // the name of the file, which decides nothing
	Templates []prompt.Template `json:"templates"`
}
