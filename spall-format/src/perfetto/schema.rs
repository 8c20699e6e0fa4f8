//! The messages that are read, as their fields and numbers. [perfetto 1.1](crate::rules::perfetto#1.1)
//!
//! Names and numbers are those of Perfetto's schema. Fields that repeat are read where they are used.

use crate::protobuf::{Packed, messages, scalars};

/// The names of the values of an enumeration, from 0 on, separated by blanks.
#[derive(Debug, Clone, Copy)]
pub(super) struct Names(pub(super) &'static str);

impl Names {
    pub(super) fn all(self) -> impl Iterator<Item = &'static str> {
        self.0.split(' ')
    }

    pub(super) fn get(self, value: u64) -> Option<&'static str> {
        self.all().nth(usize::try_from(value).ok()?)
    }
}

/// The fields of counters that an event has beside its own meaning.
#[derive(Debug, Clone, Copy)]
pub(super) struct Extra {
    /// The field of the values.
    pub(super) values: u32,
    /// The field of their tracks.
    pub(super) tracks: u32,
    pub(super) packed: Packed,
}

/// Whole numbers, and fractions.
pub(super) const EXTRA: [Extra; 2] = [
    Extra { values: 12, tracks: 31, packed: Packed::Varint },
    Extra { values: 46, tracks: 45, packed: Packed::Fixed64 },
];

/// The most counters that an event may have beside its own meaning, of each of the two kinds. Perfetto's own reader takes 8.
pub(super) const MAX_EXTRA: usize = 16;

impl Extra {
    /// Returns the tracks that a message names.
    pub(super) fn tracks_of(self, message: &[u8]) -> impl Iterator<Item = u64> {
        scalars(message, self.tracks, Packed::Varint).take(MAX_EXTRA)
    }
}

