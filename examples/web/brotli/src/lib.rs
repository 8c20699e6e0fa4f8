//! Decodes brotli, in a module of its own: its dictionary and decoder take as much as a sixth of the viewer, and few files
//! are compressed with it.

use spall_format::container::{Container, decompress_as, peek};
use spall_model::Limits;
use wasm_bindgen::prelude::wasm_bindgen;

/// Returns whether a file that begins like this may be a brotli stream, which has no mark of its own.
#[wasm_bindgen]
pub fn may_be_brotli(start: &[u8]) -> bool {
    !peek(Container::Brotli, start).is_empty()
}

/// Returns the content of a brotli stream up to its end, or to its damage. It is empty if nothing can be decoded.
#[wasm_bindgen]
pub fn decode(stream: &[u8]) -> Vec<u8> {
    decompress_as(Some(Container::Brotli), stream, &Limits::default())
        .map_or_else(|_| Vec::new(), |content| content.stream.into_owned())
}
