//! Rivals in Rust as one C library. A call hashes the same batches again and again, so that what it costs to come here from
//! Go is no part of what is measured.

use std::ffi::{CStr, CString, c_char};
use std::hint::black_box;
use std::slice;
use std::sync::OnceLock;

use commonware_cryptography::{Hasher, Sha256};
use commonware_parallel::Sequential;
use tape_sha256::{backends, hash_many_prefixed};

#[repr(C)]
pub struct Bytes {
    data: *const u8,
    len: usize,
}

impl Bytes {
    /// The caller keeps the bytes alive and unchanged for as long as its call lasts.
    unsafe fn get<'a>(&self) -> &'a [u8] {
        if self.len == 0 {
            return &[];
        }
        unsafe { slice::from_raw_parts(self.data, self.len) }
    }
}

/// Messages that go in one call, each prefix || body; joined are the same with the prefix in place.
#[repr(C)]
pub struct Batch {
    prefix: Bytes,
    bodies: *const Bytes,
    joined: *const Bytes,
    digests: *mut [u8; 32],
    count: usize,
}

struct Work<'a> {
    prefix: &'a [u8],
    bodies: Vec<&'a [u8]>,
    joined: Vec<&'a [u8]>,
    digests: &'a mut [[u8; 32]],
}

impl Work<'_> {
    unsafe fn new<'a>(b: &Batch) -> Work<'a> {
        let list = |p| unsafe { slice::from_raw_parts::<Bytes>(p, b.count) }.iter();
        Work {
            prefix: unsafe { b.prefix.get() },
            bodies: list(b.bodies).map(|m| unsafe { m.get() }).collect(),
            joined: list(b.joined).map(|m| unsafe { m.get() }).collect(),
            digests: unsafe { slice::from_raw_parts_mut(b.digests, b.count) },
        }
    }
}

type Prefixed = unsafe fn(&[u8], &[&[u8]], &mut [[u8; 32]]);

enum How {
    /// tape-sha256 takes the prefix apart from the bodies.
    Prefixed(Prefixed),
    /// commonware takes whole messages, and returns a vector.
    Joined,
}

struct Rival {
    name: &'static CStr,
    lacks: &'static CStr, // what the CPU lacks for it; empty where it runs
    how: How,
}

/// tape-sha256 with one of its backends, which needs something of the CPU that may be there or not.
fn pinned(name: &'static CStr, needs: &'static CStr, there: bool, f: Prefixed) -> Rival {
    Rival {
        name,
        lacks: if there { c"" } else { needs },
        how: How::Prefixed(f),
    }
}

fn rivals() -> Vec<Rival> {
    let mut all = vec![
        pinned(c"tape-sha256", c"", true, hash_many_prefixed),
        pinned(c"tape-sha256 serial", c"", true, backends::serial_slices),
        pinned(
            c"tape-sha256 portable-8",
            c"",
            true,
            backends::portable8_slices,
        ),
    ];
    all.extend(backends_here());
    all.push(Rival {
        name: c"commonware hash_many",
        lacks: c"",
        how: How::Joined,
    });
    all
}

// Each asks for the extensions that the crate's own selection asks for.

#[cfg(target_arch = "x86_64")]
fn backends_here() -> Vec<Rival> {
    let sha = is_x86_feature_detected!("sha")
        && is_x86_feature_detected!("ssse3")
        && is_x86_feature_detected!("sse4.1");
    let avx2 = is_x86_feature_detected!("avx2");
    let avx512 = is_x86_feature_detected!("avx512f") && is_x86_feature_detected!("avx512bw");
    vec![
        pinned(
            c"tape-sha256 shani-x4",
            c"SHA",
            sha,
            backends::shani_x4_slices,
        ),
        pinned(
            c"tape-sha256 avx2-8",
            c"AVX2",
            avx2,
            backends::avx2_8_slices,
        ),
        pinned(
            c"tape-sha256 avx512-16",
            c"AVX-512",
            avx512,
            backends::avx512_16_slices,
        ),
        pinned(
            c"tape-sha256 avx512-2x16",
            c"AVX-512",
            avx512,
            backends::avx512_16x2_slices,
        ),
    ]
}

#[cfg(target_arch = "aarch64")]
fn backends_here() -> Vec<Rival> {
    let sha = std::arch::is_aarch64_feature_detected!("sha2");
    vec![
        pinned(c"tape-sha256 neon-4", c"", true, backends::neon4_slices),
        pinned(
            c"tape-sha256 neon-sha2-x4",
            c"SHA2",
            sha,
            backends::neon_sha2x4_slices,
        ),
    ]
}

#[cfg(not(any(target_arch = "x86_64", target_arch = "aarch64")))]
fn backends_here() -> Vec<Rival> {
    Vec::new()
}

/// The name of a rival, null behind the last.
#[unsafe(no_mangle)]
pub extern "C" fn rival_name(rival: usize) -> *const c_char {
    rivals()
        .get(rival)
        .map_or(std::ptr::null(), |r| r.name.as_ptr())
}

/// What the CPU lacks for a rival, or an empty string.
#[unsafe(no_mangle)]
pub extern "C" fn rival_lacks(rival: usize) -> *const c_char {
    rivals()[rival].lacks.as_ptr()
}

/// The backend that tape-sha256 chooses here.
#[unsafe(no_mangle)]
pub extern "C" fn tape_choice() -> *const c_char {
    static NAME: OnceLock<CString> = OnceLock::new();
    NAME.get_or_init(|| CString::new(tape_sha256::backend()).unwrap_or_default())
        .as_ptr()
}

/// Hashes the batches in order, each in one call of the rival, and all of that so many times.
///
/// # Safety
///
/// The batches and all that they point to are valid, nobody else touches them meanwhile, and the CPU lacks nothing.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn rival_hash(
    rival: usize,
    batches: *const Batch,
    count: usize,
    times: usize,
) {
    let mut works: Vec<Work> = unsafe { slice::from_raw_parts(batches, count) }
        .iter()
        .map(|b| unsafe { Work::new(b) })
        .collect();
    match rivals()[rival].how {
        How::Prefixed(f) => {
            for _ in 0..times {
                for w in &mut works {
                    unsafe {
                        f(
                            black_box(w.prefix),
                            black_box(&w.bodies),
                            black_box(&mut *w.digests),
                        )
                    };
                }
            }
        }
        How::Joined => {
            for _ in 1..times {
                for w in &works {
                    black_box(Sha256::hash_many(black_box(&w.joined), &Sequential));
                }
            }
            // The last time the digests go where they can be checked.
            for w in &mut works {
                for (to, from) in w
                    .digests
                    .iter_mut()
                    .zip(Sha256::hash_many(&w.joined, &Sequential))
                {
                    *to = from.0;
                }
            }
        }
    }
}

/// What a call costs that does nothing.
#[unsafe(no_mangle)]
pub extern "C" fn rival_nothing(_rival: usize, batches: *const Batch, count: usize, times: usize) {
    black_box((batches, count, times));
}
