//! The tables of Perfetto's schema are what its `.proto` files say, and are made from them here.
//!
//! The files are not part of this repository. `PERFETTO_PROTOS` names a folder that has them, such as `protos` in a clone of
//! Perfetto; without it, a test takes those beside the corpus, and says so where there are none. With `UPDATE_PROTO=1` the tables
//! are written anew:
//!
//! ```text
//! PERFETTO_PROTOS=perfetto/protos UPDATE_PROTO=1 cargo test -p spall-testdata --test perfetto_schema
//! ```
//!
//! This is no test of `spall-format`, which does not compile while a number that it names is not in the tables.

#![allow(
    clippy::expect_used,
    clippy::indexing_slicing,
    clippy::panic,
    clippy::std_instead_of_alloc,
    clippy::std_instead_of_core,
    reason = "a test fails by panicking, and has the standard library"
)]

use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write as _;
use std::path::{Path, PathBuf};

use spall_testdata::skipped;

/// A message: its fields in the order of their numbers.
type Message = BTreeMap<u32, Field>;

#[derive(Debug, Clone)]
struct Field {
    name: String,
    kind: String,
    is_repeated: bool,
}

/// What `.proto` files declare, by names with the messages around them, such as `TrackEvent.LegacyEvent`.
#[derive(Debug, Default)]
struct Schema {
    messages: BTreeMap<String, Message>,
    enums: BTreeMap<String, BTreeMap<i64, String>>,
}

/// The words and signs of a `.proto` file, without comments.
fn tokens(text: &str) -> Vec<String> {
    let mut tokens = Vec::new();
    let mut rest = text;
    while let Some(first) = rest.chars().next() {
        let length = if let Some(comment) = rest.strip_prefix("//") {
            2 + comment.find('\n').unwrap_or(comment.len())
        } else if let Some(comment) = rest.strip_prefix("/*") {
            4 + comment.find("*/").expect("a comment has an end")
        } else if let Some(string) = rest.strip_prefix('"') {
            2 + string.find('"').expect("a text has an end")
        } else if first.is_alphanumeric() || "_.-".contains(first) {
            rest.find(|c: char| !(c.is_alphanumeric() || "_.-".contains(c))).unwrap_or(rest.len())
        } else {
            first.len_utf8()
        };
        let (token, behind) = rest.split_at(length);
        if !first.is_whitespace() && !token.starts_with("//") && !token.starts_with("/*") {
            tokens.push(token.to_owned());
        }
        rest = behind;
    }
    tokens
}

impl Schema {
    /// Reads all `.proto` files below a folder.
    fn read(folder: &Path) -> Self {
        let mut schema = Self::default();
        let mut folders = vec![folder.to_owned()];
        let mut files = BTreeSet::new();
        while let Some(folder) = folders.pop() {
            for entry in std::fs::read_dir(&folder).expect("a folder of protos can be read") {
                let path = entry.expect("a folder of protos can be read").path();
                match path.extension() {
                    _ if path.is_dir() => folders.push(path),
                    Some(extension) if extension == "proto" => _ = files.insert(path),
                    _ => {}
                }
            }
        }
        // Others repeat these, or belong to other formats.
        let is_of_traces = |file: &&PathBuf| {
            let path = file.to_string_lossy();
            ["perfetto/trace/", "perfetto/common/", "third_party/chromium/"]
                .iter()
                .any(|part| path.contains(part))
                && !file.ends_with("perfetto_trace.proto")
        };
        for file in files.iter().filter(is_of_traces) {
            let text = std::fs::read_to_string(file).expect("a proto can be read");
            schema.body(&mut tokens(&text).into_iter(), "");
        }
        schema
    }

