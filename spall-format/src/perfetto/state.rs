//! Everything that packets leave behind for later ones, and what each kind of packet does with it.

use alloc::collections::BTreeMap;
use alloc::vec::Vec;

use foldhash::fast::RandomState;
use hashbrown::{HashMap, HashSet};
use spall_model::{
    ArgsBuilder, ChildOrder, Clock, DiagnosticKind, Event, Id, MetaEvent, Scope, Text, Thread, ThreadEvent,
    Tick, TrackEvent, Value,
};

use super::args::ReadJson;
use super::clock::{ClockId, Clocks, KnownClock};
use super::devices::{Gpus, Probes};
use super::known_args::KnownArgs;
use super::proto::numbers::{process_descriptor, trace_packet, trigger};
use super::schema::{
    ChromeProcess, ChromeThread, Names, Packet, ProcessDescriptor, ThreadDescriptor, TrackDescriptor,
};
use super::sequence::Sequences;
use super::stacks::Stacks;
use super::states::States;
use super::strings::{Strings, cut};
use super::track::{Tracks, digits};
use crate::ftrace::{Kernel, NameBuffer, Output};
use crate::protobuf::{Fields, Message as _, Wire, repeated, text};

/// What was read so far.
#[derive(Debug)]
pub(super) struct State {
    pub(super) json: ReadJson,
    pub(super) strings: Strings,
    pub(super) sequences: Sequences,
    pub(super) tracks: Tracks,
    pub(super) clocks: Clocks,
    pub(super) states: States,
    /// The bytes that arguments and categories may still take beyond those of the file that were read.
    pub(super) budget: u64,
    /// The bytes of all packets that were read.
    pub(super) n_read: u64,
    /// The latest time of an event.
    pub(super) end: i64,
    /// The arguments of the event that is being handed over.
    pub(super) args: ArgsBuilder<'static>,
    /// The categories of that event, if there are several.
    pub(super) categories: Vec<u8>,
    /// The arguments of earlier events.
    pub(super) known_args: KnownArgs,
    /// The threads of the system, and what ftrace says about them.
    pub(super) kernel: Kernel,
    /// The processes that a descriptor has given a name, which nothing replaces.
    named: HashSet<i32, RandomState>,
    /// The user of each process.
    pub(super) uids: HashMap<i32, i32, RandomState>,
    pub(super) stacks: Stacks,
    pub(super) ftrace_clock: KnownClock,
    pub(super) probes: Probes,
    pub(super) gpus: Gpus,
    /// The last statistics of each disk.
    pub(super) disks: HashMap<Vec<u8>, [[u64; 2]; 4], RandomState>,
    pub(super) name: NameBuffer,
    /// The numbers of payloads that are not read, and how many there are.
    not_read: BTreeMap<u32, u64>,
    clock: Clock,
}

impl State {
    pub(super) fn new(json: ReadJson) -> Self {
        Self {
            json,
            strings: Strings::default(),
            sequences: Sequences::default(),
            tracks: Tracks::default(),
            clocks: Clocks::default(),
            states: States::default(),
            budget: FREE_BYTES,
            n_read: 0,
            end: i64::MIN,
            args: ArgsBuilder::new(),
            categories: Vec::new(),
            known_args: KnownArgs::default(),
            kernel: Kernel::default().with_empty_name("[empty slice name]"),
            named: HashSet::default(),
            uids: HashMap::default(),
            stacks: Stacks::default(),
            ftrace_clock: KnownClock::default(),
            probes: Probes::default(),
            gpus: Gpus::default(),
            disks: HashMap::default(),
            name: NameBuffer::default(),
            not_read: BTreeMap::new(),
            clock: Clock::NANOSECONDS,
        }
    }

