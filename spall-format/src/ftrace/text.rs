//! Events of the text, by their names. [ftrace 4](crate::rules::ftrace#4)

use alloc::vec::Vec;

use foldhash::fast::RandomState;
use hashbrown::HashMap;
use spall_model::{
    ArgsBuilder, Clock, DiagnosticKind, Event, MetaEvent, NameId, Names, Text, Unit, UnitName, Value,
};

use super::event_fields::{EventFields, FieldValue, Moment, Unsaid};
use super::fields::{
    Switch, behind, between, comm_and_tid, field, hexadecimal, integer, leading_integer, nanoseconds, number,
    split_at_key,
};
use super::kernel::{CpuTrack, Kernel, ipi, irq};
use super::line::{Line, Time, loss};
use super::marks::begins_as_mark;
use super::output::{Output, Shown};
use super::states::ThreadState;

/// What lines leave behind for later ones.
#[derive(Debug, Default)]
pub(super) struct Lines {
    pub(super) kernel: Kernel,
    /// The clock, once a line has said its unit.
    clock: Option<Clock>,
    /// The latest time of an event; `None` before the first.
    end: Option<i64>,
    /// Whether an event has a meaning.
    has_read: bool,
    /// Whether the line before may go on in the next one.
    may_go_on: bool,
    /// The events that are not read, by their names.
    names: Names,
    not_read: HashMap<NameId, u64, RandomState>,
    /// The number of events that were lost.
    n_lost: u64,
    /// What is added to all times.
    pub(super) shift_ns: i64,
}

/// The most bytes of the name of an event that is not read.
const MAX_EVENT_NAME: usize = 64;

/// The number of events that are not read and are named.
const N_NAMED: usize = 5;

/// What became of an event.
enum Outcome {
    Read,
    NotRead,
    Damaged,
}

impl From<Option<()>> for Outcome {
    fn from(read: Option<()>) -> Self {
        if read.is_some() { Self::Read } else { Self::Damaged }
    }
}

impl Lines {
    /// Returns whether a line with a time has come.
    pub(super) fn has_begun(&self) -> bool {
        self.clock.is_some()
    }

    /// Reads a line, without its end.
    pub(super) fn line(&mut self, line: &[u8], out: &mut Output<'_>) {
        if let Some((cpu, number)) = loss(line) {
            return self.loss(cpu, number, out);
        }
        if line.starts_with(b"#") || line.trim_ascii().is_empty() {
            return;
        }
        match Line::of(line) {
            Some(line) => self.event(&line, out),
            // Stacks and second lines of a printed text belong to the event before.
            None if self.may_go_on || line.trim_ascii_start().starts_with(b"=> ") => {
                out.report(DiagnosticKind::NotRead);
            }
            None if is_head(line) => {}
            None => out.report(DiagnosticKind::Junk),
        }
    }

    /// Takes note that events were lost. [ftrace 2.7](crate::rules::ftrace#2.7)
    #[cold]
    fn loss(&mut self, cpu: Option<u32>, number: u64, out: &mut Output<'_>) {
        self.n_lost = self.n_lost.saturating_add(number);
        if let Some(cpu) = cpu {
            self.kernel.states.lost(cpu);
        }
        out.report(DiagnosticKind::LostPackets);
    }

    fn event(&mut self, line: &Line<'_>, out: &mut Output<'_>) {
        self.may_go_on = false;
        let unit = match line.time {
            Time::Ns(_) => Unit::Nanoseconds(1.0),
            Time::Ticks(_) => Unit::Count(UnitName::new("ticks")),
        };
        let clock = *self.clock.get_or_insert_with(|| {
            let clock = Clock::new(unit);
            out.say(&Event::Clock(clock));
            clock
        });
        if clock.unit != unit {
            return out.report(DiagnosticKind::BadTime);
        }
        let (Time::Ns(at) | Time::Ticks(at)) = line.time;
        let at = i64::try_from(at).unwrap_or_else(|_| {
            out.report(DiagnosticKind::TimeOutOfRange);
            i64::MAX
        });
        let at = at.saturating_add(self.shift_ns);
        self.end = Some(self.end.map_or(at, |end| end.max(at)));
        self.kernel.states.event(line.cpu, at);
        let tid = i64::from(line.tid);
        if let Some(tgid) = line.tgid.filter(|_| tid != 0) {
            self.kernel.tasks.place(tid, tgid.into(), out);
        }
        if line.comm != b"<...>" {
            self.kernel.tasks.name(tid, line.comm);
        }
        let Some((event, args)) = line.event() else {
            // The rest of a stack follows.
            self.may_go_on = line.rest.starts_with(b"<");
            let word = line.rest.split(u8::is_ascii_whitespace).next().unwrap_or_default();
            return self.leave_out(word, out);
        };
        let args = args.trim_ascii_start();
        let outcome = if args.starts_with(b"[FAILED TO PARSE]") {
            Outcome::NotRead
        } else {
            self.named_event(event, args, line, at, out)
        };
        match outcome {
            Outcome::Read => self.has_read = true,
            Outcome::NotRead => self.leave_out(event, out),
            Outcome::Damaged => out.report(DiagnosticKind::DamagedEvent),
        }
    }

