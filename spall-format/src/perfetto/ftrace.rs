//! Events of Linux' ftrace. [perfetto 4.6](crate::rules::perfetto#4.6)

use spall_model::DiagnosticKind;

use super::clock::ClockId;
use super::proto::numbers::{
    ftrace_event, ftrace_event_bundle, ftrace_event_bundle_compact_sched, interned_data,
    ipi_entry_ftrace_event, irq_handler_entry_ftrace_event,
};
use super::proto::{KernelEvent, KernelField};
use super::schema::{
    BinderReturn, BinderTransaction, BlockedReason, FtraceBundle, NewTask, Print, RenamedTask, RssStat,
    SchedSwitch, SchedWaking, SoftIrq, Work,
};
use super::sequence::Sequence;
use super::state::State;
use super::strings::{Strings, cut};
use crate::ftrace::{
    CpuTrack, EventFields, FieldValue, Moment, Output, SOFT_IRQS, ThreadState, Unsaid, ipi, irq,
};
use crate::protobuf::{Fields, FromWire as _, Message as _, Packed, Wire, repeated, scalars, text};

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
        for event in repeated(message, ftrace_event_bundle::EVENT) {
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
                Ok((ftrace_event::TIMESTAMP, value)) => timestamp = u64::from_wire(value).unwrap_or(0),
                Ok((ftrace_event::PID, value)) => tid = i32::from_wire(value).unwrap_or(0),
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
            ftrace_event::PRINT => self.print(Print::of(payload).text, tid, at, out),
            ftrace_event::SCHED_SWITCH => {
                let switch = SchedSwitch::of(payload);
                let (previous, next) = (switch.prev_pid.into(), switch.next_pid.into());
                kernel.tasks.name(next, switch.next_comm);
                kernel.tasks.name(previous, switch.prev_comm);
                let state = ThreadState::of_bits(switch.prev_state);
                kernel.switch(cpu, at, (previous, state), next, out);
            }
            ftrace_event::SCHED_WAKING => {
                let waking = SchedWaking::of(payload);
                kernel.tasks.name(waking.pid.into(), waking.comm);
                kernel.states.wake(waking.pid.into(), Some(tid), at);
            }
            ftrace_event::SCHED_BLOCKED_REASON => {
                let reason = BlockedReason::of(payload);
                let function =
                    self.sequences.current().interned.get(interned_data::KERNEL_SYMBOLS, reason.caller);
                let function = self.strings.get(function.unwrap_or_default());
                kernel.states.blocked(reason.pid.into(), function, reason.io_wait, at);
            }
            ftrace_event::IRQ_HANDLER_ENTRY => {
                kernel.cpu_slice(
                    (CpuTrack::Irq, cpu),
                    at,
                    Some(&irq(text(payload, irq_handler_entry_ftrace_event::NAME))),
                    out,
                );
            }
            ftrace_event::IRQ_HANDLER_EXIT => kernel.cpu_slice((CpuTrack::Irq, cpu), at, None, out),
            ftrace_event::SOFTIRQ_ENTRY => {
                let vector = usize::try_from(SoftIrq::of(payload).vector).ok();
                let name = vector.and_then(|vector| SOFT_IRQS.get(vector)).unwrap_or(&"");
                kernel.cpu_slice((CpuTrack::SoftIrq, cpu), at, Some(name), out);
            }
            ftrace_event::SOFTIRQ_EXIT => kernel.cpu_slice((CpuTrack::SoftIrq, cpu), at, None, out),
            ftrace_event::IPI_ENTRY => {
                kernel.cpu_slice(
                    (CpuTrack::Ipi, cpu),
                    at,
                    Some(&ipi(text(payload, ipi_entry_ftrace_event::REASON))),
                    out,
                );
            }
            ftrace_event::IPI_EXIT => kernel.cpu_slice((CpuTrack::Ipi, cpu), at, None, out),
            ftrace_event::BINDER_TRANSACTION => {
                let sent = BinderTransaction::of(payload);
                let kind = (sent.reply != 0, sent.flags & BINDER_ONE_WAY != 0);
                kernel.transaction(tid, at, sent.debug_id.into(), kind, out);
            }
            ftrace_event::BINDER_TRANSACTION_RECEIVED => {
                let received = BinderTransaction::of(payload);
                kernel.transaction_received(tid, at, received.debug_id.into(), out);
            }
            ftrace_event::BINDER_RETURN => {
                if FAILED_REPLIES.contains(&BinderReturn::of(payload).command) {
                    kernel.failed_reply(tid, at, out);
                }
            }
            ftrace_event::BINDER_LOCK => kernel.lock(tid, at, out),
            ftrace_event::BINDER_LOCKED => kernel.locked(tid, at, out),
            ftrace_event::BINDER_UNLOCK => kernel.unlock(tid, at, out),
            ftrace_event::WORKQUEUE_EXECUTE_START => {
                let function = Work::of(payload).function;
                let name = self.sequences.current().interned.get(interned_data::KERNEL_SYMBOLS, function);
                kernel.work(tid, at, Some(self.strings.get(name.unwrap_or_default())), out);
            }
            ftrace_event::WORKQUEUE_EXECUTE_END => kernel.work(tid, at, None, out),
            ftrace_event::RSS_STAT => {
                let stat = RssStat::of(payload);
                let memory = stat.memory.map(|memory| (memory, stat.is_of_thread.unwrap_or(true)));
                kernel.memory(tid, at, (stat.member, stat.size), memory, out);
            }
            ftrace_event::TASK_NEWTASK => {
                let task = NewTask::of(payload);
                if task.pid != 0 {
                    let is_thread = task.flags & CLONE_THREAD != 0;
                    kernel.new_task(tid, task.pid.into(), is_thread, task.comm, out);
                    kernel.states.wake(task.pid.into(), Some(tid), at);
                }
            }
            ftrace_event::SCHED_PROCESS_EXIT => kernel.tasks.end(SchedWaking::of(payload).pid.into()),
            ftrace_event::TASK_RENAME => {
                let task = RenamedTask::of(payload);
                kernel.tasks.name(task.pid.into(), task.comm);
            }
            _ => self.named_event(number, payload, Moment { cpu, tid, at }, out),
        }
    }

    /// Hands over what the table of meanings says of an event.
    fn named_event(&mut self, number: u32, payload: &[u8], moment: Moment, out: &mut Output<'_>) {
        let Some(event) = KernelEvent::of(number) else {
            return self.leave_out(payload_number(number), out);
        };
        let Self { kernel, sequences, strings, .. } = self;
        let fields = Payload { event, payload, sequence: sequences.current(), strings };
        match kernel.interpret(event.name, &fields, moment, out) {
            Ok(()) => {}
            Err(Unsaid::Unknown) => self.leave_out(payload_number(number), out),
            Err(Unsaid::Damaged) => out.report(DiagnosticKind::DamagedEvent),
        }
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
        let names: alloc::vec::Vec<&[u8]> =
            repeated(message, ftrace_event_bundle_compact_sched::INTERN_TABLE).map(cut).collect();
        let mut time = 0_u64;
        // All columns have a value for each switch.
        for ((((delta, state), next), _), comm) in column(ftrace_event_bundle_compact_sched::SWITCH_TIMESTAMP)
            .zip(column(ftrace_event_bundle_compact_sched::SWITCH_PREV_STATE))
            .zip(column(ftrace_event_bundle_compact_sched::SWITCH_NEXT_PID))
            .zip(column(ftrace_event_bundle_compact_sched::SWITCH_NEXT_PRIO))
            .zip(column(ftrace_event_bundle_compact_sched::SWITCH_NEXT_COMM_INDEX))
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
        for (delta, woken) in column(ftrace_event_bundle_compact_sched::WAKING_TIMESTAMP)
            .zip(column(ftrace_event_bundle_compact_sched::WAKING_PID))
        {
            time = time.saturating_add(delta);
            let at = self.ftrace_time(clock, time, out);
            self.kernel.states.wake(tid(woken), None, at);
        }
    }
}

/// An event of the kernel whose fields are known by name.
struct Payload<'a> {
    event: &'static KernelEvent,
    payload: &'a [u8],
    sequence: &'a Sequence,
    strings: &'a Strings,
}

impl EventFields for Payload<'_> {
    fn get(&self, name: &str) -> Option<FieldValue<'_>> {
        let (number, _, kind) = self.event.fields.iter().find(|(_, field, _)| *field == name)?;
        let values = Fields::new(self.payload).map_while(Result::ok);
        // A field that is not there has the value 0, or is empty.
        let value = values.filter(|(found, _)| found == number).last().map(|(_, value)| value);
        Some(match kind {
            KernelField::Text => FieldValue::Text(value.and_then(<&[u8]>::from_wire).unwrap_or_default()),
            KernelField::Signed => FieldValue::Signed(value.and_then(i64::from_wire).unwrap_or_default()),
            KernelField::Unsigned => FieldValue::Unsigned(value.and_then(u64::from_wire).unwrap_or_default()),
        })
    }

    fn symbol(&self, address: u64) -> &[u8] {
        let place = self.sequence.interned.get(interned_data::KERNEL_SYMBOLS, address);
        self.strings.get(place.unwrap_or_default())
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