    /// Reads a packet. Returns the packets that are compressed in it, if that is what it holds.
    #[inline]
    pub(super) fn packet<'a>(&mut self, message: &'a [u8], out: &mut Output<'_>) -> Option<(u32, &'a [u8])> {
        self.n_read += message.len() as u64;
        self.budget = self.budget.saturating_add(message.len() as u64 * MAX_GROWTH);
        let mut packet = Packet::default();
        let mut payload = None;
        for field in Fields::new(message) {
            match field {
                Ok((number, value)) if is_of_packet(number) => packet.take(number, value),
                Ok((number, Wire::Bytes(bytes))) => payload = Some((number, bytes)),
                Ok(_) => {}
                Err(_) => out.report(DiagnosticKind::DamagedRecord),
            }
        }
        if payload.is_none() && packet.interned_data.is_none() && packet.defaults.is_none() {
            self.empty_packet(packet, out);
            return None;
        }
        let sequence = self.sequences.enter(packet.sequence);
        let is_whole = sequence.accept(packet);
        if let Some(interned) = packet.interned_data {
            self.intern_all(interned, out);
        }
        if let Some(defaults) = packet.defaults {
            self.sequences.current().set_defaults(defaults, &mut self.strings);
        }
        match payload {
            Some(_) if !is_whole => {
                out.report(DiagnosticKind::LostState);
                return None;
            }
            Some((trace_packet::CLOCK_SNAPSHOT, snapshot)) => {
                self.clock_snapshot(packet.sequence, snapshot, out);
                return None;
            }
            _ => {}
        }
        // The time of every packet counts for clocks whose numbers are differences.
        let at = self.packet_time(packet, out);
        let (number, bytes) = payload?;
        match number {
            trace_packet::FTRACE_EVENTS => self.ftrace(bytes, out),
            trace_packet::PROCESS_TREE => self.process_tree(bytes, out),
            trace_packet::TRACK_EVENT => self.track_event(at, bytes, out),
            // A mark by which writers find their packets again.
            trace_packet::SYNCHRONIZATION_MARKER => {}
            trace_packet::PROCESS_DESCRIPTOR => self.process_descriptor(bytes, None, out),
            trace_packet::THREAD_DESCRIPTOR => self.thread_descriptor(bytes, out),
            trace_packet::PACKAGES_LIST => self.stacks.add_packages(bytes),
            trace_packet::COMPRESSED_PACKETS | trace_packet::ZSTD_COMPRESSED_PACKETS => return payload,
            trace_packet::STREAMING_PROFILE_PACKET => self.streaming_profile(bytes, out),
            trace_packet::TRACK_DESCRIPTOR => self.track_descriptor(bytes, out),
            trace_packet::MODULE_SYMBOLS => self.stacks.add_symbols(bytes),
            trace_packet::DEOBFUSCATION_MAPPING => self.stacks.add_plain_names(bytes, &mut self.budget, out),
            _ => {
                let is_read = self.timed_packet((number, bytes), at, out);
                if is_read && at.is_none() {
                    out.report(DiagnosticKind::MissingTime);
                }
            }
        }
        None
    }

    /// Reads a packet that is at one time. Returns whether its kind is read.
    fn timed_packet(
        &mut self,
        (number, bytes): (u32, &[u8]),
        time: Option<i64>,
        out: &mut Output<'_>,
    ) -> bool {
        let at = time.unwrap_or(0);
        match number {
            trace_packet::GPU_COUNTER_EVENT => self.gpu_counters(bytes, time, out),
            trace_packet::SYS_STATS => self.sys_stats(bytes, at, out),
            trace_packet::PROCESS_STATS => self.process_stats(bytes, at, out),
            trace_packet::PERF_SAMPLE => self.perf_sample(bytes, at, out),
            trace_packet::STACK_SAMPLE => self.stack_sample(bytes, at, out),
            // What triggered the recording, or a copy of it.
            trace_packet::TRIGGER | trace_packet::CLONE_SNAPSHOT_TRIGGER => {
                let name = Text::plain(text(bytes, trigger::TRIGGER_NAME));
                let nowhere = Thread { pid: Id::NONE, tid: Id::NONE };
                out.say(&Event::Instant(ThreadEvent::new(nowhere, Tick(at), name), Scope::Global));
            }
            _ if self.probe((number, bytes), at, out) || self.graphics((number, bytes), at, out) => {}
            _ => {
                self.leave_out(number, out);
                return false;
            }
        }
        true
    }

    /// Reads a packet that has nothing for others. There may be very many such packets, each of its own sequence.
    #[cold]
    fn empty_packet(&mut self, packet: Packet<'_>, out: &mut Output<'_>) {
        if let Some(sequence) = self.sequences.known(packet.sequence) {
            sequence.accept(packet);
        }
        self.packet_time(packet, out);
    }

    /// Keeps entries of tables of interned texts.
    #[inline(never)]
    fn intern_all(&mut self, interned: &[u8], out: &mut Output<'_>) {
        for field in Fields::new(interned) {
            match field {
                Ok((table, Wire::Bytes(entry))) => {
                    if !self.sequences.current().interned.add(table, entry, &mut self.strings) {
                        out.report(DiagnosticKind::NotRead);
                    }
                }
                Ok(_) => {}
                Err(_) => out.report(DiagnosticKind::DamagedRecord),
            }
        }
    }

    /// Counts content that is not read. [perfetto 1.2](crate::rules::perfetto#1.2)
    pub(super) fn leave_out(&mut self, number: u32, out: &mut Output<'_>) {
        *self.not_read.entry(number).or_default() += 1;
        out.report(DiagnosticKind::NotRead);
    }

    /// Returns the time of a packet, or `None` if it has none.
    #[inline(always)]
    fn packet_time(&mut self, packet: Packet<'_>, out: &mut Output<'_>) -> Option<i64> {
        let timestamp = packet.timestamp?;
        let mut new = KnownClock::default();
        let (default, known) = match self.sequences.known(packet.sequence) {
            Some(sequence) => (sequence.defaults.clock, &mut sequence.clock),
            None => (None, &mut new),
        };
        let clock = ClockId::new(packet.clock.or(default).unwrap_or(BOOTTIME), packet.sequence);
        let (at, fit) = self.clocks.time(clock, timestamp, known);
        out.fit(fit);
        self.end = self.end.max(at);
        Some(at)
    }

    fn clock_snapshot(&mut self, sequence: u32, message: &[u8], out: &mut Output<'_>) {
        out.fit(self.clocks.snapshot(message, sequence));
        let clock = self.clocks.clock();
        if self.clock != clock {
            self.clock = clock;
            out.say(&Event::Clock(clock));
        }
    }

    fn track_descriptor(&mut self, message: &[u8], out: &mut Output<'_>) {
        let (descriptor, whole) = TrackDescriptor::read(message);
        out.check(whole);
        let Some(at) = self.tracks.describe(&descriptor, &mut self.strings) else {
            return out.report(DiagnosticKind::MissingId);
        };
        if descriptor.any_name().is_some_and(|name| name.len() > cut(name).len()) {
            out.report(DiagnosticKind::NotRead);
        }
        if let Some(thread) = descriptor.thread {
            out.fit(self.sequences.current().set_thread(&ThreadDescriptor::of(thread)));
            self.name_thread(thread, descriptor.chrome_thread, out);
        } else if let Some(process) = descriptor.process {
            self.process_descriptor(process, descriptor.chrome_process, out);
        }
        // A track without events is handed over when it gets some. There may be very many tracks.
        if self.tracks.get(at).is_shown {
            self.declare(at, out);
            self.show_parents(at, out);
        } else if descriptor.thread.is_some() || descriptor.process.is_some() {
            self.order(at, out);
        }
    }

    /// Hands over a track that has events, and those above it.
    #[cold]
    pub(super) fn show(&mut self, at: usize, out: &mut Output<'_>) {
        let (track, is_new) = self.tracks.show(at);
        if is_new && track.is_declared {
            self.declare(at, out);
        }
        if is_new {
            self.show_parents(at, out);
        }
    }

    /// Hands over the tracks above a track, up to the first that was handed over before.
    fn show_parents(&mut self, at: usize, out: &mut Output<'_>) {
        let mut track = *self.tracks.get(at);
        while track.parent != 0 {
            let above = self.tracks.find(track.parent, &mut self.strings);
            let (found, is_new) = self.tracks.show(above);
            if !is_new {
                return;
            }
            if found.is_declared {
                self.declare(above, out);
            }
            track = found;
        }
    }

    fn thread_descriptor(&mut self, message: &[u8], out: &mut Output<'_>) {
        let (thread, whole) = ThreadDescriptor::read(message);
        out.check(whole);
        out.fit(self.sequences.current().set_thread(&thread));
        self.name_thread(message, None, out);
    }

    /// Hands over the name and the place of a thread.
    fn name_thread(&self, message: &[u8], chrome: Option<&[u8]>, out: &mut Output<'_>) {
        let thread = ThreadDescriptor::of(message);
        let (Some(pid), Some(tid)) = (thread.pid, thread.tid) else {
            return out.report(DiagnosticKind::MissingId);
        };
        let id = Thread { pid: Id::from(pid), tid: Id::Number(tid) };
        let chrome = chrome.map(ChromeThread::of).unwrap_or_default();
        let kind = if chrome.kind == 0 { thread.chrome_type } else { chrome.kind };
        let name = match chrome_name(THREADS, kind) {
            Some(name) if thread.name.is_empty() => name.as_bytes(),
            _ => thread.name,
        };
        if !name.is_empty() {
            out.say(&Event::ThreadName(id, Text::plain(name)));
        }
        if let Some(index) = thread.sort_index.or(chrome.sort_index) {
            out.say(&Event::ThreadSortIndex(id, i64::from(index)));
        }
    }

    /// Hands over the name, the place and the labels of a process.
    fn process_descriptor(&mut self, message: &[u8], chrome: Option<&[u8]>, out: &mut Output<'_>) {
        let (process, whole) = ProcessDescriptor::read(message);
        out.check(whole);
        let Some(pid) = process.pid else { return out.report(DiagnosticKind::MissingId) };
        let chrome = chrome.map(ChromeProcess::of).unwrap_or_default();
        let kind = if chrome.kind == 0 { process.chrome_type } else { chrome.kind };
        let names = [process.name, chrome_name(PROCESSES, kind).unwrap_or_default().as_bytes()];
        let name = names.into_iter().find(|name| !name.is_empty());
        if !self.named.contains(&pid)
            && let Some(shown) = name.or_else(|| {
                repeated(message, process_descriptor::CMDLINE).find(|command| !command.is_empty())
            })
        {
            out.say(&Event::ProcessName(Id::from(pid), Text::plain(shown)));
        }
        if name.is_some() {
            self.named.insert(pid);
        }
        if let Some(index) = process.sort_index.or(chrome.sort_index) {
            out.say(&Event::ProcessSortIndex(Id::from(pid), i64::from(index)));
        }
        for label in repeated(message, process_descriptor::PROCESS_LABELS) {
            out.say(&Event::ProcessLabels(Id::from(pid), Text::plain(label)));
        }
    }

    /// Hands over the place of a thread or a process among the others.
    fn order(&mut self, at: usize, out: &mut Output<'_>) {
        let track = self.tracks.get(at);
        let rank = i64::from(track.rank);
        match track.stands_for() {
            Some(Thread { pid, tid: Id::NONE }) if self.tracks.orders_processes => {
                out.say(&Event::ProcessSortIndex(pid, rank));
            }
            Some(thread) if thread.tid != Id::NONE && self.tracks.orders_threads => {
                out.say(&Event::ThreadSortIndex(thread, rank));
            }
            _ => {}
        }
    }

    /// Hands over what is known about a track, and about the thread or process that it stands for.
    fn declare(&mut self, at: usize, out: &mut Output<'_>) {
        self.order(at, out);
        let Self { tracks, strings, .. } = self;
        let track = tracks.get(at);
        if !track.is_own() {
            return;
        }
        let thread = track.thread(strings);
        let mut event = TrackEvent::new(thread, Text::plain(strings.get(track.name)));
        event.parent = tracks.parent(track, strings);
        event.group = Text::plain(strings.get(tracks.group(track)));
        event.rank = track.rank;
        event.children = match track.ordering {
            1 => ChildOrder::ByName,
            2 => ChildOrder::ByTime,
            3 => ChildOrder::ByRank,
            _ => ChildOrder::Unspecified,
        };
        out.say(&Event::Track(event));
    }

    /// Hands over what only the end of the file settles.
    pub(super) fn finish(&mut self, out: &mut Output<'_>) {
        // What a track lies below may have been described after it.
        (0..self.tracks.len()).for_each(|at| self.declare(at, out));
        let changes = core::mem::take(&mut self.states);
        changes.hand_over(self.end, (&self.tracks, &self.strings), out);
        self.kernel.finish(self.end, out);
        self.end_gpu_counters(out);
        self.stacks.hand_over(out);
        if !self.not_read.is_empty() {
            let mut counts = ArgsBuilder::new();
            for (&number, &count) in &self.not_read {
                let mut buffer = [0; 20];
                counts.add(Text::plain(digits(u64::from(number), &mut buffer)), count);
            }
            let counts = Value::Map(counts.args());
            out.say(&Event::Meta(MetaEvent::new(Text::from("packets_not_read"), counts)));
        }
    }
}

