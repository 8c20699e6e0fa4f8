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

    /// Adds a field of bytes, which may be a message.
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
    packets.extend(devices());
    packets.push(packet(0, payload::FTRACE, &bundle));
    file(&packets)
}

/// Packets about devices, and events of the kernel of which the table of meanings says what they mean.
fn devices() -> Vec<Message> {
    let sent = Message::new().number(1, 2048).text(2, "eth0");
    let sent = Message::new().number(1, 8000).number(2, 1).message(361, &sent);
    let awake = |time, field| {
        Message::new().number(1, time).number(2, 1).message(field, &Message::new().text(1, "usb"))
    };
    let events = [sent, awake(8100, 404), awake(8200, 405)];
    let bundle = events.iter().fold(Message::new(), |bundle, event| bundle.message(2, event));
    let spec = Message::new().number(1, 1).text(2, "busy");
    let counted = |value| Message::new().message(2, &Message::new().number(1, 1).number(2, value));
    let described = counted(1).message(1, &Message::new().message(1, &spec));
    let stage = Message::new().number(1, 1).number(2, 50).text(17, "binning");
    let line = Message::new().number(2, 1).number(3, 1).number(5, 1_700_000_000_000_007_000).text(8, "hello");
    vec![
        packet(0, payload::FTRACE, &bundle),
        packet(8300, 38, &Message::new().number(1, 100).number(3, 7)),
        packet(8400, 52, &described),
        packet(8500, 52, &counted(2)),
        packet(8600, 53, &stage),
        packet(0, 39, &Message::new().message(1, &line)),
    ]
}

/// A function that makes a trace of a number of parts.
pub type Attack = fn(u64) -> Vec<u8>;

