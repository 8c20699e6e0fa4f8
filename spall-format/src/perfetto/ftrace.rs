//! Events of Linux' ftrace. [perfetto 4.6](crate::rules::perfetto#4.6)

use spall_model::{AsyncPhase, DiagnosticKind, Event, Id, KeyedEvent, Text, Tick};

use super::clock::ClockId;
use super::schema::{
    BinderTransaction, BlockedReason, FtraceBundle, NewTask, Print, RenamedTask, RssStat, SchedSwitch,
    SchedWaking,
};
use super::state::State;
use super::strings::{cut, table};
use crate::ftrace::{
    COUNTERS, CpuTrack, Key, Output, SOFT_IRQS, Step, ThreadState, float, ipi, irq, signed_float,
};
use crate::protobuf::{Fields, FromWire as _, Message as _, Packed, Wire, numbers, repeated, scalars, text};

/// The numbers of the events that are read, but for counters.
mod event {
    pub(super) const PRINT: u32 = 3;
    pub(super) const SCHED_SWITCH: u32 = 4;
    pub(super) const SCHED_BLOCKED_REASON: u32 = 18;
    pub(super) const SCHED_WAKING: u32 = 20;
    pub(super) const IPI_ENTRY: u32 = 21;
    pub(super) const IPI_EXIT: u32 = 22;
    pub(super) const SOFTIRQ_ENTRY: u32 = 24;
    pub(super) const SOFTIRQ_EXIT: u32 = 25;
    pub(super) const IRQ_HANDLER_ENTRY: u32 = 36;
    pub(super) const IRQ_HANDLER_EXIT: u32 = 37;
    pub(super) const BINDER_TRANSACTION: u32 = 50;
    pub(super) const BINDER_TRANSACTION_RECEIVED: u32 = 51;
    pub(super) const BINDER_LOCK: u32 = 53;
    pub(super) const BINDER_LOCKED: u32 = 54;
    pub(super) const BINDER_UNLOCK: u32 = 55;
    pub(super) const WORKQUEUE_EXECUTE_END: u32 = 57;
    pub(super) const WORKQUEUE_EXECUTE_START: u32 = 58;
    pub(super) const TASK_NEWTASK: u32 = 235;
    pub(super) const TASK_RENAME: u32 = 236;
    pub(super) const SCHED_PROCESS_EXIT: u32 = 238;
    pub(super) const RSS_STAT: u32 = 313;
    pub(super) const ION_STAT: u32 = 335;
    pub(super) const BINDER_RETURN: u32 = 486;
    pub(super) const FUNCGRAPH_ENTRY: u32 = 437;
    pub(super) const FUNCGRAPH_EXIT: u32 = 438;
}

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
            self.compact_sched(compact, (bundle.cpu, clock), out);
        }
        for event in repeated(message, 2) {
            self.ftrace_event(event, (bundle.cpu, clock), out);
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

    fn ftrace_event(&mut self, message: &[u8], (cpu, clock): (u32, ClockId), out: &mut Output<'_>) {
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
        let tid = i64::from(tid);
        let kernel = &mut self.kernel;
        match number {
            event::PRINT => self.print(Print::of(payload).text, tid, at, out),
            event::SCHED_SWITCH => {
                let switch = SchedSwitch::of(payload);
                let (previous, next) = (switch.prev_pid.into(), switch.next_pid.into());
                kernel.tasks.name(next, switch.next_comm);
                kernel.tasks.name(previous, switch.prev_comm);
                let state = ThreadState::of_bits(switch.prev_state);
                kernel.switch(cpu, at, (previous, state), next, out);
            }
            event::SCHED_WAKING => {
                let waking = SchedWaking::of(payload);
                kernel.tasks.name(waking.pid.into(), waking.comm);
                kernel.states.wake(waking.pid.into(), Some(tid), at);
            }
            event::SCHED_BLOCKED_REASON => {
                let reason = BlockedReason::of(payload);
                let function = self.sequences.current().interned.get(table::KERNEL_SYMBOLS, reason.caller);
                let function = self.strings.get(function.unwrap_or_default());
                kernel.states.blocked(reason.pid.into(), function, reason.io_wait, at);
            }
            event::IRQ_HANDLER_ENTRY => {
                kernel.cpu_slice((CpuTrack::Irq, cpu), at, Some(&irq(text(payload, 2))), out);
            }
            event::IRQ_HANDLER_EXIT => kernel.cpu_slice((CpuTrack::Irq, cpu), at, None, out),
            event::SOFTIRQ_ENTRY => {
                let [_, vector]: [u64; 2] = numbers(payload);
                let name = usize::try_from(vector).ok().and_then(|vector| SOFT_IRQS.get(vector));
                let name = name.unwrap_or(&"").as_bytes();
                kernel.cpu_slice((CpuTrack::SoftIrq, cpu), at, Some(name), out);
            }
            event::SOFTIRQ_EXIT => kernel.cpu_slice((CpuTrack::SoftIrq, cpu), at, None, out),
            event::IPI_ENTRY => {
                kernel.cpu_slice((CpuTrack::Ipi, cpu), at, Some(&ipi(text(payload, 1))), out);
            }
            event::IPI_EXIT => kernel.cpu_slice((CpuTrack::Ipi, cpu), at, None, out),
            event::BINDER_TRANSACTION => {
                let sent = BinderTransaction::of(payload);
                let kind = (sent.reply != 0, sent.flags & BINDER_ONE_WAY != 0);
                kernel.transaction(tid, at, sent.debug_id.into(), kind, out);
            }
            event::BINDER_TRANSACTION_RECEIVED => {
                let received = BinderTransaction::of(payload);
                kernel.transaction_received(tid, at, received.debug_id.into(), out);
            }
            event::BINDER_RETURN => {
                let [_, command]: [u64; 2] = numbers(payload);
                if FAILED_REPLIES.contains(&command) {
                    kernel.failed_reply(tid, at, out);
                }
            }
            event::BINDER_LOCK => kernel.lock(tid, at, out),
            event::BINDER_LOCKED => kernel.locked(tid, at, out),
            event::BINDER_UNLOCK => kernel.unlock(tid, at, out),
            event::WORKQUEUE_EXECUTE_START => {
                let [.., function]: [u64; 3] = numbers(payload);
                let name = self.sequences.current().interned.get(table::KERNEL_SYMBOLS, function);
                kernel.work(tid, at, Some(self.strings.get(name.unwrap_or_default())), out);
            }
            event::WORKQUEUE_EXECUTE_END => kernel.work(tid, at, None, out),
            event::RSS_STAT => {
                let stat = RssStat::of(payload);
                let memory = stat.memory.map(|memory| (memory, stat.is_of_thread.unwrap_or(true)));
                kernel.memory(tid, at, (stat.member, stat.size), memory, out);
            }
            event::TASK_NEWTASK => {
                let task = NewTask::of(payload);
                if task.pid != 0 {
                    let is_thread = task.flags & CLONE_THREAD != 0;
                    kernel.new_task(tid, task.pid.into(), is_thread, task.comm, out);
                    kernel.states.wake(task.pid.into(), Some(tid), at);
                }
            }
            event::SCHED_PROCESS_EXIT => kernel.tasks.end(SchedWaking::of(payload).pid.into()),
            event::TASK_RENAME => {
                let task = RenamedTask::of(payload);
                kernel.tasks.name(task.pid.into(), task.comm);
            }
            event::FUNCGRAPH_ENTRY => {
                let [.., function]: [u64; 3] = numbers(payload);
                let name = self.sequences.current().interned.get(table::KERNEL_SYMBOLS, function);
                let name = self.strings.get(name.unwrap_or_default());
                kernel.tasks.step(tid, at, (Step::Begin, name, ""), out);
            }
            event::FUNCGRAPH_EXIT => kernel.tasks.step(tid, at, (Step::End, b"", ""), out),
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
        let number_of = |field: u32| found.get(field as usize).copied().unwrap_or(0);
        let mut is_known = false;
        for counter in COUNTERS.iter().filter(|counter| counter.number == number) {
            is_known = true;
            let label = text(payload, counter.key.number);
            let key =
                if label.is_empty() { Key::Number(number_of(counter.key.number)) } else { Key::Text(label) };
            counter.say(key, float(number_of(counter.value.number)), &mut counters);
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
    fn mark(&mut self, payload: &[u8], fields: [u32; 5], (tid, at): (i64, i64), out: &mut Output<'_>) {
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

    /// Hands over what a program has printed, but for times of other clocks, which packets of their own have.
    fn print(&mut self, text: &[u8], tid: i64, at: i64, out: &mut Output<'_>) {
        if !text.starts_with(b"trace_event_clock_sync:") {
            self.kernel.print(text, tid, at, out);
        }
    }

    /// Takes the switches and wake-ups of the compact form.
    fn compact_sched(&mut self, message: &[u8], (cpu, clock): (u32, ClockId), out: &mut Output<'_>) {
        let column = |number| scalars(message, number, Packed::Varint);
        let tid = |number| i64::from(i32::from_wire(Wire::Varint(number)).unwrap_or(0));
        let names: alloc::vec::Vec<&[u8]> = repeated(message, 5).map(cut).collect();
        let mut time = 0_u64;
        // All columns have a value for each switch.
        for ((((delta, state), next), _), comm) in
            column(1).zip(column(2)).zip(column(3)).zip(column(4)).zip(column(6))
        {
            time = time.saturating_add(delta);
            let at = self.ftrace_time(clock, time, out);
            // The state is that of the thread that ran before, which the first switch of a file does not say.
            let previous = self.kernel.states.running(cpu).unwrap_or(0);
            let state = ThreadState::of_bits(state.cast_signed());
            self.kernel.switch(cpu, at, (previous, state), tid(next), out);
            if let Some(name) = usize::try_from(comm).ok().and_then(|comm| names.get(comm)) {
                self.kernel.tasks.name(tid(next), name);
            }
        }
        time = 0;
        for (delta, woken) in column(7).zip(column(8)) {
            time = time.saturating_add(delta);
            let at = self.ftrace_time(clock, time, out);
            self.kernel.states.wake(tid(woken), None, at);
        }
    }
}

/// What binder returns where a call has failed: its receiver is dead, it cannot be sent, or its receiver is frozen.
const FAILED_REPLIES: [u64; 3] = [0x7205, 0x7211, 0x7212];

/// The flag of a transaction of binder that nobody answers.
const BINDER_ONE_WAY: u32 = 1;

/// Returns the number under which events that are not read are counted: behind all payloads of packets.
fn payload_number(event: u32) -> u32 {
    event.saturating_add(100_000)
}
