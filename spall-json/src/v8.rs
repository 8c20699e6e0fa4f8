//! The names and rules of V8 and Chrome for merging samples with slices. `spall-samples` has the rules of the merge.

use memchr::memmem;
use spall_model::{Args, Callee, Frame, SampleRules, SliceArgs, Value};

/// The rules for merging samples with slices in traces of Chrome and Node, which run V8. [cpu 2](crate::rules::cpu#2)
///
/// Pass them to the crate `spall-samples`. A program that embeds V8 can replace a list with one that has the names of
/// its own slices:
///
/// ```
/// use spall_json::V8;
/// use spall_model::SampleRules;
/// let with_mine = SampleRules { invocations: &["FunctionCall", "MyEngine::call"], ..V8 };
/// # let _ = with_mine;
/// ```
pub const V8: SampleRules = SampleRules {
    invocations: &[
        "FunctionCall",
        "EvaluateScript",
        "RunMicrotasks",
        "V8.RunMicrotasks",
        "EventDispatch",
        "v8.evaluateModule",
        "V8.Execute",
        "v8.run",
        "v8.callFunction",
        "v8.callModuleMethod",
        "v8.newInstance",
        "v8.callAsFunction",
        "v8.callAsConstructor",
        "V8Console::runTask",
    ],
    resets: &[
        "RunTask",
        "RunMicrotasks",
        "V8.RunMicrotasks",
        "ThreadControllerImpl::RunTask",
        "ThreadPool_RunTask",
        "MessageLoop::RunTask",
        "TaskQueueManager::ProcessTaskFromWorkQueue",
    ],
    root: "(root)",
    idle: &["(program)", "(idle)"],
    unreadable: "(program)",
    on_top: "(garbage collector)",
    is_native,
    call_site,
    callee,
};

/// Returns whether a frame is a native callback such as `insertBefore`. These have neither a URL nor a script.
fn is_native(frame: &Frame) -> bool {
    frame.url.is_empty() && frame.source == 0
}

/// The key of the number of a call site. [cpu 1b.6](crate::rules::cpu#1b.6)
const CALL_SITE: &[u8] = b"sampleTraceId";

/// Returns the `sampleTraceId` of a slice, which is one of its arguments, or stands in its argument `data` or
/// `beginData`. The last one counts.
fn call_site(args: &SliceArgs<'_>) -> Option<u64> {
    let inside = |value: Value<'_>| match value {
        Value::Map(map) => map.get(CALL_SITE).and_then(whole_number),
        _ => None,
    };
    let mut found = None;
    // One slice in a hundred has a call site, and a search is faster than reading the arguments of all others.
    let may_have = |part: &&Args<'_>| {
        let bytes = part.bytes();
        bytes.len() > CALL_SITE.len()
            && (memmem::find(bytes, CALL_SITE).is_some() || memchr::memchr(b'\\', bytes).is_some())
    };
    for part in [&args.begin, &args.end].into_iter().filter(may_have) {
        for (key, value) in part.iter() {
            if key.is(b"data") || key.is(b"beginData") {
                found = inside(value).or(found);
            } else if key.is(CALL_SITE) {
                found = whole_number(value).or(found);
            }
        }
    }
    found
}

/// Returns a value that is a whole number, or the text of one.
fn whole_number(value: Value<'_>) -> Option<u64> {
    match value {
        Value::I64(number) => u64::try_from(number).ok(),
        Value::U64(number) => Some(number),
        // Chrome writes `scriptId` as a text.
        Value::Text(text) => core::str::from_utf8(text.raw()).ok()?.parse().ok(),
        _ => None,
    }
}

/// Returns the function that a `FunctionCall` names, by its position if that is known, else by name and URL.
fn callee<'a>(args: &SliceArgs<'a>) -> Option<Callee<'a>> {
    let Some(Value::Map(data)) = args.get(b"data") else { return None };
    let (mut source, mut line, mut column, mut name, mut url) = (None, None, None, None, None);
    for (key, value) in data {
        match (key.raw(), value) {
            (b"scriptId", value) => source = whole_number(value).and_then(|id| i64::try_from(id).ok()),
            (b"lineNumber", value) => line = from_one(value),
            (b"columnNumber", value) => column = from_one(value),
            (b"functionName", Value::Text(text)) => name = Some(text),
            (b"url", Value::Text(text)) => url = Some(text),
            _ => {}
        }
    }
    // A position is exact, while several functions of a script may have the same name.
    if let (Some(source), Some(line), Some(column)) = (source, line, column) {
        return Some(Callee::Position { source, line, column });
    }
    Some(Callee::Name { name: name?, url: url? })
}

/// Returns a line or column counted from 0, as frames count them. In the arguments they count from 1.
fn from_one(value: Value<'_>) -> Option<u32> {
    u32::try_from(whole_number(value)?.checked_sub(1)?).ok()
}

#[cfg(test)]
mod tests {
    use alloc::format;

    use crate::JsonParser;
    use spall_model::{Limits, Parser as _, Receiver as _, SliceId, Text, TraceBuilder, TraceView};

    use super::*;

    #[test]
    fn a_call_site_is_found_however_its_key_is_written() {
        for (args, expected) in [
            (r#"{"sampleTraceId":7}"#, Some(7)),
            (r#"{"data":{"a":"T","sampleTraceId":7}}"#, Some(7)),
            (r#"{"beginData":{"sampleTraceId":"7"}}"#, Some(7)),
            ("{ \"data\" : [], \"data\" : { \"sampleTraceId\"\n: 7 } }", Some(7)),
            ("{\"sampleTraceId\"\t:7}", Some(7)),
            ("{\"sampleTraceId\"\r:7}", Some(7)),
            (r#"{"data":{"sample\u0054raceId":7}}"#, Some(7)),
            (r#"{"data":{"\u0073ampleTraceId":7}}"#, Some(7)),
            (r#"{"d\u0061ta":{"sampleTraceId":7}}"#, Some(7)),
            (r#"{"data":{"SampleTraceId":7,"TraceId":8}}"#, None),
            (r#"{"data":"sampleTraceId"}"#, None),
            (r#"{"other":{"sampleTraceId":7}}"#, None),
            (r#"{"data":{"other":{"sampleTraceId":7}}}"#, None),
            (r#"{"other":{"a":{}},"data":{"sampleTraceId":7}}"#, Some(7)),
            (r#"{"T":1}"#, None),
            ("{}", None),
        ] {
            // With a time of the thread's clock, the bytes of the arguments are those of the whole event.
            for clock in ["", r#""tts":1,"#] {
                let json = format!(
                    r#"[{{"ph":"X","name":"sampleTraceId","pid":1,"tid":1,"ts":1,{clock}"dur":1,"args":{args}}}]"#
                );
                let mut builder = TraceBuilder::new(&Limits::default());
                let parsed = JsonParser::new()
                    .parse_all(json.as_bytes(), |event, bytes| builder.receive(event, bytes));
                parsed.unwrap();
                let trace = builder.finish();
                let kept = trace.slice_args(SliceId(0));
                assert_eq!(call_site(&kept), expected, "{json}");
            }
        }
    }

    #[test]
    fn cpu_1b_6_numbers_of_call_sites() {
        assert_eq!(whole_number(Value::I64(7)), Some(7));
        assert_eq!(whole_number(Value::I64(-7)), None);
        assert_eq!(whole_number(Value::U64(u64::MAX)), Some(u64::MAX));
        assert_eq!(whole_number(Value::Text(Text::plain(b"42"))), Some(42));
        assert_eq!(whole_number(Value::Bool(true)), None);
    }
}
