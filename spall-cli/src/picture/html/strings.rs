//! The strings of a page, each once.

use spall_trace::model::{Interner, NameId, Text, Trace, TraceView, Value};

use super::Stream;
use crate::{json, picture::colour};

/// Names in the order in which they turn up.
#[derive(Debug)]
pub(super) struct Names<'t> {
    trace: &'t Trace,
    used: Interner<NameId>,
}

impl<'t> Names<'t> {
    pub(super) fn new(trace: &'t Trace) -> Self {
        Self { trace, used: Interner::default() }
    }

    pub(super) fn number(&mut self, name: NameId) -> u64 {
        u64::from(self.used.add(name))
    }

    pub(super) fn write(&self, stream: &mut Stream) {
        stream.uint(self.used.keys().len() as u64);
        for &name in self.used.keys() {
            stream.uint(colour::of(self.trace.names().bytes(name)) as u64);
            stream.text(&self.trace.name(name));
        }
    }
}

/// What all arguments together may take.
const MAX_BYTES: usize = 8 << 20;
/// What the arguments of one event may take, and one of them.
const MAX_ARGS: usize = 600;
const MAX_VALUE: usize = 200;

/// Arguments as text, one a line.
#[derive(Debug, Default)]
pub(super) struct Texts {
    used: Interner<String>,
    n_bytes: usize,
    /// How many events have arguments for which there was no room.
    pub(super) n_left_out: u64,
}

impl Texts {
    /// The number of the text of some arguments; 0 if there are none or no room.
    pub(super) fn args<'a>(&mut self, args: impl Iterator<Item = (Text<'a>, Value<'a>)>) -> u64 {
        let mut text = String::new();
        for (key, value) in args {
            if !text.is_empty() {
                text.push('\n');
            }
            if text.len() > MAX_ARGS {
                text.push('…');
                break;
            }
            push_shortened(&mut text, &key.decode());
            text.push_str(": ");
            match value {
                Value::Text(value) => push_shortened(&mut text, &value.decode()),
                Value::List(args) | Value::Map(args) if args.bytes().len() > 2 * MAX_VALUE => {
                    text.push_str(if matches!(value, Value::List(_)) { "[…]" } else { "{…}" });
                }
                value => {
                    let mut whole = String::new();
                    json::push_value(&mut whole, value);
                    push_shortened(&mut text, &whole);
                }
            }
        }
        self.text(text)
    }

    /// The number of a text; 0 if it is empty or there is no room.
    pub(super) fn text(&mut self, text: String) -> u64 {
        if text.is_empty() {
            return 0;
        }
        if let Some(number) = self.used.find(&text) {
            return u64::from(number) + 1;
        }
        if self.n_bytes + text.len() > MAX_BYTES {
            self.n_left_out += 1;
            return 0;
        }
        self.n_bytes += text.len();
        u64::from(self.used.add(text)) + 1
    }

    pub(super) fn write(&self, stream: &mut Stream) {
        stream.uint(self.used.keys().len() as u64 + 1);
        stream.text("");
        for text in self.used.keys() {
            stream.raw_text(text);
        }
    }
}

fn push_shortened(out: &mut String, text: &str) {
    let text = crate::picture::clean(text);
    match text.char_indices().nth(MAX_VALUE) {
        Some((end, _)) => {
            out.push_str(&text[..end]);
            out.push('…');
        }
        None => out.push_str(&text),
    }
}
