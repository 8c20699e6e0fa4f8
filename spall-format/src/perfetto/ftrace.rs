//! Events of Linux' ftrace. [perfetto 4.6](crate::rules::perfetto#4.6)

use spall_model::{
    AsyncPhase, DiagnosticKind, Event, Id, KeyedEvent, Scope, Text, Thread, ThreadEvent, Tick,
};

use super::clock::ClockId;
use super::counters::{Shown, float, signed_float};
use super::output::Output;
use super::schema::{FtraceBundle, NewTask, Print, RenamedTask, SchedSwitch, SchedWaking};
use super::state::State;
use super::states;
use super::strings::{Place, cut, table};
use crate::protobuf::{Fields, FromWire as _, Message as _, Packed, Wire, numbers, repeated, scalars, text};

/// The numbers of the events that are read, but for counters.
mod event {
    pub(super) const PRINT: u32 = 3;
    pub(super) const SCHED_SWITCH: u32 = 4;
    pub(super) const SCHED_WAKING: u32 = 20;
    pub(super) const TASK_NEWTASK: u32 = 235;
    pub(super) const TASK_RENAME: u32 = 236;
    pub(super) const ION_STAT: u32 = 335;
    pub(super) const FUNCGRAPH_ENTRY: u32 = 437;
    pub(super) const FUNCGRAPH_EXIT: u32 = 438;
}

/// Events that are counters: the event, the field of the key, the field of the value, and the name around the key.
const COUNTERS: [(u32, u32, usize, &str, &str); 16] = [
    (11, 2, 1, "Cpu ", " cpufreq"),
    (12, 3, 2, "Cpu ", " Max Freq Limit"),
    (12, 3, 1, "Cpu ", " Min Freq Limit"),
    (13, 2, 1, "Cpu ", " cpuidle"),
    (14, 1, 2, "", " State"),
    (15, 1, 2, "", " State"),
    (16, 1, 2, "", " Frequency"),
    (332, 1, 2, "Gpu ", " gpufreq"),
    (341, 4, 2, "", " Temperature"),
    (342, 2, 1, "", " Cooling Device"),
    (421, 4, 6, "Cpu ", " Util"),
    (421, 4, 2, "Cpu ", " Cap"),
    (421, 4, 11, "Cpu ", " Nr Running"),
    (340, 1, 3, "Gpu ", " Memory"),
    (508, 1, 2, "Cpu ", " cpufreq_throttle"),
    (541, 1, 2, "devfreq_", ""),
];

/// Events of drivers that mark slices and counters as programs do by printing: the event, and the fields of the process,
/// the name, whether a slice begins, the letter of the phase, and the value. A field of number 0 is not there.
const MARKS: [(u32, [u32; 5]); 6] = [
    (80, [1, 2, 3, 0, 0]),
    (333, [1, 2, 5, 3, 4]),
    (348, [1, 4, 3, 5, 6]),
    (349, [1, 4, 0, 5, 6]),
    (350, [2, 1, 0, 3, 4]),
    (484, [1, 2, 3, 4, 5]),
];

/// The flag of a new task that is a thread of the process of its creator.
const CLONE_THREAD: u64 = 0x0001_0000;

impl State {
    /// Hands over the events of a bundle.
    pub(super) fn ftrace(&mut self, message: &[u8], out: &mut Output<'_>) {
        let (bundle, whole) = FtraceBundle::read(message);
        out.check(whole);
        // A clock of the kernel that is no other has a number of its own, and relates to the clock since boot.
        let clock = match bundle.clock {
            0 => ClockId::BOOTTIME,
            4 => ClockId::global(5),
            other => ClockId::global(other.saturating_add(1 << 16)),
        };
        if bundle.clock != 0 && bundle.boot_time != 0 {
            self.clocks.relate_ns((clock, bundle.clock_time), (ClockId::BOOTTIME, bundle.boot_time));
        }
        if let Some(compact) = bundle.compact {
            self.compact_sched(compact, clock, out);
        }
        for event in repeated(message, 2) {
            self.ftrace_event(event, clock, out);
        }
    }

