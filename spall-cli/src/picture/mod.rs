//! Pictures of a trace in one file: SVG to look at, or an HTML page to move around in.

mod about;
mod colour;
mod html;
mod scene;
mod svg;
mod text;

pub(crate) use about::not_as_in_the_file;
pub use about::{about, notes};
pub use html::{Embedded, MAX_BOXES, embedded, html, widget_script};
pub use scene::{Lane, Process, Scene};
pub use svg::svg;
pub(crate) use text::visible;
pub use text::{clean, count, escape};
