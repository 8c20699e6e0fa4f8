//! Feeds any bytes to the oracle of the same name; without a fuzzer, the files named on the command line.
#![cfg_attr(fuzzing, no_main)]

spall_fuzz::target!(pairing);