    fn ftrace_time(&mut self, clock: ClockId, ns: u64, out: &mut Output<'_>) -> i64 {
        let fit =
            if i64::try_from(ns).is_ok() { super::clock::Fit::Fits } else { super::clock::Fit::Clamped };
        let ns = i64::try_from(ns).unwrap_or(i64::MAX);
        let (at, fit) = self.clocks.place(clock, ns, &mut self.ftrace_clock, fit);
        out.fit(fit);
        self.end = self.end.max(at);
        at
    }

    fn ftrace_event(&mut self, message: &[u8], clock: ClockId, out: &mut Output<'_>) {
        let (mut timestamp, mut tid, mut payload) = (0, 0_i32, None);
        for field in Fields::new(message) {
            match field {
                Ok((1, value)) => timestamp = u64::from_wire(value).unwrap_or(0),
                Ok((2, value)) => tid = i32::from_wire(value).unwrap_or(0),
                Ok((number, Wire::Bytes(bytes))) => payload = Some((number, bytes)),
                Ok(_) => {}
                Err(_) => out.report(DiagnosticKind::DamagedRecord),
            }
        }
        let Some((number, payload)) = payload else { return };
        let at = self.ftrace_time(clock, timestamp, out);
        match number {
            event::PRINT => self.print(Print::of(payload).text, tid, at, out),
            event::SCHED_SWITCH => {
                let switch = SchedSwitch::of(payload);
                self.task_name(switch.next_pid, switch.next_comm, out);
                self.task_name(switch.prev_pid, switch.prev_comm, out);
                self.switch(switch.prev_pid, switch.prev_state, switch.next_pid, at);
            }
            event::SCHED_WAKING => self.wake(SchedWaking::of(payload).pid, at),
            event::TASK_NEWTASK => {
                let task = NewTask::of(payload);
                if task.pid != 0 {
                    let is_thread = task.flags & CLONE_THREAD != 0;
                    let pid = if is_thread { self.process_of(tid) } else { task.pid };
                    self.threads.insert(task.pid, pid);
                    self.task_name(task.pid, task.comm, out);
                    self.wake(task.pid, at);
                }
            }
            event::TASK_RENAME => {
                let task = RenamedTask::of(payload);
                self.task_name(task.pid, task.comm, out);
            }
            event::FUNCGRAPH_ENTRY => {
                let [.., function]: [u64; 3] = numbers(payload);
                let name = self.sequences.current().interned.get(table::KERNEL_SYMBOLS, function);
                let name = Text::plain(self.strings.get(name.unwrap_or_default()));
                out.say(&Event::Begin(ThreadEvent::new(self.thread_of(tid), Tick(at), name)));
            }
            event::FUNCGRAPH_EXIT => {
                out.say(&Event::End(ThreadEvent::new(self.thread_of(tid), Tick(at), Text::EMPTY)));
            }
            event::ION_STAT => self.ion(payload, at, out),
            _ => match MARKS.iter().find(|(mark, _)| *mark == number) {
                Some((_, fields)) => self.mark(payload, *fields, (tid, at), out),
                None => self.ftrace_counter(number, payload, at, out),
            },
        }
    }

    fn ftrace_counter(&mut self, number: u32, payload: &[u8], at: i64, out: &mut Output<'_>) {
        let mut counters = self.counters(at, out);
        let found: [u64; 16] = numbers(payload);
        let mut is_known = false;
        for (_, key, value, before, behind) in COUNTERS.iter().filter(|counter| counter.0 == number) {
            is_known = true;
            let value = float(*found.get(*value).unwrap_or(&0));
            let label = text(payload, *key);
            if label.is_empty() {
                let key = found.get(*key as usize).unwrap_or(&0);
                counters.say(Id::NONE, format_args!("{before}{key}{behind}"), value);
            } else {
                counters.say(Id::NONE, format_args!("{before}{}{behind}", Shown(label)), value);
            }
        }
        if !is_known {
            self.leave_out(payload_number(number), out);
        }
    }

