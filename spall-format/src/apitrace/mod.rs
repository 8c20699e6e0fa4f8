//! apitrace recordings: the calls that a program made to OpenGL, Direct3D and the like. \[apitrace\]
//!
//! A file is a container around one compressed stream; [`decompress`] undoes it. [`Calls`] reads the stream call by
//! call.

mod call;
mod calls;
mod container;
mod input;
mod lower;
mod marker;
mod signature;
mod text;
mod value;

use input::Stop;
use signature::Access;

pub use call::{Backtrace, Call};
pub use calls::Calls;
pub use container::{Container, Decompressed, decompress};
pub use lower::{Events, parse_all};
pub use marker::{Group, Marker, MarkerText, Markers, Role};
pub use signature::{
    BitmaskSignature, EnumSignature, Frame, FunctionSignature, Names, Signatures, StructSignature,
};
pub use value::{Token, Tokens, WideText};
