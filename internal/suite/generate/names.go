package generate

import "hallmark/internal/world"

// invented has patterns of names for worlds that bring none of a kind. A part in braces stands for one of that kind.
var invented = &world.World{Names: map[string][]string{
	"person": {"{first} {last}"},
	"first": {"Ada", "Bruno", "Celia", "Dorian", "Elin", "Farid", "Greta", "Henrik", "Ines", "Jonas", "Kaya", "Leon",
		"Mira", "Nils", "Orla", "Pavel",
		"Runa", "Silas", "Tilda", "Viktor", "Wanda", "Yara"},
	"last": {"Altmoor", "Brandvik", "Corveen", "Dunhollow", "Eskelund", "Farrowgate", "Grimsel", "Hollarin",
		"Istvaan", "Jorvinen", "Keldermans",
		"Lindqvaer", "Morvanne", "Nethersole", "Ostrava-Reyes", "Penhallick", "Quillfeather", "Rostwald", "Sandovar",
		"Thorncastle", "Ulverstad", "Wexcombe"},
	"place": {"{place-head}{place-tail}"},
	"place-head": {"Alder", "Brack", "Cald", "Dorn", "Eber", "Fenn", "Gris", "Harl", "Ister", "Kell", "Lund", "Marr",
		"Nor", "Oster", "Pell", "Quarr",
		"Rav", "Sool", "Thist", "Ulver", "Vell", "Wend"},
	"place-tail": {"mark", "holm", "wick", "moor", "stead", "haven", "ford", "mere", "dale", "garth", "burn",
		"combe"},
	"company":      {"{place-head}{place-tail} {company-tail}", "{last} & {last}", "{last} {company-tail}"},
	"company-tail": {"Works", "Trading", "Instruments", "Foundry", "Logistics", "Mills", "Laboratories", "Press"},
}}

// invent draws a name of a kind that nothing of the world has: from the world's own patterns, else from those here.
func (d *draw) invent(kind string) string {
	if s, ok := d.w.Invent(d.r, kind); ok {
		return s
	}
	for range 100 {
		if s, _ := invented.Invent(d.r, kind); !d.w.Taken(s) {
			return s
		}
	}
	s, _ := invented.Invent(d.r, kind)
	return s + " II"
}
