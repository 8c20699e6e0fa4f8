//! Where in its source a program records slices of a name.

use core::fmt;

use crate::{Text, Value};
#[cfg(feature = "alloc")]
use crate::{Trace, TraceView};

/// A place in the source of a program at which it records slices.
///
/// A file has it once, as metadata with the key [`SourceLocation::KEY`]. The value is a map with the keys `name`,
/// `function_name`, `file_name` and `line_number`, or the text that this type displays: function, file, line and name, with
/// tabs between them. Places that record the same name are several rows.
#[derive(Debug, Clone, Copy)]
#[non_exhaustive]
pub struct SourceLocation<'a> {
    /// The name of the slices.
    pub name: Text<'a>,
    /// The path of the function, such as `server::Connection::read`; empty if it is not known.
    pub function: Text<'a>,
    /// The path of the source file.
    pub file: Text<'a>,
    /// The line in the file, from 1.
    pub line: u32,
}

impl<'a> SourceLocation<'a> {
    /// The key of the metadata.
    pub const KEY: &'static str = "source_location";

    /// Returns the place at which slices of a name are recorded.
    #[must_use]
    pub const fn new(name: &'a str, function: &'a str, file: &'a str, line: u32) -> Self {
        let [name, function, file] = [name.as_bytes(), function.as_bytes(), file.as_bytes()];
        Self { name: Text::plain(name), function: Text::plain(function), file: Text::plain(file), line }
    }

    /// Returns the place that the value of a row of metadata describes, or `None` if it describes none.
    #[must_use]
    pub fn from_value(value: Value<'a>) -> Option<Self> {
        match value {
            Value::Text(text) => {
                let mut parts = core::str::from_utf8(text.raw()).ok()?.splitn(4, '\t');
                let (function, file, line) = (parts.next()?, parts.next()?, parts.next()?.parse().ok()?);
                Some(Self::new(parts.next()?, function, file, line))
            }
            Value::Map(args) => {
                let text = |key: &[u8]| match args.get(key)? {
                    Value::Text(text) => Some(text),
                    _ => None,
                };
                let line = match args.get(b"line_number")? {
                    Value::I64(line) => u32::try_from(line).ok()?,
                    Value::U64(line) => u32::try_from(line).ok()?,
                    _ => return None,
                };
                let (function, file) = (text(b"function_name")?, text(b"file_name")?);
                Some(Self { name: text(b"name")?, function, file, line })
            }
            _ => None,
        }
    }
}

impl fmt::Display for SourceLocation<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { name, function, file, line } = self;
        write!(f, "{function}\t{file}\t{line}\t{name}")
    }
}

/// Places are equal if their decoded texts are.
impl PartialEq for SourceLocation<'_> {
    fn eq(&self, other: &Self) -> bool {
        let texts = |place: &Self| [place.name, place.function, place.file];
        let mut pairs = texts(self).into_iter().zip(texts(other));
        self.line == other.line && pairs.all(|(text, other)| text.chars().eq(other.chars()))
    }
}

impl Eq for SourceLocation<'_> {}

#[cfg(feature = "alloc")]
impl Trace {
    /// Iterates over the places in the source at which the program says that it records.
    ///
    /// ```
    /// use spall_model::{Event, Limits, MetaEvent, SourceLocation, Text, TraceBuilder, Value};
    ///
    /// let place = SourceLocation::new("load", "game::load", "src/load.rs", 12);
    /// let text = place.to_string();
    /// let mut builder = TraceBuilder::new(&Limits::default());
    /// let value = Value::Text(Text::from(text.as_str()));
    /// builder.push(&Event::Meta(MetaEvent::new(Text::from(SourceLocation::KEY), value)));
    /// assert!(builder.finish().source_locations().eq([place]));
    /// ```
    pub fn source_locations(&self) -> impl Iterator<Item = SourceLocation<'_>> {
        let key = self.names().find(SourceLocation::KEY.as_bytes());
        let rows = self.meta().iter().filter(move |meta| Some(meta.key) == key);
        rows.filter_map(|meta| SourceLocation::from_value(self.meta_value(meta)))
    }
}
