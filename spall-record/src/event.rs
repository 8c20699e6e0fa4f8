//! Records as events of the model.

use alloc::vec::Vec;

use spall_model::{
    Args, ArgsBuilder, AsyncPhase, CounterEvent, Event, FlowBind, FlowEvent, FlowPhase, Id, KeyedEvent, Text,
    Thread, ThreadEvent, Tick,
};

use crate::gap::Cause;
use crate::record::{Kind, Record, Records};
use crate::site::SiteTable;

/// Calls `visit` with the event of each record in `words`. Returns how many are events, and not counts of missing ones.
pub(crate) fn for_each(
    pid: u32,
    tid: u32,
    name: Option<&str>,
    words: &[u64],
    sites: &mut SiteTable,
    mut visit: impl FnMut(&Event<'_>),
) -> u64 {
    if let Some(name) = name {
        visit(&Event::ThreadName(Thread::new(pid, tid), Text::from(name)));
    }
    let (mut memory, mut n_events) = (Vec::new(), 0);
    for record in Records(words) {
        let (name, category) = (record.name(sites), record.category(sites));
        let keys = sites.get(record.site()).keys;
        memory.resize(memory.len().max(record.n_built(keys)), 0);
        let mut built = ArgsBuilder::in_buffer(&mut memory);
        let args = record.args(keys, &mut built);
        with_event(pid, Thread::new(pid, tid), &record, name, category, args, &mut visit);
        n_events += u64::from(record.kind != Kind::Lost);
    }
    n_events
}

fn with_event(
    pid: u32,
    thread: Thread<'_>,
    record: &Record<'_>,
    name: &[u8],
    category: &str,
    args: Args<'_>,
    visit: &mut impl FnMut(&Event<'_>),
) {
    let at = Tick(i64::try_from(record.ticks).unwrap_or(i64::MAX));
    let (name, category) = (Text::plain(name), Text::from(category));
    let on_thread = ThreadEvent { thread, at, name, category, args };
    let [id, of_thread] = record.numbers();
    let keyed = || {
        let mut keyed = KeyedEvent::new(pid, at, id, name).with_category(category);
        (keyed.local, keyed.args) = (true, args);
        keyed
    };
    let flow = |phase| {
        let thread = if of_thread == 0 { thread } else { Thread::new(pid, of_thread) };
        let flow = FlowEvent::new(phase, FlowBind::Enclosing, thread, at, Id::from(id), name);
        let mut flow = flow.with_category(category);
        (flow.local, flow.args) = (true, args);
        Event::Flow(flow)
    };
    let mut buffer = [0; 64];
    let mut built = ArgsBuilder::in_buffer(&mut buffer);
    visit(&match record.kind {
        Kind::Begin => Event::Begin(on_thread),
        Kind::End | Kind::EndWith => Event::End(on_thread),
        Kind::Instant => Event::Instant(on_thread, record.scope()),
        Kind::Counter => {
            built.add("value", f64::from_bits(id));
            let mut counter = CounterEvent::new(pid, at, name, built.args());
            counter.category = category;
            Event::Counter(counter)
        }
        Kind::SpanBegin => Event::Async(AsyncPhase::Begin, keyed()),
        Kind::SpanEnd => Event::Async(AsyncPhase::End, keyed()),
        Kind::FlowStart => flow(FlowPhase::Start),
        Kind::FlowEnd => flow(FlowPhase::End),
        Kind::ThreadName => Event::ThreadName(thread, name),
        Kind::Lost => {
            built.add(Cause::of(record.flags()).text(), id);
            let lost = ThreadEvent { name: Text::from("lost events"), args: built.args(), ..on_thread };
            Event::Instant(ThreadEvent { category: Text::EMPTY, ..lost }, spall_model::Scope::Thread)
        }
    });
}
