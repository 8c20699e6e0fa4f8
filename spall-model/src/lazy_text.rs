//! Texts that are printed from bytes of the file when somebody asks for them.

use core::fmt;

/// A text that is kept as bytes of another form, and printed when somebody asks for it.
///
/// ```
/// use core::fmt;
/// use spall_model::{LazyText, TextFormat};
///
/// /// A byte is printed as its number.
/// static BYTE: TextFormat = TextFormat { name: "byte", write: write_byte };
///
/// fn write_byte(bytes: &[u8], out: &mut dyn fmt::Write) -> fmt::Result {
///     bytes.iter().try_for_each(|byte| write!(out, "{byte}"))
/// }
///
/// let text = LazyText::new(&[42], &BYTE);
/// assert_eq!(text.to_string(), "42");
/// assert_eq!(text.len(), 2);
/// ```
#[derive(Clone, Copy)]
pub struct LazyText<'a> {
    bytes: &'a [u8],
    format: &'static TextFormat,
}

/// The form of the bytes of a [`LazyText`], with the function that prints them. There is one `static` per form.
#[derive(Debug)]
pub struct TextFormat {
    /// The name of the form for debugging, such as `"apitrace call"`.
    pub name: &'static str,
    /// Prints all bytes. It fails only where the receiver fails, and prints damaged bytes as far as it can read them.
    pub write: fn(&[u8], &mut dyn fmt::Write) -> fmt::Result,
}

impl<'a> LazyText<'a> {
    /// Returns the text of `bytes`, which have the form `format`.
    #[must_use]
    pub const fn new(bytes: &'a [u8], format: &'static TextFormat) -> Self {
        Self { bytes, format }
    }

    /// Returns the bytes that the text is printed from.
    #[must_use]
    pub const fn bytes(&self) -> &'a [u8] {
        self.bytes
    }

    /// Returns the length of the text in bytes. This prints the text once.
    #[must_use]
    pub fn len(&self) -> usize {
        let mut length = Length(0);
        // Counting does not fail.
        let _ = (self.format.write)(self.bytes, &mut length);
        length.0
    }

    /// Returns whether the text is empty. This prints the text once.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }
}

/// A receiver that counts bytes.
struct Length(usize);

impl fmt::Write for Length {
    fn write_str(&mut self, text: &str) -> fmt::Result {
        self.0 += text.len();
        Ok(())
    }
}

/// Two texts are equal if they are printed from the same bytes in the same form.
impl PartialEq for LazyText<'_> {
    fn eq(&self, other: &Self) -> bool {
        self.bytes == other.bytes && core::ptr::eq(self.format, other.format)
    }
}

impl fmt::Debug for LazyText<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "LazyText({:?}: {self})", self.format.name)
    }
}

impl fmt::Display for LazyText<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        (self.format.write)(self.bytes, f)
    }
}

#[cfg(all(test, feature = "alloc"))]
mod tests {
    use alloc::string::ToString;

    use super::*;
    use crate::{
        Args, ArgsBuilder, ArgsFormat, Event, Limits, MetaEvent, Text, Thread, ThreadEvent, Tick, Ticks,
        Trace, TraceBuilder, Value, no_entry,
    };

    static DOUBLED: TextFormat = TextFormat { name: "doubled", write: write_doubled };
    static ARGS: ArgsFormat = ArgsFormat { name: "doubled", args: next_entry, fields: no_entry };

    fn write_doubled(bytes: &[u8], out: &mut dyn fmt::Write) -> fmt::Result {
        (0..2).try_for_each(|_| bytes.utf8_chunks().try_for_each(|chunk| out.write_str(chunk.valid())))
    }

    fn next_entry<'b>(bytes: &'b [u8], pos: &mut usize) -> Option<(Text<'b>, Value<'b>)> {
        let rest = bytes.get(*pos..).filter(|rest| !rest.is_empty())?;
        *pos = bytes.len();
        Some((Text::plain(b"text"), Value::LazyText(LazyText::new(rest, &DOUBLED))))
    }

    fn trace(args: Args<'_>, meta: Value<'_>) -> Trace<'static> {
        let mut builder = TraceBuilder::new(&Limits::default());
        let event = ThreadEvent::new(Thread::new(1, 2), Tick(5), Text::from("work"));
        builder.push_copied(&Event::Complete(ThreadEvent { args, ..event }, Ticks(3)));
        let meta = MetaEvent { thread: None, key: Text::from("key"), value: meta };
        builder.push_copied(&Event::Meta(meta));
        builder.finish()
    }

    #[test]
    fn a_text_is_printed_when_it_is_asked_for() {
        let args = Args::new("aé".as_bytes(), &ARGS);
        assert_eq!(args.to_string(), "aéaé");
        let Some(Value::LazyText(text)) = args.get(b"text") else { panic!("a text") };
        assert_eq!((text.to_string().as_str(), text.len(), text.is_empty()), ("aéaé", 6, false));
        assert_eq!(alloc::format!("{text:?}"), "LazyText(\"doubled\": aéaé)");
    }

    #[test]
    fn built_arguments_have_the_printed_text() {
        let text = LazyText::new(b"ab", &DOUBLED);
        let mut builder = ArgsBuilder::new();
        builder.add("before", 1).add("key", text).add("after", 2);
        assert_eq!(builder.args().to_string(), "before=1, key=abab, after=2");
        // An entry takes 5 bytes, the key, and 4 bytes and the text.
        for (room, fits) in [(15, false), (16, true)] {
            let mut buffer = [0; 16];
            let mut builder = ArgsBuilder::in_buffer(&mut buffer[..room]);
            builder.add("key", text);
            assert_eq!((builder.n_lost() == 0, builder.args().is_none()), (fits, !fits));
        }
    }

    #[test]
    fn a_printed_text_equals_a_plain_one() {
        let plain = |text| trace(Args::text(text), Value::Null);
        let lazy = |bytes| trace(Args::new(bytes, &ARGS), Value::Null);
        assert!(lazy(b"ab") == plain(b"abab") && plain(b"abab") == lazy(b"ab"));
        assert!(lazy(b"ab") == lazy(b"ab") && lazy(b"ab") != lazy(b"abab"));
        assert!(lazy(b"ab") != plain(b"ab") && plain(b"ab") != lazy(b"ab"));
    }

    #[test]
    fn a_fact_of_a_trace_is_the_printed_text() {
        let trace = trace(Args::NONE, Value::LazyText(LazyText::new(b"ab", &DOUBLED)));
        assert_eq!(trace.meta_value(&trace.meta()[0]), Value::from("abab"));
    }

    #[cfg(feature = "serde")]
    #[test]
    fn a_type_is_read_from_the_printed_text() {
        #[derive(serde::Deserialize, PartialEq, Debug)]
        struct Entry {
            text: alloc::string::String,
        }
        let entry: Entry = crate::from_args(&Args::new(b"ab", &ARGS)).unwrap();
        assert_eq!(entry, Entry { text: "abab".into() });
    }
}
