module github.com/tapecommit/tapecommit/examples

go 1.25.0

require (
	github.com/klauspost/cpuid/v2 v2.4.2 // indirect
	github.com/klauspost/reedsolomon v1.14.2 // indirect
	golang.org/x/sys v0.47.0 // indirect
)
