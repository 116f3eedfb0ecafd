module github.com/tapecommit/tapecommit

go 1.25.0

require (
	github.com/klauspost/cpuid/v2 v2.4.2 // indirect
	github.com/klauspost/reedsolomon v1.14.2 // indirect
	github.com/minio/sha256-simd v1.0.1 // indirect
	github.com/transparency-dev/merkle v0.0.2 // indirect
	golang.org/x/sys v0.47.0 // indirect
)
