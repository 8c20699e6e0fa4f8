//! Arguments made by a program instead of read from a file.

#[cfg(feature = "alloc")]
use alloc::vec::Vec;

use crate::{Args, ArgsFormat, Text, ThreadCount, ThreadMeasure, Value};

/// The number of lists and maps inside one another that are copied; deeper ones become [`Value::Null`].
const MAX_DEPTH: usize = 32;

/// The encoding of built arguments.
///
/// An entry is, with all numbers little-endian:
///
/// 1. the length of the key (4 bytes; the highest bit is set for a key with JSON escapes);
/// 2. the key;
/// 3. a tag (1 byte);
/// 4. the value: 8 bytes for a number, and a length (4 bytes) with the content for texts, bytes, lists and maps.
///
/// The content of lists and maps is entries again. Their length lets a reader step over a nested value at once. What a
/// counter of the thread showed is an entry without a key, which is no argument.
pub(crate) static BUILT: ArgsFormat =
    ArgsFormat { thread: thread_count, ..ArgsFormat::new("built", next_entry) };

/// The tags that say which kind a value has.
mod tag {
    pub(super) const NULL: u8 = 0;
    pub(super) const FALSE: u8 = 1;
    pub(super) const TRUE: u8 = 2;
    pub(super) const I64: u8 = 3;
    pub(super) const U64: u8 = 4;
    pub(super) const F64: u8 = 5;
    pub(super) const TEXT: u8 = 6;
    pub(super) const ESCAPED: u8 = 7;
    pub(super) const BYTES: u8 = 8;
    pub(super) const LIST: u8 = 9;
    pub(super) const MAP: u8 = 10;
    /// What counters of the thread showed, and by how much they rose.
    pub(super) const TIME: u8 = 11;
    pub(super) const TIME_DURING: u8 = 12;
    pub(super) const INSTRUCTIONS: u8 = 13;
    pub(super) const INSTRUCTIONS_DURING: u8 = 14;
}

/// Returns the tags of what a counter showed, and of by how much it rose.
const fn tags(measure: ThreadMeasure) -> [u8; 2] {
    match measure {
        ThreadMeasure::Time => [tag::TIME, tag::TIME_DURING],
        ThreadMeasure::Instructions => [tag::INSTRUCTIONS, tag::INSTRUCTIONS_DURING],
    }
}

/// The bit of a key's length that says that the key has escapes.
const ESCAPED_KEY: u32 = 1 << 31;

/// Builds the [`Args`] of an event, for programs that make events themselves.
///
/// The builder writes into memory of its own, or, without an allocator, into a buffer of the caller. An entry that no
/// longer fits in the buffer is left out as a whole and counted by [`ArgsBuilder::n_lost`]. The arguments are read
/// with [`Args::iter`] like those of any format, and every writer takes them.
///
/// ```
/// use spall_model::{ArgsBuilder, Event, Text, Thread, ThreadEvent, Tick, Value};
///
/// let mut buffer = [0; 256];
/// let mut builder = ArgsBuilder::in_buffer(&mut buffer);
/// builder.add("frame", 7).add("scene", "menu").add_list("sizes", [1.5, 2.5]);
///
/// let mut event = ThreadEvent::new(Thread::new(1, 1), Tick(0), Text::from("draw"));
/// event.args = builder.args();
/// assert_eq!(event.args.get(b"frame"), Some(Value::I64(7)));
/// assert_eq!(event.args.to_string(), "frame=7, scene=menu, sizes=[1.5, 2.5]");
/// ```
#[derive(Debug)]
pub struct ArgsBuilder<'b> {
    memory: Memory<'b>,
    n_lost: usize,
}

/// The memory into which a builder writes: a buffer of the caller, or a vector that grows.
#[derive(Debug)]
enum Memory<'b> {
    Buffer {
        bytes: &'b mut [u8],
        len: usize,
    },
    #[cfg(feature = "alloc")]
    Owned(Vec<u8>),
}

