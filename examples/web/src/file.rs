//! Files of which JavaScript returns any range of bytes.

use std::io::{self, Read};

use js_sys::{Error as JsError, Function, Object, Reflect, Uint8Array};
use spall_view::{Opened, Source};
use wasm_bindgen::{JsCast, prelude::JsValue};

/// The offset of a file whose times say where it belongs.
const BY_ITSELF: i64 = i64::MIN;

/// A file, and how far it was read.
#[derive(Debug)]
pub(crate) struct File<'f> {
    read: &'f Function,
    at: usize,
}

impl<'f> File<'f> {
    /// Reads a file from its beginning. `read(from, to)` returns those bytes of it, fewer at its end.
    pub(crate) fn new(read: &'f Function) -> Self {
        Self { read, at: 0 }
    }
}

impl Read for File<'_> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        let (from, to) = (self.at as f64, (self.at + buffer.len()) as f64);
        let bytes = self.read.call2(&JsValue::NULL, &from.into(), &to.into());
        let bytes = bytes.map_err(|error| io::Error::other(message(&error)))?.unchecked_into::<Uint8Array>();
        let length = bytes.length() as usize;
        bytes.copy_to(&mut buffer[..length]);
        self.at += length;
        Ok(length)
    }
}

fn message(error: &JsValue) -> String {
    error.dyn_ref::<JsError>().map_or_else(String::new, |error| error.message().into())
}

/// Opens files of these names. Each has an offset in nanoseconds, or [`BY_ITSELF`]. An error has a `message`, and the `offset`
/// of the damage in bytes.
pub(crate) fn open(names: Vec<String>, reads: &[Function], offsets: &[i64]) -> Result<Opened, JsValue> {
    let source = |((name, read), &offset): ((String, _), &i64)| {
        let offset = Some(offset).filter(|&offset| offset != BY_ITSELF);
        Source { name, read: File::new(read), offset }
    };
    let sources = names.into_iter().zip(reads).zip(offsets).map(source);
    spall_view::open(sources.collect()).map_err(|error| {
        let object = Object::new();
        // A plain object takes every property.
        _ = Reflect::set(&object, &"message".into(), &error.message.into());
        _ = Reflect::set(&object, &"offset".into(), &(error.offset as f64).into());
        object.into()
    })
}
