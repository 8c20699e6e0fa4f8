//! Oracles: functions that take any bytes and panic when a promise is broken.
//!
//! Each returns whether the input got as far as the assertions. `cargo test -p spall-fuzz` runs all oracles over generated
//! and damaged traces and random input, replays `regressions/`, and fails if too few inputs got that far. A fuzz target
//! calls the oracle of the same name: `cargo +nightly fuzz run load`. `README.md` says what each oracle promises. [`facts`], [`identical`],
//! [`overlapping`] and [`parsed`] are what they are made of, which tests of `spall-trace` use, too.

pub mod conservation;
pub mod events;
pub mod facts;
pub mod identical;
pub mod json_fast_vs_plain;
pub mod json_text;
pub mod json_vs_serde;
pub mod layout_invariants;
pub mod live;
pub mod load;
pub mod merge;
pub mod overlapping;
pub mod pairing;
pub mod parallel;
pub mod parsed;
pub mod rebuild;
pub mod round_trip;
pub mod samples;
pub mod split_input;
pub mod trees;
pub mod view;

/// Makes a program of an oracle: libFuzzer's, or without it one that reads the files named on the command line.
#[macro_export]
macro_rules! target {
    ($oracle:ident) => {
        #[cfg(fuzzing)]
        libfuzzer_sys::fuzz_target!(|bytes: &[u8]| {
            spall_fuzz::$oracle::run(bytes);
        });

        #[cfg(not(fuzzing))]
        fn main() -> std::io::Result<()> {
            for path in std::env::args_os().skip(1) {
                spall_fuzz::$oracle::run(&std::fs::read(path)?);
            }
            Ok(())
        }
    };
}
