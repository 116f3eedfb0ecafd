module github.com/tapecommit/tapecommit

go 1.25.0

require (
	github.com/klauspost/cpuid/v2 v2.4.2
	github.com/klauspost/reedsolomon v1.14.2
	github.com/minio/sha256-simd v1.0.1
	github.com/transparency-dev/merkle v0.0.2
	golang.org/x/sys v0.47.0
)