impl Memory<'_> {
    fn bytes(&self) -> &[u8] {
        match self {
            Self::Buffer { bytes, len } => bytes.get(..*len).unwrap_or_default(),
            #[cfg(feature = "alloc")]
            Self::Owned(bytes) => bytes,
        }
    }

    fn len(&self) -> usize {
        self.bytes().len()
    }

    fn truncate(&mut self, to: usize) {
        match self {
            Self::Buffer { len, .. } => *len = to.min(*len),
            #[cfg(feature = "alloc")]
            Self::Owned(bytes) => bytes.truncate(to),
        }
    }

    /// Appends `new`, or returns `None` if it does not fit.
    fn put(&mut self, new: &[u8]) -> Option<()> {
        match self {
            Self::Buffer { bytes, len } => {
                let end = len.checked_add(new.len())?;
                bytes.get_mut(*len..end)?.copy_from_slice(new);
                *len = end;
            }
            #[cfg(feature = "alloc")]
            Self::Owned(bytes) => bytes.extend_from_slice(new),
        }
        Some(())
    }

    /// Appends a tag, the length of the content, and the content.
    fn put_counted(&mut self, tag: u8, content: &[u8]) -> Option<()> {
        let [a, b, c, d] = u32::try_from(content.len()).ok()?.to_le_bytes();
        self.put(&[tag, a, b, c, d])?;
        self.put(content)
    }

    /// Writes the number of bytes that follow the four bytes at `at` into those four bytes.
    fn patch(&mut self, at: usize) -> Option<()> {
        let len = u32::try_from(self.len().checked_sub(at + 4)?).ok()?;
        let bytes = match self {
            Self::Buffer { bytes, .. } => &mut **bytes,
            #[cfg(feature = "alloc")]
            Self::Owned(bytes) => bytes,
        };
        bytes.get_mut(at..at + 4)?.copy_from_slice(&len.to_le_bytes());
        Some(())
    }

    /// Appends a key with its length, or returns `None` if it does not fit.
    fn put_key(&mut self, key: Text<'_>) -> Option<()> {
        let len = u32::try_from(key.raw().len()).ok().filter(|len| len & ESCAPED_KEY == 0)?;
        self.put(&(if key.is_escaped() { len | ESCAPED_KEY } else { len }).to_le_bytes())?;
        self.put(key.raw())
    }

    /// Begins a list or a map, and returns the position of its length, for [`Memory::patch`].
    fn begin(&mut self, tag: u8) -> Option<usize> {
        self.put(&[tag, 0, 0, 0, 0]).map(|()| self.len() - 4)
    }

    /// Appends a key and a value, or returns `None` if they do not fit. Then a part may be written, which the caller
    /// removes. `depth` is the number of lists and maps that may be inside one another.
    fn put_entry(&mut self, key: Text<'_>, value: Value<'_>, depth: usize) -> Option<()> {
        self.put_key(key)?;
        let (tag, args) = match value {
            Value::List(items) => (tag::LIST, items),
            Value::Map(entries) => (tag::MAP, entries),
            _ => return self.put_scalar(value),
        };
        // Built arguments already have this encoding, at any depth.
        if core::ptr::eq(args.format(), &BUILT) {
            return self.put_counted(tag, args.bytes());
        }
        let Some(depth) = depth.checked_sub(1) else { return self.put(&[tag::NULL]) };
        let at = self.begin(tag)?;
        args.iter().try_for_each(|(key, value)| self.put_entry(key, value, depth))?;
        self.patch(at)
    }

    /// Appends a value that is not a list or a map, with its tag.
    fn put_scalar(&mut self, value: Value<'_>) -> Option<()> {
        match value {
            Value::Bool(value) => self.put(&[if value { tag::TRUE } else { tag::FALSE }]),
            Value::I64(value) => self.put_number(tag::I64, value.to_le_bytes()),
            Value::U64(value) => self.put_number(tag::U64, value.to_le_bytes()),
            Value::F64(value) => self.put_number(tag::F64, value.to_le_bytes()),
            Value::Text(text) if text.is_escaped() => self.put_counted(tag::ESCAPED, text.raw()),
            Value::Text(text) => self.put_counted(tag::TEXT, text.raw()),
            Value::Bytes(bytes) => self.put_counted(tag::BYTES, bytes),
            Value::Null | Value::List(_) | Value::Map(_) => self.put(&[tag::NULL]),
        }
    }

    /// Appends a number with its tag.
    fn put_number(&mut self, tag: u8, [a, b, c, d, e, f, g, h]: [u8; 8]) -> Option<()> {
        self.put(&[tag, a, b, c, d, e, f, g, h])
    }
}

