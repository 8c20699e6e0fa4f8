//! The replay of counters. Values of one time become one event.

use alloc::{collections::BTreeSet, vec::Vec};

use crate::{
    Args, ArgsFormat, CounterEvent, CounterValue, Event, Key, NameId, Names, Text, TraceView, Track, Value,
};

use super::{Replay, ids};

impl<'t, E> Replay<'t, E> {
    /// Emits the values of a counter in the order of time. A counter without values becomes an event without series,
    /// which makes its track.
    pub(super) fn counter(&mut self, track: &'t Track, id: Option<Key>) -> Result<(), E> {
        let trace = self.trace;
        let (mut pid_text, mut id_text, mut series) = (Vec::new(), Vec::new(), Vec::new());
        let mut seen = BTreeSet::new();
        let mut event = CounterEvent {
            pid: ids::id(trace, self.pid(track.process), &mut pid_text),
            at: self.some_time(),
            name: self.text(track.name),
            id: id.map(|id| ids::id(trace, id, &mut id_text)),
            category: Text::EMPTY,
            series: Args::NONE,
        };
        let mut values = trace.counters_of(track.id);
        if values.is_empty() {
            return self.emit(Event::Counter(event));
        }
        while let Some(first) = values.first() {
            let (together, rest) = values.split_at_checked(n_together(values, &mut seen)).unwrap_or_default();
            values = rest;
            series.clear();
            together.iter().for_each(|value| put_series(&mut series, &trace.names, value));
            event = CounterEvent { at: first.at, ..event };
            self.emit(Event::Counter(CounterEvent { series: Args::new(&series, &SERIES), ..event }))?;
        }
        Ok(())
    }
}

/// Returns the number of values at the start of the list that one event can hold; at least 1 if there are any. A second value
/// of a series at one time needs an event of its own, as readers of JSON keep only the last value of a key.
fn n_together(values: &[CounterValue], seen: &mut BTreeSet<NameId>) -> usize {
    seen.clear();
    let at = values.first().map(|value| value.at);
    values.iter().take_while(|value| Some(value.at) == at && seen.insert(value.series)).count()
}

/// The format of series as arguments: the value, the length of the name, and the name.
static SERIES: ArgsFormat = ArgsFormat::new("series", next_series);

/// Appends a value to encoded series.
fn put_series(series: &mut Vec<u8>, names: &Names, value: &CounterValue) {
    let name = names.bytes(value.series);
    series.extend_from_slice(&value.value.to_le_bytes());
    series.extend_from_slice(&(name.len() as u64).to_le_bytes());
    series.extend_from_slice(name);
}

/// Reads the series at `pos`.
fn next_series<'b>(bytes: &'b [u8], pos: &mut usize) -> Option<(Text<'b>, Value<'b>)> {
    let rest = bytes.get(*pos..)?;
    let (value, rest) = rest.split_first_chunk()?;
    let (length, rest) = rest.split_first_chunk()?;
    let (name, rest) = rest.split_at_checked(usize::try_from(u64::from_le_bytes(*length)).ok()?)?;
    *pos = bytes.len() - rest.len();
    Some((Text::plain(name), Value::F64(f64::from_le_bytes(*value))))
}
