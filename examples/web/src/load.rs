//! Reads a file piece by piece from JavaScript.

use std::io::{self, Read};

use js_sys::{Error as JsError, Function, Uint8Array};
use spall_trace::model::{Limits, Trace};
use wasm_bindgen::{JsCast, prelude::JsValue};

use crate::object;

/// More bytes than it takes to recognise any format.
const HEAD: usize = 1 << 16;

/// A file of which JavaScript returns any range of bytes.
struct File<'f> {
    read: &'f Function,
    at: usize,
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

/// Loads a file of any format, and says which it is. An error has a `message` and the `offset` of the damage in bytes.
pub fn load(read: &Function) -> Result<(Trace<'static>, &'static str), JsValue> {
    let failed = |error: spall_trace::Error| -> JsValue {
        let offset = JsValue::from(error.offset() as f64);
        object([("message", error.to_string().into()), ("offset", offset)]).into()
    };
    let mut head = vec![0; HEAD];
    let length = File { read, at: 0 }.read(&mut head).map_err(|error| failed(error.into()))?;
    let format = spall_trace::detect(&head[..length]).map_or("", |format| format.name());
    let trace = spall_trace::load_from(File { read, at: 0 }, &Limits::default()).map_err(failed)?;
    Ok((spall_trace::merge_samples(trace), format))
}
