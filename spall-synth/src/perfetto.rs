//! The generator of Perfetto's packets. [perfetto 1]

use crate::Random;

/// A message of Protocol Buffers that is being written.
///
/// ```
/// use spall_synth::perfetto::Message;
///
/// let message = Message::new().number(8, 300).text(2, "hi");
/// assert_eq!(message.bytes(), b"\x40\xac\x02\x12\x02hi");
/// ```
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Message(Vec<u8>);

impl Message {
    /// Creates a message without fields.
    #[must_use]
    pub fn new() -> Self {
        Self::default()
    }

    /// Returns the fields that were written.
    #[must_use]
    pub fn bytes(&self) -> &[u8] {
        &self.0
    }

    /// Adds a number of a variable length. A signed number has the bits of an unsigned one.
    #[must_use]
    pub fn number(mut self, field: u32, value: u64) -> Self {
        varint(&mut self.0, u64::from(field) << 3);
        varint(&mut self.0, value);
        self
    }

    /// Adds eight bytes.
    #[must_use]
    pub fn fixed(mut self, field: u32, value: u64) -> Self {
        varint(&mut self.0, u64::from(field) << 3 | 1);
        self.0.extend(value.to_le_bytes());
        self
    }

    /// Adds a floating point number.
    #[must_use]
    pub fn float(self, field: u32, value: f64) -> Self {
        self.fixed(field, value.to_bits())
    }

    /// Adds bytes.
    #[must_use]
    pub fn raw(mut self, field: u32, value: &[u8]) -> Self {
        varint(&mut self.0, u64::from(field) << 3 | 2);
        varint(&mut self.0, value.len() as u64);
        self.0.extend_from_slice(value);
        self
    }

    /// Adds a text.
    #[must_use]
    pub fn text(self, field: u32, value: &str) -> Self {
        self.raw(field, value.as_bytes())
    }

    /// Adds a message.
    #[must_use]
    pub fn message(self, field: u32, value: &Message) -> Self {
        self.raw(field, &value.0)
    }

    /// Adds numbers in one field.
    #[must_use]
    pub fn packed(self, field: u32, values: &[u64]) -> Self {
        let mut bytes = Vec::new();
        values.iter().for_each(|&value| varint(&mut bytes, value));
        self.raw(field, &bytes)
    }

    /// Adds bytes that are no field, or a part of one.
    #[must_use]
    pub fn junk(mut self, bytes: &[u8]) -> Self {
        self.0.extend_from_slice(bytes);
        self
    }
}

fn varint(to: &mut Vec<u8>, mut value: u64) {
    while value >= 0x80 {
        let [low, ..] = value.to_le_bytes();
        to.push(low | 0x80);
        value >>= 7;
    }
    let [low, ..] = value.to_le_bytes();
    to.push(low);
}

/// Returns a file of these packets.
#[must_use]
pub fn file(packets: &[Message]) -> Vec<u8> {
    packets.iter().fold(Message::new(), |file, packet| file.message(1, packet)).0
}

/// Returns a packet of the sequence 1 at a time by the clock since boot, with a payload.
#[must_use]
pub fn packet(time: u64, payload: u32, message: &Message) -> Message {
    Message::new().number(8, time).number(10, 1).message(payload, message)
}

/// The numbers of payloads.
pub mod payload {
    /// Events of ftrace.
    pub const FTRACE: u32 = 1;
    /// A snapshot of clocks.
    pub const CLOCKS: u32 = 6;
    /// A track event.
    pub const EVENT: u32 = 11;
    /// The descriptor of a track.
    pub const TRACK: u32 = 60;
}

/// Returns a track event of a type on a track, with a name.
#[must_use]
pub fn event(kind: u64, track: u64, name: &str) -> Message {
    let event = Message::new().number(9, kind).number(11, track);
    if name.is_empty() { event } else { event.text(23, name) }
}

/// Returns the descriptor of a thread's track.
#[must_use]
pub fn thread(uuid: u64, pid: u64, tid: u64, name: &str) -> Message {
    let thread = Message::new().number(1, pid).number(2, tid).text(5, name);
    Message::new().number(1, uuid).message(4, &thread)
}