    fn named_event(
        &mut self,
        event: &[u8],
        args: &[u8],
        line: &Line<'_>,
        at: i64,
        out: &mut Output<'_>,
    ) -> Outcome {
        let (tid, cpu) = (i64::from(line.tid), line.cpu);
        let kernel = &mut self.kernel;
        match event {
            b"sched_switch" => self.switch(args, cpu, at, out).into(),
            b"tracing_mark_write" | b"print" | b"0" => {
                self.print(args.strip_prefix(b"tracing_mark_write: ").unwrap_or(args), tid, at, out)
            }
            b"bprint" | b"bputs" => {
                self.may_go_on = true;
                // The function that prints comes first.
                let text = behind(args, b": ").unwrap_or(args);
                if begins_as_mark(text) { self.print(text, tid, at, out) } else { Outcome::NotRead }
            }
            b"sched_waking" => {
                self.wake(args, |kernel, woken| kernel.states.wake(woken, Some(tid), at)).into()
            }
            // The trace processor takes wakers from the event before alone, which kernels since 4.3 have as well.
            b"sched_wakeup" | b"sched_wakeup_new" => self.wake(args, |_, _| {}).into(),
            b"sched_blocked_reason" => blocked(args, at, kernel).into(),
            b"sched_process_exit" => {
                let tid = split_at_key(args, b" pid=").and_then(|(_, rest)| leading_integer(rest));
                tid.map(|tid| kernel.tasks.end(tid)).into()
            }
            b"task_rename" => renamed(args, kernel).into(),
            b"task_newtask" => new_task(args, tid, kernel, out).into(),
            b"irq_handler_entry" => behind(args, b"name=")
                .map(|name| kernel.cpu_slice((CpuTrack::Irq, cpu), at, Some(&irq(name)), out))
                .into(),
            b"softirq_entry" => between(args, b"[action=", b']')
                .map(|name| alloc::format!("{}", Shown(name)))
                .map(|name| kernel.cpu_slice((CpuTrack::SoftIrq, cpu), at, Some(&name), out))
                .into(),
            b"ipi_entry" => between(args, b"(", b')')
                .map(|reason| kernel.cpu_slice((CpuTrack::Ipi, cpu), at, Some(&ipi(reason)), out))
                .into(),
            b"irq_handler_exit" | b"softirq_exit" | b"ipi_exit" => {
                let track = match event {
                    b"irq_handler_exit" => CpuTrack::Irq,
                    b"softirq_exit" => CpuTrack::SoftIrq,
                    _ => CpuTrack::Ipi,
                };
                kernel.cpu_slice((track, cpu), at, None, out);
                Outcome::Read
            }
            b"workqueue_execute_start" => behind(args, b"function ")
                .map(|function| kernel.work(tid, at, Some(function.trim_ascii_end()), out))
                .into(),
            b"workqueue_execute_end" => {
                kernel.work(tid, at, None, out);
                Outcome::Read
            }
            b"binder_transaction" => transaction(args, tid, at, kernel, out).into(),
            b"binder_transaction_received" => integer(args, b"transaction=")
                .map(|number| kernel.transaction_received(tid, at, number, out))
                .into(),
            b"binder_return" if args.ends_with(b"_REPLY") && !args.ends_with(b" BR_REPLY") => {
                kernel.failed_reply(tid, at, out);
                Outcome::Read
            }
            b"binder_lock" | b"binder_locked" | b"binder_unlock" => {
                match event {
                    b"binder_lock" => kernel.lock(tid, at, out),
                    b"binder_locked" => kernel.locked(tid, at, out),
                    _ => kernel.unlock(tid, at, out),
                }
                Outcome::Read
            }
            b"rss_stat" => match (integer(args, b"member="), integer(args, b"size=")) {
                (Some(part), Some(size)) if args.starts_with(b"size=") => {
                    kernel.memory(tid, at, (part.cast_unsigned(), size), None, out);
                    Outcome::Read
                }
                _ => Outcome::NotRead,
            },
            _ => {
                let Ok(name) = core::str::from_utf8(event) else { return Outcome::NotRead };
                match kernel.interpret(name, &Args(args), Moment { cpu, tid, at }, out) {
                    Ok(()) => Outcome::Read,
                    Err(Unsaid::Unknown) => Outcome::NotRead,
                    Err(Unsaid::Damaged) => Outcome::Damaged,
                }
            }
        }
    }