    /// Reads what stands between the braces of a message, or a file.
    fn body(&mut self, tokens: &mut std::vec::IntoIter<String>, around: &str) {
        let path = |name: &str| if around.is_empty() { name.to_owned() } else { format!("{around}.{name}") };
        while let Some(token) = tokens.next() {
            match token.as_str() {
                "}" => return,
                ";" => {}
                "message" => {
                    let name = path(&tokens.next().expect("a message has a name"));
                    assert_eq!(tokens.next().as_deref(), Some("{"), "{name}");
                    self.messages.entry(name.clone()).or_default();
                    self.body(tokens, &name);
                }
                // What extends a message is one of its fields.
                "extend" => {
                    let name = tokens.next().expect("an extension has a name");
                    let name = name.rsplit('.').next().unwrap_or_default().to_owned();
                    assert_eq!(tokens.next().as_deref(), Some("{"), "{name}");
                    self.body(tokens, &name);
                }
                "oneof" => {
                    tokens.find(|token| token == "{");
                    self.body(tokens, around);
                }
                "enum" => {
                    let name = path(&tokens.next().expect("an enumeration has a name"));
                    let words: Vec<String> =
                        tokens.skip_while(|token| token == "{").take_while(|token| token != "}").collect();
                    let values = words.split(|word| word == ";").filter_map(|words| match words {
                        [name, equals, number, ..] if equals == "=" => {
                            let number = number
                                .strip_prefix("0x")
                                .map_or_else(|| number.parse(), |digits| i64::from_str_radix(digits, 16));
                            Some((number.expect("a value is a number"), name.clone()))
                        }
                        _ => None,
                    });
                    // The first name of a value counts.
                    let known = self.enums.entry(name).or_default();
                    values.for_each(|(number, name)| _ = known.entry(number).or_insert(name));
                }
                first => {
                    let mut words = vec![first.to_owned()];
                    let mut depth = 0_u32;
                    for token in tokens.by_ref() {
                        match token.as_str() {
                            ";" if depth == 0 => break,
                            "{" | "[" => depth += 1,
                            "}" | "]" => depth -= 1,
                            _ => {}
                        }
                        words.push(token);
                    }
                    self.field(&words, around);
                }
            }
        }
    }

    fn field(&mut self, words: &[String], message: &str) {
        let is_repeated = words.first().is_some_and(|word| word == "repeated");
        let words = match words {
            [label, rest @ ..] if ["repeated", "optional", "required"].contains(&label.as_str()) => rest,
            all => all,
        };
        let [kind, name, equals, number, ..] = words else { return };
        if let (false, "=", Ok(number)) = (message.is_empty(), equals.as_str(), number.parse()) {
            let field = Field { name: name.clone(), kind: kind.clone(), is_repeated };
            self.messages.entry(message.to_owned()).or_default().insert(number, field);
        }
    }

    /// Returns the full name of a type that a field of a message has.
    fn resolve<'a, T>(
        table: &'a BTreeMap<String, T>,
        kind: &str,
        message: &str,
    ) -> Option<(&'a String, &'a T)> {
        let kind = kind.trim_start_matches("perfetto.protos.").trim_start_matches('.');
        let mut around = Some(message);
        while let Some(scope) = around {
            if let Some(found) = table.get_key_value(format!("{scope}.{kind}").as_str()) {
                return Some(found);
            }
            around = scope.rsplit_once('.').map(|(outer, _)| outer);
        }
        // A package may stand before a name.
        table.get_key_value(kind).or_else(|| table.get_key_value(kind.rsplit('.').next()?))
    }
}

/// Writes a name as that of a module: `TrackEvent.LegacyEvent` as `track_event_legacy_event`.
fn snake(name: &str) -> String {
    let chars: Vec<char> = name.chars().collect();
    let mut snake = String::new();
    for (at, &c) in chars.iter().enumerate() {
        let before = at.checked_sub(1).and_then(|at| chars.get(at));
        let is_word = c.is_uppercase()
            && before.is_some_and(|before| {
                before.is_lowercase()
                    || before.is_ascii_digit()
                    || before.is_uppercase() && chars.get(at + 1).is_some_and(|next| next.is_lowercase())
            });
        if is_word {
            snake.push('_');
        }
        snake.extend(if c == '.' { vec!['_'] } else { c.to_lowercase().collect() });
    }
    snake
}

/// The sources of the library that has the tables.
fn format_sources() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../spall-format/src")
}