messages! {
    /// A packet without its payload.
    Packet {
        timestamp: Option<u64> = 8,
        clock: Option<u32> = 58,
        sequence: u32 = 10,
        flags: u32 = 13,
        is_cleared: bool = 41,
        dropped: u32 = 42,
        interned_data: Option<&'a [u8]> = 12,
        defaults: Option<&'a [u8]> = 59,
    }

    /// An entry of a table of interned texts.
    InternedText { iid: u64 = 1, text: &'a [u8] = 2 }

    PacketDefaults { clock: Option<u32> = 58, track_event: &'a [u8] = 11, perf_sample: &'a [u8] = 12, stack_sample: &'a [u8] = 100 }

    TrackEventDefaults { track: Option<u64> = 11 }

    Clock { id: u32 = 1, timestamp: u64 = 2, is_incremental: bool = 3, multiplier: u64 = 4 }

    TrackDescriptor {
        uuid: Option<u64> = 1,
        parent: u64 = 5,
        name: Option<&'a [u8]> = 2,
        static_name: Option<&'a [u8]> = 10,
        atrace_name: Option<&'a [u8]> = 13,
        process: Option<&'a [u8]> = 3,
        chrome_process: Option<&'a [u8]> = 6,
        thread: Option<&'a [u8]> = 4,
        chrome_thread: Option<&'a [u8]> = 7,
        counter: Option<&'a [u8]> = 8,
        child_ordering: u32 = 11,
        rank: i32 = 12,
        merging: u32 = 15,
        merge_key: Option<&'a [u8]> = 16,
        merge_key_number: u64 = 17,
        process_ordering: u32 = 19,
        thread_ordering: u32 = 20,
    }

    ProcessDescriptor { pid: Option<i32> = 1, name: &'a [u8] = 6, chrome_type: u32 = 4, sort_index: Option<i32> = 3 }

    ChromeProcess { kind: u32 = 1, sort_index: Option<i32> = 3 }

    ThreadDescriptor {
        pid: Option<i32> = 1,
        tid: Option<i64> = 2,
        name: &'a [u8] = 5,
        chrome_type: u32 = 4,
        sort_index: Option<i32> = 3,
        time_us: i64 = 6,
        thread_time_us: i64 = 7,
        instructions: i64 = 8,
    }

    ChromeThread { kind: u32 = 1, sort_index: Option<i32> = 2 }

    CounterDescriptor { kind: u32 = 1, unit: u32 = 3, multiplier: i64 = 4, is_incremental: bool = 5, unit_name: &'a [u8] = 6 }

    /// What a legacy event has beside its track event.
    LegacyEvent {
        name_iid: u64 = 1,
        phase: u32 = 2,
        duration_us: Option<i64> = 3,
        thread_duration_us: Option<i64> = 4,
        thread_instructions: Option<i64> = 15,
        use_async_tts: bool = 9,
        unscoped_id: Option<u64> = 6,
        local_id: Option<u64> = 10,
        global_id: Option<u64> = 11,
        id_scope: &'a [u8] = 7,
        bind_id: Option<u64> = 8,
        binds_to_enclosing: bool = 12,
        flow_direction: u32 = 13,
        scope: u32 = 14,
        pid_override: Option<i32> = 18,
        tid_override: Option<i32> = 19,
    }

    Frame { function: u64 = 2, mapping: u64 = 3, address: u64 = 4, source: u64 = 5, line: u32 = 6 }

    Mapping { build_id: u64 = 2 }

    InlineFrame { function: &'a [u8] = 1, file: &'a [u8] = 2, line: u32 = 3 }

    PerfSample {
        cpu: u32 = 1,
        pid: u32 = 2,
        tid: u32 = 3,
        callstack: u64 = 4,
        count: u64 = 6,
        lost: Option<u64> = 17,
        skipped: Option<u32> = 18,
        producer_event: Option<&'a [u8]> = 19,
    }

    PerfDefaults { timebase: &'a [u8] = 1 }

    Timebase { counter: u32 = 4, tracepoint: &'a [u8] = 3, name: &'a [u8] = 10 }

    Follower { counter: u32 = 1, tracepoint: &'a [u8] = 2, name: &'a [u8] = 4 }

    StackSample {
        task: Option<&'a [u8]> = 1,
        task_iid: u64 = 2,
        callstack: Option<&'a [u8]> = 5,
        callstack_iid: u64 = 6,
        descriptor: Option<&'a [u8]> = 9,
        weight: Option<u64> = 11,
    }

    StackSampleDefaults { source: &'a [u8] = 1, descriptor: &'a [u8] = 2 }

    TaskContext { pid: u32 = 2, tid: u32 = 3 }

    /// The call stack of a track event.
    EventStack { inline: Option<&'a [u8]> = 55, iid: u64 = 56, weight: Option<f64> = 57 }

    TreeProcess { pid: i32 = 1, uid: i32 = 5, name_is_thread: bool = 9 }

    TreeThread { tid: i32 = 1, pid: i32 = 3, name: &'a [u8] = 2 }

    FtraceBundle {
        cpu: u32 = 1,
        compact: Option<&'a [u8]> = 4,
        clock: u32 = 5,
        clock_time: i64 = 6,
        boot_time: i64 = 7,
    }

    Print { text: &'a [u8] = 2 }

    SchedSwitch {
        prev_comm: &'a [u8] = 1,
        prev_pid: i32 = 2,
        prev_state: i64 = 4,
        next_comm: &'a [u8] = 5,
        next_pid: i32 = 6,
    }

    SchedWaking { comm: &'a [u8] = 1, pid: i32 = 2 }

    BlockedReason { pid: i32 = 1, caller: u64 = 2, io_wait: bool = 3 }

    BinderTransaction { debug_id: i32 = 1, reply: u32 = 5, flags: u32 = 7 }

    RssStat { member: u64 = 1, size: i64 = 2, is_of_thread: Option<bool> = 3, memory: Option<u64> = 4 }

    NewTask { pid: i32 = 1, comm: &'a [u8] = 2, flags: u64 = 3 }

    RenamedTask { pid: i32 = 1, comm: &'a [u8] = 3 }
}
