//! The messages that are read, as their fields and numbers. [perfetto 1.1](crate::rules::perfetto#1.1)
//!
//! Names and numbers are those of Perfetto's schema. Fields that repeat are read where they are used.

#[allow(clippy::wildcard_imports, reason = "the names of all messages")]
use super::proto::numbers::*;
use crate::protobuf::{Packed, messages, scalars};

/// The names of the values of an enumeration, from 0 on. One that is empty has none.
#[derive(Debug, Clone, Copy)]
pub(super) struct Names(pub(super) &'static [&'static str]);

impl Names {
    pub(super) fn get(self, value: u64) -> Option<&'static str> {
        self.0.get(usize::try_from(value).ok()?).copied().filter(|name| !name.is_empty())
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
    Extra {
        values: track_event::EXTRA_COUNTER_VALUES,
        tracks: track_event::EXTRA_COUNTER_TRACK_UUIDS,
        packed: Packed::Varint,
    },
    Extra {
        values: track_event::EXTRA_DOUBLE_COUNTER_VALUES,
        tracks: track_event::EXTRA_DOUBLE_COUNTER_TRACK_UUIDS,
        packed: Packed::Fixed64,
    },
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
        timestamp: Option<u64> = trace_packet::TIMESTAMP,
        clock: Option<u32> = trace_packet::TIMESTAMP_CLOCK_ID,
        sequence: u32 = trace_packet::TRUSTED_PACKET_SEQUENCE_ID,
        flags: u32 = trace_packet::SEQUENCE_FLAGS,
        is_cleared: bool = trace_packet::INCREMENTAL_STATE_CLEARED,
        dropped: u32 = trace_packet::PREVIOUS_PACKET_DROPPED,
        interned_data: Option<&'a [u8]> = trace_packet::INTERNED_DATA,
        defaults: Option<&'a [u8]> = trace_packet::TRACE_PACKET_DEFAULTS,
    }

    /// An entry of a table of interned texts.
    InternedText { iid: u64 = interned_string::IID, text: &'a [u8] = interned_string::STR }

    PacketDefaults { clock: Option<u32> = trace_packet_defaults::TIMESTAMP_CLOCK_ID, track_event: &'a [u8] = trace_packet_defaults::TRACK_EVENT_DEFAULTS, perf_sample: &'a [u8] = trace_packet_defaults::PERF_SAMPLE_DEFAULTS, stack_sample: &'a [u8] = trace_packet_defaults::STACK_SAMPLE_DEFAULTS }

    TrackEventDefaults { track: Option<u64> = track_event_defaults::TRACK_UUID }

    Clock { id: u32 = clock_snapshot_clock::CLOCK_ID, timestamp: u64 = clock_snapshot_clock::TIMESTAMP, is_incremental: bool = clock_snapshot_clock::IS_INCREMENTAL, multiplier: u64 = clock_snapshot_clock::UNIT_MULTIPLIER_NS }

    TrackDescriptor {
        uuid: Option<u64> = track_descriptor::UUID,
        parent: u64 = track_descriptor::PARENT_UUID,
        name: Option<&'a [u8]> = track_descriptor::NAME,
        static_name: Option<&'a [u8]> = track_descriptor::STATIC_NAME,
        atrace_name: Option<&'a [u8]> = track_descriptor::ATRACE_NAME,
        process: Option<&'a [u8]> = track_descriptor::PROCESS,
        chrome_process: Option<&'a [u8]> = track_descriptor::CHROME_PROCESS,
        thread: Option<&'a [u8]> = track_descriptor::THREAD,
        chrome_thread: Option<&'a [u8]> = track_descriptor::CHROME_THREAD,
        counter: Option<&'a [u8]> = track_descriptor::COUNTER,
        child_ordering: u32 = track_descriptor::CHILD_ORDERING,
        rank: i32 = track_descriptor::SIBLING_ORDER_RANK,
        merging: u32 = track_descriptor::SIBLING_MERGE_BEHAVIOR,
        merge_key: Option<&'a [u8]> = track_descriptor::SIBLING_MERGE_KEY,
        merge_key_number: u64 = track_descriptor::SIBLING_MERGE_KEY_INT,
        process_ordering: u32 = track_descriptor::PROCESS_ORDERING,
        thread_ordering: u32 = track_descriptor::THREAD_ORDERING,
    }

    ProcessDescriptor { pid: Option<i32> = process_descriptor::PID, name: &'a [u8] = process_descriptor::PROCESS_NAME, chrome_type: u32 = process_descriptor::CHROME_PROCESS_TYPE, sort_index: Option<i32> = process_descriptor::LEGACY_SORT_INDEX }

    ChromeProcess { kind: u32 = chrome_process_descriptor::PROCESS_TYPE, sort_index: Option<i32> = chrome_process_descriptor::LEGACY_SORT_INDEX }

    ThreadDescriptor {
        pid: Option<i32> = thread_descriptor::PID,
        tid: Option<i64> = thread_descriptor::TID,
        name: &'a [u8] = thread_descriptor::THREAD_NAME,
        chrome_type: u32 = thread_descriptor::CHROME_THREAD_TYPE,
        sort_index: Option<i32> = thread_descriptor::LEGACY_SORT_INDEX,
        time_us: i64 = thread_descriptor::REFERENCE_TIMESTAMP_US,
        thread_time_us: i64 = thread_descriptor::REFERENCE_THREAD_TIME_US,
        instructions: i64 = thread_descriptor::REFERENCE_THREAD_INSTRUCTION_COUNT,
    }

    ChromeThread { kind: u32 = chrome_thread_descriptor::THREAD_TYPE, sort_index: Option<i32> = chrome_thread_descriptor::LEGACY_SORT_INDEX }

    CounterDescriptor { kind: u32 = counter_descriptor::TYPE, unit: u32 = counter_descriptor::UNIT, multiplier: i64 = counter_descriptor::UNIT_MULTIPLIER, is_incremental: bool = counter_descriptor::IS_INCREMENTAL, unit_name: &'a [u8] = counter_descriptor::UNIT_NAME }

    /// What a legacy event has beside its track event.
    LegacyEvent {
        name_iid: u64 = track_event_legacy_event::NAME_IID,
        phase: u32 = track_event_legacy_event::PHASE,
        duration_us: Option<i64> = track_event_legacy_event::DURATION_US,
        thread_duration_us: Option<i64> = track_event_legacy_event::THREAD_DURATION_US,
        thread_instructions: Option<i64> = track_event_legacy_event::THREAD_INSTRUCTION_DELTA,
        use_async_tts: bool = track_event_legacy_event::USE_ASYNC_TTS,
        unscoped_id: Option<u64> = track_event_legacy_event::UNSCOPED_ID,
        local_id: Option<u64> = track_event_legacy_event::LOCAL_ID,
        global_id: Option<u64> = track_event_legacy_event::GLOBAL_ID,
        id_scope: &'a [u8] = track_event_legacy_event::ID_SCOPE,
        bind_id: Option<u64> = track_event_legacy_event::BIND_ID,
        binds_to_enclosing: bool = track_event_legacy_event::BIND_TO_ENCLOSING,
        flow_direction: u32 = track_event_legacy_event::FLOW_DIRECTION,
        scope: u32 = track_event_legacy_event::INSTANT_EVENT_SCOPE,
        pid_override: Option<i32> = track_event_legacy_event::PID_OVERRIDE,
        tid_override: Option<i32> = track_event_legacy_event::TID_OVERRIDE,
    }

    Frame { function: u64 = frame::FUNCTION_NAME_ID, mapping: u64 = frame::MAPPING_ID, address: u64 = frame::REL_PC, source: u64 = frame::SOURCE_PATH_IID, line: u32 = frame::LINE_NUMBER }

    Mapping { build_id: u64 = mapping::BUILD_ID }

    InlineFrame { function: &'a [u8] = inline_callstack_frame::FUNCTION_NAME, file: &'a [u8] = inline_callstack_frame::SOURCE_FILE, line: u32 = inline_callstack_frame::LINE_NUMBER }

    PerfSample {
        cpu: u32 = perf_sample::CPU,
        pid: u32 = perf_sample::PID,
        tid: u32 = perf_sample::TID,
        callstack: u64 = perf_sample::CALLSTACK_IID,
        count: u64 = perf_sample::TIMEBASE_COUNT,
        lost: Option<u64> = perf_sample::KERNEL_RECORDS_LOST,
        skipped: Option<u32> = perf_sample::SAMPLE_SKIPPED_REASON,
        producer_event: Option<&'a [u8]> = perf_sample::PRODUCER_EVENT,
    }

    PerfDefaults { timebase: &'a [u8] = perf_sample_defaults::TIMEBASE }

    Timebase { counter: u32 = perf_events_timebase::COUNTER, tracepoint: &'a [u8] = perf_events_timebase::TRACEPOINT, name: &'a [u8] = perf_events_timebase::NAME }

    Follower { counter: u32 = follower_event::COUNTER, tracepoint: &'a [u8] = follower_event::TRACEPOINT, name: &'a [u8] = follower_event::NAME }

    StackSample {
        task: Option<&'a [u8]> = stack_sample::TASK_CONTEXT,
        task_iid: u64 = stack_sample::TASK_CONTEXT_IID,
        callstack: Option<&'a [u8]> = stack_sample::CALLSTACK,
        callstack_iid: u64 = stack_sample::CALLSTACK_IID,
        descriptor: Option<&'a [u8]> = stack_sample::PRIMARY_DESCRIPTOR,
        weight: Option<u64> = stack_sample::PRIMARY_WEIGHT,
    }

    StackSampleDefaults { source: &'a [u8] = stack_sample_defaults::SOURCE, descriptor: &'a [u8] = stack_sample_defaults::PRIMARY_DESCRIPTOR }

    TaskContext { pid: u32 = stack_sample_task_context::PID, tid: u32 = stack_sample_task_context::TID }

    /// The call stack of a track event.
    EventStack { inline: Option<&'a [u8]> = track_event::CALLSTACK, iid: u64 = track_event::CALLSTACK_IID, weight: Option<f64> = track_event::CALLSTACK_WEIGHT }

    TreeProcess { pid: i32 = process_tree_process::PID, uid: i32 = process_tree_process::UID, name_is_thread: bool = process_tree_process::CMDLINE_IS_COMM }

    TreeThread { tid: i32 = process_tree_thread::TID, pid: i32 = process_tree_thread::TGID, name: &'a [u8] = process_tree_thread::NAME }

    FtraceBundle {
        cpu: u32 = ftrace_event_bundle::CPU,
        compact: Option<&'a [u8]> = ftrace_event_bundle::COMPACT_SCHED,
        clock: u32 = ftrace_event_bundle::FTRACE_CLOCK,
        clock_time: i64 = ftrace_event_bundle::FTRACE_TIMESTAMP,
        boot_time: i64 = ftrace_event_bundle::BOOT_TIMESTAMP,
    }

    Print { text: &'a [u8] = print_ftrace_event::BUF }

    SchedSwitch {
        prev_comm: &'a [u8] = sched_switch_ftrace_event::PREV_COMM,
        prev_pid: i32 = sched_switch_ftrace_event::PREV_PID,
        prev_state: i64 = sched_switch_ftrace_event::PREV_STATE,
        next_comm: &'a [u8] = sched_switch_ftrace_event::NEXT_COMM,
        next_pid: i32 = sched_switch_ftrace_event::NEXT_PID,
    }

    SchedWaking { comm: &'a [u8] = sched_waking_ftrace_event::COMM, pid: i32 = sched_waking_ftrace_event::PID }

    BlockedReason { pid: i32 = sched_blocked_reason_ftrace_event::PID, caller: u64 = sched_blocked_reason_ftrace_event::CALLER, io_wait: bool = sched_blocked_reason_ftrace_event::IO_WAIT }

    BinderTransaction { debug_id: i32 = binder_transaction_ftrace_event::DEBUG_ID, reply: u32 = binder_transaction_ftrace_event::REPLY, flags: u32 = binder_transaction_ftrace_event::FLAGS }

    RssStat { member: u64 = rss_stat_ftrace_event::MEMBER, size: i64 = rss_stat_ftrace_event::SIZE, is_of_thread: Option<bool> = rss_stat_ftrace_event::CURR, memory: Option<u64> = rss_stat_ftrace_event::MM_ID }

    NewTask { pid: i32 = task_newtask_ftrace_event::PID, comm: &'a [u8] = task_newtask_ftrace_event::COMM, flags: u64 = task_newtask_ftrace_event::CLONE_FLAGS }

    RenamedTask { pid: i32 = task_rename_ftrace_event::PID, comm: &'a [u8] = task_rename_ftrace_event::NEWCOMM }

    SoftIrq { vector: u64 = softirq_entry_ftrace_event::VEC }

    BinderReturn { command: u64 = binder_return_ftrace_event::CMD }

    /// The function of deferred work.
    Work { function: u64 = workqueue_execute_start_ftrace_event::FUNCTION }

    ModuleSymbols { path: &'a [u8] = module_symbols::PATH, build_id: &'a [u8] = module_symbols::BUILD_ID }

    AddressSymbols { address: u64 = address_symbols::ADDRESS }

    SymbolLine { function: &'a [u8] = line::FUNCTION_NAME, file: &'a [u8] = line::SOURCE_FILE_NAME, number: u32 = line::LINE_NUMBER }

    PackageInfo { name: &'a [u8] = packages_list_package_info::NAME, uid: u64 = packages_list_package_info::UID }

    /// A class whose name is obfuscated in the program.
    PlainClass { short: &'a [u8] = obfuscated_class::OBFUSCATED_NAME, long: &'a [u8] = obfuscated_class::DEOBFUSCATED_NAME }

    PlainMethod { short: &'a [u8] = obfuscated_member::OBFUSCATED_NAME, long: &'a [u8] = obfuscated_member::DEOBFUSCATED_NAME }

    MemInfo { key: u64 = sys_stats_meminfo_value::KEY, value: u64 = sys_stats_meminfo_value::VALUE }

    VmStat { key: u64 = sys_stats_vmstat_value::KEY, value: u64 = sys_stats_vmstat_value::VALUE }

    CpuTimes {
        cpu: u32 = sys_stats_cpu_times::CPU_ID,
        user: u64 = sys_stats_cpu_times::USER_NS,
        nice: u64 = sys_stats_cpu_times::USER_NICE_NS,
        system: u64 = sys_stats_cpu_times::SYSTEM_MODE_NS,
        idle: u64 = sys_stats_cpu_times::IDLE_NS,
        io_wait: u64 = sys_stats_cpu_times::IO_WAIT_NS,
        irq: u64 = sys_stats_cpu_times::IRQ_NS,
        softirq: u64 = sys_stats_cpu_times::SOFTIRQ_NS,
        steal: u64 = sys_stats_cpu_times::STEAL_NS,
    }

    InterruptCount { irq: i32 = sys_stats_interrupt_count::IRQ, count: u64 = sys_stats_interrupt_count::COUNT }

    DevfreqValue { key: &'a [u8] = sys_stats_devfreq_value::KEY, value: u64 = sys_stats_devfreq_value::VALUE }

    BuddyInfo { node: &'a [u8] = sys_stats_buddy_info::NODE, zone: &'a [u8] = sys_stats_buddy_info::ZONE }

    DiskStat {
        name: &'a [u8] = sys_stats_disk_stat::DEVICE_NAME,
        read_sectors: u64 = sys_stats_disk_stat::READ_SECTORS,
        read_ms: u64 = sys_stats_disk_stat::READ_TIME_MS,
        write_sectors: u64 = sys_stats_disk_stat::WRITE_SECTORS,
        write_ms: u64 = sys_stats_disk_stat::WRITE_TIME_MS,
        discard_sectors: u64 = sys_stats_disk_stat::DISCARD_SECTORS,
        discard_ms: u64 = sys_stats_disk_stat::DISCARD_TIME_MS,
        flushes: u64 = sys_stats_disk_stat::FLUSH_COUNT,
        flush_ms: u64 = sys_stats_disk_stat::FLUSH_TIME_MS,
    }

    Pressure { resource: u64 = sys_stats_psi_sample::RESOURCE, total: u64 = sys_stats_psi_sample::TOTAL_NS }

    ThermalZone { temperature: u64 = sys_stats_thermal_zone::TEMP, kind: &'a [u8] = sys_stats_thermal_zone::TYPE }

    CpuIdle { cpu: u32 = sys_stats_cpu_idle_state::CPU_ID }

    IdleState { name: &'a [u8] = sys_stats_cpu_idle_state_entry::STATE, us: u64 = sys_stats_cpu_idle_state_entry::DURATION_US }

    SlabInfo { name: &'a [u8] = sys_stats_slab_info::NAME, pages: u64 = sys_stats_slab_info::PAGES_PER_SLAB, slabs: u64 = sys_stats_slab_info::NUM_SLABS }

    ProcessStats { pid: i32 = process_stats_process::PID }

    Battery {
        charge: Option<i64> = battery_counters::CHARGE_COUNTER_UAH,
        capacity: Option<f64> = battery_counters::CAPACITY_PERCENT,
        current: Option<i64> = battery_counters::CURRENT_UA,
        average: Option<i64> = battery_counters::CURRENT_AVG_UA,
        name: &'a [u8] = battery_counters::NAME,
        energy: Option<i64> = battery_counters::ENERGY_COUNTER_UWH,
        voltage: Option<i64> = battery_counters::VOLTAGE_UV,
    }

    Rails { session: u64 = power_rails::SESSION_UUID }

    Rail { index: u32 = power_rails_rail_descriptor::INDEX, name: &'a [u8] = power_rails_rail_descriptor::RAIL_NAME }

    EnergyData {
        index: u32 = power_rails_energy_data::INDEX,
        timestamp_ms: Option<u64> = power_rails_energy_data::TIMESTAMP_MS,
        energy: u64 = power_rails_energy_data::ENERGY,
    }

    Energy {
        consumers: &'a [u8] = android_energy_estimation_breakdown::ENERGY_CONSUMER_DESCRIPTOR,
        consumer: Option<i32> = android_energy_estimation_breakdown::ENERGY_CONSUMER_ID,
        uws: Option<i64> = android_energy_estimation_breakdown::ENERGY_UWS,
    }

    EnergyConsumer { id: i32 = android_energy_consumer::ENERGY_CONSUMER_ID, name: &'a [u8] = android_energy_consumer::NAME }

    EnergyOfUid {
        uid: i32 = android_energy_estimation_breakdown_energy_uid_breakdown::UID,
        uws: i64 = android_energy_estimation_breakdown_energy_uid_breakdown::ENERGY_UWS,
    }

    EntityState {
        entity: i32 = entity_state_residency_power_entity_state::ENTITY_INDEX,
        state: i32 = entity_state_residency_power_entity_state::STATE_INDEX,
        entity_name: &'a [u8] = entity_state_residency_power_entity_state::ENTITY_NAME,
        state_name: &'a [u8] = entity_state_residency_power_entity_state::STATE_NAME,
    }

    Residency {
        entity: i32 = entity_state_residency_state_residency::ENTITY_INDEX,
        state: i32 = entity_state_residency_state_residency::STATE_INDEX,
        ms: u64 = entity_state_residency_state_residency::TOTAL_TIME_IN_STATE_MS,
    }

    Wakelock { id: u32 = kernel_wakelock_data_wakelock::WAKELOCK_ID, name: &'a [u8] = kernel_wakelock_data_wakelock::WAKELOCK_NAME }

    CpuPerUid { clusters: Option<u32> = cpu_per_uid_data::CLUSTER_COUNT }

    Property {
        name: &'a [u8] = android_system_property_property_value::NAME,
        value: &'a [u8] = android_system_property_property_value::VALUE,
    }

    LogLine {
        pid: i32 = android_log_packet_log_event::PID,
        tid: i32 = android_log_packet_log_event::TID,
        timestamp: u64 = android_log_packet_log_event::TIMESTAMP,
        tag: &'a [u8] = android_log_packet_log_event::TAG,
        priority: u64 = android_log_packet_log_event::PRIO,
        message: &'a [u8] = android_log_packet_log_event::MESSAGE,
    }

    ChromeTrigger { name: &'a [u8] = chrome_trigger::TRIGGER_NAME, hash: Option<u32> = chrome_trigger::TRIGGER_NAME_HASH }

    Display { state: i32 = initial_display_state::DISPLAY_STATE }

    CpuFrequency { cpu: u32 = generic_kernel_cpu_frequency_event::CPU, hertz: u64 = generic_kernel_cpu_frequency_event::FREQ_HZ }

    GpuFrequency { gpu: u32 = generic_gpu_frequency_event::GPU_ID, khz: u64 = generic_gpu_frequency_event::FREQUENCY_KHZ }

    GpuMemory { gpu: u32 = gpu_mem_total_event::GPU_ID, pid: u32 = gpu_mem_total_event::PID, size: u64 = gpu_mem_total_event::SIZE }

    GpuLog { severity: u64 = gpu_log::SEVERITY, tag: &'a [u8] = gpu_log::TAG, message: &'a [u8] = gpu_log::LOG_MESSAGE }

    VulkanEvent { submit: Option<&'a [u8]> = vulkan_api_event::VK_QUEUE_SUBMIT }

    QueueSubmit {
        duration: u64 = vulkan_api_event_vk_queue_submit::DURATION_NS,
        pid: u32 = vulkan_api_event_vk_queue_submit::PID,
        tid: u32 = vulkan_api_event_vk_queue_submit::TID,
        submission: u32 = vulkan_api_event_vk_queue_submit::SUBMISSION_ID,
    }

    RenderStage {
        event: Option<u64> = gpu_render_stage_event::EVENT_ID,
        duration: u64 = gpu_render_stage_event::DURATION,
        gpu: i32 = gpu_render_stage_event::GPU_ID,
        queue_iid: Option<u64> = gpu_render_stage_event::HW_QUEUE_IID,
        queue: u32 = gpu_render_stage_event::HW_QUEUE_ID,
        stage_iid: Option<u64> = gpu_render_stage_event::STAGE_IID,
        stage: u32 = gpu_render_stage_event::STAGE_ID,
        name: Option<&'a [u8]> = gpu_render_stage_event::NAME,
        name_iid: Option<u64> = gpu_render_stage_event::NAME_IID,
        submission: u32 = gpu_render_stage_event::SUBMISSION_ID,
        specifications: Option<&'a [u8]> = gpu_render_stage_event::SPECIFICATIONS,
    }

    StageSpec { name: &'a [u8] = gpu_render_stage_event_specifications_description::NAME }

    /// A name with a value.
    Named { name: &'a [u8] = gpu_render_stage_event_extra_data::NAME, value: &'a [u8] = gpu_render_stage_event_extra_data::VALUE }

    GpuCounterEvent {
        descriptor: Option<&'a [u8]> = gpu_counter_event::COUNTER_DESCRIPTOR,
        descriptor_iid: Option<u64> = gpu_counter_event::COUNTER_DESCRIPTOR_IID,
        gpu: i32 = gpu_counter_event::GPU_ID,
    }

    GpuCounterSpec {
        id: u32 = gpu_counter_descriptor_gpu_counter_spec::COUNTER_ID,
        name: &'a [u8] = gpu_counter_descriptor_gpu_counter_spec::NAME,
        direction: u32 = gpu_counter_descriptor_gpu_counter_spec::VALUE_DIRECTION,
    }

    GpuCounter {
        id: u32 = gpu_counter_event_gpu_counter::COUNTER_ID,
        int: i64 = gpu_counter_event_gpu_counter::INT_VALUE,
        double: Option<f64> = gpu_counter_event_gpu_counter::DOUBLE_VALUE,
    }
}
