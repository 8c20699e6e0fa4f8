//! The generator of Trace Event JSON in the styles of different writers, and of documents that are made to break
//! parsers. [json 1, 2]

use core::fmt::Write as _;

use crate::Random;

/// The places where a writer puts blanks.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Layout {
    /// No blanks inside an event.
    Compact,
    /// A blank behind each comma and colon.
    Spaced,
    /// Each field on a line of its own, indented.
    Indented,
}

impl Layout {
    /// All layouts, the one with the fewest blanks first.
    pub const ALL: [Self; 3] = [Self::Compact, Self::Spaced, Self::Indented];

    /// Returns the text before the first field, between two fields, and between a key and its value.
    fn between(self) -> (&'static str, &'static str, &'static str) {
        match self {
            Self::Compact => ("", ",", ":"),
            Self::Spaced => ("", ", ", ": "),
            Self::Indented => ("\n        ", ",\n        ", ": "),
        }
    }

    /// Returns an event with these keys and values, which are JSON.
    ///
    /// ```
    /// use spall_synth::json::Layout;
    ///
    /// assert_eq!(Layout::Spaced.event(&[("ts", "5".into()), ("pid", "1".into())]), r#"{"ts": 5, "pid": 1}"#);
    /// ```
    #[must_use]
    pub fn event(self, fields: &[(&str, String)]) -> String {
        let (open, comma, colon) = self.between();
        let fields: Vec<_> = fields.iter().map(|(key, value)| format!("\"{key}\"{colon}{value}")).collect();
        format!("{{{open}{}{}}}", fields.join(comma), open.trim_end_matches("    "))
    }
}

/// Returns a document of `pairs` pairs of begin and end, nested up to `depth` deep, with times of three decimals.
#[must_use]
pub fn calls(pairs: usize, depth: usize, layout: Layout) -> String {
    const NAMES: [&str; 7] =
        ["main", "update_world", "draw", "physics::step", "gc", "render text", "io \\\"x\\\""];
    let mut random = Random(1);
    let mut open: Vec<&str> = Vec::new();
    let (mut time, mut begun) = (1_000_000, 0);
    let mut events = Vec::new();
    while begun < pairs || !open.is_empty() {
        time += random.below(20_000) + 1;
        let begins = begun < pairs && open.len() < depth && (open.is_empty() || random.below(2) == 0);
        let (phase, name) = if begins {
            begun += 1;
            let name = NAMES.get(random.below(7)).copied().unwrap_or_default();
            open.push(name);
            ("B", name)
        } else {
            ("E", open.pop().unwrap_or_default())
        };
        events.push(layout.event(&[
            ("name", format!("\"{name}\"")),
            ("cat", "\"function\"".into()),
            ("ph", format!("\"{phase}\"")),
            ("pid", "0".into()),
            ("tid", "1".into()),
            ("ts", format!("{}.{:03}", time / 1000, time % 1000)),
        ]));
    }
    format!("{{\"traceEvents\":[\n{}\n]}}", events.join(",\n"))
}

/// Returns a document of events of all phases, with and without each optional field, in changing order. No event can be
/// predicted from the events before it.
#[must_use]
pub fn motley(events: usize, layout: Layout) -> String {
    let mut random = Random(2);
    let mut document = String::from("[");
    for i in 0..events {
        let phase =
            char::from(b"BEXiICMbneSTpFstfNODPVvc()RQ".get(random.below(28)).copied().unwrap_or(b'B'));
        let mut fields: Vec<(&str, String)> = vec![("ph", format!("\"{phase}\"")), ("ts", format!("{i}.25"))];
        let optional: [(&str, &str); 16] = [
            ("name", "\"thread_name\""),
            ("cat", "\"a,b\""),
            ("pid", "1"),
            ("tid", "\"7\""),
            ("dur", "1.5e1"),
            ("tdur", "0.0004999"),
            ("tts", "12"),
            ("id", "\"0x1\""),
            ("id2", "{\"local\":5}"),
            ("scope", "\"s\""),
            ("s", "\"p\""),
            ("bp", "\"e\""),
            ("bind_id", "77"),
            ("flow_in", "true"),
            ("flow_out", "false"),
            ("args", "{\"name\":\"x\\n\",\"list\":[1,{\"a\":[]},null]}"),
        ];
        for (key, value) in optional {
            if random.below(2) == 0 {
                fields.insert(random.below(fields.len() + 1), (key, value.into()));
            }
        }
        if i > 0 {
            document.push_str(",\n");
        }
        document.push_str(&layout.event(&fields));
    }
    document + "]"
}

/// Returns `document` with `changes` random bytes changed, removed or inserted. New bytes are mostly those that have a
/// meaning in JSON.
#[must_use]
pub fn damaged(document: &str, changes: usize, seed: u64) -> Vec<u8> {
    let mut random = Random(seed);
    let mut bytes = document.as_bytes().to_vec();
    for _ in 0..changes {
        let at = random.below(bytes.len().max(1));
        let byte = b"\"\\{}[],: \n0e.\xff".get(random.below(15)).copied().unwrap_or(b'x');
        match random.below(3) {
            0 => bytes.insert(at.min(bytes.len()), byte),
            1 if at < bytes.len() => drop(bytes.remove(at)),
            _ => bytes.iter_mut().skip(at).take(1).for_each(|old| *old = byte),
        }
    }
    bytes
}

/// Returns documents of about `len` bytes on which a careless parser needs quadratic time or a deep stack, with a
/// name for each.
#[must_use]
pub fn attacks(len: usize) -> Vec<(String, String)> {
    let mut attacks = Vec::new();
    let pieces = [
        "[",
        "{",
        "]",
        "}",
        "\"",
        "\\",
        ",",
        "{}",
        "[{",
        "{\"a\":",
        "{\"a\":[1,",
        ",{\"a\":[1,",
        "},{",
        "[}",
        "{\"ph\":\"B\"}",
        "{\"a\":\"",
        "//",
        "/*",
        "null ",
        "1",
        " ",
        "\n",
        "{\"a\" 1},",
        "\"a\":",
        "{\"ts\":\"x\"},",
    ];
    for opening in ["", "[", "{\"traceEvents\":[", "{\"a\":", "[{\"ph\":\"B\",\"args\":"] {
        for piece in pieces {
            attacks.push((
                format!("{opening}({piece})*"),
                format!("{opening}{}", piece.repeat(len / piece.len())),
            ));
        }
    }
    let mut fields = String::from("[{\"ph\":\"B\",\"ts\":1");
    for i in 0..len / 8 {
        let _ = write!(fields, ",\"{i}\":0");
    }
    attacks.push(("many fields".into(), fields + "}]"));
    attacks
}
