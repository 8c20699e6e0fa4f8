//! Values with a type, as OTLP writes them in JSON. [otel 2.3](crate::rules::otel#2.3)

use alloc::{borrow::Cow, vec::Vec};

use spall_model::{
    ArgsBuilder, DiagnosticKind, OpenEntry, Text, Value,
    services::{MAX_VALUE_DEPTH, attribute_key, decode_base64},
};

use super::File;
use super::field::{decoded, fields, is_key, is_true, number};
use crate::lexer::{self, Token, TokenKind};
use crate::scalar;

/// What a value is.
enum Decoded<'a> {
    Scalar(Value<'a>),
    Text(Cow<'a, [u8]>),
    Bytes(Vec<u8>),
    Nested(Nested),
}

/// A list or a map: the position of its bracket, and what is in it.
#[derive(Debug, Clone, Copy)]
struct Nested {
    start: Option<usize>,
    form: Form,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Form {
    /// An array of values.
    List,
    /// An array of objects with `key` and `value`.
    KeyValues,
    /// An object whose members are the entries.
    Members,
}

/// A list or a map that is being read.
struct Open {
    entry: Option<OpenEntry>,
    form: Form,
    /// The position behind what was read.
    pos: usize,
}

/// The types of a value, as [`is_key`] takes them.
const TYPES: [&str; 8] = [
    "stringvalue",
    "boolvalue",
    "intvalue",
    "doublevalue",
    "bytesvalue",
    "arrayvalue",
    "kvlistvalue",
    "value",
];

/// Returns the value in an object whose key says its type, and the number of the type; `None` for any other object.
fn typed(data: &[u8], object: Token) -> Option<(usize, Token)> {
    let mut pos = object.start + 1;
    let mut found = None;
    while let Ok(Some(member)) = lexer::next_member(data, &mut pos) {
        let of_type = TYPES.iter().position(|name| is_key(data, &member.key, name));
        found = of_type.map(|of_type| (of_type, member.value)).or(found);
    }
    found
}

/// Returns what a value is.
fn decode<'a>(data: &'a [u8], token: Option<Token>) -> Decoded<'a> {
    let nested = |token: Token, form| {
        Decoded::Nested(Nested { start: (token.kind == TokenKind::Array).then_some(token.start), form })
    };
    let values = |token: Token, form| match token.kind {
        TokenKind::Object => {
            let [values] = fields(data, token.start, ["values"]);
            nested(values.unwrap_or(token), form)
        }
        _ => nested(token, form),
    };
    let Some(mut token) = token.filter(|token| !token.is_null(data)) else {
        return Decoded::Scalar(Value::Null);
    };
    // Go's encoder puts an object around the typed one.
    for _ in 0..2 {
        if token.kind != TokenKind::Object {
            break;
        }
        let Some((of_type, inner)) = typed(data, token) else {
            let is_empty = matches!(lexer::next_key(data, &mut (token.start + 1)), Ok(None));
            return match is_empty {
                true => Decoded::Scalar(Value::Null),
                false => Decoded::Nested(Nested { start: Some(token.start), form: Form::Members }),
            };
        };
        if inner.is_null(data) {
            return Decoded::Scalar(Value::Null);
        }
        return match of_type {
            0 => Decoded::Text(decoded(data, Some(inner))),
            1 => Decoded::Scalar(Value::Bool(is_true(data, Some(inner)))),
            2 => Decoded::Scalar(whole(number(data, inner))),
            3 => Decoded::Scalar(float(data, inner)),
            4 => bytes(decoded(data, Some(inner))),
            5 => values(inner, Form::List),
            6 => values(inner, Form::KeyValues),
            _ => {
                token = inner;
                continue;
            }
        };
    }
    match token.kind {
        TokenKind::Array => nested(token, Form::List),
        TokenKind::Object => Decoded::Nested(Nested { start: Some(token.start), form: Form::Members }),
        TokenKind::String | TokenKind::EscapedString => Decoded::Text(decoded(data, Some(token))),
        _ => Decoded::Scalar(scalar::word(token.bytes(data))),
    }
}

