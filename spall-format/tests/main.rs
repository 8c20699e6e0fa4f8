//! The tests of this library from outside. They are modules of one program, because every program would compile and link
//! the library's generic code again.

#![allow(
    clippy::cast_possible_truncation,
    clippy::cast_sign_loss,
    clippy::expect_used,
    clippy::indexing_slicing,
    clippy::panic,
    clippy::print_stdout,
    clippy::std_instead_of_alloc,
    clippy::unwrap_used,
    reason = "a test fails by panicking"
)]

mod apitrace;
mod apitrace_arguments;
mod apitrace_corpus;
mod apitrace_events;
mod common;
mod folded;
mod heph;
mod heph_corpus;
mod perfetto;
mod pprof;
mod spall;
mod spall_auto;
mod spall_corpus;
mod spall_pieces;
mod spall_write;
