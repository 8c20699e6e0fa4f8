//! The generator of apitrace streams and of their snappy container. [apitrace C.1, C.4]

use std::collections::{HashMap, HashSet};

/// A value. The docs of the variants give the type bytes of the format. [apitrace C.4.6]
#[derive(Debug, Clone, PartialEq)]
pub enum Value {
    /// A null pointer, type 00.
    Null,
    /// A truth value, type 01 for false and 02 for true.
    Bool(bool),
    /// An integer, type 03 for a negative one and 04 for any other. At most 64 bits of the magnitude are written.
    Integer(i128),
    /// A 32-bit float, type 05.
    Float(f32),
    /// A 64-bit float, type 06.
    Double(f64),
    /// A text, type 07.
    Text(Vec<u8>),
    /// Binary data, type 08.
    Blob(Vec<u8>),
    /// A value of an enum, type 09, with the enum's id, the names of all its values, and the value. Before version 3
    /// only the name of this value is written.
    Enum(u64, Vec<(String, i128)>, i128),
    /// A value of a bitmask, type 0a, with the bitmask's id, the names of its bits, and the value.
    Bitmask(u64, Vec<(String, u64)>, u64),
    /// An array, type 0b.
    Array(Vec<Value>),
    /// A structure, type 0c, with its id, its name, and its members with their names.
    Struct(u64, String, Vec<(String, Value)>),
    /// An address, type 0d.
    Pointer(u64),
    /// A value in two forms, type 0e. The first one is for people, the second one for a replay.
    Repr(Box<[Value; 2]>),
    /// A text of wide characters, type 0f.
    Wide(Vec<u64>),
    /// Bytes that are written as they are, valid or not.
    Raw(Vec<u8>),
}

/// A detail of an enter or leave event. The docs of the variants give the tags of the format. [apitrace C.4.4]
#[derive(Debug, Clone, PartialEq)]
pub enum Detail {
    /// The value of the argument with this index, tag 01.
    Argument(u64, Value),
    /// The returned value, tag 02.
    Return(Value),
    /// A call stack, tag 04. Each frame has an id, and texts with their types, which describe it.
    Backtrace(Vec<(u64, Vec<(u8, String)>)>),
    /// Flags, tag 05.
    Flags(u64),
    /// Bytes that are written as they are, valid or not.
    Raw(Vec<u8>),
}

/// A stream that is being written. It writes a signature where its id is used for the first time.
///
/// ```
/// use spall_synth::apitrace::{Detail, Stream, Value};
///
/// let mut stream = Stream::new(5, &[]);
/// stream.enter(0, (7, "flush", &["mode"]), &[Detail::Argument(0, Value::Integer(42))]);
/// stream.leave(0, &[]);
/// assert_eq!(stream.bytes(), b"\x05\0\0\x07\x05flush\x01\x04mode\x01\0\x04\x2a\0\x01\0\0");
/// ```
#[derive(Debug, Clone)]
pub struct Stream {
    bytes: Vec<u8>,
    version: u64,
    functions: HashSet<u64>,
    /// The ids of enums, bitmasks, structures and frames whose signatures were written.
    defined: [HashSet<u64>; 4],
}

impl Stream {
    /// Creates a stream of the given version. Its properties are written from version 6 on.
    #[must_use]
    pub fn new(version: u64, properties: &[(&str, &str)]) -> Self {
        let mut stream =
            Self { bytes: Vec::new(), version, functions: HashSet::new(), defined: Default::default() };
        stream.uint(version);
        if version >= 6 {
            stream.uint(version);
            for (name, value) in properties {
                stream.text(name.as_bytes());
                stream.text(value.as_bytes());
            }
            stream.uint(0);
        }
        stream
    }

