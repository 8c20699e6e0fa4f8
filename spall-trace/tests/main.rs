//! The tests of this library from outside. They are modules of one program, because every program would compile and link
//! the library's generic code again.

#![allow(
    clippy::cast_possible_truncation,
    clippy::indexing_slicing,
    clippy::panic,
    clippy::print_stdout,
    clippy::std_instead_of_alloc,
    clippy::std_instead_of_core,
    clippy::string_slice,
    clippy::unwrap_used,
    reason = "a test fails by panicking"
)]

extern crate alloc;

mod architecture;
mod built_args;
mod compare;
mod containers;
mod costs;
mod cpu_common;
mod cpu_context;
mod cpu_lines;
mod cpu_memory;
mod cpu_merge;
mod cpu_model;
mod cpu_random;
mod cpu_speedscope;
mod cpu_threads;
mod crossing_spans;
mod damage;
mod equal_sums;
mod export;
mod export_sizes;
mod flooding;
mod from_args;
mod ftrace;
mod heph_converter;
mod json_cases;
mod json_profiles;
mod limits;
mod live;
mod memory;
mod merge_traces;
mod native_samples;
mod own_tracks;
mod parallel;
mod perf_script;
mod perfetto;
mod perfetto_round_trip;
mod profiles_in;
mod profiles_out;
mod read_events;
mod real_files;
mod recordings;
mod recursive_stacks;
mod replay;
mod round_trip;
mod rules;
mod said_parents;
mod search;
mod services;
mod thread_time;
mod unknown;
