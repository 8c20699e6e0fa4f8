//! Random events with few names, threads and keys, so that ends meet begins and flows meet slices.

use arbitrary::{Result, Unstructured};
use spall_trace::json::json_args;
use spall_trace::model::{
    Args, AsyncPhase, ChildOrder, CounterEvent, DiagnosticKind, Event, FlowBind, FlowEvent, FlowPhase, Id,
    KeyedEvent, MetaEvent, ObjectPhase, Scope, Text, Thread, ThreadEvent, Tick, Ticks, TrackEvent, Value,
};

/// Returns up to 300 events. Names and arguments borrow from the input.
pub fn sequence<'a>(u: &mut Unstructured<'a>) -> Vec<Event<'a>> {
    let mut maker = Maker { now: 0, wild: u.ratio(1, 8).unwrap_or(false) };
    let mut events = Vec::new();
    while events.len() < 300 && !u.is_empty() {
        let Ok(event) = maker.event(u) else { break };
        events.push(event);
    }
    events
}

/// Returns events of slices of every kind, on few threads.
pub fn slices<'a>(u: &mut Unstructured<'a>) -> Vec<Event<'a>> {
    let mut maker = Maker { now: 0, wild: u.ratio(1, 8).unwrap_or(false) };
    let mut events = Vec::new();
    while events.len() < 300 && !u.is_empty() {
        let Ok(event) = maker.slice(u) else { break };
        events.push(event);
    }
    events
}

struct Maker {
    now: i64,
    /// Whether times are anything that can be expressed.
    wild: bool,
}

impl Maker {
    fn event<'a>(&mut self, u: &mut Unstructured<'a>) -> Result<Event<'a>> {
        Ok(match u.int_in_range(0..=31)? {
            0..=11 => self.slice(u)?,
            12 => Event::Instant(
                self.thread_event(u)?,
                *u.choose(&[Scope::Thread, Scope::Process, Scope::Global])?,
            ),
            13 => Event::State(self.thread_event(u)?, self.duration(u)?),
            14..=15 => Event::Counter(self.counter(u)?),
            16..=19 => Event::Async(*u.choose(&ASYNC)?, self.span(u)?),
            20..=21 => Event::Object(*u.choose(&OBJECT)?, self.keyed(u)?),
            22..=25 => Event::Flow(self.flow(u)?),
            26 => Event::ProcessName(id(u)?, text(u)?),
            27 if u.arbitrary()? => Event::Track(track(u)?),
            27 => Event::ThreadName(thread(u)?, text(u)?),
            28 if u.arbitrary()? => Event::ProcessSortIndex(id(u)?, i64::from(u.arbitrary::<i32>()?)),
            28 => Event::ThreadSortIndex(thread(u)?, i64::from(u.arbitrary::<i32>()?)),
            29 => Event::ProcessLabels(id(u)?, text(u)?),
            30 if u.arbitrary()? => {
                Event::Diagnostic(*u.choose(&[DiagnosticKind::Junk, DiagnosticKind::Truncated])?)
            }
            30 => Event::Other(self.thread_event(u)?, *u.choose(b"PVvc()x")?),
            _ => {
                let thread = if u.arbitrary()? { Some(thread(u)?) } else { None };
                // Some keys have a meaning in documents of JSON.
                let key = Text::plain(u.choose(&[&b"ph"[..], b"traceEvents", b"displayTimeUnit"])?);
                let key = if u.ratio(1, 4)? { key } else { text(u)? };
                let meta = MetaEvent::new(key, value(u)?);
                Event::Meta(thread.map_or(meta, |thread| meta.with_thread(thread)))
            }
        })
    }

    fn slice<'a>(&mut self, u: &mut Unstructured<'a>) -> Result<Event<'a>> {
        let event = self.thread_event(u)?;
        Ok(match u.int_in_range(0..=7)? {
            0..=2 => Event::Begin(event),
            3..=4 => Event::End(event),
            5..=6 => Event::Complete(event, self.duration(u)?),
            _ => Event::Unfinished(event),
        })
    }

    fn at(&mut self, u: &mut Unstructured<'_>) -> Result<Tick> {
        let step: u8 = u.arbitrary()?;
        if self.wild && step > 0xf0 {
            return Ok(Tick(u.arbitrary()?));
        }
        // Mostly on, sometimes back, often not at all.
        self.now += [0, 0, 1, 1, 2, 5, 100, -3][usize::from(step % 8)];
        Ok(Tick(self.now))
    }

    fn duration(&mut self, u: &mut Unstructured<'_>) -> Result<Ticks> {
        let duration: u8 = u.arbitrary()?;
        if self.wild && duration > 0xf0 {
            return Ok(Ticks(u.arbitrary()?));
        }
        Ok(Ticks(if duration > 0xe0 { -1 } else { i64::from(duration % 32) }))
    }

    fn thread_event<'a>(&mut self, u: &mut Unstructured<'a>) -> Result<ThreadEvent<'a>> {
        Ok(ThreadEvent {
            thread: thread(u)?,
            at: self.at(u)?,
            name: text(u)?,
            category: category(u)?,
            args: args(u)?,
        })
    }

    fn counter<'a>(&mut self, u: &mut Unstructured<'a>) -> Result<CounterEvent<'a>> {
        let id = if u.arbitrary()? { Some(id(u)?) } else { None };
        let (pid, at, name, category) = (self::id(u)?, self.at(u)?, text(u)?, category(u)?);
        let mut event = CounterEvent::new(pid, at, name, args(u)?);
        (event.id, event.category) = (id, category);
        Ok(event)
    }

    fn keyed<'a>(&mut self, u: &mut Unstructured<'a>) -> Result<KeyedEvent<'a>> {
        let event = KeyedEvent::new(id(u)?, self.at(u)?, id(u)?, text(u)?);
        let mut event = event.with_category(category(u)?).with_scope(category(u)?);
        (event.local, event.args) = (u.arbitrary()?, args(u)?);
        Ok(event)
    }

    /// An event of a span, which now and then says ids.
    fn span<'a>(&mut self, u: &mut Unstructured<'a>) -> Result<KeyedEvent<'a>> {
        let mut event = self.keyed(u)?;
        if u.ratio(1, 3)? {
            event.span = id(u)?;
        }
        if u.ratio(1, 3)? {
            event.parent = id(u)?;
        }
        Ok(event)
    }

    fn flow<'a>(&mut self, u: &mut Unstructured<'a>) -> Result<FlowEvent<'a>> {
        let phase = *u.choose(&[FlowPhase::Start, FlowPhase::Step, FlowPhase::End])?;
        let bind = *u.choose(&[FlowBind::Enclosing, FlowBind::Next, FlowBind::Slice])?;
        let flow = FlowEvent::new(phase, bind, thread(u)?, self.at(u)?, id(u)?, text(u)?);
        let mut flow = flow.with_category(category(u)?);
        flow.local = u.arbitrary()?;
        // One that is written into the fields of its slice has no room for any.
        if bind != FlowBind::Slice {
            flow.args = args(u)?;
        }
        Ok(flow)
    }
}

