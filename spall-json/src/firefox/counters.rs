//! The counters of a process. [profiles 2.3](crate::rules::profiles#2.3)

use spall_model::{ArgsBuilder, CounterEvent, Event, Receiver, Thread};

use crate::id;
use crate::outline::Part;
use crate::table::Rows;

use super::Reader;
use super::thread::Times;

/// The categories of counters whose values are rates. Those of all others are differences to the value before.
const RATES: [&[u8]; 3] = [b"Bandwidth", b"power", b"CPU"];

impl<'a, R: for<'e> Receiver<'e>> Reader<'a, '_, R> {
    /// Reads a counter, which belongs to the process of `thread` if it does not say another one.
    pub(super) fn counter(&mut self, counter: Part<'_, 'a>, thread: Thread<'a>) {
        let pid = counter.get("pid").and_then(Part::token);
        let pid = pid.and_then(|token| id::process_or_thread(self.out.data, token)).unwrap_or(thread.pid);
        let (name, category) = (counter.text("name"), counter.text("category"));
        let is_rate = RATES.iter().any(|rate| category.is(rate));
        // Before version 48 of the one layout and 29 of the other, samples were in a group.
        let group = || counter.get("sample_groups").or_else(|| counter.get("sampleGroups"));
        let groups = || {
            group()?
                .parts()
                .find_map(|group| if group.key().is_empty() { group.get("samples") } else { None })
        };
        let Some(samples) = counter.get("samples").or_else(groups) else { return };
        let mut times = Times::new(self.shift, self.thousands);
        let mut sum = 0.0;
        let mut rows = Rows::new(samples, ["count", "time", "timeDeltas"]);
        while let Some(&[count, at, delta]) = rows.read() {
            let bytes = count.bytes();
            let Some(at) = times.next(at, delta, &mut self.out, bytes) else { continue };
            let mut series = ArgsBuilder::new();
            if let Some(count) = count.number() {
                sum += count;
                series.add("count", if is_rate { count } else { sum });
            }
            let mut event = CounterEvent::new(pid, at, name, series.args());
            event.category = category;
            self.out.event(&Event::Counter(event), bytes);
        }
    }
}
