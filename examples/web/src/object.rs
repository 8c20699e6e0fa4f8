//! Objects of JavaScript.

use js_sys::{Object, Reflect};
use wasm_bindgen::prelude::JsValue;

/// An object of JavaScript with these properties.
pub fn object<const N: usize>(properties: [(&str, JsValue); N]) -> Object {
    let object = Object::new();
    for (key, value) in properties {
        // A plain object takes every property.
        _ = Reflect::set(&object, &key.into(), &value);
    }
    object
}
