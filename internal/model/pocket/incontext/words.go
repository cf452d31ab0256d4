package incontext

import "strings"

// The topics, by index, and the words of each. No word is in two lists of this file.
var topics = [...][]string{
	strings.Fields("lion tiger bear wolf fox horse cow sheep goat pig dog cat mouse rabbit deer camel"),
	strings.Fields("bread rice soup cheese butter egg honey salt sugar pasta cake pie meat stew jam toast"),
	strings.Fields("hammer saw drill nail screw axe file wrench chisel shovel rake spade clamp brush ladder knife"),
	strings.Fields("shirt coat hat shoe sock glove scarf dress skirt belt boot cap suit tie vest jacket"),
	strings.Fields("rain snow wind storm cloud fog hail frost ice thunder sun mist gale breeze heat flood"),
	strings.Fields("car bus train truck ship boat plane bike van taxi tram ferry tractor jet sled canoe"),
	strings.Fields("hand foot arm leg head eye ear nose mouth knee neck wrist chin toe thumb elbow"),
	strings.Fields("drum flute piano violin guitar harp horn trumpet cello organ bell song choir tune banjo lute"),
}

// names are those of the topics. In the tasks they are neither words nor labels; documents for learning use them.
var names = strings.Fields("animal food tool clothes weather vehicle body music")

// common are words that go with any topic.
var common = strings.Fields("the and with near over under some many old new big small long short good bad " +
	"fast slow high low first last next here there now then very more less other same")

// Fixed sets of labels. Coins are of tasks in which each topic draws its label, pairs and fours of those in which no
// two topics have the same; so the labels tell the kind of rule, as they do to the exact predictor.
var (
	coins = [][]string{{"red", "blue"}, {"left", "right"}, {"day", "night"}, {"alpha", "beta"}}
	pairs = [][]string{{"one", "two"}, {"gold", "silver"}}
	fours = [][]string{{"north", "south", "east", "west"}, {"spring", "summer", "autumn", "winter"}}
)

// Marks are the parts of the layout that a vocabulary should hold as one token each.
var Marks = []string{"Input:", "\nLabel:", "\n\n"}

// labels are all label words.
var labels = func() (all []string) {
	for _, sets := range [][][]string{coins, pairs, fours} {
		for _, set := range sets {
			all = append(all, set...)
		}
	}
	return all
}()
