//! The layout engine of a timeline viewer: it turns a profiler trace into the rectangles, arrows, marks and labels of a
//! picture, for any viewport and without a window. The same answers serve a GPU, a canvas, a terminal and an SVG file.
//!
//! ```
//! use spall_layout::{Layout, LineRect, Vertical, VerticalStyle, Viewport};
//! use spall_model::{ByteRange, Event, Limits, Text, Thread, ThreadEvent, Tick, Ticks, TraceBuilder, TraceView};
//!
//! let mut builder = TraceBuilder::new(&Limits::default());
//! for (name, start, duration) in [("frame", 0, 100), ("update", 10, 30), ("draw", 40, 50)] {
//!     let event = ThreadEvent::new(Thread::new(1_i64, 1_i64), Tick(start), Text::plain(name.as_bytes()));
//!     builder.push(&Event::Complete(event, Ticks(duration)));
//! }
//! let trace = builder.finish();
//!
//! // Once for each trace: the lane, depth and row of each slice, and an index of each row.
//! let layout = Layout::new(&trace);
//! // Once for each fold or unfold: the lines from top to bottom. This style makes each row one unit high.
//! let vertical = Vertical::new(&trace, &layout, &VerticalStyle::FLAT);
//!
//! // For each picture: 100 ticks in 20 columns.
//! let viewport = Viewport::new(Tick(0)..Tick(100), 20);
//! let mut rects = Vec::new();
//! vertical.rects(0..vertical.height(), &layout, &viewport, &mut rects);
//! let drawn: Vec<_> = rects.iter().map(|found| (found.top, found.rect.x0..found.rect.x1)).collect();
//! assert_eq!(drawn, [(0, 0..20), (1, 2..8), (1, 8..18)]);
//!
//! // The pointer is in column 9, at height 1.
//! let hit = LineRect::hit(&rects, 9, 1).unwrap();
//! assert_eq!(trace.slice_name(hit.rect.slice), "draw");
//! ```
//!
//! # Guarantees
//!
//! - A column is drawn if and only if a slice touches it: no slice is lost between two pixels, and no activity is shown where
//!   there was none.
//! - Counts add up: each slice that touches the viewport is in exactly one rectangle, which says how many slices it stands for.
//! - Panning moves the picture and changes nothing else, because columns are aligned to time and not to the start of the
//!   viewport.
//! - The cost of a query depends on the number of columns and hardly on the size of the trace. Once the list
//!   of rectangles has grown, a query allocates nothing.
//! - Mapping time to columns uses integers only, so every machine draws the same columns.
//!
//! The rules have numbers, such as [layout 2.4](crate::rules::layout#2.4), and stand in [`rules`].
//!
//! # Where to begin
//!
//! | to | use |
//! |---|---|
//! | draw a trace | [`Layout`], [`Vertical`], [`Viewport`], [`Vertical::rects`] |
//! | draw a trace while it grows | [`LiveLayout`], [`LiveView`] |
//! | leave out slices, such as those of a category | [`Layout::of_slices`] |
//! | draw faster where slices are narrower than users can see | [`Viewport::with_box_width`] |
//! | draw slices of your own | [`Row`], [`RowView::rects`] |
//! | keep the state of a viewer: zoom, pan, scroll, fold | [`Window`], [`Folds`] |
//! | zoom, pan and resize without a window | [`Viewport::zoomed`], [`Viewport::moved`], [`Viewport::fit`], [`Viewport::with_columns`] |
//! | find the slice or the line under the pointer | [`Window::hit`], [`LineRect::hit`], [`Vertical::at`], [`RowView::find`], [`LayoutView::snap`] |
//! | open a trace on what matters | [`active_range`] |
//! | walk from slice to slice | [`LayoutView::parent`], [`LayoutView::children`], [`LayoutView::next`] |
//! | draw counters, instants, states and flows | [`Series`], [`instant_marks`], [`Row::of_states`], [`Flows`] |
//! | draw many async spans on few lines | [`AsyncGroup`], [`Packed`] |
//! | move tracks, and keep some in sight | [`VerticalStyle::tracks`] |
//! | show a folded group, and search hits | [`LayoutView::busy_rows`], [`BusyRows`], [`Hits`] |
//! | sum up by name, also while a range is dragged | [`Stats`], [`Histogram`] |
//! | find what was waited for | [`longest_gaps`], [`critical_path`] |
//! | draw a flame graph, a sandwich, a comparison | [`slice_tree`], [`flame_rows`], [`diff_rows`] |
//! | do any of these step by step, so that a viewer stays alive | [`Job`](spall_model::Job) |
//! | fill a vertex buffer | [`Instance`] |
//! | label and colour | [`Ruler`], [`fit_label`], [`block`], [`Line::label`], [`ColorKey`], [`Theme`] |
//!
//! Queries about slices and rows are methods of the trait [`LayoutView`], which finished and live layouts implement.
//!
//! # Untrusted input
//!
//! A layout takes memory in proportion to its trace, and O(n log n) time at worst. No trace makes a query panic, recurse
//! or overflow, whatever its times are.
//!
//! # Related crates
//!
//! Traces are those of [`spall_model`]. `spall-trace` loads them from files of all formats, and its module `guide` shows
//! how to write a viewer with this crate, step by step.
//!
//! # Features
//!
//! - `std` (default): the same feature of `spall-model`, and better seeds for hashing. Without it the crate needs an
//!   allocator, but no operating system.
//! - `serde`: viewports, ids and the results of queries implement the traits of the crate `serde`.
//! - `zerocopy`: [`Instance`] implements the traits of the crate `zerocopy`.
//!
//! The minimum supported Rust version is 1.95.
#![no_std]
#![cfg_attr(docsrs, feature(doc_cfg))]