/// Traces that ask for more than their size, with a name each.
pub const ATTACKS: &[(&str, Attack)] = &[
    ("packets without anything", |n| many(n, |_| Message::new())),
    ("sequences", |n| many(n, |n| number(10, n).number(13, 1))),
    ("tracks", |n| many(n, |n| packet(0, payload::TRACK, &number(1, n)))),
    ("tracks of tracks", |n| many(n, |n| packet(0, payload::TRACK, &number(1, n).number(5, n + 1)))),
    ("tracks of one parent", |n| {
        let track = |n| packet(0, payload::TRACK, &number(1, n + 2).number(5, 1).text(2, "a"));
        file(&(0..n).flat_map(|n| [track(n), events(n, &event(3, n + 2, ""))]).collect::<Vec<_>>())
    }),
    ("undeclared tracks", |n| many(n, |n| events(n, &event(3, n, "")))),
    ("begins", |n| many(n, |n| events(n, &event(1, 1, "")))),
    ("ends", |n| many(n, |n| events(n, &event(2, 1, "")))),
    ("flows", |n| many(n, |n| events(n, &event(3, 1, "").fixed(47, n)))),
    ("one flow", |n| many(n, |n| events(n, &event(3, 1, "").fixed(47, 1)))),
    ("flows of one event", |n| {
        let ids = (0..n).fold(event(3, 1, ""), |event, id| event.fixed(47, id));
        file(&[events(0, &ids), events(9, &ids)])
    }),
    ("states", |n| many(n, |n| events(n, &event(5, 1, "a")))),
    ("further counters of one event", |n| {
        let values = (0..n).fold(event(3, 1, ""), |event, value| event.number(12, value).number(31, 2));
        file(&[events(0, &values)])
    }),
    ("clocks", |n| many(n, |n| number(10, n).message(payload::CLOCKS, &snapshot(&[(64, n), (3, n)])))),
    ("times by clocks that lead nowhere", |n| {
        let clocks: Vec<_> = (0..20).map(|id| (id + 200, 1)).collect();
        let clocks = number(10, 1).message(payload::CLOCKS, &snapshot(&clocks));
        behind(&clocks, n, |n| events(n, &event(3, 1, "")).number(58, 205))
    }),
    ("clocks that overflow", |n| {
        many(n, |n| {
            let own = number(1, 64).number(2, u64::MAX).number(3, 1).number(4, u64::MAX - n);
            packet(u64::MAX, payload::CLOCKS, &Message::new().message(1, &own).message(1, &number(1, 6)))
        })
    }),
    ("nested arguments", |n| file(&[events(0, &number(9, 3).message(4, &nested(n, 12, &number(4, 1))))])),
    ("short references to a long name", |n| {
        let annotated = number(9, 3).message(4, &number(1, 1).number(4, 1));
        behind(&interned(&Message::new().message(3, &long(n))), n, |n| events(n, &annotated))
    }),
    ("events of a long name", |n| {
        let event = event(3, 1, "").number(10, 1);
        behind(&interned(&Message::new().message(2, &long(n))), n, |n| events(n, &event))
    }),
    ("short references to a long category", |n| {
        let event = (0..n).fold(event(3, 1, ""), |event, _| event.number(3, 1));
        file(&[interned(&Message::new().message(1, &long(n))), events(0, &event)])
    }),
    ("interned numbers that double", |n| {
        let data = (2..n.min(62)).fold(Message::new(), |data, n| data.message(2, &number(1, 1 << n)));
        file(&[interned(&data), Message::new().message(99, &long(n))])
    }),
    ("interned entries", |n| {
        file(&[interned(&(0..n).fold(Message::new(), |data, iid| data.message(29, &number(1, iid))))])
    }),
    ("interned entries with gaps", |n| {
        file(&[interned(&(0..n).fold(Message::new(), |data, iid| data.message(2, &number(1, 2 * iid))))])
    }),
    ("samples of a deep stack", |n| behind(&deep_stack(n), n, |n| packet(n, 66, &sample(1, 1)))),
    ("users of a deep stack", |n| {
        let users = (1..=n).fold(Message::new(), |tree, pid| tree.message(1, &number(1, pid).number(5, pid)));
        let mut packets = vec![number(10, 1).message(2, &users), deep_stack(n)];
        packets.extend((1..=n).map(|pid| packet(pid, 66, &sample(pid, 1))));
        file(&packets)
    }),
    ("frames of a long name", |n| {
        let data = frames(n, |iid| number(1, iid).number(2, 1).number(4, iid)).message(5, &long(n));
        behind(&interned(&data), n, |n| packet(n, 66, &sample(1, n + 1)))
    }),
    ("frames of a long path", |n| {
        let path = (0..n / 8).fold(number(1, 1), |mapping, _| mapping.number(7, 1));
        let data = frames(n, |iid| number(1, iid).number(3, 1).number(4, iid)).message(17, &long(n));
        behind(&interned(&data.message(19, &path)), n, |n| packet(n, 66, &sample(1, n + 1)))
    }),
    ("obfuscated frames of a path of many folders", |n| {
        let class = |n: u64| Message::new().text(1, &n.to_string()).message(4, &number(1, 1));
        let plain = (0..n).fold(Message::new().text(1, "x"), |all, n| all.message(3, &class(n)));
        let path = number(1, 1).text(2, &"a/".repeat(index(n)));
        let data = frames(n, |iid| number(1, iid).number(3, 1).number(4, iid)).message(17, &path);
        let data = data.message(19, &number(1, 1).number(7, 1));
        let mut packets = vec![number(10, 1).message(64, &plain), interned(&data)];
        packets.extend((0..n).map(|n| packet(n, 66, &sample(1, n + 1))));
        file(&packets)
    }),
    ("methods of a long class", |n| {
        let class = Message::new().text(1, &"x".repeat(index(n)));
        let class = (0..n).fold(class, |class, _| class.message(4, &number(9, 1)));
        file(&[number(10, 1).message(64, &Message::new().message(3, &class))])
    }),
    ("disks", |n| {
        let disk = |n: u64| Message::new().message(13, &Message::new().text(1, &n.to_string()));
        many(n, |n| packet(n, 7, &disk(n)))
    }),
    ("switches", |n| {
        let column = vec![1; index(n)];
        let compact = Message::new().packed(1, &column).packed(2, &column).packed(3, &column);
        file(&[packet(0, payload::FTRACE, &Message::new().message(4, &compact))])
    }),
    ("printed texts", |n| {
        many(n, |n| {
            let print = number(1, n).number(2, n).message(3, &Message::new().text(2, &format!("B|{n}|")));
            packet(0, payload::FTRACE, &Message::new().message(2, &print))
        })
    }),
    ("events of the kernel with a long name", |n| {
        let name = "x".repeat(index(n));
        file(&(0..n / 64).map(|n| kernel(n, 404, &Message::new().text(1, &name))).collect::<Vec<_>>())
    }),
    ("jobs of a ring", |n| {
        let job = |n: u64| Message::new().number(2, n).number(4, n).text(6, "ring");
        file(&(0..n).flat_map(|n| [kernel(n, 411, &job(n)), kernel(n, 412, &job(n))]).collect::<Vec<_>>())
    }),
    ("stages of a long queue", |n| {
        let stage = number(1, 1).number(13, 1).number(14, 1);
        behind(&interned(&Message::new().message(24, &long(n))), n, |n| packet(n, 53, &stage))
    }),
    ("wake locks", |n| {
        let lock = |n: u64| number(1, n).text(2, &n.to_string());
        many(n, |n| packet(n, 115, &Message::new().message(1, &lock(n)).number(2, n).number(3, 1)))
    }),
    ("times of users on many clusters", |n| {
        many(n, |n| packet(n, 119, &number(1, u64::from(u32::MAX)).number(2, n).number(3, 1)))
    }),
    ("compressed packets", |n| {
        let inside = crate::gzip::zlib(&file(&[events(0, &event(3, 1, ""))]));
        many(n, |_| Message::new().raw(50, &inside))
    }),
];

