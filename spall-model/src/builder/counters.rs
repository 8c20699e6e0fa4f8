//! Counters. Each numeric argument of a counter event is a value of a series.

use core::cmp::Reverse;

use smallvec::SmallVec;

use crate::{ByteRange, CounterEvent, CounterValue, DiagnosticKind, NameId, Text, Value};

use super::{
    TraceBuilder,
    registry::{CounterIds, TrackKey},
};

impl TraceBuilder {
    /// Adds the values of an event to the track of its counter.
    pub(super) fn counter(&mut self, event: &CounterEvent<'_>, bytes: ByteRange) {
        let ids = CounterIds::of(event);
        let recent = ids.as_ref().and_then(|ids| self.registry.recent_counter(ids));
        let Some(track) = recent.or_else(|| self.find_counter(event, ids, bytes)) else { return };
        let before = self.counters.items.len();
        let mut entries = event.series.iter();
        match (entries.next(), entries.next()) {
            // Nearly all events have one value, and then no series repeats.
            (Some((series, value)), None) => {
                if let Some(value) = self.number(value, bytes) {
                    let series = self.intern(series);
                    self.counters.push(track, CounterValue { at: event.at, series, value });
                }
            }
            _ => self.several_values(track, event, bytes),
        }
        if self.counters.items.len() > before {
            self.touch(track, event.at, event.at);
        } else {
            self.diagnostics.add(DiagnosticKind::EmptyCounter, bytes);
        }
    }

    /// Adds the values of an event that has none or several.
    #[inline(never)]
    fn several_values(&mut self, track: u32, event: &CounterEvent<'_>, bytes: ByteRange) {
        let mut values = SmallVec::<[SeriesValue; FEW]>::new();
        for (series, value) in event.series.iter() {
            let number = self.number(value, bytes);
            // What is no number takes the place of an earlier value of its series, if there is one.
            if number.is_some() || !values.is_empty() {
                let (series, order) = (self.intern(series), values.len());
                values.push(SeriesValue { series, order, value: number });
            }
        }
        if values.len() > 1 {
            keep_last(&mut values);
        }
        for SeriesValue { series, value, .. } in values {
            if let Some(value) = value {
                self.counters.push(track, CounterValue { at: event.at, series, value });
            }
        }
    }

    /// Returns the number of a value; `None` if it is no number.
    fn number(&mut self, value: Value<'_>, bytes: ByteRange) -> Option<f64> {
        let number = number(value);
        // An absent value is no fault: it leaves the series as it was.
        if number.is_none() && value != Value::Null {
            self.diagnostics.add(DiagnosticKind::BadCounterValue, bytes);
        }
        number
    }

    /// Returns the track of a counter that is not in the cache, into which it is put; `None` if there are too many tracks.
    #[inline(never)]
    fn find_counter(
        &mut self,
        event: &CounterEvent<'_>,
        ids: Option<CounterIds>,
        bytes: ByteRange,
    ) -> Option<u32> {
        let process = self.process(event.pid);
        let name = self.intern(event.name);
        let id = event.id.map(|id| self.key(id));
        let track = self.track(TrackKey::Counter { process, name, id }, bytes)?;
        if let Some(ids) = ids {
            self.registry.remember_counter(ids, track);
        }
        Some(track)
    }
}

/// A value that an event gives to a series.
#[derive(Debug, Clone, Copy)]
struct SeriesValue {
    series: NameId,
    /// The position among the values of the event.
    order: usize,
    /// `None` if the value is no number.
    value: Option<f64>,
}

/// The largest number of values that are compared with each other instead of sorted, and that need no memory of their own.
const FEW: usize = 8;

/// Removes all values of a series but the last, and keeps the order of the rest.
fn keep_last(values: &mut SmallVec<[SeriesValue; FEW]>) {
    // Nearly all events have few values and repeat no series, so there is nothing to remove and no need to sort.
    let mut rest = values.as_slice();
    while values.len() <= FEW
        && let Some((first, behind)) = rest.split_first()
        && behind.iter().all(|other| other.series != first.series)
    {
        rest = behind;
    }
    if !rest.is_empty() {
        values.sort_unstable_by_key(|value| (value.series, Reverse(value.order)));
        values.dedup_by_key(|value| value.series);
        values.sort_unstable_by_key(|value| value.order);
    }
}

/// Returns the number of a value, which may be written as text, or `None` if it is not a number.
#[inline]
#[allow(clippy::cast_precision_loss, reason = "a counter's value is a float, as in every reader")]
fn number(value: Value<'_>) -> Option<f64> {
    match value {
        Value::Bool(value) => Some(f64::from(u8::from(value))),
        Value::I64(value) => Some(value as f64),
        Value::U64(value) => Some(value as f64),
        Value::F64(value) => Some(value),
        Value::Text(text) => text_number(text),
        _ => None,
    }
}