const ASYNC: [AsyncPhase; 7] = [
    AsyncPhase::Begin,
    AsyncPhase::End,
    AsyncPhase::Instant,
    AsyncPhase::Start,
    AsyncPhase::StepInto,
    AsyncPhase::StepPast,
    AsyncPhase::Finish,
];
const OBJECT: [ObjectPhase; 3] = [ObjectPhase::New, ObjectPhase::Snapshot, ObjectPhase::Delete];

/// Few numbers; now and then a large or negative one, or text, which never spells a number.
fn id<'a>(u: &mut Unstructured<'a>) -> Result<Id<'a>> {
    Ok(match u.arbitrary::<u8>()? {
        0xff => Id::Number(u.arbitrary()?),
        0xfe => Id::Text(b"main"),
        0xfd => Id::Text(br"t\u0041\n"),
        small => Id::Number(i64::from(small % 3)),
    })
}

fn thread<'a>(u: &mut Unstructured<'a>) -> Result<Thread<'a>> {
    Ok(Thread { pid: id(u)?, tid: id(u)? })
}

fn track<'a>(u: &mut Unstructured<'a>) -> Result<TrackEvent<'a>> {
    let mut event = TrackEvent::new(thread(u)?, text(u)?);
    if u.arbitrary()? {
        event.parent = Thread { pid: if u.arbitrary()? { id(u)? } else { event.thread.pid }, tid: id(u)? };
    }
    event.group = Text::from(if u.arbitrary()? { "g" } else { "" });
    event.rank = u.int_in_range(0..=3)?;
    let orders = [ChildOrder::Unspecified, ChildOrder::ByName, ChildOrder::ByTime, ChildOrder::ByRank];
    event.children = *u.choose(&orders)?;
    Ok(event)
}

fn text<'a>(u: &mut Unstructured<'a>) -> Result<Text<'a>> {
    Ok(match u.arbitrary::<u8>()? {
        0xff => Text::plain(some_bytes(u)?),
        0xfe => Text::escaped(some_bytes(u)?),
        0xfd => Text::escaped(br"caf\u00e9 \ud83d\ude00\t"),
        0xfc => Text::plain(b"a, b,,a"),
        other => Text::plain([&b"a"[..], b"b", b"c", b""][usize::from(other % 4)]),
    })
}

fn category<'a>(u: &mut Unstructured<'a>) -> Result<Text<'a>> {
    Ok(Text::plain(u.choose(&[&b""[..], b"", b"c", b"c,d"])?))
}

/// Some bytes of the input itself, at most 40.
fn some_bytes<'a>(u: &mut Unstructured<'a>) -> Result<&'a [u8]> {
    let length = u.int_in_range(0..=40)?.min(u.len());
    u.bytes(length)
}

fn args<'a>(u: &mut Unstructured<'a>) -> Result<Args<'a>> {
    Ok(match u.arbitrary::<u8>()? % 32 {
        0 => Args::text(some_bytes(u)?),
        1 => json_args(br#"{"snapshot":{"x":[1,{}]},"step":"s"}"#),
        2 => json_args(br#"{"a":1,"b":-2.5,"c":"3","d":null,"e":true,"a":18446744073709551615}"#),
        3 => json_args(br#"{"v":"no number","w":[],"x":1e400,"":""}"#),
        4 => json_args(br#""__stripped__""#),
        _ => Args::NONE,
    })
}

fn value<'a>(u: &mut Unstructured<'a>) -> Result<Value<'a>> {
    Ok(match u.int_in_range(0..=7)? {
        0 => Value::Null,
        1 => Value::Bool(u.arbitrary()?),
        2 => Value::I64(u.arbitrary()?),
        3 => Value::U64(u.arbitrary()?),
        4 => Value::F64(u.arbitrary()?),
        5 => Value::Text(text(u)?),
        6 => Value::Bytes(some_bytes(u)?),
        _ => Value::Map(args(u)?),
    })
}
