package main

import (
	"fmt"
	"runtime"
	"strings"

	"github.com/klauspost/cpuid/v2"

	"github.com/tapecommit/tapecommit/hashcore"
)

// machine is where figures come from.
type machine struct {
	CPU     string   `json:"cpu"`
	Family  string   `json:"family"`
	Cores   int      `json:"cores"`
	System  string   `json:"system"`
	Go      string   `json:"go"`
	Rust    string   `json:"rust,omitempty"`
	Kernels []chosen `json:"kernels"`
}

// chosen is a kernel of ours that runs here, and what it is chosen for.
type chosen struct {
	Name string `json:"name"`
	Use  string `json:"use"`
}

const (
	zen3 = "Zen 3"
	zen4 = "Zen 4"
	zen5 = "Zen 5"
)

func thisMachine() machine {
	c := cpuid.CPU
	m := machine{
		CPU:    fmt.Sprintf("%s (family %d, model %d)", strings.TrimSpace(c.BrandName), c.Family, c.Model),
		Family: familyOf(c.IsVendor(cpuid.AMD), c.Family, c.Model, c.Supports(cpuid.AVX512F)),
		Cores:  runtime.NumCPU(),
		System: runtime.GOOS + "/" + runtime.GOARCH,
		Go:     runtime.Version(),
	}
	for _, k := range hashcore.Kernels() {
		if k.Err == nil {
			m.Kernels = append(m.Kernels, chosen{k.Name, k.Use})
		}
	}
	return m
}

// familyOf names what the tables are kept by.
func familyOf(amd bool, family, model int, avx512 bool) string {
	switch {
	case amd && family == 25 && !avx512:
		return zen3
	case amd && family == 25:
		return zen4
	case amd && family == 26:
		return zen5
	}
	return fmt.Sprintf("family %d model %d", family, model)
}

// slug is the family as it stands in names of files and marks.
func (m *machine) slug() string {
	return strings.ReplaceAll(strings.ToLower(m.Family), " ", "-")
}
