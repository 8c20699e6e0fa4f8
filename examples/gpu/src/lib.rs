//! Draws a trace with a GPU: a [`Picture`] fills the buffers, a [`Gpu`] draws them.

mod gpu;
mod letters;
mod picture;

pub use gpu::Gpu;
pub use picture::{Picture, STYLE};