    /// Writes the event that enters a call of a function, given by its id, its name and the names of its arguments.
    pub fn enter(&mut self, thread: u64, function: (u64, &str, &[&str]), details: &[Detail]) {
        let (id, name, args) = function;
        self.bytes.push(0);
        if self.version >= 4 {
            self.uint(thread);
        }
        self.uint(id);
        if self.functions.insert(id) {
            self.text(name.as_bytes());
            self.names(args.iter().copied());
        }
        self.details(details);
    }

    /// Writes the event that leaves the call with this number. Calls are numbered from 0 in the order of their enters.
    pub fn leave(&mut self, number: u64, details: &[Detail]) {
        self.bytes.push(1);
        self.uint(number);
        self.details(details);
    }

    /// Writes bytes as they are.
    pub fn raw(&mut self, bytes: &[u8]) {
        self.bytes.extend(bytes);
    }

    /// Returns the bytes of the stream so far.
    #[must_use]
    pub fn bytes(&self) -> &[u8] {
        &self.bytes
    }

    fn details(&mut self, details: &[Detail]) {
        for detail in details {
            match detail {
                Detail::Argument(index, value) => {
                    self.bytes.push(1);
                    self.uint(*index);
                    self.value(value);
                }
                Detail::Return(value) => {
                    self.bytes.push(2);
                    self.value(value);
                }
                Detail::Backtrace(frames) => {
                    self.bytes.push(4);
                    self.count(frames.len());
                    for (id, details) in frames {
                        self.uint(*id);
                        if self.is_first(3, *id) {
                            for (tag, text) in details {
                                self.bytes.push(*tag);
                                self.text(text.as_bytes());
                            }
                            self.bytes.push(0);
                        }
                    }
                }
                Detail::Flags(flags) => {
                    self.bytes.push(5);
                    self.uint(*flags);
                }
                Detail::Raw(bytes) => self.bytes.extend(bytes),
            }
        }
        self.bytes.push(0);
    }

    fn value(&mut self, value: &Value) {
        match value {
            Value::Null => self.bytes.push(0),
            Value::Bool(value) => self.bytes.push(1 + u8::from(*value)),
            Value::Integer(value) => self.integer(*value),
            Value::Float(value) => {
                self.bytes.push(5);
                self.bytes.extend(value.to_le_bytes());
            }
            Value::Double(value) => {
                self.bytes.push(6);
                self.bytes.extend(value.to_le_bytes());
            }
            Value::Text(text) => {
                self.bytes.push(7);
                self.text(text);
            }
            Value::Blob(bytes) => {
                self.bytes.push(8);
                self.text(bytes);
            }
            Value::Enum(id, names, value) => self.enumeration(*id, names, *value),
            Value::Bitmask(id, flags, value) => {
                self.bytes.push(0x0a);
                self.uint(*id);
                if self.is_first(1, *id) {
                    self.count(flags.len());
                    for (name, bits) in flags {
                        self.text(name.as_bytes());
                        self.uint(*bits);
                    }
                }
                self.uint(*value);
            }
            Value::Array(values) => {
                self.bytes.push(0x0b);
                self.count(values.len());
                values.iter().for_each(|value| self.value(value));
            }
            Value::Struct(id, name, members) => {
                self.bytes.push(0x0c);
                self.uint(*id);
                if self.is_first(2, *id) {
                    self.text(name.as_bytes());
                    let names: Vec<&str> = members.iter().map(|(name, _)| name.as_str()).collect();
                    self.names(names.into_iter());
                }
                members.iter().for_each(|(_, value)| self.value(value));
            }
            Value::Pointer(address) => {
                self.bytes.push(0x0d);
                self.uint(*address);
            }
            Value::Repr(forms) => {
                self.bytes.push(0x0e);
                forms.iter().for_each(|form| self.value(form));
            }
            Value::Wide(units) => {
                self.bytes.push(0x0f);
                self.count(units.len());
                units.iter().for_each(|&unit| self.uint(unit));
            }
            Value::Raw(bytes) => self.bytes.extend(bytes),
        }
    }

