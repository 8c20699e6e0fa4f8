//! The parser of sampling profiles that are JSON documents of their own.

use spall_model::{LendingParser, Progress, ReadOnce, Receiver};

use crate::error::{JsonError, JsonErrorKind};
use crate::lexer::{self, KeyToken};
use crate::{
    firefox,
    heap::{dhat, v8},
    speedscope,
};

/// A format of sampling profiles that are JSON documents, as [`json_profile`] recognises it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum JsonProfile {
    /// A profile of the Firefox Profiler, in either of its two layouts. [profiles 2](crate::rules::profiles#2)
    Firefox,
    /// A file of speedscope. [profiles 5](crate::rules::profiles#5)
    Speedscope,
    /// A profile of memory by dhat, that of Valgrind or that of Rust. [heap 2](crate::rules::heap#2)
    Dhat,
    /// A sampling heap profile of V8. [heap 3](crate::rules::heap#3)
    HeapProfile,
}

/// Returns the format of the sampling profile that begins with `data`, by the keys of the document.
///
/// Returns `None` if the document is something else, or if `data` ends before it shows. A document with a list
/// `traceEvents` is something else whatever follows the list, so that the list is not read.
///
/// ```
/// use spall_json::{JsonProfile, json_profile};
///
/// let firefox = json_profile(br#"{"meta":{"interval":1,"startTime":0,"version":34"#);
/// assert_eq!(firefox, Some(JsonProfile::Firefox));
/// assert_eq!(json_profile(br#"{"shared":{"frames":[]}}"#), Some(JsonProfile::Speedscope));
/// assert_eq!(json_profile(br#"{"meta":{"title":"a page"}}"#), None);
/// assert_eq!(json_profile(br#"{"traceEvents":[],"shared":{"frames":[]}}"#), None);
/// ```
#[must_use]
pub fn json_profile(data: &[u8]) -> Option<JsonProfile> {
    let start = if data.starts_with(b"\xef\xbb\xbf") { 3 } else { 0 };
    let (start, _) = lexer::skip_blanks(data, start).filter(|&(_, byte)| byte == b'{')?;
    let mut keys = lexer::keys(data, start).take_while(|key| !key.is(data, b"traceEvents"));
    keys.find_map(|key| {
        // Firefox's developer tools wrap the profile in an object.
        let wrapped = key.is(data, b"profile").then(|| lexer::keys(data, key.value));
        wrapped.into_iter().flatten().find_map(|key| of_key(data, &key)).or_else(|| of_key(data, &key))
    })
}

/// Returns the format in which the document has this key.
fn of_key(data: &[u8], key: &KeyToken) -> Option<JsonProfile> {
    // The keys of an object, or of the first object in an array.
    let has = |keys: &[&[u8]]| {
        let first = match data.get(key.value) {
            Some(b'[') => lexer::item_start(data, key.value + 1).unwrap_or(data.len()),
            _ => key.value,
        };
        lexer::keys(data, first).any(|key| keys.iter().any(|name| key.is(data, name)))
    };
    let of_firefox: [(&[u8], &[&[u8]]); 3] = [
        (b"meta", &[b"preprocessedProfileVersion", b"interval", b"startTime"]),
        (b"threads", &[b"samples", b"markers", b"stackTable", b"registerTime"]),
        (b"shared", &[b"stringArray", b"stackTable"]),
    ];
    if of_firefox.iter().any(|(name, keys)| key.is(data, name) && has(keys)) {
        return Some(JsonProfile::Firefox);
    }
    let names_schema = || {
        let schema = lexer::string(data, key.value).ok();
        schema.is_some_and(|schema| memchr::memmem::find(schema.bytes(data), b"speedscope").is_some())
    };
    let of_speedscope = key.is(data, b"shared") && has(&[b"frames"])
        || key.is(data, b"profiles") && has(&[b"startValue", b"endValue", b"events", b"samples"])
        || key.is(data, b"$schema") && names_schema();
    if of_speedscope {
        return Some(JsonProfile::Speedscope);
    }
    let of_dhat = key.is(data, b"dhatFileVersion")
        || key.is(data, b"pps") && has(&[b"tb", b"tbk"])
        || key.is(data, b"ftbl") && begins_with_root(data, key.value);
    if of_dhat {
        return Some(JsonProfile::Dhat);
    }
    // The oldest CPU profiles have a tree as well, whose nodes have hits.
    let of_heap = key.is(data, b"head") && has(&[b"callFrame", b"selfSize"]) && !has(&[b"hitCount"]);
    of_heap.then_some(JsonProfile::HeapProfile)
}

/// Returns whether the first text of a list is the root of dhat's stacks.
fn begins_with_root(data: &[u8], list: usize) -> bool {
    let first = (data.get(list) == Some(&b'[')).then(|| lexer::item_start(data, list + 1)).flatten();
    let text = first.and_then(|first| lexer::string(data, first).ok());
    text.is_some_and(|text| text.inside(data) == b"[root]")
}

/// A parser of sampling profiles that are JSON documents of their own: those of the Firefox Profiler, of speedscope, of dhat, and
/// the heap profiles of V8.
///
/// Samples become [`Event::Sample`](spall_model::Event::Sample)s. The parser reads the document when all of
/// it is there, because its tables refer to each other, and hands over everything at once. [`json_profile`] recognises
/// the format. A document that is cut has the events of the threads in front of the cut; one of memory is an error.
///
/// ```
/// use spall_json::JsonProfileParser;
/// use spall_model::{Event, LendingParser as _, SampleTime, Tick};
///
/// let json = br#"{"shared":{"frames":[{"name":"main"},{"name":"work"}]},"profiles":[
///     {"type":"sampled","name":"worker","unit":"milliseconds","samples":[[0],[0,1]],"weights":[2,3]}]}"#;
/// let mut times = Vec::new();
/// JsonProfileParser::new().lend_all(json, |event, _| {
///     if let Event::Sample(sample) = event {
///         times.push((sample.at, sample.weight));
///     }
/// })?;
/// assert_eq!(times, [(SampleTime::At(Tick(0)), 2.0), (SampleTime::At(Tick(2_000_000)), 3.0)]);
/// # Ok::<(), spall_json::JsonError>(())
/// ```
#[derive(Debug, Clone, Default)]
pub struct JsonProfileParser {
    state: ReadOnce<JsonError>,
}

impl JsonProfileParser {
    /// Creates a parser at the start of a file.
    #[must_use]
    pub const fn new() -> Self {
        Self { state: ReadOnce::new() }
    }
}

impl LendingParser for JsonProfileParser {
    type Error = JsonError;

    fn lend(
        &mut self,
        data: &[u8],
        eof: bool,
        to: &mut impl for<'e> Receiver<'e>,
    ) -> Result<Progress, JsonError> {
        self.state.read(data, eof, || match json_profile(data) {
            Some(JsonProfile::Firefox) => firefox::read(data, to),
            Some(JsonProfile::Speedscope) => speedscope::read(data, to),
            Some(JsonProfile::Dhat) => dhat::read(data, to),
            Some(JsonProfile::HeapProfile) => v8::read(data, to),
            None => Err(JsonError::new(JsonErrorKind::NotATrace, 0)),
        })
    }
}