fn sources(folder: &str) -> Vec<String> {
    let folder = format_sources().join(folder);
    let files = std::fs::read_dir(folder).expect("the sources are here");
    let files = files.map(|entry| entry.expect("the sources are here").path());
    files.filter(|path| path.is_file()).map(|path| std::fs::read_to_string(path).expect("is text")).collect()
}

/// The fields that the reader names, as `message::FIELD`.
fn named_fields() -> BTreeSet<(String, String)> {
    let is_word = |c: char| c.is_ascii_alphanumeric() || c == '_';
    let mut named = BTreeSet::new();
    for text in sources("perfetto") {
        for (at, _) in text.match_indices("::") {
            let module = text[..at].rsplit(|c| !is_word(c)).next().unwrap_or_default();
            let field = text[at + 2..].split(|c| !is_word(c)).next().unwrap_or_default();
            let is_const = |c: char| c.is_ascii_uppercase() || c.is_ascii_digit() || c == '_';
            if !field.is_empty()
                && field.chars().all(is_const)
                && module.starts_with(|c: char| c.is_ascii_lowercase())
            {
                named.insert((module.to_owned(), field.to_owned()));
            }
        }
    }
    let tables =
        SHOWN.iter().filter_map(|(.., kind)| kind.as_ref()?.strip_suffix(')')?.split_once("interned_data::"));
    named.extend(tables.map(|(_, table)| ("interned_data".to_owned(), table.to_owned())));
    named
}

/// Makes the constants of the fields that the reader names.
fn numbers(schema: &Schema) -> Parts {
    let by_module: BTreeMap<String, &String> =
        schema.messages.keys().map(|name| (snake(name), name)).collect();
    let mut modules: BTreeMap<&String, BTreeMap<u32, String>> = BTreeMap::new();
    for (module, constant) in named_fields() {
        let Some(&name) = by_module.get(&module) else { continue };
        let fields = &schema.messages[name];
        let field = fields.iter().find(|(_, field)| field.name.to_uppercase() == constant);
        let (&number, _) = field.unwrap_or_else(|| panic!("{name} has no field {constant}"));
        modules.entry(name).or_default().insert(number, constant);
    }
    let parts = modules.into_iter().map(|(name, fields)| {
        let module = snake(name);
        let mut text = format!("/// `{name}`.\npub(in crate::perfetto) mod {module} {{\n");
        for (number, constant) in fields {
            writeln!(text, "    pub(in crate::perfetto) const {constant}: u32 = {number};").expect("memory");
        }
        text.push_str("}\n");
        (module, text)
    });
    parts.collect()
}

/// Makes the table of the events of the kernel whose meaning is said by their names.
fn kernel_events(schema: &Schema) -> Parts {
    let read = |file| std::fs::read_to_string(format_sources().join(file)).expect("the sources are here");
    let meanings = ["ftrace/meanings.rs", "ftrace/drm.rs"].map(read).concat();
    let Some(events) = schema.messages.get("FtraceEvent") else { return Parts::new() };
    let named = events.iter().filter(|(_, field)| meanings.contains(&format!("\"{}\"", field.name)));
    let mut parts = Parts::new();
    for (number, event) in named {
        let Some((_, fields)) = Schema::resolve(&schema.messages, &event.kind, "FtraceEvent") else {
            continue;
        };
        let mut text = format!("    KernelEvent {{ number: {number}, name: \"{}\", fields: &[", event.name);
        for (number, field) in fields.iter().filter(|(_, field)| !field.is_repeated) {
            let kind = match field.kind.as_str() {
                "string" | "bytes" => "Text",
                "int32" | "int64" | "sint32" | "sint64" => "Signed",
                _ => "Unsigned",
            };
            write!(text, "({number}, \"{}\", {kind}), ", field.name).expect("memory");
        }
        text.push_str("] },\n");
        parts.insert(format!("{number:05}"), text);
    }
    parts
}

