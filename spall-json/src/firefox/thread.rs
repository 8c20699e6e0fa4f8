//! The samples of a thread. [profiles 2.4](crate::rules::profiles#2.4)

use spall_model::{
    DiagnosticKind, Event, Id, ProfileEvent, ProfileId, Receiver, SampleEvent, SampleStack, Text, Thread,
    Tick, Ticks, Unit, Weights,
};

use crate::decimal::Nanos;
use crate::id;
use crate::outline::Part;
use crate::table::{Cell, Rows};

use super::stacks::Stacks;
use crate::out::Out;

use super::Reader;

/// The tables of samples that a thread may have, and the names of their profiles.
const TABLES: [(&str, &str); 3] =
    [("samples", ""), ("jsAllocations", "JS allocations"), ("nativeAllocations", "native allocations")];

impl<'a, R: for<'e> Receiver<'e>> Reader<'a, '_, R> {
    /// Reads a thread, and returns it with its ids in the file. Tables that it does not have are in `shared`.
    pub(super) fn thread(
        &mut self,
        part: Part<'_, 'a>,
        shared: Option<Part<'_, 'a>>,
        stacks: Option<&mut Stacks<'a>>,
    ) -> Thread<'a> {
        let bytes = (part.value(), part.value());
        let id = |key| {
            part.get(key).and_then(Part::token).and_then(|token| id::process_or_thread(part.data(), token))
        };
        let pid = id("pid").unwrap_or(Id::Number(0));
        let of_file = Thread { pid, tid: id("tid").unwrap_or(pid) };
        self.n_threads += 1;
        let process_name = part.text("processName");
        let other_id = self.processes.other_id(pid, process_name);
        let thread = Thread { pid: other_id.as_deref().map_or(pid, Id::from), ..of_file };
        if !process_name.is_empty() {
            self.out.event(&Event::ProcessName(thread.pid, process_name), bytes);
        }
        self.out.event(&Event::ThreadName(thread, part.text("name")), bytes);
        let mut own;
        let stacks = match stacks {
            Some(stacks) if part.get("stackTable").is_none() => stacks,
            _ => {
                own = self.stacks(part, shared);
                &mut own
            }
        };
        for (key, name) in TABLES {
            if let Some(table) = part.get(key) {
                self.samples(table, thread, Text::from(name), stacks);
            }
        }
        if let Some(markers) = part.get("markers") {
            self.markers(markers, thread, stacks);
        }
        of_file
    }

    fn samples(&mut self, table: Part<'_, 'a>, thread: Thread<'_>, name: Text<'_>, stacks: &mut Stacks<'a>) {
        let kind = table.text("weightType");
        let weights = if kind.is(b"tracing-ms") {
            Weights::TimeBefore(1e6)
        } else if kind.is(b"bytes") || !name.is_empty() {
            if self.thousands < 0 { Weights::Axis(Ticks(1)) } else { Weights::Counted(Unit::Bytes) }
        } else {
            self.interval.map_or(Weights::Samples, Weights::TimeBefore)
        };
        let profile = ProfileId::OfThread(thread, name);
        let facts = ProfileEvent::new(profile).with_weights(weights);
        let facts = if name.is_empty() { facts.with_rank(3) } else { facts };
        self.out.event(&Event::Profile(facts), (table.value(), table.value()));
        let mut times = Times::new(self.shift, self.thousands);
        let mut rows = Rows::new(table, ["stack", "time", "timeDeltas", "weight"]);
        while let Some(&[stack, at, delta, weight]) = rows.read() {
            let bytes = stack.bytes();
            let Some(at) = times.next(at, delta, &mut self.out, bytes) else { continue };
            let frame = match stack.index() {
                Some(number) => stacks.stack(number, &self.libraries, &mut self.out, bytes),
                None if stack.is_null() => SampleStack::Unknown,
                None => {
                    self.out.report(DiagnosticKind::UnknownFrame, bytes);
                    SampleStack::Unknown
                }
            };
            let mut sample = SampleEvent::new(profile, at, frame);
            if !weight.is_null() {
                match weight.number() {
                    Some(weight) => sample.weight = weight,
                    None => self.out.report(DiagnosticKind::BadField, bytes),
                }
            }
            self.out.sample(sample, bytes);
        }
    }
}

/// The times of a table, which are those of its process or the differences between them.
pub(super) struct Times {
    shift: i64,
    thousands: i32,
    /// The sum of the differences.
    sum: i64,
}

impl Times {
    pub(super) fn new(shift: i64, thousands: i32) -> Self {
        Self { shift, thousands, sum: 0 }
    }

    /// Returns the time of the next row. A row that has none, or one before the profile began, is reported.
    pub(super) fn next<'a, R: for<'e> Receiver<'e>>(
        &mut self,
        at: Cell<'a>,
        delta: Cell<'a>,
        out: &mut Out<'a, '_, R>,
        bytes: (usize, usize),
    ) -> Option<Tick> {
        let cell = if at.is_null() { delta } else { at };
        let Some(time) = cell.time(self.thousands).map(Nanos::round) else {
            let kind = if cell.is_null() { DiagnosticKind::MissingTime } else { DiagnosticKind::BadTime };
            out.report(kind, bytes);
            return None;
        };
        let mut time = time;
        if at.is_null() {
            time = time.plus(self.sum);
            self.sum = time.ns;
        }
        if time.ns < 0 {
            out.report(DiagnosticKind::BadTime, bytes);
            return None;
        }
        let time = time.plus(self.shift);
        if time.clamped {
            out.report(DiagnosticKind::TimeOutOfRange, bytes);
        }
        Some(Tick(time.ns))
    }
}