/// Returns the number that a text is, blanks around it left aside.
fn text_number(text: Text<'_>) -> Option<f64> {
    core::str::from_utf8(&text.unescape()).ok()?.trim().parse().ok()
}

#[cfg(test)]
mod tests {
    use alloc::vec::Vec;

    use super::*;
    use crate::{Args, ArgsFormat, Event, Id, Limits, Tick, Trace, TraceView};

    #[test]
    fn json_1_values_of_counters() {
        let text = |text| Value::Text(Text::plain(text));
        assert_eq!(number(Value::Bool(true)), Some(1.0));
        assert_eq!(number(Value::I64(-3)), Some(-3.0));
        assert_eq!(number(Value::U64(1 << 63)), Some(9_223_372_036_854_775_808.0));
        assert_eq!(number(Value::F64(0.5)), Some(0.5));
        assert_eq!(number(text(b" 2.5 ")), Some(2.5));
        assert_eq!(number(text(b"many")), None);
        assert_eq!(number(Value::Null), None);
    }

    /// Each byte is a series; its value is the position of the byte.
    static BYTES: ArgsFormat = ArgsFormat::new("bytes", |bytes, pos| {
        let name = bytes.get(*pos..*pos + 1)?;
        *pos += 1;
        let value = Value::U64(u64::try_from(*pos).unwrap());
        // `0` is the series `a` without a value.
        if name[0] == b'0' {
            return Some((Text::plain(b"a"), Value::Null));
        }
        // A capital letter is the series of its small one, with a value that is no number.
        let Some(small) = b"ab".iter().position(|small| small.to_ascii_uppercase() == name[0]) else {
            return Some((Text::plain(name), value));
        };
        Some((Text::plain(&b"ab"[small..=small]), Value::Text(Text::plain(b"x"))))
    });

    fn values(series: &'static [u8]) -> Vec<(char, f64)> {
        let (pid, at, name) = (1_i64.into(), Tick(0), Text::plain(b"c"));
        let series = Args::new(series, &BYTES);
        let event = CounterEvent { pid, at, name, id: None, category: Text::EMPTY, series };
        let mut builder = TraceBuilder::new(&Limits::default());
        builder.push(&Event::Counter(event));
        let trace: Trace = builder.finish();
        let name = |value: &CounterValue| trace.name(value.series).chars().next().unwrap();
        trace.counters().iter().map(|value| (name(value), value.value)).collect()
    }

    /// Every id, name and process is a counter of its own, also where several have the same place in the cache.
    #[test]
    fn counters_are_told_apart_by_process_id_and_name() {
        let pids = [Id::NONE, Id::Number(1), Id::Number(2), Id::Text(b"p")];
        let ids = [
            None,
            Some(Id::Number(11)),
            Some(Id::Text(b"11")),
            Some(Id::Text(b"211")),
            Some(Id::Text(br"\\11")),
        ];
        let mut builder = TraceBuilder::new(&Limits::default());
        for at in [1, 2, 3] {
            for (pid, id, name) in pids
                .iter()
                .flat_map(|pid| ids.iter().flat_map(move |id| [b"a", b"b"].map(|name| (*pid, *id, name))))
            {
                let mut event = CounterEvent::new(pid, Tick(at), Text::plain(name), Args::new(b"v", &BYTES));
                event.id = id;
                // Each one twice, the second time from the cache.
                builder.push(&Event::Counter(event));
                builder.push(&Event::Counter(CounterEvent { at: Tick(at + 10), ..event }));
            }
        }
        let trace = builder.finish();
        assert_eq!(trace.tracks().len(), pids.len() * ids.len() * 2);
        for track in trace.tracks() {
            let times: Vec<_> = trace.counters_of(track.id).iter().map(|value| value.at.0).collect();
            assert_eq!(times, [1, 2, 3, 11, 12, 13]);
        }
    }

    #[test]
    fn json_2_the_last_value_of_a_repeated_series_counts() {
        assert_eq!(values(b"ba"), [('b', 1.0), ('a', 2.0)]);
        assert_eq!(values(b"aba"), [('b', 2.0), ('a', 3.0)]);
        assert_eq!(values(b"aab"), [('a', 2.0), ('b', 3.0)]);
        let many = values(b"abcdefghija");
        assert_eq!((many.len(), many[0], many[9]), (10, ('b', 2.0), ('a', 11.0)));
        assert_eq!(values(b"jihgfedcba").len(), 10);
        assert_eq!(values(b"abA"), [('b', 2.0)], "the last value of a is no number");
        assert_eq!(values(b"Aba"), [('b', 2.0), ('a', 3.0)]);
        assert_eq!(values(b"ab0"), [('b', 2.0)], "the last value of a is absent");
        assert_eq!(values(b"0ba"), [('b', 2.0), ('a', 3.0)]);
    }
}
