//! Spall streams, as written by `spall.h` and its kin.