#[cfg(feature = "alloc")]
impl ArgsBuilder<'static> {
    /// Returns a builder without entries, which writes into memory of its own.
    #[must_use]
    pub const fn new() -> Self {
        Self { memory: Memory::Owned(Vec::new()), n_lost: 0 }
    }

    /// Begins an entry that is a map. The entries that are added from now on are in it, until it is given to
    /// [`ArgsBuilder::end`].
    ///
    /// ```
    /// use spall_model::ArgsBuilder;
    ///
    /// let mut args = ArgsBuilder::new();
    /// let task = args.begin_map("task");
    /// args.add("file", "a.cc").add("line", 7);
    /// args.end(task);
    /// assert_eq!(args.args().to_string(), "task={file: a.cc, line: 7}");
    /// ```
    pub fn begin_map<'v>(&mut self, key: impl Into<Text<'v>>) -> OpenEntry {
        self.begin(key.into(), tag::MAP)
    }

    /// Begins an entry that is a list. The values that are added from now on, with empty keys, are in it, until it is
    /// given to [`ArgsBuilder::end`].
    pub fn begin_list<'v>(&mut self, key: impl Into<Text<'v>>) -> OpenEntry {
        self.begin(key.into(), tag::LIST)
    }

    fn begin(&mut self, key: Text<'_>, tag: u8) -> OpenEntry {
        let start = self.memory.len();
        OpenEntry { start, len: self.memory.put_key(key).and_then(|()| self.memory.begin(tag)) }
    }

    /// Ends the entry that was begun last. If it is longer than 4 GiB, it is left out with everything in it.
    pub fn end(&mut self, entry: OpenEntry) {
        let ended = entry.len.and_then(|at| self.memory.patch(at));
        self.keep(ended, entry.start);
    }
}

/// A list or map of an [`ArgsBuilder`] that was begun and not ended.
#[cfg(feature = "alloc")]
#[must_use = "an entry that is not ended cannot be read"]
#[derive(Debug)]
pub struct OpenEntry {
    /// The position of the entry.
    start: usize,
    /// The position of its length; `None` if the key is too long.
    len: Option<usize>,
}

#[cfg(feature = "alloc")]
impl Default for ArgsBuilder<'static> {
    fn default() -> Self {
        Self::new()
    }
}

impl<'b> ArgsBuilder<'b> {
    /// Returns a builder without entries that writes into `buffer`.
    ///
    /// An entry takes 5 bytes, its key, and 8 bytes for a number, or 4 bytes and the content for anything longer.
    #[must_use]
    pub const fn in_buffer(buffer: &'b mut [u8]) -> Self {
        Self { memory: Memory::Buffer { bytes: buffer, len: 0 }, n_lost: 0 }
    }

    /// Adds an entry after the others. Keys may repeat; the last entry of a key is the one that [`Args::get`] finds.
    ///
    /// Lists and maps are copied with everything in them, up to 32 inside one another. To nest arguments in others,
    /// build them with a builder of their own and add [`Value::Map`] or [`Value::List`] of them.
    pub fn add<'v>(&mut self, key: impl Into<Text<'v>>, value: impl Into<Value<'v>>) -> &mut Self {
        let start = self.memory.len();
        let put = self.memory.put_entry(key.into(), value.into(), MAX_DEPTH);
        self.keep(put, start)
    }

    /// Keeps the entry that begins at `start` if it was put there whole, and counts it as lost otherwise.
    fn keep(&mut self, put: Option<()>, start: usize) -> &mut Self {
        if put.is_none() {
            self.memory.truncate(start);
            self.n_lost += 1;
        }
        self
    }

    /// Adds an entry that is a list of these values, in their order.
    pub fn add_list<'v, V: Into<Value<'v>>>(
        &mut self,
        key: impl Into<Text<'v>>,
        values: impl IntoIterator<Item = V>,
    ) -> &mut Self {
        let start = self.memory.len();
        let memory = &mut self.memory;
        let put = || {
            memory.put_key(key.into())?;
            let at = memory.begin(tag::LIST)?;
            values
                .into_iter()
                .try_for_each(|value| memory.put_entry(Text::EMPTY, value.into(), MAX_DEPTH))?;
            memory.patch(at)
        };
        let put = put();
        self.keep(put, start)
    }

    /// Adds what a counter of the event's thread showed, which is no argument: [`Args::thread_count`] returns it. A negative
    /// number is left out.
    ///
    /// ```
    /// use spall_model::{ArgsBuilder, ThreadCount, ThreadMeasure};
    ///
    /// let mut args = ArgsBuilder::new();
    /// args.add("frame", 7).add_thread_count(ThreadMeasure::Time, ThreadCount { at: Some(1500), during: None });
    /// assert_eq!(args.args().thread_count(ThreadMeasure::Time).at, Some(1500));
    /// assert_eq!(args.args().to_string(), "frame=7");
    /// ```
    pub fn add_thread_count(&mut self, measure: ThreadMeasure, count: ThreadCount) -> &mut Self {
        let [tag_at, tag_during] = tags(measure);
        self.add_tagged(tag_at, count.at).add_tagged(tag_during, count.during)
    }

    /// Adds an entry without a key, unless its number is negative.
    #[inline]
    fn add_tagged(&mut self, tag: u8, number: Option<i64>) -> &mut Self {
        let Some(number) = number.filter(|&number| number >= 0) else { return self };
        let start = self.memory.len();
        let [a, b, c, d, e, f, g, h] = number.to_le_bytes();
        let put = self.memory.put(&[0, 0, 0, 0, tag, a, b, c, d, e, f, g, h]);
        self.keep(put, start)
    }

    /// Adds all entries of other arguments, which may have any encoding, and what they say of counters of the thread.
    pub fn extend(&mut self, args: Args<'_>) -> &mut Self {
        if core::ptr::eq(args.format(), &BUILT) && self.memory.put(args.bytes()).is_some() {
            return self;
        }
        for (key, value) in args {
            self.add(key, value);
        }
        for measure in ThreadMeasure::ALL {
            self.add_thread_count(measure, args.thread_count(measure));
        }
        self
    }

    /// Returns the arguments built so far.
    #[must_use]
    pub fn args(&self) -> Args<'_> {
        Args::new(self.memory.bytes(), &BUILT)
    }

    /// Returns the number of entries that were left out because the buffer was full or a text had 4 GiB or more.
    #[must_use]
    pub const fn n_lost(&self) -> usize {
        self.n_lost
    }

    /// Removes all entries, to build the arguments of another event in the same memory.
    pub fn clear(&mut self) {
        self.memory.truncate(0);
        self.n_lost = 0;
    }
}

