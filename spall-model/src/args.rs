//! Arguments of events, which are kept as the bytes of the file and decoded on demand.

use core::fmt;

use crate::Text;

/// The value of an argument.
///
/// ```
/// use spall_model::Value;
///
/// assert_eq!(Value::from(7), Value::I64(7));
/// assert_eq!(Value::from("menu").to_string(), "menu");
/// assert_eq!(Value::from(None::<f64>), Value::Null);
/// ```
#[derive(Debug, Clone, Copy, PartialEq)]
#[non_exhaustive]
pub enum Value<'a> {
    /// The JSON value `null`, or an absent value where the format has room for one.
    Null,
    /// `true` or `false`.
    Bool(bool),
    /// A signed integer of 64 bits.
    I64(i64),
    /// An unsigned integer that may be beyond `i64`.
    U64(u64),
    /// A floating point number, NaN and infinities included.
    F64(f64),
    /// A text, which may contain JSON escapes and bad UTF-8.
    Text(Text<'a>),
    /// Bytes that are not a text.
    Bytes(&'a [u8]),
    /// A list: values in order, whose keys are empty.
    List(Args<'a>),
    /// A map: keys with values in the order of the file. Keys may repeat.
    Map(Args<'a>),
}

impl Value<'_> {
    /// Returns the integer, or `None` if it is none, or beyond `i64`.
    ///
    /// ```
    /// use spall_model::Value;
    /// assert_eq!([Value::U64(7), Value::F64(7.0)].map(Value::as_i64), [Some(7), None]);
    /// ```
    #[must_use]
    pub fn as_i64(self) -> Option<i64> {
        match self {
            Self::I64(value) => Some(value),
            Self::U64(value) => i64::try_from(value).ok(),
            _ => None,
        }
    }
}

macro_rules! value_from {
    ($($kind:ident: $($of:ty),*;)*) => {
        $($(impl From<$of> for Value<'_> {
            fn from(value: $of) -> Self {
                Self::$kind(value.into())
            }
        })*)*
    };
}

value_from! {
    Bool: bool;
    I64: i8, i16, i32, i64;
    U64: u8, u16, u32, u64;
    F64: f32, f64;
}

impl From<usize> for Value<'_> {
    fn from(value: usize) -> Self {
        Self::U64(value as u64)
    }
}

impl From<isize> for Value<'_> {
    fn from(value: isize) -> Self {
        Self::I64(value as i64)
    }
}

impl<'a> From<&'a str> for Value<'a> {
    fn from(text: &'a str) -> Self {
        Self::Text(text.into())
    }
}

impl<'a> From<Text<'a>> for Value<'a> {
    fn from(text: Text<'a>) -> Self {
        Self::Text(text)
    }
}

impl<'a> From<&'a [u8]> for Value<'a> {
    fn from(bytes: &'a [u8]) -> Self {
        Self::Bytes(bytes)
    }
}

impl<'a, T: Into<Self>> From<Option<T>> for Value<'a> {
    /// Returns [`Value::Null`] for `None`.
    fn from(value: Option<T>) -> Self {
        value.map_or(Self::Null, Into::into)
    }
}

/// A function that decodes the entry of `bytes` at `pos` and moves `pos` to the next entry. It returns `None` at the
/// end and where the bytes are damaged.
///
/// A decoder must not recurse into nested values. It returns them as [`Value::List`] or [`Value::Map`], and steps over
/// them with a loop, because bytes of a file must not decide how deep the stack gets.
pub type NextEntry = for<'b> fn(bytes: &'b [u8], pos: &mut usize) -> Option<(Text<'b>, Value<'b>)>;

/// The encoding of arguments: the functions that decode [`Args::bytes`]. There is one `static` per encoding.
///
/// ```
/// use spall_model::{Args, ArgsFormat, Text, Value};
///
/// /// Each byte is an entry without a key.
/// static BYTES: ArgsFormat = ArgsFormat::new("bytes", next_byte);
///
/// fn next_byte<'b>(bytes: &'b [u8], pos: &mut usize) -> Option<(Text<'b>, Value<'b>)> {
///     let byte = *bytes.get(*pos)?;
///     *pos += 1;
///     Some((Text::EMPTY, Value::from(byte)))
/// }
///
/// let args = Args::new(&[7, 8], &BYTES);
/// assert!(args.iter().map(|(_, value)| value).eq([Value::U64(7), Value::U64(8)]));
/// ```
#[derive(Debug)]
pub struct ArgsFormat {
    /// The name of the encoding for debugging, such as `"json object"`.
    pub name: &'static str,
    /// Decodes the next argument.
    pub args: NextEntry,
    /// Decodes further fields of the event that are not arguments, such as `tts` and `cname` of Trace Event JSON, if
    /// the bytes contain them.
    pub fields: NextEntry,
    /// Reads what a counter of the thread showed, if the bytes contain it.
    pub thread: fn(bytes: &[u8], measure: ThreadMeasure) -> ThreadCount,
}