    /// Reads a switch. [ftrace 4.1](crate::rules::ftrace#4.1)
    fn switch(&mut self, args: &[u8], cpu: u32, at: i64, out: &mut Output<'_>) -> Option<()> {
        let kernel = &mut self.kernel;
        let switch = Switch::with_keys(args).or_else(|| Switch::of_trace_cmd(args))?;
        let state = match switch.state {
            b"0" => ThreadState::RUNNABLE,
            b"1" => ThreadState::SLEEPING,
            b"2" => ThreadState::WAITING,
            letters => kernel.states.named(letters),
        };
        kernel.tasks.name(switch.next.1, switch.next.0);
        kernel.tasks.name(switch.previous.1, switch.previous.0);
        kernel.switch(cpu, at, (switch.previous.1, state), switch.next.1, out);
        Some(())
    }

    /// Reads which thread is woken. [ftrace 4.2](crate::rules::ftrace#4.2)
    fn wake(&mut self, args: &[u8], wake: impl FnOnce(&mut Kernel, i64)) -> Option<()> {
        let (comm, tid) = match args.strip_prefix(b"comm=") {
            Some(rest) => {
                let (comm, rest) = split_at_key(rest, b" pid=")?;
                (comm, leading_integer(rest)?)
            }
            None => {
                let (task, _) = split_at_key(args, b" [")?;
                comm_and_tid(task)?
            }
        };
        self.kernel.tasks.name(tid, comm);
        wake(&mut self.kernel, tid);
        Some(())
    }

    /// Reads a text that a program has printed. [ftrace 3](crate::rules::ftrace#3)
    fn print(&mut self, text: &[u8], tid: i64, at: i64, out: &mut Output<'_>) -> Outcome {
        self.may_go_on = true;
        if let Some(sync) = text.strip_prefix(b"trace_event_clock_sync:") {
            return self.clock_sync(sync.trim_ascii(), at, out).into();
        }
        if !matches!(text, [b'A'..=b'Z', b'|', ..] | [b'A'..=b'Z']) {
            return Outcome::NotRead;
        }
        self.kernel.print(text, tid, at, out);
        Outcome::Read
    }

    /// Reads what another clock showed. [ftrace 5.2](crate::rules::ftrace#5.2)
    fn clock_sync(&mut self, text: &[u8], at: i64, out: &mut Output<'_>) -> Option<()> {
        /// The first second of 2001.
        const FIRST_MS: i64 = 978_307_200_000;
        let mut clock = self.clock?;
        if let Some(ms) = text.strip_prefix(b"realtime_ts=") {
            let ms = number(ms)?;
            if ms < FIRST_MS {
                out.report(DiagnosticKind::BadEpoch);
                return Some(());
            }
            clock = clock.with_epoch_ns(Some(ms.checked_mul(1_000_000)?.checked_sub(at)?));
        } else if let Some(seconds) = text.strip_prefix(b"parent_ts=") {
            clock = clock.with_monotonic_ns(Some(nanoseconds(seconds)?.checked_sub(at)?));
        }
        if self.clock != Some(clock) {
            self.clock = Some(clock);
            out.say(&Event::Clock(clock));
        }
        Some(())
    }

    /// Counts an event that is not read, by its name. [ftrace 4.6](crate::rules::ftrace#4.6)
    fn leave_out(&mut self, event: &[u8], out: &mut Output<'_>) {
        // Calls of the system are events without a colon, whose arguments are in brackets.
        let event = event.split(|&byte| byte == b'(').next().unwrap_or(event);
        let name = self.names.intern_bytes(event.get(..MAX_EVENT_NAME).unwrap_or(event));
        *self.not_read.entry(name).or_default() += 1;
        out.report(DiagnosticKind::NotRead);
    }

    /// Hands over what the end of the file settles. Returns whether any event has a meaning.
    pub(super) fn finish(&mut self, out: &mut Output<'_>) -> bool {
        self.kernel.finish(self.end.unwrap_or(0), out);
        let mut counts: Vec<(u64, &[u8])> =
            self.not_read.iter().map(|(&name, &count)| (count, self.names.bytes(name))).collect();
        counts.sort_unstable_by(|a, b| b.0.cmp(&a.0).then(a.1.cmp(b.1)));
        if !counts.is_empty() {
            let mut named = ArgsBuilder::new();
            for &(count, name) in counts.iter().take(N_NAMED) {
                named.add(Text::plain(name), count);
            }
            let others: u64 = counts.iter().skip(N_NAMED).map(|(count, _)| count).sum();
            if others > 0 {
                named.add("(others)", others);
            }
            let fact = MetaEvent::new(Text::from("events_not_read"), Value::Map(named.args()));
            out.say(&Event::Meta(fact));
        }
        if self.n_lost > 0 {
            out.say(&Event::Meta(MetaEvent::new(Text::from("lost_events"), Value::U64(self.n_lost))));
        }
        self.has_read
    }
}