/// Reads the argument at `pos`. Returns `None` at the end, and where the bytes are not those of a builder.
fn next_entry<'b>(bytes: &'b [u8], pos: &mut usize) -> Option<(Text<'b>, Value<'b>)> {
    loop {
        match next_tagged(bytes, pos)? {
            (_, tag::TIME.., _) => {}
            (key, _, value) => return Some((key, value)),
        }
    }
}

/// Returns what a counter of the thread showed.
fn thread_count(bytes: &[u8], measure: ThreadMeasure) -> ThreadCount {
    let mut pos = 0;
    let [mut at, mut during] = [None; 2];
    let [tag_at, tag_during] = tags(measure);
    while let Some((_, tag, value)) = next_tagged(bytes, &mut pos) {
        match value {
            Value::I64(number) if tag == tag_at => at = Some(number),
            Value::I64(number) if tag == tag_during => during = Some(number),
            _ => {}
        }
    }
    ThreadCount { at, during }
}

/// Reads the entry at `pos`, with its tag.
#[inline]
fn next_tagged<'b>(bytes: &'b [u8], pos: &mut usize) -> Option<(Text<'b>, u8, Value<'b>)> {
    let mut rest = bytes.get(*pos..)?;
    let len = u32::from_le_bytes(take_array(&mut rest)?);
    let key = take(&mut rest, len & !ESCAPED_KEY)?;
    let key = Text::from_raw(key, len & ESCAPED_KEY != 0);
    let [tag] = take_array(&mut rest)?;
    let value = match tag {
        tag::NULL => Value::Null,
        tag::FALSE => Value::Bool(false),
        tag::TRUE => Value::Bool(true),
        tag::I64 | tag::TIME..=tag::INSTRUCTIONS_DURING => {
            Value::I64(i64::from_le_bytes(take_array(&mut rest)?))
        }
        tag::U64 => Value::U64(u64::from_le_bytes(take_array(&mut rest)?)),
        tag::F64 => Value::F64(f64::from_le_bytes(take_array(&mut rest)?)),
        _ => {
            let len = u32::from_le_bytes(take_array(&mut rest)?);
            let content = take(&mut rest, len)?;
            match tag {
                tag::TEXT => Value::Text(Text::plain(content)),
                tag::ESCAPED => Value::Text(Text::escaped(content)),
                tag::BYTES => Value::Bytes(content),
                tag::LIST => Value::List(Args::new(content, &BUILT)),
                tag::MAP => Value::Map(Args::new(content, &BUILT)),
                _ => return None,
            }
        }
    };
    *pos = bytes.len() - rest.len();
    Some((key, tag, value))
}