extern crate alloc;

mod active;
mod async_group;
mod bits;
mod blocks;
mod build;
mod busy;
mod color;
mod convert;
mod counters;
mod critical_path;
mod flame;
mod flows;
mod folds;
mod free_lines;
mod gap;
mod gaps;
mod histogram;
mod hits;
mod index;
mod instance;
mod instants;
mod label;
mod layout;
mod layout_view;
mod line;
mod live;
mod merge;
mod outermost;
mod pack;
mod piece;
mod rect;
mod row;
mod row_numbers;
mod ruler;
pub mod rules;
mod slice_tree;
mod slice_visits;
mod stacked;
mod stats;
mod vertical;
mod viewport;
mod visits;
mod walk;
mod window;

pub use active::active_range;
pub use async_group::AsyncGroup;
pub use busy::BusyRows;
pub use color::{ColorKey, Theme};
pub use counters::{CounterRun, Series};
pub use critical_path::{CameBy, PathPart, critical_path};
pub use flame::{diff_rows, flame_rows};
pub use flows::{FlowArrow, FlowEnd, Flows, thin_arrows};
pub use folds::Folds;
pub use gaps::{Gap, RanMeanwhile, longest_gaps, ran_meanwhile};
pub use histogram::Histogram;
pub use hits::Hits;
pub use instance::Instance;
pub use instants::{InstantMark, instant_marks};
pub use label::{Ellipsis, Fitted, block, fit_chars, fit_label};
pub use layout::{Layout, PlacedSlice, RowInfo};
pub use layout_view::LayoutView;
pub use line::{Line, LineId, LineKind, PackId};
pub use live::{LiveLayout, LiveView};
pub use pack::Packed;
pub use rect::{LineRect, Rect};
pub use row::{Row, RowId, RowView};
pub use ruler::{Ruler, RulerMark};
pub use slice_tree::slice_tree;
pub use slice_visits::SliceVisit;
pub use stats::{By, SliceStats, Stats};
pub use vertical::{Vertical, VerticalStyle, shown_tracks};
pub use viewport::Viewport;
pub use window::Window;

// Runs the examples of the README as tests.
#[cfg(all(doctest, feature = "std"))]
#[doc = include_str!("../README.md")]
struct Readme;
