//! What a timeline viewer draws: the rectangles of a trace for any viewport, and everything else that is derived from
//! a finished trace. Nothing here opens a window: the same answers serve a GPU, a canvas, a terminal and an SVG file.
//!
#![cfg_attr(feature = "alloc", doc = "```")]
#![cfg_attr(not(feature = "alloc"), doc = "```ignore")]
//! use spall_layout::{Fidelity, Viewport, Layout, Options, Scratch, Vertical};
//! use spall_model::{ByteRange, Event, Limits, Text, Thread, ThreadEvent, Tick, Ticks, TraceBuilder};
//!
//! let mut builder = TraceBuilder::new(&Limits::default());
//! for (name, start, length) in [("frame", 0, 100), ("update", 10, 30), ("draw", 40, 50)] {
//!     let event = ThreadEvent::new(Thread::new(1_i64, 1_i64), Tick(start), Text::plain(name.as_bytes()));
//!     builder.push(&Event::Complete(event, Ticks(length)), ByteRange::default());
//! }
//! let trace = builder.finish();
//!
//! // Once per trace: lanes, depths, rows, and the index.
//! let layout = Layout::new(&trace, &Options::default());
//! // Once per fold or unfold: what is above what.
//! let vertical = Vertical::new(&trace, &layout, &());
//!
//! // For each picture: 20 columns for 100 ticks, all lines.
//! let viewport = Viewport::new(Tick(0)..Tick(100), 20, Fidelity::Fast);
//! let (mut scratch, mut rects) = (Scratch::new(), Vec::new());
//! layout.rects(&viewport, vertical.visible(0..vertical.height()), &mut scratch, &mut rects);
//!
//! let drawn: Vec<_> = rects.iter().map(|rect| (rect.row.0, rect.x0..rect.x1, rect.count)).collect();
//! assert_eq!(drawn, [(0, 0..20, 1), (1, 2..8, 1), (1, 8..18, 1)]);
//! ```
//!
//! # What is promised
//!
//! - A column is drawn if and only if a slice touches it: nothing is lost between pixels, and no activity is made up
//!   where there was none.
//! - Counts add up: each slice in view is in exactly one rectangle, which says how many it stands for.
//! - Panning moves the picture and changes nothing else: columns are aligned to time, not to the view.
//! - A query costs what the picture costs, whatever the size of the trace, and allocates nothing in the long run.
//! - No floating point takes part in mapping time to columns.
//!
//! The rules are on the page [`rules::layout`], cited as \[layout 2.4\].
//!
//! # Where to begin
//!
//! | to | use |
//! |---|---|
//! | draw a trace | [`Layout`], [`Vertical`], [`Viewport`], [`Layout::rects`] |
//! | draw a trace while it grows | [`Live`] |
//! | draw spans of your own | [`Row`], [`RowView::rects`] |
//! | find what is under the pointer | [`Vertical::at`], [`Rect::hit`], [`RowView::find`], [`Layout::snap`] |
//! | walk from slice to slice | [`Layout::parent`], [`Layout::children`], [`Layout::next`], [`Layout::previous`] |
//! | draw counters, instants, thread states and arrows | [`Series`], [`instant_marks`], [`Row::of_states`], [`Flows`] |
//! | draw many async spans on few lines | [`Packed`] |
//! | show a folded group, and search hits | [`Layout::busy_rows`], [`Hits`] |
//! | sum up by name | [`stats`](fn@stats), [`Stats`] while a range is dragged, [`Histogram`] |
//! | draw a flame graph, a sandwich, a comparison | [`Tree`], [`Inverted`], [`TreeDiff`] |
//! | fill a vertex buffer | [`Instance`] |
//! | label and colour | [`Ruler`], [`fit_label`], [`ColorKey`], [`Theme`] |
//!
//! # Untrusted input
//!
//! A layout of any trace takes memory in proportion to it and time O(n log n) at worst; nothing panics, recurses or
//! overflows, whatever the times are.
//!
//! # Features
//!
//! - `std` (default): `alloc`, and the same tier of `spall-model`.
//! - `alloc`: everything that holds or lists slices. Without it [`Viewport`], [`Ruler`], [`fit_label`] and [`ColorKey`] remain.
//! - `zerocopy`: [`Instance`] implements the traits of that crate; adds its derive to the build.
#![no_std]
#![cfg_attr(docsrs, feature(doc_cfg))]

