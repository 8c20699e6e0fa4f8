//! Profiles of pprof, as Go, gperftools and many other programs write them. [profiles
//! 3](spall_model::rules::profiles#3)
//!
//! A profile is one message of Protocol Buffers, which is usually compressed with gzip:
//! [`container`](crate::container) opens it.
//!
//! | in the file | event |
//! |---|---|
//! | types of value | a profile of each thread, under a name such as `cpu/nanoseconds`, of which one counts |
//! | locations with their lines, functions and mappings | shared call frames |
//! | samples | a sample for each value that is not 0, with the labels as arguments |
//! | everything else | facts of the file |
//!
//! This module needs the feature `profiles`.
//!
//! ```
//! use spall_format::pprof::Parser;
//! use spall_model::{Event, LendingParser as _, ProfileId};
//!
//! // Samples in nanoseconds, of which there is one: 7 ns in no function. The texts are "", "cpu" and "nanoseconds".
//! let file = b"\x0a\x04\x08\x01\x10\x02\x12\x03\x12\x01\x07\x32\x00\x32\x03cpu\x32\x0bnanoseconds";
//! let mut weights = Vec::new();
//! Parser::new().lend_all(file, |event, _| {
//!     if let Event::Sample(sample) = event
//!         && let ProfileId::OfThread(_, value) = sample.profile
//!     {
//!         weights.push((value.decode().into_owned(), sample.weight));
//!     }
//! })?;
//! assert_eq!(weights, [("cpu/nanoseconds".to_owned(), 7.0)]);
//! # Ok::<(), spall_format::FormatError>(())
//! ```

mod detect;
mod parser;
mod samples;
mod schema;
mod tables;
mod value_type;

pub use detect::is_profile;
pub use parser::Parser;