    /// Hands over the counters and the buffer of an allocation of ion, an allocator of Android.
    fn ion(&mut self, payload: &[u8], at: i64, out: &mut Output<'_>) {
        let [_, buffer, length, total] = numbers(payload);
        let length = length.cast_signed();
        let mut counters = self.counters(at, out);
        counters.say(Id::NONE, format_args!("mem.ion"), float(total));
        counters.say(Id::NONE, format_args!("mem.ion_change"), signed_float(length));
        let size = alloc::format!("{} kB", length / 1024);
        let name = if length > 0 { Text::from(&*size) } else { Text::EMPTY };
        let event =
            KeyedEvent::new(Id::NONE, Tick(at), buffer, name).with_scope(Text::from("mem.ion_buffer"));
        out.say(&Event::Async(if length > 0 { AsyncPhase::Begin } else { AsyncPhase::End }, event));
    }

    /// Hands over what a driver has marked, as if it had printed it.
    fn mark(&mut self, payload: &[u8], fields: [u32; 5], (tid, at): (i32, i64), out: &mut Output<'_>) {
        let [pid, name, begins, kind, value] = fields;
        let found: [u64; 8] = numbers(payload);
        let number = |field: u32| found.get(field as usize).copied().unwrap_or(0).cast_signed();
        let letter = match u8::try_from(number(kind)) {
            Ok(letter @ 1..) => letter,
            _ if number(begins) != 0 => b'B',
            _ => b'E',
        };
        let mut printed = alloc::vec![letter];
        printed.extend_from_slice(alloc::format!("|{}|", number(pid)).as_bytes());
        printed.extend_from_slice(text(payload, name));
        if letter == b'C' {
            printed.extend_from_slice(alloc::format!("|{}", number(value)).as_bytes());
        }
        self.print(&printed, tid, at, out);
    }

    /// Hands over what a program has printed, in the form of Android's atrace.
    fn print(&mut self, text: &[u8], tid: i32, at: i64, out: &mut Output<'_>) {
        let end = text.iter().rposition(|byte| !matches!(byte, b'\n' | 0)).map_or(0, |last| last + 1);
        let text = text.get(..end).unwrap_or_default();
        if self.atrace(text, tid, at, out).is_none() && !text.starts_with(b"trace_event_clock_sync:") {
            out.report(DiagnosticKind::UnknownEvent);
        }
    }

    fn atrace(&mut self, text: &[u8], tid: i32, at: i64, out: &mut Output<'_>) -> Option<()> {
        let mut fields = text.splitn(3, |&byte| byte == b'|');
        let phase = *fields.next()?.first()?;
        let process = fields.next().and_then(number);
        let rest = fields.next().unwrap_or_default();
        let mut parts = rest.split(|&byte| byte == b'|');
        let mut part = || parts.next().filter(|part| !part.is_empty());
        if let Some(process) =
            process.and_then(|process| i32::try_from(process).ok()).filter(|&process| process != 0)
        {
            self.threads.entry(tid).or_insert(process);
        }
        let thread = self.thread_of(tid);
        let on_thread = |name| ThreadEvent::new(thread, Tick(at), Text::plain(name));
        let keyed = |cookie: i64, name, scope| {
            let event = KeyedEvent::new(process.unwrap_or(0), Tick(at), cookie, Text::plain(name));
            let mut event = event.with_scope(Text::plain(scope));
            event.local = true;
            event
        };
        let event = match phase {
            b'E' => Event::End(on_thread(b"")),
            _ if process.is_none() => return None,
            b'B' => Event::Begin(on_thread(if rest.is_empty() { b"[empty slice name]" } else { rest })),
            b'I' => Event::Instant(on_thread(part()?), Scope::Thread),
            b'S' | b'F' => {
                let (name, cookie) = (part()?, number(part()?)?);
                let phase = if phase == b'S' { AsyncPhase::Start } else { AsyncPhase::Finish };
                Event::Async(phase, keyed(cookie, name, b""))
            }
            b'N' => {
                let (track, name) = (part()?, part()?);
                Event::Async(AsyncPhase::Instant, keyed(0, name, track))
            }
            b'G' => {
                let (track, name, cookie) = (part()?, part()?, number(part()?)?);
                Event::Async(AsyncPhase::Begin, keyed(cookie, name, track))
            }
            b'H' => {
                // The name is left out in newer files.
                let (track, third) = (part()?, part()?);
                Event::Async(AsyncPhase::End, keyed(number(part().unwrap_or(third))?, b"", track))
            }
            b'C' => {
                let (label, value) = (part()?, number(part()?)?);
                self.counters(at, out).say(
                    Id::Number(process?),
                    format_args!("{}", Shown(label)),
                    signed_float(value),
                );
                return Some(());
            }
            _ => return None,
        };
        out.say(&event);
        Some(())
    }

