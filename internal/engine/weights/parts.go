package weights

import "io/fs"

// Tensors reads a folder's tensors by name: those of model.safetensors or of the files its index names. They view the
// files' bytes.
func Tensors(fsys fs.FS) (map[string]Tensor, error) {
	files := &openFiles{fsys: fsys, memory: true}
	defer files.close()
	all, err := files.tensors()
	if err != nil {
		return nil, err
	}
	out := make(map[string]Tensor, len(all))
	for name, t := range all {
		out[name] = t.Tensor
	}
	return out, nil
}

// Stops reads the tokens that end a text: eos_token_id of generation_config.json, else of config.json. They are of a
// vocabulary of so many.
func Stops(fsys fs.FS, vocabulary int) ([]int32, error) {
	config, err := fs.ReadFile(fsys, configFile)
	if err != nil {
		return nil, err
	}
	return stops(fsys, config, vocabulary)
}