/// Arguments that the reader shows in another way than the schema has them: the message, its field, the name and the kind.
const SHOWN: [(&str, &str, &str, Option<&str>); 9] = [
    ("TrackEvent", "task_execution", "task", None),
    ("TrackEvent", "source_location_iid", "source_location", Some("Place")),
    ("TrackEvent", "correlation_id_str", "correlation_id", None),
    (
        "TrackEvent",
        "correlation_id_str_iid",
        "correlation_id",
        Some("Interned(interned_data::CORRELATION_ID_STR)"),
    ),
    ("TaskExecution", "posted_from_iid", "posted_from", Some("Place")),
    ("LogMessage", "source_location_iid", "source_location", Some("Place")),
    ("LogMessage", "body_iid", "body", Some("Interned(interned_data::LOG_MESSAGE_BODY)")),
    ("ChromeHistogramSample", "name_iid", "name", Some("Interned(interned_data::HISTOGRAM_NAMES)")),
    ("SourceLocation", "iid", "", Some("Left")),
];

/// The largest value of an enumeration whose names are kept.
const MAX_VALUE: i64 = 1000;

/// The tables of arguments that are being made.
struct Args<'s> {
    schema: &'s Schema,
    parts: Parts,
    /// The messages around the one that is being made, which its fields do not have as tables once more.
    around: Vec<&'s String>,
}

impl<'s> Args<'s> {
    /// Makes the table of a message, and of those in it.
    fn message(&mut self, name: &'s String) {
        let constant = snake(name).to_uppercase();
        if self.parts.contains_key(&constant) {
            return;
        }
        self.around.push(name);
        let is_event = name == "TrackEvent";
        let mut text = format!("pub(in crate::perfetto) static {constant}: &[ArgField] = &[\n");
        let fields = &self.schema.messages[name];
        assert!(is_event || fields.len() <= 128, "{name} has {} fields", fields.len());
        for (number, field) in fields {
            let special = SHOWN.iter().find(|(message, other, ..)| message == name && *other == field.name);
            let shown = special.map_or(field.name.as_str(), |&(_, _, shown, _)| shown);
            let mut kind = match special {
                Some(&(_, _, _, Some(kind))) => kind.to_owned(),
                _ => self.kind(&field.kind, name),
            };
            // What an event has several times are several arguments.
            if field.is_repeated && !is_event {
                kind = format!("List(&{kind})");
            }
            writeln!(text, "    ({number}, \"{shown}\", {kind}),").expect("memory");
        }
        text.push_str("];\n");
        self.around.pop();
        self.parts.insert(constant, text);
    }

    fn kind(&mut self, kind: &str, message: &str) -> String {
        match kind {
            "bool" => return "Flag".to_owned(),
            "string" => return "Text".to_owned(),
            "float" | "double" => return "Float".to_owned(),
            "int32" | "int64" => return "Signed".to_owned(),
            "uint32" | "uint64" | "fixed32" | "fixed64" => return "Unsigned".to_owned(),
            _ => {}
        }
        if let Some((name, values)) = Schema::resolve(&self.schema.enums, kind, message) {
            let constant = snake(name).to_uppercase();
            let last = values.keys().copied().filter(|&value| value <= MAX_VALUE).max().unwrap_or(0);
            let mut text = format!("static {constant}: &[&str] = &[\n");
            for value in 0..=last {
                writeln!(text, "    \"{}\",", values.get(&value).map_or("", String::as_str)).expect("memory");
            }
            text.push_str("];\n");
            self.parts.insert(constant.clone(), text);
            return format!("Name(&{constant})");
        }
        match Schema::resolve(&self.schema.messages, kind, message) {
            Some((name, _)) if !self.around.contains(&name) => {
                self.message(name);
                format!("Message(&{})", snake(name).to_uppercase())
            }
            _ => "Raw".to_owned(),
        }
    }
}

/// Makes the tables of the arguments of track events.
fn arguments(schema: &Schema) -> Parts {
    let named = named_fields();
    let mut event = schema.messages["TrackEvent"].clone();
    // What the reader takes for something else is no argument.
    event.retain(|_, field| !named.contains(&("track_event".to_owned(), field.name.to_uppercase())));
    let mut own = Schema { messages: schema.messages.clone(), enums: schema.enums.clone() };
    own.messages.insert("TrackEvent".to_owned(), event);
    let mut args = Args { schema: &own, parts: Parts::new(), around: Vec::new() };
    let (event, _) = own.messages.get_key_value("TrackEvent").expect("is there");
    args.message(event);
    args.parts
}

