//! JSON objects on one line each.

use std::fmt::Write;

use spall_trace::model::{Args, Entries, Text, Value};

/// One line being written: an object whose keys come in the order of the calls.
#[derive(Debug)]
pub(crate) struct Line {
    text: String,
}

impl Line {
    /// A line whose key `k` says what it is about.
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

    /// A string.
    pub(crate) fn text(&mut self, key: &str, value: &str) -> &mut Self {
        push_string(self.key(key), value);
        self
    }

    /// A string, unless it is empty.
    pub(crate) fn some_text(&mut self, key: &str, value: &str) -> &mut Self {
        if value.is_empty() { self } else { self.text(key, value) }
    }

    /// A number or anything else that is written as it is displayed.
    pub(crate) fn raw(&mut self, key: &str, value: impl std::fmt::Display) -> &mut Self {
        _ = write!(self.key(key), "{value}");
        self
    }

    /// A floating point number; NaN is `null`, an infinity a number beyond the range.
    pub(crate) fn float(&mut self, key: &str, value: f64) -> &mut Self {
        push_float(self.key(key), value);
        self
    }

    /// A value of a trace.
    pub(crate) fn value(&mut self, key: &str, value: Value<'_>) -> &mut Self {
        push_value(self.key(key), value);
        self
    }

    /// Arguments, unless there are none.
    pub(crate) fn args<'a>(&mut self, args: impl Iterator<Item = (Text<'a>, Value<'a>)>) -> &mut Self {
        let mut args = args.peekable();
        if args.peek().is_some() {
            let text = self.key("args");
            text.push('{');
            for (index, (key, value)) in args.enumerate() {
                if index > 0 {
                    text.push(',');
                }
                push_string(text, &key.decode());
                text.push(':');
                push_value(text, value);
            }
            text.push('}');
        }
        self
    }

    /// The finished line, without a line end.
    #[must_use]
    pub(crate) fn end(&mut self) -> String {
        let mut text = std::mem::take(&mut self.text);
        text.push('}');
        text
    }
}

/// A JSON string.
#[must_use]
pub(crate) fn quoted(text: &str) -> String {
    let mut quoted = String::new();
    push_string(&mut quoted, text);
    quoted
}

/// Appends a JSON string.
pub(crate) fn push_string(out: &mut String, text: &str) {
    out.push('"');
    for character in text.chars() {
        match character {
            '"' => out.push_str("\\\""),
            '\\' => out.push_str("\\\\"),
            '\n' => out.push_str("\\n"),
            control if control < ' ' => _ = write!(out, "\\u{:04x}", u32::from(control)),
            other => out.push(other),
        }
    }
    out.push('"');
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
        Value::Bool(value) => _ = write!(out, "{value}"),
        Value::I64(value) => _ = write!(out, "{value}"),
        Value::U64(value) => _ = write!(out, "{value}"),
        Value::F64(value) => push_float(out, value),
        Value::Text(text) => push_string(out, &text.decode()),
        Value::Bytes(bytes) => {
            let hex: String = bytes.iter().map(|byte| format!("{byte:02x}")).collect();
            push_string(out, &hex);
        }
        Value::List(args) => {
            out.push('[');
            return Some((args, false));
        }
        Value::Map(args) => {
            out.push('{');
            return Some((args, true));
        }
        _ => out.push_str("null"),
    }
    None
}
