// Bench measures this library beside its rivals, in one run on one machine:
//
//	go run ./bench                  figures as text
//	go run ./bench -json FILE|-     as JSON, too, or instead
//	go run ./bench -o .             as tables in BENCHMARKS.md, with a chart in bench/figures, too
//
// What is timed, and what it means, is written in BENCHMARKS.md. This is how.
//
// # Rivals
//
// crypto/sha256 and minio/sha256-simd hash messages whose prefix was joined beforehand, one after the other. The crates
// tape-sha256 and commonware-cryptography are built by cargo, with a thin shim, as one C library, in a folder of the
// user's cache; the first time takes some minutes. The library is opened in this process by purego, so that this program
// needs neither cgo nor a C compiler, and builds where there is no cargo. Everybody then works in one thread on one set of
// buffers. A sample is one call, in which the shim repeats the batch as the Go side repeats its own, so that the call
// itself, less than a microsecond for a millisecond's work, is no part of the comparison.
//
// A rival in Rust that is more than a tenth slower through this library than in its crate's own benchmark, which takes
// turns with it, is void: something here would be in its way. minio's server has a process of its own, which is stopped
// between its samples, because it polls.
//
// Before anything is timed, each contestant's digests are compared with those of crypto/sha256.
//
// # Samples
//
// All contestants of a shape take turns, in a new order each round. A sample is the fastest of five parts of a
// millisecond each, so that a neighbour on the machine spoils a part and not the sample. A figure is the median of the
// rounds' samples; a ratio is the median of the rounds' ratios, each of two samples a fraction of a second apart.
package main
