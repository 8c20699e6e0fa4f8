//! Feeds any bytes to the oracle of the same name; without a fuzzer, the files named on the command line.
#![cfg_attr(fuzzing, no_main)]

#[cfg(fuzzing)]
libfuzzer_sys::fuzz_target!(|bytes: &[u8]| {
    spall_fuzz::parallel::run(bytes);
});

#[cfg(not(fuzzing))]
fn main() -> std::io::Result<()> {
    for path in std::env::args_os().skip(1) {
        spall_fuzz::parallel::run(&std::fs::read(path)?);
    }
    Ok(())
}
