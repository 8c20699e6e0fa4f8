//! The code that benchmarks share: inputs of known content, our side of each job, the rivals' side, and a stop watch.
//!
//! `README.md` says how to run them and how to read what they print.

pub mod input;
pub mod json_input;
pub mod layout_input;
pub mod measure;
pub mod ours;
pub mod peer;
pub mod report;
