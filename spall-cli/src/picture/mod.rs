//! Pictures of a trace: SVG.

mod about;
mod colour;
mod scene;
mod svg;
mod text;

pub(crate) use about::not_as_in_the_file;
pub use about::{about, notes};
pub use scene::{Lane, Process, Scene};
pub use svg::svg;
pub(crate) use text::visible;
pub use text::{clean, count, escape};
