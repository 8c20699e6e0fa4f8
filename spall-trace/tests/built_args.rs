//! Arguments that a program built go through every writer that keeps types.

use spall_trace::json::{JsonParser, JsonWriter};
use spall_trace::model::{ArgsBuilder, Event, Text, Thread, ThreadEvent, Tick, Ticks, Value};

fn slice<'a>(builder: &'a ArgsBuilder<'_>) -> Event<'a> {
    let event = ThreadEvent::new(Thread::new(1, 2), Tick(3000), Text::from("work"));
    Event::Complete(ThreadEvent { args: builder.args(), ..event }, Ticks(1000))
}

fn scalars_and_lists() -> ArgsBuilder<'static> {
    let mut builder = ArgsBuilder::new();
    builder
        .add("int", -3)
        .add("large", u64::MAX)
        .add("float", 0.5)
        .add("text", "a\\b \"c\"")
        .add_list("list", [1, 2]);
    builder
}

#[test]
fn json_keeps_all_types_of_arguments() {
    let mut builder = scalars_and_lists();
    let mut inner = ArgsBuilder::new();
    inner.add("x", true).add("y", Value::Null);
    builder.add("map", Value::Map(inner.args()));
    let mut json = String::new();
    let mut writer = JsonWriter::new(&mut json);
    _ = writer.write_event(&slice(&builder)).unwrap();
    writer.finish().unwrap();
    let Event::Complete(read, _) = spall_fuzz::parsed::events_of(JsonParser::new(), json.as_bytes())[0]
    else {
        panic!()
    };
    assert_eq!(read.args.to_string(), builder.args().to_string());
}
