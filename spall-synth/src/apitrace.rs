//! apitrace streams and their snappy container, written straight from the format's description.

use std::collections::{HashMap, HashSet};

/// A value, by the type byte it is written with.
#[derive(Debug, Clone, PartialEq)]
pub enum Value {
    /// 00
    Null,
    /// 01, 02
    Bool(bool),
    /// 03 with the magnitude, or 04
    Integer(i128),
    /// 05
    Float(f32),
    /// 06
    Double(f64),
    /// 07
    Text(Vec<u8>),
    /// 08
    Blob(Vec<u8>),
    /// 09: id, all names with their values, and the value. Before version 3 only the name of the value is written.
    Enum(u64, Vec<(String, i128)>, i128),
    /// 0a: id, flags, and the value.
    Bitmask(u64, Vec<(String, u64)>, u64),
    /// 0b
    Array(Vec<Value>),
    /// 0c: id, name, and members with their names.
    Struct(u64, String, Vec<(String, Value)>),
    /// 0d
    Pointer(u64),
    /// 0e
    Repr(Box<[Value; 2]>),
    /// 0f
    Wide(Vec<u64>),
    /// Bytes, right or wrong.
    Raw(Vec<u8>),
}

/// A detail of an event, by its tag.
#[derive(Debug, Clone, PartialEq)]
pub enum Detail {
    /// 01
    Argument(u64, Value),
    /// 02
    Return(Value),
    /// 04: ids of frames, with the text details they are described by.
    Backtrace(Vec<(u64, Vec<(u8, String)>)>),
    /// 05
    Flags(u64),
    /// Bytes, right or wrong.
    Raw(Vec<u8>),
}

/// A stream being written. Says signatures where an id is used for the first time.
#[derive(Debug, Clone)]
pub struct Stream {
    bytes: Vec<u8>,
    version: u64,
    functions: HashSet<u64>,
    /// Ids of enums, bitmasks, structures and frames that were said.
    said: [HashSet<u64>; 4],
}

impl Stream {
    /// A stream of the given version, with properties from version 6 on.
    #[must_use]
    pub fn new(version: u64, properties: &[(&str, &str)]) -> Self {
        let mut stream =
            Self { bytes: Vec::new(), version, functions: HashSet::new(), said: Default::default() };
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

    /// Enters a function, by its id, name and the names of its arguments.
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

    /// Leaves the call of the given number.
    pub fn leave(&mut self, number: u64, details: &[Detail]) {
        self.bytes.push(1);
        self.uint(number);
        self.details(details);
    }

    /// Writes bytes as they are.
    pub fn raw(&mut self, bytes: &[u8]) {
        self.bytes.extend(bytes);
    }

    /// What was written.
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

    fn is_first(&mut self, space: usize, id: u64) -> bool {
        self.said.get_mut(space).is_some_and(|said| said.insert(id))
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

/// Appends a number, 7 bits a byte.
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

/// A recording of `n_calls` calls as a game makes them: draws with small arguments, a marker group and a swap each
/// 100 calls.
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

/// Packs a stream in snappy blocks of at most `block` bytes each, as the tracer does.
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

/// One raw snappy block. Finds repetitions of 4 bytes and more within 64 KiB.
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