impl ArgsFormat {
    /// Returns the encoding of arguments whose events have nothing besides them.
    #[must_use]
    pub const fn new(name: &'static str, args: NextEntry) -> Self {
        Self { name, args, fields: no_entry, thread: |_, _| ThreadCount { at: None, during: None } }
    }
}

/// What a thread has a counter of its own for. [pairing 8](crate::rules::pairing#8)
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum ThreadMeasure {
    /// The time in which the thread was running, in ticks of the trace.
    Time,
    /// The instructions that the thread has executed.
    Instructions,
}

impl ThreadMeasure {
    /// Everything that a thread may have a counter for.
    pub const ALL: [Self; 2] = [Self::Time, Self::Instructions];
}

/// What a thread's counter showed at an event. No number is negative.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct ThreadCount {
    /// What the counter showed when the event happened, or began.
    pub at: Option<i64>,
    /// By how much the counter rose during the event.
    pub during: Option<i64>,
}

/// The encoding of [`Args::NONE`].
static NONE: ArgsFormat = ArgsFormat::new("none", no_entry);
/// The encoding of [`Args::text`].
static TEXT: ArgsFormat = ArgsFormat::new("text", whole_text);

/// Returns no entry.
fn no_entry<'b>(_: &'b [u8], _: &mut usize) -> Option<(Text<'b>, Value<'b>)> {
    None
}

/// Decodes all bytes as one entry with the key `text`.
fn whole_text<'b>(bytes: &'b [u8], pos: &mut usize) -> Option<(Text<'b>, Value<'b>)> {
    let rest = bytes.get(*pos..).filter(|rest| !rest.is_empty())?;
    *pos = bytes.len();
    Some((Text::plain(b"text"), Value::Text(Text::plain(rest))))
}

/// The arguments of an event: bytes of the input and the encoding that reads them.
///
/// Nothing is decoded until somebody iterates. [`ArgsBuilder`](crate::ArgsBuilder) makes arguments, and with the
/// feature `serde` the function `from_args` reads them into a type of the caller.
///
/// ```
/// use spall_model::{Args, Text, Value};
/// let args = Args::text(b"n=3");
/// let (key, value) = args.iter().next().unwrap();
/// assert!(key.is(b"text"));
/// assert_eq!(value, Value::Text(Text::plain(b"n=3")));
/// ```
#[derive(Clone, Copy)]
pub struct Args<'a> {
    bytes: &'a [u8],
    format: &'static ArgsFormat,
}

impl<'a> Args<'a> {
    /// The absence of arguments, which is also the default.
    pub const NONE: Self = Self { bytes: b"", format: &NONE };

    /// Returns the arguments in `bytes`, which have the encoding `format`.
    #[must_use]
    pub const fn new(bytes: &'a [u8], format: &'static ArgsFormat) -> Self {
        Self { bytes, format }
    }

    /// Returns one unstructured text as arguments, as the spall format has it. The only entry has the key `text`.
    #[must_use]
    pub const fn text(bytes: &'a [u8]) -> Self {
        if bytes.is_empty() { Self::NONE } else { Self { bytes, format: &TEXT } }
    }

    /// Returns the undecoded bytes.
    #[must_use]
    pub const fn bytes(&self) -> &'a [u8] {
        self.bytes
    }

    /// Returns the encoding of the bytes.
    #[must_use]
    pub const fn format(&self) -> &'static ArgsFormat {
        self.format
    }

    /// Returns whether there are no arguments. An empty JSON object has bytes and is not absent.
    #[must_use]
    pub const fn is_none(&self) -> bool {
        self.bytes.is_empty()
    }

    /// Iterates over the arguments in the order of the file.
    #[must_use]
    pub fn iter(&self) -> Entries<'a> {
        Entries { bytes: self.bytes, pos: 0, next: self.format.args }
    }

    /// Iterates over the fields of the event that are neither arguments nor part of [`Event`](crate::Event), in the
    /// order of the file.
    #[must_use]
    pub fn fields(&self) -> Entries<'a> {
        Entries { bytes: self.bytes, pos: 0, next: self.format.fields }
    }

    /// Returns the value of the argument `key`, or `None` if there is no such argument. If the key repeats, the last
    /// value counts. Each call decodes all arguments.
    #[must_use]
    pub fn get(&self, key: &[u8]) -> Option<Value<'a>> {
        self.iter().filter(|(name, _)| name.is(key)).last().map(|(_, value)| value)
    }

    /// Returns the value of the field `key`, or `None` if there is no such field. If the key repeats, the last value
    /// counts.
    #[must_use]
    pub fn field(&self, key: &[u8]) -> Option<Value<'a>> {
        self.fields().filter(|(name, _)| name.is(key)).last().map(|(_, value)| value)
    }

    /// Returns what a counter of the thread showed at the event.
    #[must_use]
    pub fn thread_count(&self, measure: ThreadMeasure) -> ThreadCount {
        (self.format.thread)(self.bytes, measure)
    }
}