/// Returns a trace of one process with so many slices, among which there is an event of every kind that is read. Its names
/// are interned, and its threads write by turns.
#[must_use]
pub fn trace(n_slices: usize) -> Vec<u8> {
    let mut random = Random(7);
    let clocks = [(6_u64, 1000_u64), (1, 1_700_000_000_000_000_000), (3, 500)];
    let clocks = clocks.iter().fold(Message::new(), |snapshot, &(id, time)| {
        snapshot.message(1, &Message::new().number(1, id).number(2, time))
    });
    let mut packets = vec![packet(0, payload::CLOCKS, &clocks)];
    for tid in 1..=2 {
        let names = (1..=8).fold(Message::new(), |data, iid| {
            let name = Message::new().number(1, iid).text(2, &format!("function {iid}"));
            let key = Message::new().number(1, iid).text(2, &format!("key{iid}"));
            data.message(2, &name).message(3, &key)
        });
        let categories = Message::new().number(1, 1).text(2, "work");
        let defaults = Message::new().number(58, 64).message(11, &Message::new().number(11, tid));
        let own = Message::new().number(1, 64).number(2, 1).number(3, 1).number(4, 1000);
        let snapshot =
            Message::new().message(1, &own).message(1, &Message::new().number(1, 6).number(2, 1000));
        packets.push(
            Message::new()
                .number(10, tid)
                .number(13, 1)
                .message(12, &names.message(1, &categories))
                .message(59, &defaults)
                .message(payload::CLOCKS, &snapshot),
        );
        let descriptor = thread(tid, 1, tid, &format!("thread {tid}"));
        packets.push(Message::new().number(10, tid).number(8, 0).message(payload::TRACK, &descriptor));
    }
    let counter = Message::new().number(1, 9).number(5, 1).text(2, "memory");
    let counter = counter.message(8, &Message::new().number(3, 3).number(5, 1));
    packets.push(Message::new().number(10, 1).message(payload::TRACK, &counter));
    for n in 0..n_slices as u64 {
        let tid = 1 + n % 2;
        let head = |delta| Message::new().number(8, delta).number(10, tid).number(13, 2);
        let iid = 1 + random.below(8);
        let mut begin = Message::new().number(9, 1).number(3, 1).number(10, iid);
        if n % 5 == 0 {
            begin = begin.message(4, &Message::new().number(1, iid).number(4, n));
        }
        if n % 7 == 0 {
            begin = begin.fixed(47, n / 14);
        }
        packets.push(head(3).message(payload::EVENT, &begin));
        if n % 3 == 0 {
            let value = Message::new().number(9, 4).number(11, 9).number(30, n);
            packets.push(head(0).message(payload::EVENT, &value));
        }
        packets.push(head(2).message(payload::EVENT, &Message::new().number(9, 2)));
    }
    let print =
        Message::new().number(1, 5000).number(2, 2).message(3, &Message::new().text(2, "B|1|printed\n"));
    let over = Message::new().number(1, 6000).number(2, 2).message(3, &Message::new().text(2, "E|1\n"));
    let switch = Message::new().number(2, 1).number(4, 1).number(6, 2).text(5, "next").text(1, "previous");
    let switch = Message::new().number(1, 7000).number(2, 1).message(4, &switch);
    let bundle = Message::new().number(1, 0).message(2, &print).message(2, &over).message(2, &switch);
    packets.push(packet(0, payload::FTRACE, &bundle));
    file(&packets)
}

/// Returns traces that ask for more than their size, with a name each.
#[must_use]
pub fn attacks() -> Vec<(&'static str, Vec<u8>)> {
    let n = 20_000;
    let many = |packet: fn(u64) -> Message| file(&(0..n).map(packet).collect::<Vec<_>>());
    let nested = (0..n).fold(Message::new().number(4, 1), |inner, _| Message::new().message(12, &inner));
    let nested = Message::new().number(9, 3).message(4, &nested);
    let long = Message::new().number(1, 1).text(2, &"x".repeat(100_000));
    let key = Message::new().number(10, 1).number(13, 1).message(12, &Message::new().message(3, &long));
    let short = Message::new().number(9, 3).message(4, &Message::new().number(1, 1).number(4, 1));
    let mut long_keys = vec![key];
    long_keys.extend((0..n).map(|time| packet(time, payload::EVENT, &short)));
    let frame = Message::new().number(1, 1);
    let stack = (0..50_000).fold(Message::new().number(1, 1), |stack, _| stack.number(2, 1));
    let stacks = Message::new().message(6, &frame).message(7, &stack);
    let mut deep_stacks = vec![Message::new().number(10, 1).number(13, 1).message(12, &stacks)];
    let sample = Message::new().number(2, 1).number(3, 1).number(4, 1);
    deep_stacks.extend((0..n).map(|time| packet(time, 66, &sample)));
    vec![
        ("packets without anything", many(|_| Message::new())),
        ("sequences", many(|n| Message::new().number(10, n).number(13, 1))),
        ("tracks", many(|n| packet(0, payload::TRACK, &Message::new().number(1, n)))),
        (
            "tracks of tracks",
            many(|n| packet(0, payload::TRACK, &Message::new().number(1, n).number(5, n + 1))),
        ),
        ("undeclared tracks", many(|n| packet(n, payload::EVENT, &event(3, n, "")))),
        ("begins", many(|n| packet(n, payload::EVENT, &event(1, 1, "")))),
        ("ends", many(|n| packet(n, payload::EVENT, &event(2, 1, "")))),
        ("flows", many(|n| packet(n, payload::EVENT, &event(3, 1, "").fixed(47, n)))),
        ("states", many(|n| packet(n, payload::EVENT, &event(5, 1, "a")))),
        ("clocks", {
            let snapshot = |n| {
                let own = Message::new().number(1, 64).number(2, n);
                let all =
                    Message::new().message(1, &own).message(1, &Message::new().number(1, 3).number(2, n));
                Message::new().number(10, n).message(payload::CLOCKS, &all)
            };
            file(&(0..n).map(snapshot).collect::<Vec<_>>())
        }),
        ("nested arguments", file(&[packet(0, payload::EVENT, &nested)])),
        ("short references to a long name", file(&long_keys)),
        ("samples of a deep stack", file(&deep_stacks)),
        ("switches", {
            let column = |value| vec![value; 50_000];
            let compact = Message::new().packed(1, &column(1)).packed(2, &column(1)).packed(3, &column(7));
            file(&[packet(0, payload::FTRACE, &Message::new().message(4, &compact))])
        }),
    ]
}
