//! Records to events, with names for addresses.

use alloc::borrow::Cow;
use alloc::collections::BTreeMap;
use alloc::format;
use alloc::vec::Vec;

use spall_model::{Args, Clock, DiagnosticKind, Event, Text, Thread, ThreadEvent, Tick, Unit, Value};

use super::{Header, Record};
use crate::spall::without_nul;

/// Gives names to the functions of the traced program.
pub trait Symbolizer {
    /// The name of the function at an address relative to where the program was loaded, if it is known.
    ///
    /// Asked once per address.
    fn name(&mut self, address: u64) -> Option<Cow<'_, [u8]>>;
}

/// Knows no names: functions are called by their address, in hex.
#[derive(Debug, Clone, Copy, Default)]
pub struct NoSymbols;

impl Symbolizer for NoSymbols {
    fn name(&mut self, _: u64) -> Option<Cow<'_, [u8]>> {
        None
    }
}

/// Makes events of the records of an auto trace.
///
/// ```
/// use spall_format::spall::auto::{Lowering, NoSymbols, Record};
/// use spall_model::Event;
///
/// let mut lowering = Lowering::new(NoSymbols);
/// let enter = Record::Enter { tid: 7, when: 10, address: 0x1160, caller: 0x11a0 };
/// let Some(Event::Begin(begin)) = lowering.event(&enter) else { panic!() };
/// assert!(begin.name.is(b"0x1160"));
/// ```
#[derive(Debug)]
pub struct Lowering<S> {
    symbols: S,
    names: BTreeMap<u64, Vec<u8>>,
}

impl<S: Symbolizer> Lowering<S> {
    /// Takes names from `symbols`.
    pub fn new(symbols: S) -> Self {
        Self { symbols, names: BTreeMap::new() }
    }

    /// What a file's header says. A unit that is no positive finite number gives one nanosecond per tick, and the
    /// diagnostic to report.
    pub fn clock(header: &Header) -> (Event<'static>, Option<DiagnosticKind>) {
        let ns = header.ns_per_tick.get();
        let usable = ns > 0.0 && ns.is_finite();
        let unit = Unit::Nanoseconds(if usable { ns } else { 1.0 });
        let fault = (!usable).then_some(DiagnosticKind::BadTimeUnit);
        (Event::Clock(Clock { unit, epoch_ns: None }), fault)
    }

    /// The event of a record. Its process is 0, as the format has none.
    pub fn event<'s>(&'s mut self, record: &Record<'s>) -> Option<Event<'s>> {
        Some(match *record {
            Record::Enter { tid, when, address, .. } => {
                Event::Begin(ThreadEvent::new(thread(tid), tick(when), Text::plain(self.name(address))))
            }
            Record::Begin { tid, when, name, args } => {
                let begin = ThreadEvent::new(thread(tid), tick(when), Text::plain(without_nul(name)));
                Event::Begin(ThreadEvent { args: Args::text(args), ..begin })
            }
            Record::End { tid, when } => Event::End(ThreadEvent::new(thread(tid), tick(when), Text::EMPTY)),
            Record::Program(path) => Event::Meta(spall_model::MetaEvent {
                thread: None,
                key: Text::plain(b"program"),
                value: Value::Text(Text::plain(path)),
            }),
            Record::Damage(kind) => Event::Diagnostic(kind),
        })
    }

    fn name(&mut self, address: u64) -> &[u8] {
        let Self { symbols, names } = self;
        names.entry(address).or_insert_with(|| match symbols.name(address) {
            Some(name) => name.into_owned(),
            None => format!("{address:#x}").into_bytes(),
        })
    }
}

fn thread(tid: u32) -> Thread<'static> {
    Thread::new(0_u32, tid)
}

/// Ticks beyond `i64` are clamped.
fn tick(when: u64) -> Tick {
    Tick(i64::try_from(when).unwrap_or(i64::MAX))
}