/// Two arguments are equal if they have the same bytes and the same encoding.
impl PartialEq for Args<'_> {
    fn eq(&self, other: &Self) -> bool {
        self.bytes == other.bytes && core::ptr::eq(self.format, other.format)
    }
}

/// The number of lists and maps inside one another that are written; deeper ones are written as `…`. Bytes of a file
/// must not decide how deep a formatter recurses.
const MAX_NESTING: u32 = 8;

impl fmt::Debug for Args<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Args({:?}: {self})", self.format.name)
    }
}

/// Writes the arguments in one line, as `key=value, key=value`; a single unstructured text without its key.
impl fmt::Display for Args<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mut entries = self.iter();
        match (entries.next(), entries.next()) {
            (Some((key, Value::Text(text))), None) if key.is(b"text") => write!(f, "{text}"),
            _ => write_entries(f, self.iter(), "=", MAX_NESTING),
        }
    }
}

/// Writes numbers, truth values and texts as they are, bytes as their number, a list as `[1, 2]`, a map as
/// `{a: 1, b: 2}`, and `…` for lists and maps that lie too deep.
impl fmt::Display for Value<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write_value(f, *self, MAX_NESTING)
    }
}

/// Writes entries with commas between them, as their key, `is` and the value, or as the value alone if `is` is empty.
fn write_entries(f: &mut fmt::Formatter<'_>, entries: Entries<'_>, is: &str, nesting: u32) -> fmt::Result {
    for (index, (key, value)) in entries.enumerate() {
        if index > 0 {
            f.write_str(", ")?;
        }
        if !is.is_empty() {
            write!(f, "{key}{is}")?;
        }
        write_value(f, value, nesting)?;
    }
    Ok(())
}

/// Writes a value; `…` for a list or map if no more levels of `nesting` are allowed.
fn write_value(f: &mut fmt::Formatter<'_>, value: Value<'_>, nesting: u32) -> fmt::Result {
    match value {
        Value::Null => f.write_str("null"),
        Value::Bool(value) => write!(f, "{value}"),
        Value::I64(value) => write!(f, "{value}"),
        Value::U64(value) => write!(f, "{value}"),
        Value::F64(value) => write!(f, "{value}"),
        Value::Text(text) => write!(f, "{text}"),
        Value::Bytes(bytes) => write!(f, "{} bytes", bytes.len()),
        Value::List(_) | Value::Map(_) if nesting == 0 => f.write_str("…"),
        Value::List(items) => {
            f.write_str("[")?;
            write_entries(f, items.iter(), "", nesting - 1)?;
            f.write_str("]")
        }
        Value::Map(entries) => {
            f.write_str("{")?;
            write_entries(f, entries.iter(), ": ", nesting - 1)?;
            f.write_str("}")
        }
    }
}

impl<'a> IntoIterator for Args<'a> {
    type Item = (Text<'a>, Value<'a>);
    type IntoIter = Entries<'a>;

    fn into_iter(self) -> Entries<'a> {
        self.iter()
    }
}

/// An iterator over the entries of [`Args`], which are decoded one by one.
#[derive(Debug, Clone)]
pub struct Entries<'a> {
    bytes: &'a [u8],
    pos: usize,
    next: NextEntry,
}

impl<'a> Iterator for Entries<'a> {
    type Item = (Text<'a>, Value<'a>);

    fn next(&mut self) -> Option<Self::Item> {
        (self.next)(self.bytes, &mut self.pos)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn no_arguments_have_no_entries() {
        assert!(Args::NONE.is_none());
        assert_eq!(Args::NONE.iter().count(), 0);
        assert_eq!(Args::text(b""), Args::NONE);
    }

    #[test]
    fn text_is_one_entry() {
        let args = Args::text(b"x");
        assert_eq!(args.iter().count(), 1);
        assert_eq!(args.get(b"text"), Some(Value::Text(Text::plain(b"x"))));
        assert_eq!(args.get(b"other"), None);
        assert_eq!(args.field(b"text"), None);
    }
}
