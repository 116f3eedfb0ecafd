package hashcore

// The assembly and its declarations, written by a program in a module of its own.
//
//go:generate go run -C _asm main.go -kernel shani-x1 -out ../sha256x1_shani_amd64.s -stubs ../sha256x1_shani_amd64.go -pkg hashcore
//go:generate go run -C _asm main.go -kernel shani-x2 -out ../sha256x2_shani_amd64.s -stubs ../sha256x2_shani_amd64.go -pkg hashcore
//go:generate go run -C _asm main.go -kernel shani-x4 -out ../sha256x4_shani_amd64.s -stubs ../sha256x4_shani_amd64.go -pkg hashcore
//go:generate go run -C _asm main.go -kernel avx2-x8 -out ../sha256x8_avx2_amd64.s -stubs ../sha256x8_avx2_amd64.go -pkg hashcore
//go:generate go run -C _asm main.go -kernel avx512-x16 -out ../sha256x16_avx512_amd64.s -stubs ../sha256x16_avx512_amd64.go -pkg hashcore
//go:generate go run -C _asm main.go -kernel avx512-x32 -out ../sha256x32_avx512_amd64.s -stubs ../sha256x32_avx512_amd64.go -pkg hashcore
//go:generate go run -C _asm main.go -kernel split-x8 -out ../sha256x8_split_amd64.s -stubs ../sha256x8_split_amd64.go -pkg hashcore
//go:generate go run -C _asm main.go -kernel split-x4 -out ../sha256x4_split_amd64.s -stubs ../sha256x4_split_amd64.go -pkg hashcore
//go:generate go run -C _asm main.go -kernel hybrid-x20 -out ../sha256x20_hybrid_amd64.s -stubs ../sha256x20_hybrid_amd64.go -pkg hashcore
//go:generate go run -C _asm main.go -kernel prefetch -out ../prefetch_amd64.s -stubs ../prefetch_amd64.go -pkg hashcore
