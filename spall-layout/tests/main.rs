//! The tests of this library from outside. They are modules of one program, because every program would compile and link
//! the library's generic code again.

#![allow(
    clippy::cast_possible_truncation,
    clippy::cast_sign_loss,
    clippy::indexing_slicing,
    clippy::unwrap_used,
    reason = "a test fails by panicking"
)]

extern crate alloc;

mod active;
mod allocations;
mod common;
mod critical_path;
mod extremes;
mod flows;
mod gaps;
mod hits;
mod instance;
mod layout;
mod live;
mod oracle;
mod pack;
mod picture;
mod shared;
mod slice_visits;
mod some_slices;
mod sums;
mod trees;
mod window;
