//! Reads profiler traces of any supported format: one dependency for tools.
//!
//! ```
//! use spall_trace::layout::{Fidelity, Layout, LayoutView, Options, Scratch, Vertical, Viewport};
//!
//! let data = br#"[{"ph":"B","name":"frame","pid":1,"tid":1,"ts":0},
//!                 {"ph":"X","name":"draw","pid":1,"tid":1,"ts":2.5,"dur":4},
//!                 {"ph":"E","pid":1,"tid":1,"ts":10}]"#;
//!
//! // The facts of the file.
//! let trace = spall_trace::load(data, &spall_trace::model::Limits::default())?;
//! assert_eq!(trace.slices().len(), 2);
//! assert!(trace.diagnostics().is_empty());
//!
//! // What to draw of it: 100 columns of the first 10 microseconds, all rows.
//! let layout = Layout::new(&trace, &Options::default());
//! let vertical = Vertical::new(&trace, &layout, &());
//! let frame = Viewport::new(spall_trace::model::Tick(0)..spall_trace::model::Tick(10_000), 100, Fidelity::Fast);
//! let (mut scratch, mut rects) = (Scratch::new(), Vec::new());
//! layout.rects(&frame, vertical.visible(0..vertical.height()), &mut scratch, &mut rects);
//! let name = |slice| trace.name(trace.slice(slice).unwrap().name);
//! let drawn: Vec<_> = rects.iter().map(|rect| (name(rect.slice), rect.x0..rect.x1)).collect();
//! assert_eq!(drawn, [("frame".into(), 0..100), ("draw".into(), 25..65)]);
//! # Ok::<(), spall_trace::Error>(())
//! ```
//!
//! # Which function
//!
//! | to | use |
//! |---|---|
//! | find out the format of a file | [`detect`] |
//! | load a file from memory, borrowing from it | [`load`], [`load_as`] |
//! | load from a file or a pipe piece by piece | [`load_from`] |
//! | name the functions of a native auto trace | [`load_auto`] |
//! | add your own events to those of a file | [`read_as`] |
//! | read the events of a file without building a trace | [`read_events`] |
//! | read the events of a file that is still being written | [`TraceParser`] |
//! | put what CPU samples found on the timeline, or add it up | [`merge_samples`], [`call_trees`] |
//! | write a trace for other programs | [`export`] |
//! | show a trace while it grows | [`TraceParser`] and [`model::LiveTrace`], and [`layout::Live`] to draw it |
//! | read one format piece by piece, or write traces | the crates below |
//!
//! The crates that this one joins are [`model`], [`format`](mod@format) (binary formats), [`json`], [`layout`] and
//! [`samples`].
//! Each can be used alone.
//!
//! # Untrusted input
//! Any bytes are safe to load: no panic, no recursion, no allocation by a number that the file claims, work
//! O(n log n), and a trace of at most 16 times the input and a mebibyte. [`model::Limits`] narrows that further.
//!
//! # Features
//! - `std` (default): `alloc`, [`load_from`] and [`export`].
//! - `alloc`: loading.
//! - `gzip`, `brotli`, `zstd` (default): files of any format compressed that way. Each brings one decoder; none of them
//!   has unsafe code.
//! - none: `core` alone, with [`detect`] and the readers and writers of the joined crates.
//!
//! The minimum supported Rust version is 1.88.
#![no_std]
#![cfg_attr(docsrs, feature(doc_cfg))]

#[cfg(feature = "alloc")]
extern crate alloc;
#[cfg(feature = "std")]
extern crate std;

mod detect;
mod error;
#[cfg(feature = "std")]
pub mod export;
#[cfg(feature = "std")]
pub mod guide;
#[cfg(feature = "alloc")]
mod input;
#[cfg(feature = "alloc")]
mod load;
#[cfg(feature = "alloc")]
mod merge;
#[cfg(feature = "alloc")]
mod parser;
#[cfg(feature = "std")]
mod stream;

pub use spall_format as format;
pub use spall_json as json;
pub use spall_layout as layout;
pub use spall_model as model;
pub use spall_samples as samples;

pub use detect::{Format, detect};
pub use error::Error;
#[cfg(feature = "alloc")]
pub use load::{load, load_as, load_auto, read_as, read_events};
#[cfg(feature = "alloc")]
pub use merge::{call_tree, call_trees, merge_samples};
#[cfg(feature = "alloc")]
pub use parser::TraceParser;
#[cfg(feature = "std")]
pub use stream::load_from;