    fn enumeration(&mut self, id: u64, names: &[(String, i128)], value: i128) {
        self.bytes.push(9);
        self.uint(id);
        let is_first = self.is_first(0, id);
        if self.version < 3 {
            if is_first {
                let name = names.iter().find(|known| known.1 == value).map_or("", |known| &known.0);
                self.text(name.as_bytes());
                self.integer(value);
            }
            return;
        }
        if is_first {
            self.count(names.len());
            for (name, value) in names {
                self.text(name.as_bytes());
                self.integer(*value);
            }
        }
        self.integer(value);
    }

    /// Returns whether an id of one kind of signature was not used before.
    fn is_first(&mut self, kind: usize, id: u64) -> bool {
        self.defined.get_mut(kind).is_some_and(|defined| defined.insert(id))
    }

    fn integer(&mut self, value: i128) {
        self.bytes.push(if value < 0 { 3 } else { 4 });
        self.uint(u64::try_from(value.unsigned_abs()).unwrap_or(u64::MAX));
    }

    fn names<'n>(&mut self, names: impl ExactSizeIterator<Item = &'n str>) {
        self.count(names.len());
        names.for_each(|name| self.text(name.as_bytes()));
    }

    fn text(&mut self, text: &[u8]) {
        self.count(text.len());
        self.bytes.extend(text);
    }

    fn count(&mut self, count: usize) {
        self.uint(count as u64);
    }

    fn uint(&mut self, value: u64) {
        uint(&mut self.bytes, value);
    }
}

/// Appends a number to `out`, in bytes of 7 bits each, low bits first. [apitrace C.4.1]
pub fn uint(out: &mut Vec<u8>, mut value: u64) {
    loop {
        let [low, ..] = value.to_le_bytes();
        value >>= 7;
        if value == 0 {
            return out.push(low);
        }
        out.push(low | 0x80);
    }
}

/// Returns the stream of a recording with `n_calls` calls of the kind that a game makes.
///
/// They are draws with small arguments, and a marker group and a swap in each 100 calls.
#[must_use]
pub fn game(n_calls: u64) -> Vec<u8> {
    let mut stream = Stream::new(6, &[("process.name", "game")]);
    let modes = || vec![("GL_POINTS".to_owned(), 0), ("GL_TRIANGLES".to_owned(), 4)];
    for number in 0..n_calls {
        let argument = |index, value| Detail::Argument(index, value);
        let whole = |value: u64| Value::Integer(i128::from(value));
        match number % 100 {
            0 => stream.enter(
                0,
                (3, "glPushDebugGroup", &["source", "id", "length", "message"]),
                &[argument(2, Value::Integer(-1)), argument(3, Value::Text(b"pass".to_vec()))],
            ),
            98 => stream.enter(0, (4, "glPopDebugGroup", &[]), &[]),
            99 => stream.enter(0, (5, "glXSwapBuffers", &["dpy"]), &[argument(0, Value::Pointer(0x1000))]),
            turn if turn % 3 == 0 => stream.enter(
                0,
                (1, "glDrawArrays", &["mode", "first", "count"]),
                &[
                    argument(0, Value::Enum(1, modes(), 4)),
                    argument(1, whole(number)),
                    argument(2, whole(300)),
                ],
            ),
            _ => stream.enter(
                0,
                (2, "glVertex3f", &["x", "y", "z"]),
                &[
                    argument(0, Value::Float(0.5)),
                    argument(1, Value::Float(f32::from((number % 251) as u8))),
                    argument(2, Value::Float(-1.0)),
                ],
            ),
        }
        stream.leave(number, &[]);
    }
    stream.bytes
}

