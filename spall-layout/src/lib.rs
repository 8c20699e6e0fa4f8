//! What a timeline viewer draws: columns, rectangles and everything else that is derived from a finished trace.
#![no_std]
#![cfg_attr(docsrs, feature(doc_cfg))]

#[cfg(feature = "alloc")]
extern crate alloc;

#[cfg(feature = "alloc")]
mod build;
mod frame;
#[cfg(feature = "alloc")]
mod hit;
#[cfg(feature = "alloc")]
mod index;
mod label;
#[cfg(feature = "alloc")]
mod layout;
#[cfg(feature = "alloc")]
mod lookup;
#[cfg(feature = "alloc")]
mod merge;
#[cfg(feature = "alloc")]
mod owners;
#[cfg(feature = "alloc")]
mod rect;
#[cfg(feature = "alloc")]
mod row;
mod ruler;
#[cfg(feature = "alloc")]
mod vertical;
#[cfg(feature = "alloc")]
mod walk;

pub use frame::{Fidelity, Frame};
pub use label::{ColorKey, Ellipsis, Fitted, fit_label};
#[cfg(feature = "alloc")]
pub use layout::{Layout, Options, RowInfo};
#[cfg(feature = "alloc")]
pub use lookup::Placed;
#[cfg(feature = "alloc")]
pub use rect::{Rect, Scratch};
#[cfg(feature = "alloc")]
pub use row::{Row, RowId, RowView};
pub use ruler::{Mark, MarkLabel, Ruler};
#[cfg(feature = "alloc")]
pub use spall_model::nest::Overlap;
#[cfg(feature = "alloc")]
pub use vertical::{Line, LineKind, Vertical, VerticalStyle};