#[cfg(feature = "alloc")]
extern crate alloc;

#[cfg(feature = "alloc")]
mod bits;
#[cfg(feature = "alloc")]
mod build;
#[cfg(feature = "alloc")]
mod cluster;
mod color;
#[cfg(feature = "alloc")]
mod convert;
#[cfg(feature = "alloc")]
mod counters;
#[cfg(feature = "alloc")]
mod diff;
#[cfg(feature = "alloc")]
mod edge;
#[cfg(feature = "alloc")]
mod extent;
#[cfg(feature = "alloc")]
mod flame;
#[cfg(feature = "alloc")]
mod flows;
#[cfg(feature = "alloc")]
mod free_lines;
#[cfg(feature = "alloc")]
mod histogram;
#[cfg(feature = "alloc")]
mod hit;
#[cfg(feature = "alloc")]
mod hits;
#[cfg(feature = "alloc")]
mod index;
#[cfg(feature = "alloc")]
mod instance;
#[cfg(feature = "alloc")]
mod instants;
#[cfg(feature = "alloc")]
mod inverted;
mod label;
#[cfg(feature = "alloc")]
mod layout;
#[cfg(feature = "alloc")]
mod live;
#[cfg(feature = "alloc")]
mod lookup;
#[cfg(feature = "alloc")]
mod merge;
#[cfg(feature = "alloc")]
mod owners;
#[cfg(feature = "alloc")]
mod pack;
#[cfg(feature = "alloc")]
mod rect;
#[cfg(feature = "alloc")]
mod row;
#[cfg(feature = "alloc")]
mod row_numbers;
mod ruler;
pub mod rules;
#[cfg(feature = "alloc")]
mod stacked;
#[cfg(feature = "alloc")]
mod stats;
#[cfg(feature = "alloc")]
mod summary;
#[cfg(feature = "alloc")]
mod tree;
#[cfg(feature = "alloc")]
mod tree_filter;
#[cfg(feature = "alloc")]
mod vertical;
mod viewport;
#[cfg(feature = "alloc")]
mod visits;
#[cfg(feature = "alloc")]
mod walk;

pub use color::{ColorKey, Theme};
#[cfg(feature = "alloc")]
pub use counters::{CounterRun, Series};
#[cfg(feature = "alloc")]
pub use diff::{DiffNode, DiffSums, DiffWidth, TreeDiff};
#[cfg(feature = "alloc")]
pub use flame::TreeOrder;
#[cfg(feature = "alloc")]
pub use flows::{FlowEnd, FlowRect, Flows};
#[cfg(feature = "alloc")]
pub use histogram::Histogram;
#[cfg(feature = "alloc")]
pub use hits::Hits;
#[cfg(feature = "alloc")]
pub use instance::Instance;
#[cfg(feature = "alloc")]
pub use instants::{InstantMark, InstantPriorities, instant_marks};
#[cfg(feature = "alloc")]
pub use inverted::Inverted;
pub use label::{Ellipsis, Fitted, fit_chars, fit_label};
#[cfg(feature = "alloc")]
pub use layout::{Layout, Options, RowInfo};
#[cfg(feature = "alloc")]
pub use live::{Live, LiveView};
#[cfg(feature = "alloc")]
pub use lookup::Placed;
#[cfg(feature = "alloc")]
pub use pack::{Packed, Packing};
#[cfg(feature = "alloc")]
pub use rect::{Rect, Scratch};
#[cfg(feature = "alloc")]
pub use row::{Row, RowId, RowView};
pub use ruler::{Mark, Ruler};
#[cfg(feature = "alloc")]
pub use spall_model::nest::Overlap;
#[cfg(feature = "alloc")]
pub use stats::{NameStats, Stats, stats};
#[cfg(feature = "alloc")]
pub use tree::{Tree, TreeNode};
#[cfg(feature = "alloc")]
pub use vertical::{Line, LineKind, Vertical, VerticalStyle};
pub use viewport::{Fidelity, Viewport};
#[cfg(feature = "alloc")]
pub use visits::EdgeRule;
