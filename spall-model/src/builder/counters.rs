//! Counters: each numeric argument is a series. [json 1]

use crate::{ByteRange, CounterEvent, CounterValue, DiagnosticKind, Text, Value};

use super::{Keep, OnTrack, TraceBuilder, registry::TrackKey};

impl<'a> TraceBuilder<'a> {
    pub(super) fn counter<'e, K: Keep<'a, 'e>>(&mut self, event: &CounterEvent<'e>, bytes: ByteRange) {
        let process = self.process::<K>(event.pid);
        let name = self.intern::<K>(event.name);
        let id = event.id.map(|id| self.key::<K>(id));
        let Some(track) = self.track(TrackKey::Counter { process, name, id }, bytes) else { return };
        let mut found = false;
        for (series, value) in event.series.iter() {
            let value = match number(value) {
                Some(value) => value,
                None if value == Value::Null => continue,
                None => {
                    self.diagnostics.add(DiagnosticKind::BadCounterValue, bytes);
                    continue;
                }
            };
            found = true;
            let series = self.intern::<K>(series);
            self.counters.push(OnTrack { track, item: CounterValue { at: event.at, series, value } });
        }
        if found {
            self.touch(track, event.at, event.at);
        } else {
            self.diagnostics.add(DiagnosticKind::EmptyCounter, bytes);
        }
    }
}

/// A number, also one written as text.
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

fn text_number(text: Text<'_>) -> Option<f64> {
    core::str::from_utf8(&text.unescape()).ok()?.trim().parse().ok()
}
