// Command generator writes the SDKs for Python and Go, and the reference for YAML, from a Pulumi schema.
//
//	generator <schema.json> <folder>
package main

import (
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"

	gogen "github.com/pulumi/pulumi/pkg/v3/codegen/go"
	"github.com/pulumi/pulumi/pkg/v3/codegen/python"
	"github.com/pulumi/pulumi/pkg/v3/codegen/schema"
)

// tool is the name in the headers of the generated files.
const tool = "npm run languages"

type files = map[string][]byte

var languages = map[string]func(*schema.Package) (files, error){
	"python": func(pkg *schema.Package) (files, error) {
		sdk, err := python.GeneratePackage(tool, pkg, nil, nil)
		if err != nil {
			return nil, err
		}
		// pyproject.toml names a README.md beside itself, and the generator writes one only into the package.
		sdk["README.md"] = []byte(pkg.Description + ".\n\n" +
			"The resources run in a plugin that is part of the npm package `pulumi-cloudservices`. It needs Node.js: see\n" +
			"`docs/languages.md` in the repository.\n")
		return sdk, nil
	},
	"go": func(pkg *schema.Package) (files, error) {
		return gogen.GeneratePackage(tool, pkg, nil)
	},
	"yaml": func(pkg *schema.Package) (files, error) {
		return files{"README.md": reference(pkg)}, nil
	},
}

func main() {
	if err := run(os.Args[1:]); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}

func run(args []string) error {
	if len(args) != 2 {
		return errors.New("usage: generator <schema.json> <folder>")
	}
	text, err := os.ReadFile(args[0])
	if err != nil {
		return err
	}
	for language, generate := range languages {
		// Generators change the package, so each gets its own.
		pkg, err := bind(text)
		if err != nil {
			return err
		}
		generated, err := generate(pkg)
		if err != nil {
			return fmt.Errorf("%s: %w", language, err)
		}
		if err := write(filepath.Join(args[1], language), generated); err != nil {
			return err
		}
	}
	return nil
}

func bind(text []byte) (*schema.Package, error) {
	var spec schema.PackageSpec
	if err := json.Unmarshal(text, &spec); err != nil {
		return nil, err
	}
	pkg, diagnostics, err := schema.BindSpec(spec, nil, schema.ValidationOptions{})
	if err != nil {
		return nil, err
	}
	if diagnostics.HasErrors() {
		return nil, diagnostics
	}
	return pkg, nil
}

func write(folder string, generated files) error {
	for name, content := range generated {
		path := filepath.Join(folder, filepath.FromSlash(name))
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			return err
		}
		if err := os.WriteFile(path, content, 0o644); err != nil {
			return err
		}
	}
	return nil
}