/// Removes and returns the first bytes, or returns `None` if there are too few.
fn take<'b>(rest: &mut &'b [u8], len: u32) -> Option<&'b [u8]> {
    let (head, tail) = rest.split_at_checked(usize::try_from(len).ok()?)?;
    *rest = tail;
    Some(head)
}

/// Removes and returns the first `N` bytes, or returns `None` if there are too few.
fn take_array<const N: usize>(rest: &mut &[u8]) -> Option<[u8; N]> {
    let (&head, tail) = rest.split_first_chunk()?;
    *rest = tail;
    Some(head)
}

#[cfg(all(test, feature = "alloc"))]
mod tests {
    use alloc::{string::ToString, vec};

    use super::*;

    fn everything(builder: &mut ArgsBuilder<'_>) {
        builder
            .add("null", Value::Null)
            .add("yes", true)
            .add("int", -3)
            .add("uint", u64::MAX)
            .add("float", 0.5);
        builder
            .add("text", "a\\b")
            .add(Text::escaped(b"k\\n"), Text::escaped(b"a\\u0041"))
            .add("bytes", &b"\xff"[..]);
        builder.add("none", None::<i32>).add_list("list", [1, 2]).add_list("empty", [0.0; 0]);
    }

    const EVERYTHING: &str = "null=null, yes=true, int=-3, uint=18446744073709551615, float=0.5, text=a\\b, k\n=aA, \
        bytes=1 bytes, none=null, list=[1, 2], empty=[]";

    #[test]
    fn what_was_added_is_read_back() {
        let mut builder = ArgsBuilder::new();
        everything(&mut builder);
        assert_eq!(builder.args().to_string(), EVERYTHING);
        assert_eq!(builder.args().get(b"uint"), Some(Value::U64(u64::MAX)));
        assert_eq!(builder.args().get(b"bytes"), Some(Value::Bytes(b"\xff")));
        let mut outer = ArgsBuilder::new();
        outer
            .extend(builder.args())
            .add("map", Value::Map(builder.args()))
            .add("list", Value::List(Args::text(b"x")));
        assert_eq!(
            outer.args().to_string(),
            alloc::format!("{EVERYTHING}, map={{{}}}, list=[x]", EVERYTHING.replace('=', ": "))
        );
        assert_eq!(outer.n_lost(), 0);
        outer.clear();
        assert!(outer.args().is_none());
    }

    #[test]
    fn an_entry_that_does_not_fit_is_left_out_as_a_whole() {
        let mut whole = ArgsBuilder::new();
        everything(&mut whole);
        let entries = whole.args().iter().count();
        for size in 0..=whole.args().bytes().len() {
            let mut buffer = vec![0xff; size];
            let mut builder = ArgsBuilder::in_buffer(&mut buffer);
            everything(&mut builder);
            assert_eq!(builder.args().iter().count() + builder.n_lost(), entries, "{size}");
            let kept = builder
                .args()
                .iter()
                .all(|(key, value)| whole.args().iter().any(|entry| entry == (key, value)));
            assert!(kept, "{size}");
        }
    }

    #[test]
    fn damaged_bytes_end_the_entries() {
        let mut builder = ArgsBuilder::new();
        everything(&mut builder);
        let bytes = builder.args().bytes().to_vec();
        for at in 0..bytes.len() {
            let mut damaged = bytes.clone();
            damaged[at] ^= 0xff;
            _ = Args::new(&damaged, &BUILT).to_string();
            assert!(Args::new(&bytes[..at], &BUILT).iter().count() <= builder.args().iter().count());
        }
    }

    #[test]
    fn foreign_values_are_copied_to_a_bounded_depth() {
        // One list in itself, endlessly: a format may nest as deep as its bytes like.
        static ENDLESS: ArgsFormat = ArgsFormat::new("endless", endless);
        fn endless<'b>(bytes: &'b [u8], pos: &mut usize) -> Option<(Text<'b>, Value<'b>)> {
            *pos += 1;
            (*pos == 1).then_some((Text::EMPTY, Value::List(Args::new(bytes, &ENDLESS))))
        }
        let mut builder = ArgsBuilder::new();
        builder.add("deep", Value::List(Args::new(b"x", &ENDLESS)));
        let mut value = builder.args().get(b"deep");
        let mut depth = 0;
        while let Some(Value::List(items)) = value {
            value = items.iter().next().map(|(_, value)| value);
            depth += 1;
        }
        assert_eq!((depth, value), (MAX_DEPTH, Some(Value::Null)));
        assert!(alloc::format!("{:?}", builder.args()).contains('…'));
    }
}
