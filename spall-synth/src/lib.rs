//! Writes valid and damaged traces of every format and size, for tests, benchmarks and fuzzing.
//!
//! It shares no code with the readers, so that a mistake in one is seen by the other.

pub mod apitrace;
pub mod auto;
pub mod corpus;
pub mod cpu_profile;
pub mod gzip;
pub mod heph;
pub mod json;
pub mod spall;
