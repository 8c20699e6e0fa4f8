//! Generators of valid and damaged traces of every format, for tests, benchmarks and fuzzing.
//!
//! Each module writes one format from its description and shares no code with the parser of that format. So a mistake
//! in either of them shows as a difference.
//!
//! ```
//! use spall_synth::spall::{Shape, trace};
//!
//! let small = trace(&Shape { slices: 10, threads: 1, ..Shape::default() });
//! assert_eq!(small[..4], [0x0d, 0xf0, 0xad, 0x0b]);
//! // The same shape makes the same bytes.
//! assert_eq!(small, trace(&Shape { slices: 10, threads: 1, ..Shape::default() }));
//! ```

pub mod apitrace;
pub mod auto;
pub mod costs;
pub mod cpu_profile;
pub mod ftrace;
pub mod gzip;
pub mod heph;
pub mod json;
pub mod json_profiles;
pub mod perf_script;
pub mod perfetto;
pub mod profiles;
pub mod program;
mod random;
pub mod recordings;
pub mod services;
pub mod shapes;
pub mod spall;

pub use random::Random;

// Runs the examples of the README as tests.
#[cfg(doctest)]
#[doc = include_str!("../README.md")]
struct Readme;
