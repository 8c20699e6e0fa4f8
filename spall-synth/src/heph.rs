//! The generator of Heph packets. [heph B.1]

/// The value of an attribute. The docs of the variants give the type bytes of the format.
#[derive(Debug, Clone, PartialEq)]
pub enum Attribute {
    /// An unsigned integer, type 1.
    Unsigned(u64),
    /// A signed integer, type 2.
    Signed(i64),
    /// A 64-bit float, type 3.
    Float(f64),
    /// A text, type 4.
    Text(Vec<u8>),
    /// An array of values of this type, which is written with the top bit set. An empty array has a type, too.
    Array(u8, Vec<Attribute>),
    /// A type byte and the bytes behind it, valid or not.
    Raw(u8, Vec<u8>),
}

/// An event packet. [`Event::bytes`] writes it.
///
/// ```
/// use spall_synth::heph::Event;
///
/// // Stream 1, counter 0, substream 7.
/// let packet = Event::new((1, 0, 7), 100..250, "load").bytes();
/// assert_eq!(packet[..8], [0xc1, 0xfc, 0x1f, 0xb7, 0, 0, 0, 42 + 4]);
/// ```
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Event {
    /// The number of the stream. A stream is one writer, such as a worker thread.
    pub stream: u32,
    /// The number of the packet in its stream.
    pub counter: u32,
    /// The number of the substream. A substream is the thing that the writer worked for, such as an actor.
    pub substream: u64,
    /// The start in nanoseconds since the epoch.
    pub start: u64,
    /// The end in nanoseconds since the epoch.
    pub end: u64,
    /// The description, which serves as the name of the event.
    pub description: Vec<u8>,
    /// The names and values of the attributes.
    pub attributes: Vec<(Vec<u8>, Attribute)>,
}

impl Event {
    /// Creates an event without attributes. Its origin is a stream, a counter and a substream.
    #[must_use]
    pub fn new(origin: (u32, u32, u64), time: core::ops::Range<u64>, description: &str) -> Self {
        let (stream, counter, substream) = origin;
        let (start, end) = (time.start, time.end);
        Self {
            stream,
            counter,
            substream,
            start,
            end,
            description: description.into(),
            attributes: Vec::new(),
        }
    }

    /// Returns the same event with one more attribute.
    #[must_use]
    pub fn with(mut self, name: &str, value: Attribute) -> Self {
        self.attributes.push((name.into(), value));
        self
    }

    /// Returns the bytes of the packet.
    #[must_use]
    pub fn bytes(&self) -> Vec<u8> {
        let mut body = Vec::new();
        body.extend(self.stream.to_be_bytes());
        body.extend(self.counter.to_be_bytes());
        body.extend(self.substream.to_be_bytes());
        body.extend(self.start.to_be_bytes());
        body.extend(self.end.to_be_bytes());
        text(&mut body, &self.description);
        for (name, value) in &self.attributes {
            text(&mut body, name);
            attribute(&mut body, value);
        }
        packet(0xC1FC_1FB7, &body)
    }
}

/// Returns the bytes of a metadata packet.
#[must_use]
pub fn metadata(name: &str, value: &[u8]) -> Vec<u8> {
    let mut body = Vec::new();
    text(&mut body, name.as_bytes());
    body.extend(value);
    packet(0x75D1_1D4D, &body)
}

/// Returns the bytes of the metadata packet with the Unix time of tick 0 in nanoseconds.
#[must_use]
pub fn epoch(unix_ns: u64) -> Vec<u8> {
    metadata("epoch", &unix_ns.to_be_bytes())
}

/// Returns the bytes of a packet of any kind: the magic number, the size, and `body`.
#[must_use]
pub fn packet(magic: u32, body: &[u8]) -> Vec<u8> {
    let [.., a, b, c, d] = (body.len() + 8).to_be_bytes();
    [&magic.to_be_bytes()[..], &[a, b, c, d], body].concat()
}

/// Returns a trace of `n_events` events in `n_workers` streams, as the runtime writes it.
///
/// Events are written when they end, so children come before their parents. Each parent has `n_children` children. With
/// `attributes`, every event has an attribute of each type. `n_workers` and `n_children` must not be 0.
#[must_use]
pub fn trace(n_events: u32, n_workers: u32, n_children: u32, attributes: bool) -> Vec<u8> {
    let mut bytes = epoch(1_700_000_000_000_000_000);
    let family = n_children + 1;
    for index in 0..n_events {
        let (turn, stream) = (index / n_workers, index % n_workers);
        let (parent, child) = (u64::from(turn / family), turn % family);
        let base = parent * 1000;
        let time = if child == n_children {
            base..base + 900
        } else {
            let start = base + u64::from(child) * 800 / u64::from(n_children);
            start..start + 800 / u64::from(family)
        };
        let name = if child == n_children { "Running thread-local process" } else { "Polling" };
        let mut event = Event::new((stream + 1, turn, 0), time, name);
        if attributes {
            event = event
                .with("id", Attribute::Unsigned(u64::from(index)))
                .with("delta", Attribute::Signed(-1))
                .with("share", Attribute::Float(0.5))
                .with("name", Attribute::Text(b"comm_actor".to_vec()))
                .with("queues", Attribute::Array(1, vec![Attribute::Unsigned(1), Attribute::Unsigned(2)]));
        }
        bytes.extend(event.bytes());
    }
    bytes
}

fn text(out: &mut Vec<u8>, text: &[u8]) {
    // A longer text wraps its length and is written whole, as the runtime does.
    let [.., high, low] = text.len().to_be_bytes();
    out.extend([high, low]);
    out.extend(text);
}

fn attribute(out: &mut Vec<u8>, value: &Attribute) {
    match value {
        Attribute::Array(kind, values) => {
            let [.., high, low] = values.len().to_be_bytes();
            out.extend([kind | 0x80, high, low]);
            values.iter().for_each(|value| scalar(out, value, false));
        }
        value => scalar(out, value, true),
    }
}

fn scalar(out: &mut Vec<u8>, value: &Attribute, typed: bool) {
    let kind = match value {
        Attribute::Unsigned(_) => 1,
        Attribute::Signed(_) => 2,
        Attribute::Float(_) => 3,
        Attribute::Text(_) => 4,
        Attribute::Array(kind, _) | Attribute::Raw(kind, _) => *kind,
    };
    if typed {
        out.push(kind);
    }
    match value {
        Attribute::Unsigned(value) => out.extend(value.to_be_bytes()),
        Attribute::Signed(value) => out.extend(value.to_be_bytes()),
        Attribute::Float(value) => out.extend(value.to_be_bytes()),
        Attribute::Text(value) => text(out, value),
        // An array inside an array repeats its count, but not its type. This is a fault of the runtime. [heph B.2.6]
        Attribute::Array(_, values) => {
            let [.., high, low] = values.len().to_be_bytes();
            out.extend([high, low]);
            values.iter().for_each(|value| scalar(out, value, false));
        }
        Attribute::Raw(_, bytes) => out.extend(bytes),
    }
}
