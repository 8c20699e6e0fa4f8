//! apitrace recordings: the calls that a program made to OpenGL, Direct3D and the like. \[apitrace\]
//!
//! A file is a container around one compressed stream: [`container`](crate::container) undoes it, up to a limit. Three layers read the
//! stream, each usable alone:
//!
//! - [`Calls`] hands out [`Call`]s as they return, with their arguments as lazy [`Tokens`] and their text form;
//! - [`Markers`] finds groups, marks and frames in them;
//! - [`parse_all`] makes [`spall_model::Event`]s of both, on a clock that counts calls, for there is no time in the file.
//!
//! Real times come from a replay: [`profile_lines`] reads what it prints, to be joined by [`Call::number`], and
//! [`profile_events`] makes slices of it.
//!
//! Reading needs `alloc`, for signatures are said once and referred to afterwards. For the same reason events borrow from
//! the whole stream, and there is no incremental parser: a value may refer to any byte before it.
//!
//! ```
//! use spall_format::apitrace::Calls;
//! use spall_format::container::decompress;
//! use spall_model::Limits;
//! let file = b"at\x16\0\0\0\x14\x4c\x05\0\0\x07\x05flush\x01\x04mode\0\x01\0\0";
//! let decompressed = decompress(file, &Limits::default())?;
//! let mut calls = Calls::new(&decompressed.stream)?;
//! while let Some(call) = calls.next() {
//!     println!("{}", call?.display(calls.signatures()));
//! }
//! # Ok::<(), spall_format::FormatError>(())
//! ```

mod call;
mod calls;
mod input;
mod lower;
mod marker;
mod open;
mod plain;
mod profile;
mod signature;
mod text;
mod value;

pub use call::{Backtrace, Call};
pub use calls::Calls;
pub use lower::{Axis, Events, parse_all};
pub use marker::{Group, GroupKind, Marker, MarkerText, Markers, Role};
pub use profile::{CallProfile, ProfileLine, Span, profile_events, profile_lines};
pub use signature::{
    BitmaskSignature, EnumSignature, Frame, FunctionSignature, Names, Signatures, StructSignature,
};
pub use value::{Token, Tokens, WideText};