/// Returns whether a field belongs to packets of all kinds.
#[inline(always)]
fn is_of_packet(number: u32) -> bool {
    matches!(
        number,
        trace_packet::TIMESTAMP
            | trace_packet::TIMESTAMP_CLOCK_ID
            | trace_packet::TRUSTED_PACKET_SEQUENCE_ID
            | trace_packet::SEQUENCE_FLAGS
            | trace_packet::INCREMENTAL_STATE_CLEARED
            | trace_packet::PREVIOUS_PACKET_DROPPED
            | trace_packet::INTERNED_DATA
            | trace_packet::TRACE_PACKET_DEFAULTS
    )
}

/// Returns the name of a type of Chrome's processes or threads. The type 0 is none.
fn chrome_name(names: Names, kind: u32) -> Option<&'static str> {
    names.get(u64::from(kind).checked_sub(1)?)
}

/// How many bytes of arguments and joined categories a byte of the file may become. Arguments repeat the texts that the file
/// has once; those of Chrome's traces take twice their packets.
const MAX_GROWTH: u64 = 6;
/// The bytes that they may take beside that, so that small files are read whole.
const FREE_BYTES: u64 = 1 << 18;

/// The clock of packets that do not say theirs.
const BOOTTIME: u32 = 6;

/// The names of Chrome's processes, by their types from 1 on.
const PROCESSES: Names = Names(&[
    "Browser",
    "Renderer",
    "Utility",
    "Zygote",
    "SandboxHelper",
    "Gpu",
    "PpapiPlugin",
    "PpapiBroker",
]);

/// The names of Chrome's threads, by their types from 1 on.
const THREADS: Names = Names(&[
    "CrProcessMain",
    "ChromeIOThread",
    "ThreadPoolBackgroundWorker",
    "ThreadPoolForegroundWorker",
    "ThreadPoolForegroundBlocking",
    "ThreadPoolBackgroundBlocking",
    "ThreadPoolService",
    "Compositor",
    "VizCompositorThread",
    "CompositorTileWorker",
    "ServiceWorkerThread",
]);