/// The fields of an event, as `name=value`. A name may stand at the begin without that.
struct Args<'a>(&'a [u8]);

impl EventFields for Args<'_> {
    fn get(&self, name: &str) -> Option<FieldValue<'_>> {
        let first = || field(self.0, "").filter(|first| name == "name" && !first.contains(&b'='));
        field(self.0, name).or_else(first).map(FieldValue::Text)
    }

    fn symbol(&self, _: u64) -> &[u8] {
        b""
    }
}

/// Reads why a thread waits.
fn blocked(args: &[u8], at: i64, kernel: &mut Kernel) -> Option<()> {
    let (tid, is_io) = (integer(args, b"pid=")?, integer(args, b"iowait=")? != 0);
    kernel.states.blocked(tid, behind(args, b"caller=")?.trim_ascii_end(), is_io, at);
    Some(())
}

/// Reads `pid=1 oldcomm=A newcomm=B oom_score_adj=0`.
fn renamed(args: &[u8], kernel: &mut Kernel) -> Option<()> {
    let tid = leading_integer(args.strip_prefix(b"pid=")?)?;
    let (_, rest) = split_at_key(args, b" newcomm=")?;
    let (name, _) = split_at_key(rest, b" oom_score_adj=").unwrap_or((rest, b""));
    kernel.tasks.name(tid, name);
    Some(())
}

/// Reads `pid=1 comm=A clone_flags=3d0f00 oom_score_adj=0`.
fn new_task(args: &[u8], creator: i64, kernel: &mut Kernel, out: &mut Output<'_>) -> Option<()> {
    /// The flag of a new task that is a thread of the process of its creator.
    const CLONE_THREAD: u64 = 0x0001_0000;
    let tid = leading_integer(args.strip_prefix(b"pid=")?)?;
    let (_, rest) = split_at_key(args, b" comm=")?;
    let (name, flags) = split_at_key(rest, b" clone_flags=")?;
    let flags = hexadecimal(flags.strip_prefix(b"0x").unwrap_or(flags))?;
    if tid != 0 {
        kernel.new_task(creator, tid, flags & CLONE_THREAD != 0, name, out);
    }
    Some(())
}

/// Reads a transaction of binder. [ftrace 4.5](crate::rules::ftrace#4.5)
fn transaction(args: &[u8], tid: i64, at: i64, kernel: &mut Kernel, out: &mut Output<'_>) -> Option<()> {
    const ONE_WAY: u64 = 1;
    let number = integer(args, b"transaction=")?;
    let is_reply = integer(args, b"reply=")? != 0;
    let flags = hexadecimal(behind(args, b"flags=0x")?)?;
    kernel.transaction(tid, at, number, (is_reply, flags & ONE_WAY != 0), out);
    Some(())
}

/// Returns the nanoseconds from the clock of a text to the monotonic clock, which is what the text calls its parent; 0 if it
/// does not say. [ftrace 5.2](crate::rules::ftrace#5.2)
#[must_use]
pub fn monotonic_shift_ns(text: &[u8]) -> i64 {
    let shift = || {
        let at = memchr::memmem::rfind(text, b"trace_event_clock_sync: parent_ts=")?;
        let start = memchr::memrchr(b'\n', text.get(..at)?).map_or(0, |end| end + 1);
        let rest = text.get(start..)?;
        let line = rest.get(..memchr::memchr(b'\n', rest).unwrap_or(rest.len()))?;
        let Time::Ns(ns) = Line::of(line)?.time else { return None };
        nanoseconds(behind(line, b"parent_ts=")?.trim_ascii())?.checked_sub(i64::try_from(ns).ok()?)
    };
    shift().unwrap_or(0)
}

/// Returns whether a line is one of those that stand before the events and say nothing of them.
pub(super) fn is_head(line: &[u8]) -> bool {
    let line = line.trim_ascii();
    let is_number = |text: &[u8]| !text.is_empty() && text.iter().all(u8::is_ascii_digit);
    let is_empty_cpu = || line.strip_prefix(b"CPU ")?.strip_suffix(b" is empty").map(is_number);
    line.strip_prefix(b"cpus=").is_some_and(is_number)
        || line.strip_prefix(b"version = ").is_some_and(is_number)
        || is_empty_cpu() == Some(true)
        || line.starts_with(b"capturing trace...")
        || line == b"TRACE:"
}