    /// Takes the switches and wake-ups of the compact form.
    fn compact_sched(&mut self, message: &[u8], clock: ClockId, out: &mut Output<'_>) {
        let column = |number| scalars(message, number, Packed::Varint);
        let (mut running, mut time) = (0_i32, 0_u64);
        let names: alloc::vec::Vec<Place> =
            repeated(message, 5).map(|name| self.strings.add(cut(name))).collect();
        // All columns have a value for each switch.
        for ((((delta, state), next), _), comm) in
            column(1).zip(column(2)).zip(column(3)).zip(column(4)).zip(column(6))
        {
            time = time.saturating_add(delta);
            let next = i32::from_wire(Wire::Varint(next)).unwrap_or(0);
            let at = self.ftrace_time(clock, time, out);
            self.switch(running, state.cast_signed(), next, at);
            if let Some(&name) = usize::try_from(comm).ok().and_then(|comm| names.get(comm)) {
                self.name_task(next, name, out);
            }
            // The state is that of the thread that ran before, which the first switch does not say.
            running = next;
        }
        time = 0;
        for (delta, tid) in column(7).zip(column(8)) {
            time = time.saturating_add(delta);
            let at = self.ftrace_time(clock, time, out);
            self.wake(i32::from_wire(Wire::Varint(tid)).unwrap_or(0), at);
        }
    }

    /// Takes a switch of a processor from one thread to another.
    fn switch(&mut self, previous: i32, state: i64, next: i32, at: i64) {
        self.states.push_thread(previous, at, states::state_of_bits(state));
        self.states.push_thread(next, at, states::RUNNING);
    }

    fn wake(&mut self, tid: i32, at: i64) {
        self.states.push_thread(tid, at, states::WOKEN);
    }

    /// Hands over the name of a thread if it is another than before.
    fn task_name(&mut self, tid: i32, name: &[u8], out: &mut Output<'_>) {
        if tid == 0 || name.is_empty() {
            return;
        }
        let known = self.task_names.get(&tid).copied().unwrap_or_default();
        if self.strings.get(known) != name {
            let place = self.strings.add(name);
            self.name_task(tid, place, out);
        }
    }

    fn name_task(&mut self, tid: i32, name: Place, out: &mut Output<'_>) {
        let known = self.task_names.insert(tid, name).unwrap_or_default();
        if tid != 0 && self.strings.get(known) != self.strings.get(name) {
            let name = Text::plain(self.strings.get(name));
            out.say(&Event::ThreadName(self.thread_of(tid), name));
        }
    }

    fn process_of(&self, tid: i32) -> i32 {
        self.threads.get(&tid).copied().unwrap_or(tid)
    }

    fn thread_of(&self, tid: i32) -> Thread<'static> {
        Thread::new(self.process_of(tid), tid)
    }
}

/// Returns the number under which events that are not read are counted: behind all payloads of packets.
fn payload_number(event: u32) -> u32 {
    event.saturating_add(100_000)
}

/// Returns a decimal number that is a whole text, clamped to 64 bits.
fn number(text: &[u8]) -> Option<i64> {
    let number: i128 = core::str::from_utf8(text).ok()?.parse().ok()?;
    i64::try_from(number.clamp(i64::MIN.into(), i64::MAX.into())).ok()
}