/// A packet of one event of the kernel.
fn kernel(time: u64, field: u32, event: &Message) -> Message {
    let event = number(1, time).number(2, 1).message(field, event);
    packet(0, payload::FTRACE, &Message::new().message(2, &event))
}

fn number(field: u32, value: u64) -> Message {
    Message::new().number(field, value)
}

fn index(n: u64) -> usize {
    usize::try_from(n).unwrap_or(0)
}

fn many(n: u64, packet: impl Fn(u64) -> Message) -> Vec<u8> {
    file(&(0..n).map(packet).collect::<Vec<_>>())
}

fn behind(first: &Message, n: u64, packet: impl Fn(u64) -> Message) -> Vec<u8> {
    file(&core::iter::once(first.clone()).chain((0..n).map(packet)).collect::<Vec<_>>())
}

fn events(time: u64, event: &Message) -> Message {
    packet(time, payload::EVENT, event)
}

fn interned(data: &Message) -> Message {
    number(10, 1).number(13, 1).message(12, data)
}

/// Returns an interned entry with a text that is long for so many references to it.
fn long(n: u64) -> Message {
    number(1, 1).text(2, &"x".repeat(5 * index(n)))
}

/// Returns a message in so many messages.
fn nested(depth: u64, field: u32, inner: &Message) -> Message {
    // The bytes from the last one to the first one, so that none moves.
    let mut reversed: Vec<u8> = inner.bytes().iter().rev().copied().collect();
    for _ in 0..depth {
        let mut head = Vec::new();
        varint(&mut head, u64::from(field) << 3 | 2);
        varint(&mut head, reversed.len() as u64);
        reversed.extend(head.iter().rev());
    }
    reversed.reverse();
    Message(reversed)
}

fn snapshot(clocks: &[(u64, u64)]) -> Message {
    clocks.iter().fold(Message::new(), |all, &(id, time)| all.message(1, &number(1, id).number(2, time)))
}

fn sample(pid: u64, stack: u64) -> Message {
    number(2, pid).number(3, 1).number(4, stack)
}

/// Returns an interned stack of so many calls.
fn deep_stack(n: u64) -> Message {
    let stack = (0..n).fold(number(1, 1), |stack, _| stack.number(2, 1));
    interned(&Message::new().message(6, &number(1, 1)).message(7, &stack))
}

/// Returns interned frames, each with a stack of its own.
fn frames(n: u64, frame: impl Fn(u64) -> Message) -> Message {
    let data = (1..=n).fold(Message::new(), |data, iid| data.message(6, &frame(iid)));
    (1..=n).fold(data, |data, iid| data.message(7, &number(1, iid).number(2, iid)))
}