/// Returns bytes that are written in base64, or the text if it is none.
pub(super) fn base64(text: Cow<'_, [u8]>) -> Result<Vec<u8>, Cow<'_, [u8]>> {
    decode_base64(&text).ok_or(text)
}

fn bytes(text: Cow<'_, [u8]>) -> Decoded<'_> {
    match base64(text) {
        Ok(bytes) => Decoded::Bytes(bytes),
        Err(text) => Decoded::Text(text),
    }
}

/// Returns a number as a whole one if it is one, however it is written.
pub(super) fn whole(number: Option<Value<'static>>) -> Value<'static> {
    #[expect(clippy::cast_possible_truncation, reason = "whole numbers below 2^53")]
    match number {
        Some(Value::F64(float)) if float as i64 as f64 == float && float.abs() < 9e15 => {
            Value::I64(float as i64)
        }
        number => number.unwrap_or(Value::Null),
    }
}

/// Returns a floating point number, which may be a text and one of the words for those that JSON does not have.
pub(super) fn float(data: &[u8], token: Token) -> Value<'static> {
    let text = decoded(data, Some(token));
    let text = match token.kind {
        TokenKind::String | TokenKind::EscapedString => text.trim_ascii(),
        _ => token.bytes(data),
    };
    match scalar::float(text) {
        Some(float) => Value::F64(float),
        None => match text {
            b"NaN" => Value::F64(f64::NAN),
            b"Infinity" => Value::F64(f64::INFINITY),
            b"-Infinity" => Value::F64(f64::NEG_INFINITY),
            _ => Value::Null,
        },
    }
}

/// Reads attributes: an array of objects with `key` and `value`, or an object. Returns whether a value lies too deep.
fn add_all(
    data: &[u8],
    attributes: Option<Token>,
    is_resource: bool,
    args: &mut ArgsBuilder<'static>,
) -> bool {
    let Some(attributes) = attributes else { return false };
    let form = match attributes.kind {
        TokenKind::Array => Form::KeyValues,
        TokenKind::Object => Form::Members,
        _ => return false,
    };
    let mut open = Vec::from([Open { entry: None, form, pos: attributes.start + 1 }]);
    let mut is_too_deep = false;
    while let Some(top) = open.last_mut() {
        let Some((key, value)) = next_entry(data, top) else {
            if let Some(entry) = open.pop().and_then(|open| open.entry) {
                args.end(entry);
            }
            continue;
        };
        let key = if open.len() == 1 && !is_resource {
            attribute_key(key).into_owned()
        } else {
            key.unescape().into_owned()
        };
        let key = Text::plain(&key);
        match decode(data, value) {
            Decoded::Scalar(value) => _ = args.add(key, value),
            Decoded::Text(text) => _ = args.add(key, Text::plain(&text)),
            Decoded::Bytes(bytes) => _ = args.add(key, &*bytes),
            Decoded::Nested(_) if open.len() >= MAX_VALUE_DEPTH => {
                is_too_deep = true;
                let _ = args.add(key, Value::Null);
            }
            Decoded::Nested(Nested { start, form }) => {
                let entry = match form {
                    Form::List => args.begin_list(key),
                    _ => args.begin_map(key),
                };
                // Behind the end there is nothing.
                let pos = start.map_or(data.len(), |start| start + 1);
                open.push(Open { entry: Some(entry), form, pos });
            }
        }
    }
    is_too_deep
}

/// Returns the next entry of a list or a map.
fn next_entry<'a>(data: &'a [u8], open: &mut Open) -> Option<(Text<'a>, Option<Token>)> {
    match open.form {
        Form::List => lexer::next_item(data, &mut open.pos).map(|item| (Text::EMPTY, Some(item))),
        Form::KeyValues => {
            let item = lexer::next_item(data, &mut open.pos)?;
            let [key, value] = fields(data, item.start, ["key", "value"]);
            Some((super::field::text(data, key), value))
        }
        Form::Members => {
            let member = lexer::next_member(data, &mut open.pos).ok()??;
            Some((member.key.text(data), Some(member.value)))
        }
    }
}

impl File<'_, '_> {
    /// Adds attributes to those of the current span or event.
    pub(super) fn add_attributes(&mut self, attributes: Option<Token>) {
        if add_all(self.data, attributes, false, self.services.args()) {
            self.report_deep(attributes);
        }
    }

    /// Returns the attributes of a resource.
    pub(super) fn resource_attributes(&mut self, attributes: Option<Token>) -> ArgsBuilder<'static> {
        let mut args = ArgsBuilder::new();
        if add_all(self.data, attributes, true, &mut args) {
            self.report_deep(attributes);
        }
        args
    }

    fn report_deep(&mut self, attributes: Option<Token>) {
        let bytes = attributes.map_or((0, 0), |attributes| (attributes.start, attributes.end));
        self.report(DiagnosticKind::DeepValue, bytes);
    }
}
