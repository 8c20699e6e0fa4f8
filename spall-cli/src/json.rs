//! JSON objects on one line each.

use std::fmt::Write;

use spall_trace::{
    json::{JsonString, JsonValue},
    model::{Args, Entries, Text, Value},
};

/// One line being written: an object whose keys come in the order of the calls.
#[derive(Debug)]
pub(crate) struct Line {
    text: String,
}

impl Line {
    /// Returns a line whose key `k` has the kind of what the line is about.
    #[must_use]
    pub(crate) fn new(kind: &str) -> Self {
        let mut line = Self { text: String::from("{") };
        line.text("k", kind);
        line
    }

    fn key(&mut self, key: &str) -> &mut String {
        if self.text.len() > 1 {
            self.text.push(',');
        }
        push_string(&mut self.text, key);
        self.text.push(':');
        &mut self.text
    }

    /// Adds a key with a string.
    pub(crate) fn text(&mut self, key: &str, value: &str) -> &mut Self {
        push_string(self.key(key), value);
        self
    }

    /// Adds a key with a string, unless the string is empty.
    pub(crate) fn some_text(&mut self, key: &str, value: &str) -> &mut Self {
        if value.is_empty() { self } else { self.text(key, value) }
    }

    /// Adds a key with a number, or with anything else that is JSON as it is displayed.
    pub(crate) fn raw(&mut self, key: &str, value: impl std::fmt::Display) -> &mut Self {
        _ = write!(self.key(key), "{value}");
        self
    }

    /// Adds a key with a floating point number. NaN becomes `null`, and an infinity a number beyond the range.
    pub(crate) fn float(&mut self, key: &str, value: f64) -> &mut Self {
        push_float(self.key(key), value);
        self
    }

    /// Adds a key with a value of a trace.
    pub(crate) fn value(&mut self, key: &str, value: Value<'_>) -> &mut Self {
        push_value(self.key(key), value);
        self
    }

    /// Adds the key `args` with arguments as an object, unless there are none.
    pub(crate) fn args<'a>(&mut self, args: impl Iterator<Item = (Text<'a>, Value<'a>)>) -> &mut Self {
        let member = |(key, value): (Text<'_>, _)| {
            let mut member = quoted(&key.decode()) + ":";
            push_value(&mut member, value);
            member
        };
        let members: Vec<_> = args.map(member).collect();
        if members.is_empty() { self } else { self.raw("args", format_args!("{{{}}}", members.join(","))) }
    }

    /// Returns the finished line, without a line end.
    #[must_use]
    pub(crate) fn end(&mut self) -> String {
        let mut text = std::mem::take(&mut self.text);
        text.push('}');
        text
    }
}

/// Returns a text as a JSON string.
#[must_use]
pub(crate) fn quoted(text: &str) -> String {
    let mut quoted = String::new();
    push_string(&mut quoted, text);
    quoted
}

/// Appends a JSON string.
pub(crate) fn push_string(out: &mut String, text: &str) {
    _ = write!(out, "{}", JsonString(Text::plain(text.as_bytes())));
}

fn push_float(out: &mut String, value: f64) {
    match value {
        f64::INFINITY => out.push_str("1e999"),
        f64::NEG_INFINITY => out.push_str("-1e999"),
        value if value.is_nan() => out.push_str("null"),
        value => _ = write!(out, "{value:?}"),
    }
}

/// Appends a value. Lists and maps may be nested to any depth, so they are walked with a stack of our own.
pub(crate) fn push_value(out: &mut String, value: Value<'_>) {
    let mut open: Vec<(Entries<'_>, bool)> = Vec::new();
    let mut next = Some((None, value));
    let mut first = true;
    loop {
        if let Some((key, value)) = next.take() {
            if !first {
                out.push(',');
            }
            first = false;
            if let Some(key) = key {
                push_string(out, &Text::decode(key));
                out.push(':');
            }
            if let Some((args, is_map)) = push_start(out, value) {
                open.push((args.iter(), is_map));
                first = true;
            }
        }
        let Some((entries, is_map)) = open.last_mut() else { return };
        match entries.next() {
            Some((key, value)) => next = Some((is_map.then_some(key), value)),
            None => {
                out.push(if *is_map { '}' } else { ']' });
                open.pop();
                first = false;
            }
        }
    }
}

/// Appends a plain value, or the bracket that opens a nested one.
fn push_start<'a>(out: &mut String, value: Value<'a>) -> Option<(Args<'a>, bool)> {
    match value {
        // What JSON has no number for is a text, as every writer of JSON here writes it.
        Value::F64(value) if value.is_finite() => push_float(out, value),
        Value::List(args) => {
            out.push('[');
            return Some((args, false));
        }
        Value::Map(args) => {
            out.push('{');
            return Some((args, true));
        }
        plain => _ = write!(out, "{}", JsonValue(plain)),
    }
    None
}