/// Returns a stream with every kind of value and detail.
#[must_use]
pub fn kitchen_sink(version: u64) -> Stream {
    let mut stream = Stream::new(version, &[("process.name", "p")]);
    let names = vec![("ONE".to_owned(), 1), ("NEG".to_owned(), -1)];
    let flags = vec![("A".to_owned(), 1), ("B".to_owned(), 2)];
    let inner = Value::Struct(9, String::new(), vec![("x".to_owned(), Value::Integer(1))]);
    let members = vec![(String::new(), inner), ("y".to_owned(), Value::Bool(true))];
    let value = Value::Array(vec![
        Value::Enum(1, names.clone(), 1),
        Value::Bitmask(2, flags, 7),
        Value::Struct(3, "S".to_owned(), members),
        Value::Repr(Box::new([Value::Text(b"\"h\"".to_vec()), Value::Blob(vec![0; 9])])),
        Value::Wide(vec![0x68, 0xe9]),
        Value::Pointer(16),
        Value::Null,
        Value::Float(0.1),
        Value::Double(1e100),
    ]);
    stream.enter(1, (5, "outer", &["v", "w"]), &[Detail::Argument(0, value), Detail::Flags(1)]);
    let module = vec![(1, "lib".to_owned()), (2, "g".to_owned())];
    stream.enter(2, (6, "inner", &[]), &[Detail::Backtrace(vec![(0, module), (1, vec![])])]);
    stream.leave(1, &[]);
    stream.leave(0, &[Detail::Return(Value::Enum(1, names, 1)), Detail::Argument(1, Value::Integer(-5))]);
    stream.enter(1, (6, "inner", &[]), &[]);
    stream
}

/// Returns a file with `stream` in snappy blocks, which hold at most `block` bytes of it each, as the tracer writes it.
#[must_use]
pub fn snappy(stream: &[u8], block: usize) -> Vec<u8> {
    let mut out = b"at".to_vec();
    for chunk in stream.chunks(block.max(1)) {
        let packed = snappy_block(chunk);
        let [a, b, c, d, ..] = packed.len().to_le_bytes();
        out.extend([a, b, c, d]);
        out.extend(packed);
    }
    out
}

/// Returns `data` as one raw snappy block. Repetitions of 4 bytes and more within 64 KiB become copies.
#[must_use]
pub fn snappy_block(data: &[u8]) -> Vec<u8> {
    let mut out = Vec::new();
    uint(&mut out, data.len() as u64);
    let mut seen: HashMap<[u8; 4], usize> = HashMap::new();
    let (mut pos, mut literal) = (0, 0);
    while let Some(&key) = data.get(pos..).and_then(<[u8]>::first_chunk) {
        let earlier = seen.insert(key, pos).filter(|&earlier| pos - earlier < 65536);
        let length = earlier.map_or(0, |earlier| {
            let same = data.iter().skip(earlier).zip(data.iter().skip(pos)).take(64);
            same.take_while(|(a, b)| a == b).count()
        });
        if let Some(earlier) = earlier.filter(|_| length >= 4) {
            snappy_literal(&mut out, data.get(literal..pos).unwrap_or_default());
            snappy_copy(&mut out, pos - earlier, length);
            pos += length;
            literal = pos;
        } else {
            pos += 1;
        }
    }
    snappy_literal(&mut out, data.get(literal..).unwrap_or_default());
    out
}

fn snappy_literal(out: &mut Vec<u8>, text: &[u8]) {
    for piece in text.chunks(256) {
        let [length, ..] = (piece.len() - 1).to_le_bytes();
        if length < 60 {
            out.push(length << 2)
        } else {
            out.extend([60 << 2, length])
        }
        out.extend(piece);
    }
}

fn snappy_copy(out: &mut Vec<u8>, offset: usize, length: usize) {
    let [low, high, ..] = offset.to_le_bytes();
    let [length, ..] = length.to_le_bytes();
    if length < 12 && high < 8 {
        out.extend([high << 5 | (length - 4) << 2 | 1, low]);
    } else {
        out.extend([(length - 1) << 2 | 2, low, high]);
    }
}