/// Parts of a file by their names, so that some of the files of the schema tell whether some of the parts are right.
type Parts = BTreeMap<String, String>;

/// A file that is made of parts.
struct Generated {
    path: PathBuf,
    head: &'static str,
    foot: &'static str,
    parts: Parts,
}

fn generated(schema: &Schema) -> [Generated; 3] {
    let path = |name: &str| format_sources().join("perfetto/proto").join(name);
    [
        Generated {
            path: path("numbers.rs"),
            head: "//! The numbers of fields, by the names that Perfetto's schema gives them.\n//!\n\
                   //! Made by the test `perfetto_schema` for what the reader names; not to be edited.\n\n",
            foot: "",
            parts: numbers(schema),
        },
        Generated {
            path: path("kernel_events.rs"),
            head: "//! The events of the kernel whose meaning the table of meanings says, and their fields.\n//!\n\
                   //! Made by the test `perfetto_schema` from Perfetto's schema; not to be edited.\n\n\
                   use super::{KernelEvent, KernelField::{Signed, Text, Unsigned}};\n\n\
                   /// The events in the order of their numbers.\n\
                   pub(super) static KERNEL_EVENTS: &[KernelEvent] = &[\n",
            foot: "];\n",
            parts: kernel_events(schema),
        },
        Generated {
            path: path("args.rs"),
            head: "//! The messages that are arguments of track events, with the names of their fields and values.\n//!\n\
                   //! Made by the test `perfetto_schema` from Perfetto's schema and Chrome's; not to be edited.\n\n\
                   use super::ArgField;\n\
                   use super::ArgKind::{Flag, Float, Interned, Left, List, Message, Name, Place, Raw, Signed, Text, Unsigned};\n\
                   use super::numbers::interned_data;\n\n",
            foot: "",
            parts: arguments(schema),
        },
    ]
}

/// Returns the folder of the files of the schema.
fn protos() -> Option<PathBuf> {
    match std::env::var_os("PERFETTO_PROTOS") {
        Some(folder) => Some(folder.into()),
        None => {
            let beside = Path::new(&std::env::var_os("SPALL_CORPUS")?).join("../formats/proto");
            beside.is_dir().then_some(beside)
        }
    }
}

/// A text without what a formatter may change.
fn plain(text: &str) -> String {
    text.replace(",\n", "\n")
        .chars()
        .filter(|c| !c.is_whitespace())
        .collect::<String>()
        .replace(",]", "]")
        .replace(",}", "}")
}

#[test]
fn the_tables_are_what_the_schema_says() {
    let Some(folder) = protos() else {
        return skipped("the files of Perfetto's schema, whose folder PERFETTO_PROTOS names");
    };
    let schema = Schema::read(&folder);
    assert!(schema.messages.contains_key("TracePacket"), "{} has no TracePacket", folder.display());
    let is_update = std::env::var_os("UPDATE_PROTO").is_some();
    let mut n_compared = 0;
    for Generated { path, head, foot, parts } in generated(&schema) {
        let text = [head, &parts.values().cloned().collect::<String>(), foot].concat();
        if is_update {
            std::fs::write(&path, text).expect("the sources can be written");
            continue;
        }
        let known = plain(&std::fs::read_to_string(&path).expect("the sources can be read"));
        // The files may be some of those of the schema, and then messages are lacking in the tables of arguments.
        let is_whole = schema.messages.contains_key("ChromeAppState") || !path.ends_with("args.rs");
        for (name, part) in parts.into_iter().filter(|_| is_whole) {
            assert!(
                known.contains(&plain(&part)),
                "{} says something else of {name}:\n{part}",
                path.display()
            );
            n_compared += 1;
        }
    }
    assert!(is_update || n_compared > 20, "{n_compared} parts of the tables compared");
}
