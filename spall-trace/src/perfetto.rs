//! The parser of Perfetto's traces, with what is JSON inside of them.

use alloc::string::String;

use spall_format::{FormatError, perfetto};
use spall_json::{JsonParser, JsonWriter, json_args};
use spall_model::{ByteRange, Event, LendingParser, Limits, Progress, Receiver, Text, Value};

/// A parser of Perfetto's traces that reads the JSON in them: arguments, and the CPU profiles of V8, which Chrome writes
/// as it does in Trace Event JSON.
#[derive(Debug)]
pub(crate) struct PerfettoParser(perfetto::Parser);

impl PerfettoParser {
    pub(crate) fn new(limits: &Limits) -> Self {
        Self(perfetto::Parser::new().with_limits(limits).with_json(json_value))
    }
}

/// Returns a JSON value. What is no object stays a text.
fn json_value(json: &[u8]) -> Value<'_> {
    match json.trim_ascii_start() {
        [b'{', ..] => Value::Map(json_args(json)),
        _ => Value::Text(Text::plain(json)),
    }
}

impl LendingParser for PerfettoParser {
    type Error = FormatError;

    fn lend(
        &mut self,
        data: &[u8],
        eof: bool,
        to: &mut impl for<'e> Receiver<'e>,
    ) -> Result<Progress, FormatError> {
        self.0.lend(data, eof, &mut |event: &Event<'_>, bytes: ByteRange| match event {
            Event::Other(_, b'P') => receive_part_of_profile(event, bytes, to),
            _ => to.receive(event, bytes),
        })
    }
}

/// Hands over the part of a CPU profile that is in the arguments of an event, or the event itself if there is none.
#[cold]
fn receive_part_of_profile(event: &Event<'_>, bytes: ByteRange, to: &mut dyn for<'e> Receiver<'e>) {
    if read_profile(event, bytes, to).is_none() {
        to.receive(event, bytes);
    }
}

/// Hands over the part of a CPU profile that is in the arguments of an event. Returns `None` if there is none.
fn read_profile(event: &Event<'_>, bytes: ByteRange, to: &mut dyn for<'e> Receiver<'e>) -> Option<()> {
    let Event::Other(part, _) = event else { return None };
    if !part.name.is(b"Profile") && !part.name.is(b"ProfileChunk") {
        return None;
    }
    let id = part.args.get(perfetto::PROFILE_ID.as_bytes())?;
    let mut writer = JsonWriter::new(String::new());
    let _ = writer.write_event(event).ok()?;
    let json =
        writer.finish().ok()?.replacen("\"ph\":\"P\"", &alloc::format!("\"ph\":\"P\",\"id\":\"{id}\""), 1);
    let mut has_profile = false;
    let read = JsonParser::new().lend_all(json.as_bytes(), |event, _| {
        if event.part().is_some() || matches!(event, Event::Diagnostic(_)) {
            has_profile |= matches!(event, Event::Profile(_));
            to.receive(event, bytes);
        }
    });
    (read.is_ok() && has_profile).then_some(())
}
