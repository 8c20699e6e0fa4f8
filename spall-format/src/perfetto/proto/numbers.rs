//! The numbers of fields, by the names that Perfetto's schema gives them.
//!
//! Made by the test `perfetto_schema` for what the reader names; not to be edited.

/// `AddressSymbols`.
pub(in crate::perfetto) mod address_symbols {
    pub(in crate::perfetto) const ADDRESS: u32 = 1;
    pub(in crate::perfetto) const LINES: u32 = 2;
}
/// `AndroidEnergyConsumer`.
pub(in crate::perfetto) mod android_energy_consumer {
    pub(in crate::perfetto) const ENERGY_CONSUMER_ID: u32 = 1;
    pub(in crate::perfetto) const NAME: u32 = 4;
}
/// `AndroidEnergyConsumerDescriptor`.
pub(in crate::perfetto) mod android_energy_consumer_descriptor {
    pub(in crate::perfetto) const ENERGY_CONSUMERS: u32 = 1;
}
/// `AndroidEnergyEstimationBreakdown`.
pub(in crate::perfetto) mod android_energy_estimation_breakdown {
    pub(in crate::perfetto) const ENERGY_CONSUMER_DESCRIPTOR: u32 = 1;
    pub(in crate::perfetto) const ENERGY_CONSUMER_ID: u32 = 2;
    pub(in crate::perfetto) const ENERGY_UWS: u32 = 3;
    pub(in crate::perfetto) const PER_UID_BREAKDOWN: u32 = 4;
}
/// `AndroidEnergyEstimationBreakdown.EnergyUidBreakdown`.
pub(in crate::perfetto) mod android_energy_estimation_breakdown_energy_uid_breakdown {
    pub(in crate::perfetto) const UID: u32 = 1;
    pub(in crate::perfetto) const ENERGY_UWS: u32 = 2;
}
/// `AndroidLogPacket`.
pub(in crate::perfetto) mod android_log_packet {
    pub(in crate::perfetto) const EVENTS: u32 = 1;
}
/// `AndroidLogPacket.LogEvent`.
pub(in crate::perfetto) mod android_log_packet_log_event {
    pub(in crate::perfetto) const PID: u32 = 2;
    pub(in crate::perfetto) const TID: u32 = 3;
    pub(in crate::perfetto) const TIMESTAMP: u32 = 5;
    pub(in crate::perfetto) const TAG: u32 = 6;
    pub(in crate::perfetto) const PRIO: u32 = 7;
    pub(in crate::perfetto) const MESSAGE: u32 = 8;
}
/// `AndroidSystemProperty`.
pub(in crate::perfetto) mod android_system_property {
    pub(in crate::perfetto) const VALUES: u32 = 1;
}
/// `AndroidSystemProperty.PropertyValue`.
pub(in crate::perfetto) mod android_system_property_property_value {
    pub(in crate::perfetto) const NAME: u32 = 1;
    pub(in crate::perfetto) const VALUE: u32 = 2;
}
/// `BatteryCounters`.
pub(in crate::perfetto) mod battery_counters {
    pub(in crate::perfetto) const CHARGE_COUNTER_UAH: u32 = 1;
    pub(in crate::perfetto) const CAPACITY_PERCENT: u32 = 2;
    pub(in crate::perfetto) const CURRENT_UA: u32 = 3;
    pub(in crate::perfetto) const CURRENT_AVG_UA: u32 = 4;
    pub(in crate::perfetto) const NAME: u32 = 5;
    pub(in crate::perfetto) const ENERGY_COUNTER_UWH: u32 = 6;
    pub(in crate::perfetto) const VOLTAGE_UV: u32 = 7;
}
/// `BinderReturnFtraceEvent`.
pub(in crate::perfetto) mod binder_return_ftrace_event {
    pub(in crate::perfetto) const CMD: u32 = 1;
}
/// `BinderTransactionFtraceEvent`.
pub(in crate::perfetto) mod binder_transaction_ftrace_event {
    pub(in crate::perfetto) const DEBUG_ID: u32 = 1;
    pub(in crate::perfetto) const REPLY: u32 = 5;
    pub(in crate::perfetto) const FLAGS: u32 = 7;
}
/// `Callstack`.
pub(in crate::perfetto) mod callstack {
    pub(in crate::perfetto) const FRAME_IDS: u32 = 2;
}
/// `ChromeProcessDescriptor`.
pub(in crate::perfetto) mod chrome_process_descriptor {
    pub(in crate::perfetto) const PROCESS_TYPE: u32 = 1;
    pub(in crate::perfetto) const LEGACY_SORT_INDEX: u32 = 3;
}
/// `ChromeThreadDescriptor`.
pub(in crate::perfetto) mod chrome_thread_descriptor {
    pub(in crate::perfetto) const THREAD_TYPE: u32 = 1;
    pub(in crate::perfetto) const LEGACY_SORT_INDEX: u32 = 2;
}
/// `ChromeTrigger`.
pub(in crate::perfetto) mod chrome_trigger {
    pub(in crate::perfetto) const TRIGGER_NAME: u32 = 1;
    pub(in crate::perfetto) const TRIGGER_NAME_HASH: u32 = 2;
}
/// `ClockSnapshot`.
pub(in crate::perfetto) mod clock_snapshot {
    pub(in crate::perfetto) const CLOCKS: u32 = 1;
}
/// `ClockSnapshot.Clock`.
pub(in crate::perfetto) mod clock_snapshot_clock {
    pub(in crate::perfetto) const CLOCK_ID: u32 = 1;
    pub(in crate::perfetto) const TIMESTAMP: u32 = 2;
    pub(in crate::perfetto) const IS_INCREMENTAL: u32 = 3;
    pub(in crate::perfetto) const UNIT_MULTIPLIER_NS: u32 = 4;
}
/// `CounterDescriptor`.
pub(in crate::perfetto) mod counter_descriptor {
    pub(in crate::perfetto) const TYPE: u32 = 1;
    pub(in crate::perfetto) const UNIT: u32 = 3;
    pub(in crate::perfetto) const UNIT_MULTIPLIER: u32 = 4;
    pub(in crate::perfetto) const IS_INCREMENTAL: u32 = 5;
    pub(in crate::perfetto) const UNIT_NAME: u32 = 6;
}
/// `CpuPerUidData`.
pub(in crate::perfetto) mod cpu_per_uid_data {
    pub(in crate::perfetto) const CLUSTER_COUNT: u32 = 1;
    pub(in crate::perfetto) const UID: u32 = 2;
    pub(in crate::perfetto) const TOTAL_TIME_MS: u32 = 3;
}
/// `DeobfuscationMapping`.
pub(in crate::perfetto) mod deobfuscation_mapping {
    pub(in crate::perfetto) const PACKAGE_NAME: u32 = 1;
    pub(in crate::perfetto) const OBFUSCATED_CLASSES: u32 = 3;
}
/// `EntityStateResidency`.
pub(in crate::perfetto) mod entity_state_residency {
    pub(in crate::perfetto) const POWER_ENTITY_STATE: u32 = 1;
    pub(in crate::perfetto) const RESIDENCY: u32 = 2;
}
/// `EntityStateResidency.PowerEntityState`.
pub(in crate::perfetto) mod entity_state_residency_power_entity_state {
    pub(in crate::perfetto) const ENTITY_INDEX: u32 = 1;
    pub(in crate::perfetto) const STATE_INDEX: u32 = 2;
    pub(in crate::perfetto) const ENTITY_NAME: u32 = 3;
    pub(in crate::perfetto) const STATE_NAME: u32 = 4;
}
/// `EntityStateResidency.StateResidency`.
pub(in crate::perfetto) mod entity_state_residency_state_residency {
    pub(in crate::perfetto) const ENTITY_INDEX: u32 = 1;
    pub(in crate::perfetto) const STATE_INDEX: u32 = 2;
    pub(in crate::perfetto) const TOTAL_TIME_IN_STATE_MS: u32 = 3;
}
/// `FollowerEvent`.
pub(in crate::perfetto) mod follower_event {
    pub(in crate::perfetto) const COUNTER: u32 = 1;
    pub(in crate::perfetto) const TRACEPOINT: u32 = 2;
    pub(in crate::perfetto) const NAME: u32 = 4;
}
/// `Frame`.
pub(in crate::perfetto) mod frame {
    pub(in crate::perfetto) const FUNCTION_NAME_ID: u32 = 2;
    pub(in crate::perfetto) const MAPPING_ID: u32 = 3;
    pub(in crate::perfetto) const REL_PC: u32 = 4;
    pub(in crate::perfetto) const SOURCE_PATH_IID: u32 = 5;
    pub(in crate::perfetto) const LINE_NUMBER: u32 = 6;
}
/// `FtraceEvent`.
pub(in crate::perfetto) mod ftrace_event {
    pub(in crate::perfetto) const TIMESTAMP: u32 = 1;
    pub(in crate::perfetto) const PID: u32 = 2;
    pub(in crate::perfetto) const PRINT: u32 = 3;
    pub(in crate::perfetto) const SCHED_SWITCH: u32 = 4;
    pub(in crate::perfetto) const SCHED_BLOCKED_REASON: u32 = 18;
    pub(in crate::perfetto) const SCHED_WAKING: u32 = 20;
    pub(in crate::perfetto) const IPI_ENTRY: u32 = 21;
    pub(in crate::perfetto) const IPI_EXIT: u32 = 22;
    pub(in crate::perfetto) const SOFTIRQ_ENTRY: u32 = 24;
    pub(in crate::perfetto) const SOFTIRQ_EXIT: u32 = 25;
    pub(in crate::perfetto) const IRQ_HANDLER_ENTRY: u32 = 36;
    pub(in crate::perfetto) const IRQ_HANDLER_EXIT: u32 = 37;
    pub(in crate::perfetto) const BINDER_TRANSACTION: u32 = 50;
    pub(in crate::perfetto) const BINDER_TRANSACTION_RECEIVED: u32 = 51;
    pub(in crate::perfetto) const BINDER_LOCK: u32 = 53;
    pub(in crate::perfetto) const BINDER_LOCKED: u32 = 54;
    pub(in crate::perfetto) const BINDER_UNLOCK: u32 = 55;
    pub(in crate::perfetto) const WORKQUEUE_EXECUTE_END: u32 = 57;
    pub(in crate::perfetto) const WORKQUEUE_EXECUTE_START: u32 = 58;
    pub(in crate::perfetto) const TASK_NEWTASK: u32 = 235;
    pub(in crate::perfetto) const TASK_RENAME: u32 = 236;
    pub(in crate::perfetto) const SCHED_PROCESS_EXIT: u32 = 238;
    pub(in crate::perfetto) const RSS_STAT: u32 = 313;
    pub(in crate::perfetto) const BINDER_RETURN: u32 = 486;
}
/// `FtraceEventBundle`.
pub(in crate::perfetto) mod ftrace_event_bundle {
    pub(in crate::perfetto) const CPU: u32 = 1;
    pub(in crate::perfetto) const EVENT: u32 = 2;
    pub(in crate::perfetto) const COMPACT_SCHED: u32 = 4;
    pub(in crate::perfetto) const FTRACE_CLOCK: u32 = 5;
    pub(in crate::perfetto) const FTRACE_TIMESTAMP: u32 = 6;
    pub(in crate::perfetto) const BOOT_TIMESTAMP: u32 = 7;
}
/// `FtraceEventBundle.CompactSched`.
pub(in crate::perfetto) mod ftrace_event_bundle_compact_sched {
    pub(in crate::perfetto) const SWITCH_TIMESTAMP: u32 = 1;
    pub(in crate::perfetto) const SWITCH_PREV_STATE: u32 = 2;
    pub(in crate::perfetto) const SWITCH_NEXT_PID: u32 = 3;
    pub(in crate::perfetto) const SWITCH_NEXT_PRIO: u32 = 4;
    pub(in crate::perfetto) const INTERN_TABLE: u32 = 5;
    pub(in crate::perfetto) const SWITCH_NEXT_COMM_INDEX: u32 = 6;
    pub(in crate::perfetto) const WAKING_TIMESTAMP: u32 = 7;
    pub(in crate::perfetto) const WAKING_PID: u32 = 8;
}
/// `GenericGpuFrequencyEvent`.
pub(in crate::perfetto) mod generic_gpu_frequency_event {
    pub(in crate::perfetto) const GPU_ID: u32 = 1;
    pub(in crate::perfetto) const FREQUENCY_KHZ: u32 = 2;
}
/// `GenericKernelCpuFrequencyEvent`.
pub(in crate::perfetto) mod generic_kernel_cpu_frequency_event {
    pub(in crate::perfetto) const CPU: u32 = 1;
    pub(in crate::perfetto) const FREQ_HZ: u32 = 2;
}
/// `GpuCounterDescriptor`.
pub(in crate::perfetto) mod gpu_counter_descriptor {
    pub(in crate::perfetto) const SPECS: u32 = 1;
}
/// `GpuCounterDescriptor.GpuCounterSpec`.
pub(in crate::perfetto) mod gpu_counter_descriptor_gpu_counter_spec {
    pub(in crate::perfetto) const COUNTER_ID: u32 = 1;
    pub(in crate::perfetto) const NAME: u32 = 2;
    pub(in crate::perfetto) const VALUE_DIRECTION: u32 = 11;
}
/// `GpuCounterEvent`.
pub(in crate::perfetto) mod gpu_counter_event {
    pub(in crate::perfetto) const COUNTER_DESCRIPTOR: u32 = 1;
    pub(in crate::perfetto) const COUNTERS: u32 = 2;
    pub(in crate::perfetto) const GPU_ID: u32 = 3;
    pub(in crate::perfetto) const COUNTER_DESCRIPTOR_IID: u32 = 4;
}
/// `GpuCounterEvent.GpuCounter`.
pub(in crate::perfetto) mod gpu_counter_event_gpu_counter {
    pub(in crate::perfetto) const COUNTER_ID: u32 = 1;
    pub(in crate::perfetto) const INT_VALUE: u32 = 2;
    pub(in crate::perfetto) const DOUBLE_VALUE: u32 = 3;
}
/// `GpuLog`.
pub(in crate::perfetto) mod gpu_log {
    pub(in crate::perfetto) const SEVERITY: u32 = 1;
    pub(in crate::perfetto) const TAG: u32 = 2;
    pub(in crate::perfetto) const LOG_MESSAGE: u32 = 3;
}
/// `GpuMemTotalEvent`.
pub(in crate::perfetto) mod gpu_mem_total_event {
    pub(in crate::perfetto) const GPU_ID: u32 = 1;
    pub(in crate::perfetto) const PID: u32 = 2;
    pub(in crate::perfetto) const SIZE: u32 = 3;
}
/// `GpuRenderStageEvent`.
pub(in crate::perfetto) mod gpu_render_stage_event {
    pub(in crate::perfetto) const EVENT_ID: u32 = 1;
    pub(in crate::perfetto) const DURATION: u32 = 2;
    pub(in crate::perfetto) const HW_QUEUE_ID: u32 = 3;
    pub(in crate::perfetto) const STAGE_ID: u32 = 4;
    pub(in crate::perfetto) const EXTRA_DATA: u32 = 6;
    pub(in crate::perfetto) const SPECIFICATIONS: u32 = 7;
    pub(in crate::perfetto) const SUBMISSION_ID: u32 = 10;
    pub(in crate::perfetto) const GPU_ID: u32 = 11;
    pub(in crate::perfetto) const HW_QUEUE_IID: u32 = 13;
    pub(in crate::perfetto) const STAGE_IID: u32 = 14;
    pub(in crate::perfetto) const NAME: u32 = 17;
    pub(in crate::perfetto) const NAME_IID: u32 = 20;
}
/// `GpuRenderStageEvent.ExtraData`.
pub(in crate::perfetto) mod gpu_render_stage_event_extra_data {
    pub(in crate::perfetto) const NAME: u32 = 1;
    pub(in crate::perfetto) const VALUE: u32 = 2;
}
/// `GpuRenderStageEvent.Specifications`.
pub(in crate::perfetto) mod gpu_render_stage_event_specifications {
    pub(in crate::perfetto) const HW_QUEUE: u32 = 2;
    pub(in crate::perfetto) const STAGE: u32 = 3;
}
/// `GpuRenderStageEvent.Specifications.Description`.
pub(in crate::perfetto) mod gpu_render_stage_event_specifications_description {
    pub(in crate::perfetto) const NAME: u32 = 1;
}
/// `InitialDisplayState`.
pub(in crate::perfetto) mod initial_display_state {
    pub(in crate::perfetto) const DISPLAY_STATE: u32 = 1;
}
/// `InlineCallstack`.
pub(in crate::perfetto) mod inline_callstack {
    pub(in crate::perfetto) const FRAMES: u32 = 1;
}
/// `InlineCallstack.Frame`.
pub(in crate::perfetto) mod inline_callstack_frame {
    pub(in crate::perfetto) const FUNCTION_NAME: u32 = 1;
    pub(in crate::perfetto) const SOURCE_FILE: u32 = 2;
    pub(in crate::perfetto) const LINE_NUMBER: u32 = 3;
}
/// `InternedData`.
pub(in crate::perfetto) mod interned_data {
    pub(in crate::perfetto) const EVENT_CATEGORIES: u32 = 1;
    pub(in crate::perfetto) const EVENT_NAMES: u32 = 2;
    pub(in crate::perfetto) const DEBUG_ANNOTATION_NAMES: u32 = 3;
    pub(in crate::perfetto) const SOURCE_LOCATIONS: u32 = 4;
    pub(in crate::perfetto) const FUNCTION_NAMES: u32 = 5;
    pub(in crate::perfetto) const FRAMES: u32 = 6;
    pub(in crate::perfetto) const CALLSTACKS: u32 = 7;
    pub(in crate::perfetto) const BUILD_IDS: u32 = 16;
    pub(in crate::perfetto) const MAPPING_PATHS: u32 = 17;
    pub(in crate::perfetto) const SOURCE_PATHS: u32 = 18;
    pub(in crate::perfetto) const MAPPINGS: u32 = 19;
    pub(in crate::perfetto) const LOG_MESSAGE_BODY: u32 = 20;
    pub(in crate::perfetto) const GPU_SPECIFICATIONS: u32 = 24;
    pub(in crate::perfetto) const HISTOGRAM_NAMES: u32 = 25;
    pub(in crate::perfetto) const KERNEL_SYMBOLS: u32 = 26;
    pub(in crate::perfetto) const UNSYMBOLIZED_SOURCE_LOCATIONS: u32 = 28;
    pub(in crate::perfetto) const DEBUG_ANNOTATION_STRING_VALUES: u32 = 29;
    pub(in crate::perfetto) const CORRELATION_ID_STR: u32 = 43;
    pub(in crate::perfetto) const GPU_COUNTER_DESCRIPTORS: u32 = 47;
    pub(in crate::perfetto) const STACK_SAMPLE_TASK_CONTEXTS: u32 = 48;
    pub(in crate::perfetto) const STACK_SAMPLE_EXECUTION_CONTEXTS: u32 = 49;
    pub(in crate::perfetto) const STACK_SAMPLE_COUNTER_DESCRIPTORS: u32 = 50;
    pub(in crate::perfetto) const STACK_SAMPLE_ASYNC_CONTEXT_DESCRIPTORS: u32 = 51;
}
/// `InternedString`.
pub(in crate::perfetto) mod interned_string {
    pub(in crate::perfetto) const IID: u32 = 1;
    pub(in crate::perfetto) const STR: u32 = 2;
}
/// `IpiEntryFtraceEvent`.
pub(in crate::perfetto) mod ipi_entry_ftrace_event {
    pub(in crate::perfetto) const REASON: u32 = 1;
}
/// `IrqHandlerEntryFtraceEvent`.
pub(in crate::perfetto) mod irq_handler_entry_ftrace_event {
    pub(in crate::perfetto) const NAME: u32 = 2;
}
/// `KernelWakelockData`.
pub(in crate::perfetto) mod kernel_wakelock_data {
    pub(in crate::perfetto) const WAKELOCK: u32 = 1;
    pub(in crate::perfetto) const WAKELOCK_ID: u32 = 2;
    pub(in crate::perfetto) const TIME_HELD_MILLIS: u32 = 3;
}
/// `KernelWakelockData.Wakelock`.
pub(in crate::perfetto) mod kernel_wakelock_data_wakelock {
    pub(in crate::perfetto) const WAKELOCK_ID: u32 = 1;
    pub(in crate::perfetto) const WAKELOCK_NAME: u32 = 2;
}
/// `Line`.
pub(in crate::perfetto) mod line {
    pub(in crate::perfetto) const FUNCTION_NAME: u32 = 1;
    pub(in crate::perfetto) const SOURCE_FILE_NAME: u32 = 2;
    pub(in crate::perfetto) const LINE_NUMBER: u32 = 3;
}
/// `Mapping`.
pub(in crate::perfetto) mod mapping {
    pub(in crate::perfetto) const BUILD_ID: u32 = 2;
    pub(in crate::perfetto) const PATH_STRING_IDS: u32 = 7;
}
/// `ModuleSymbols`.
pub(in crate::perfetto) mod module_symbols {
    pub(in crate::perfetto) const PATH: u32 = 1;
    pub(in crate::perfetto) const BUILD_ID: u32 = 2;
    pub(in crate::perfetto) const ADDRESS_SYMBOLS: u32 = 3;
}
/// `ObfuscatedClass`.
pub(in crate::perfetto) mod obfuscated_class {
    pub(in crate::perfetto) const OBFUSCATED_NAME: u32 = 1;
    pub(in crate::perfetto) const DEOBFUSCATED_NAME: u32 = 2;
    pub(in crate::perfetto) const OBFUSCATED_METHODS: u32 = 4;
}
/// `ObfuscatedMember`.
pub(in crate::perfetto) mod obfuscated_member {
    pub(in crate::perfetto) const OBFUSCATED_NAME: u32 = 1;
    pub(in crate::perfetto) const DEOBFUSCATED_NAME: u32 = 2;
}
/// `PackagesList`.
pub(in crate::perfetto) mod packages_list {
    pub(in crate::perfetto) const PACKAGES: u32 = 1;
}
/// `PackagesList.PackageInfo`.
pub(in crate::perfetto) mod packages_list_package_info {
    pub(in crate::perfetto) const NAME: u32 = 1;
    pub(in crate::perfetto) const UID: u32 = 2;
}
/// `PerfEvents.Timebase`.
pub(in crate::perfetto) mod perf_events_timebase {
    pub(in crate::perfetto) const TRACEPOINT: u32 = 3;
    pub(in crate::perfetto) const COUNTER: u32 = 4;
    pub(in crate::perfetto) const NAME: u32 = 10;
}
/// `PerfEvents.Tracepoint`.
pub(in crate::perfetto) mod perf_events_tracepoint {
    pub(in crate::perfetto) const NAME: u32 = 1;
}
/// `PerfSample`.
pub(in crate::perfetto) mod perf_sample {
    pub(in crate::perfetto) const CPU: u32 = 1;
    pub(in crate::perfetto) const PID: u32 = 2;
    pub(in crate::perfetto) const TID: u32 = 3;
    pub(in crate::perfetto) const CALLSTACK_IID: u32 = 4;
    pub(in crate::perfetto) const TIMEBASE_COUNT: u32 = 6;
    pub(in crate::perfetto) const FOLLOWER_COUNTS: u32 = 7;
    pub(in crate::perfetto) const KERNEL_RECORDS_LOST: u32 = 17;
    pub(in crate::perfetto) const SAMPLE_SKIPPED_REASON: u32 = 18;
    pub(in crate::perfetto) const PRODUCER_EVENT: u32 = 19;
}
/// `PerfSampleDefaults`.
pub(in crate::perfetto) mod perf_sample_defaults {
    pub(in crate::perfetto) const TIMEBASE: u32 = 1;
    pub(in crate::perfetto) const FOLLOWERS: u32 = 4;
}
/// `PowerRails`.
pub(in crate::perfetto) mod power_rails {
    pub(in crate::perfetto) const RAIL_DESCRIPTOR: u32 = 1;
    pub(in crate::perfetto) const ENERGY_DATA: u32 = 2;
    pub(in crate::perfetto) const SESSION_UUID: u32 = 3;
}
/// `PowerRails.EnergyData`.
pub(in crate::perfetto) mod power_rails_energy_data {
    pub(in crate::perfetto) const INDEX: u32 = 1;
    pub(in crate::perfetto) const TIMESTAMP_MS: u32 = 2;
    pub(in crate::perfetto) const ENERGY: u32 = 3;
}
/// `PowerRails.RailDescriptor`.
pub(in crate::perfetto) mod power_rails_rail_descriptor {
    pub(in crate::perfetto) const INDEX: u32 = 1;
    pub(in crate::perfetto) const RAIL_NAME: u32 = 2;
}
/// `PrintFtraceEvent`.
pub(in crate::perfetto) mod print_ftrace_event {
    pub(in crate::perfetto) const BUF: u32 = 2;
}
/// `ProcessDescriptor`.
pub(in crate::perfetto) mod process_descriptor {
    pub(in crate::perfetto) const PID: u32 = 1;
    pub(in crate::perfetto) const CMDLINE: u32 = 2;
    pub(in crate::perfetto) const LEGACY_SORT_INDEX: u32 = 3;
    pub(in crate::perfetto) const CHROME_PROCESS_TYPE: u32 = 4;
    pub(in crate::perfetto) const PROCESS_NAME: u32 = 6;
    pub(in crate::perfetto) const PROCESS_LABELS: u32 = 8;
}
/// `ProcessStats`.
pub(in crate::perfetto) mod process_stats {
    pub(in crate::perfetto) const PROCESSES: u32 = 1;
}
/// `ProcessStats.Process`.
pub(in crate::perfetto) mod process_stats_process {
    pub(in crate::perfetto) const PID: u32 = 1;
    pub(in crate::perfetto) const VM_SIZE_KB: u32 = 2;
    pub(in crate::perfetto) const VM_RSS_KB: u32 = 3;
    pub(in crate::perfetto) const RSS_ANON_KB: u32 = 4;
    pub(in crate::perfetto) const RSS_FILE_KB: u32 = 5;
    pub(in crate::perfetto) const RSS_SHMEM_KB: u32 = 6;
    pub(in crate::perfetto) const VM_SWAP_KB: u32 = 7;
    pub(in crate::perfetto) const VM_LOCKED_KB: u32 = 8;
    pub(in crate::perfetto) const VM_HWM_KB: u32 = 9;
    pub(in crate::perfetto) const OOM_SCORE_ADJ: u32 = 10;
    pub(in crate::perfetto) const CHROME_PRIVATE_FOOTPRINT_KB: u32 = 13;
    pub(in crate::perfetto) const CHROME_PEAK_RESIDENT_SET_KB: u32 = 14;
    pub(in crate::perfetto) const SMR_RSS_KB: u32 = 16;
    pub(in crate::perfetto) const SMR_PSS_KB: u32 = 17;
    pub(in crate::perfetto) const SMR_PSS_ANON_KB: u32 = 18;
    pub(in crate::perfetto) const SMR_PSS_FILE_KB: u32 = 19;
    pub(in crate::perfetto) const SMR_PSS_SHMEM_KB: u32 = 20;
    pub(in crate::perfetto) const RUNTIME_USER_MODE: u32 = 21;
    pub(in crate::perfetto) const RUNTIME_KERNEL_MODE: u32 = 22;
    pub(in crate::perfetto) const SMR_SWAP_PSS_KB: u32 = 23;
    pub(in crate::perfetto) const DMABUF_RSS_KB: u32 = 24;
}
/// `ProcessTree`.
pub(in crate::perfetto) mod process_tree {
    pub(in crate::perfetto) const PROCESSES: u32 = 1;
    pub(in crate::perfetto) const THREADS: u32 = 2;
}
/// `ProcessTree.Process`.
pub(in crate::perfetto) mod process_tree_process {
    pub(in crate::perfetto) const PID: u32 = 1;
    pub(in crate::perfetto) const CMDLINE: u32 = 3;
    pub(in crate::perfetto) const UID: u32 = 5;
    pub(in crate::perfetto) const CMDLINE_IS_COMM: u32 = 9;
}
/// `ProcessTree.Thread`.
pub(in crate::perfetto) mod process_tree_thread {
    pub(in crate::perfetto) const TID: u32 = 1;
    pub(in crate::perfetto) const NAME: u32 = 2;
    pub(in crate::perfetto) const TGID: u32 = 3;
}
/// `RssStatFtraceEvent`.
pub(in crate::perfetto) mod rss_stat_ftrace_event {
    pub(in crate::perfetto) const MEMBER: u32 = 1;
    pub(in crate::perfetto) const SIZE: u32 = 2;
    pub(in crate::perfetto) const CURR: u32 = 3;
    pub(in crate::perfetto) const MM_ID: u32 = 4;
}
/// `SchedBlockedReasonFtraceEvent`.
pub(in crate::perfetto) mod sched_blocked_reason_ftrace_event {
    pub(in crate::perfetto) const PID: u32 = 1;
    pub(in crate::perfetto) const CALLER: u32 = 2;
    pub(in crate::perfetto) const IO_WAIT: u32 = 3;
}
/// `SchedSwitchFtraceEvent`.
pub(in crate::perfetto) mod sched_switch_ftrace_event {
    pub(in crate::perfetto) const PREV_COMM: u32 = 1;
    pub(in crate::perfetto) const PREV_PID: u32 = 2;
    pub(in crate::perfetto) const PREV_STATE: u32 = 4;
    pub(in crate::perfetto) const NEXT_COMM: u32 = 5;
    pub(in crate::perfetto) const NEXT_PID: u32 = 6;
}
/// `SchedWakingFtraceEvent`.
pub(in crate::perfetto) mod sched_waking_ftrace_event {
    pub(in crate::perfetto) const COMM: u32 = 1;
    pub(in crate::perfetto) const PID: u32 = 2;
}
/// `SoftirqEntryFtraceEvent`.
pub(in crate::perfetto) mod softirq_entry_ftrace_event {
    pub(in crate::perfetto) const VEC: u32 = 1;
}
/// `StackSample`.
pub(in crate::perfetto) mod stack_sample {
    pub(in crate::perfetto) const TASK_CONTEXT: u32 = 1;
    pub(in crate::perfetto) const TASK_CONTEXT_IID: u32 = 2;
    pub(in crate::perfetto) const CALLSTACK: u32 = 5;
    pub(in crate::perfetto) const CALLSTACK_IID: u32 = 6;
    pub(in crate::perfetto) const PRIMARY_DESCRIPTOR: u32 = 9;
    pub(in crate::perfetto) const PRIMARY_WEIGHT: u32 = 11;
}
/// `StackSample.CounterDescriptor`.
pub(in crate::perfetto) mod stack_sample_counter_descriptor {
    pub(in crate::perfetto) const NAME: u32 = 2;
}
/// `StackSampleDefaults`.
pub(in crate::perfetto) mod stack_sample_defaults {
    pub(in crate::perfetto) const SOURCE: u32 = 1;
    pub(in crate::perfetto) const PRIMARY_DESCRIPTOR: u32 = 2;
}
/// `StackSample.TaskContext`.
pub(in crate::perfetto) mod stack_sample_task_context {
    pub(in crate::perfetto) const PID: u32 = 2;
    pub(in crate::perfetto) const TID: u32 = 3;
}
/// `StreamingProfilePacket`.
pub(in crate::perfetto) mod streaming_profile_packet {
    pub(in crate::perfetto) const CALLSTACK_IID: u32 = 1;
    pub(in crate::perfetto) const TIMESTAMP_DELTA_US: u32 = 2;
}
/// `SysStats`.
pub(in crate::perfetto) mod sys_stats {
    pub(in crate::perfetto) const MEMINFO: u32 = 1;
    pub(in crate::perfetto) const VMSTAT: u32 = 2;
    pub(in crate::perfetto) const CPU_STAT: u32 = 3;
    pub(in crate::perfetto) const NUM_FORKS: u32 = 4;
    pub(in crate::perfetto) const NUM_IRQ_TOTAL: u32 = 5;
    pub(in crate::perfetto) const NUM_IRQ: u32 = 6;
    pub(in crate::perfetto) const NUM_SOFTIRQ_TOTAL: u32 = 7;
    pub(in crate::perfetto) const NUM_SOFTIRQ: u32 = 8;
    pub(in crate::perfetto) const DEVFREQ: u32 = 10;
    pub(in crate::perfetto) const CPUFREQ_KHZ: u32 = 11;
    pub(in crate::perfetto) const BUDDY_INFO: u32 = 12;
    pub(in crate::perfetto) const DISK_STAT: u32 = 13;
    pub(in crate::perfetto) const PSI: u32 = 14;
    pub(in crate::perfetto) const THERMAL_ZONE: u32 = 15;
    pub(in crate::perfetto) const CPUIDLE_STATE: u32 = 16;
    pub(in crate::perfetto) const GPUFREQ_MHZ: u32 = 17;
    pub(in crate::perfetto) const SLAB_INFO: u32 = 18;
}
/// `SysStats.BuddyInfo`.
pub(in crate::perfetto) mod sys_stats_buddy_info {
    pub(in crate::perfetto) const NODE: u32 = 1;
    pub(in crate::perfetto) const ZONE: u32 = 2;
    pub(in crate::perfetto) const ORDER_PAGES: u32 = 3;
}
/// `SysStats.CpuIdleState`.
pub(in crate::perfetto) mod sys_stats_cpu_idle_state {
    pub(in crate::perfetto) const CPU_ID: u32 = 1;
    pub(in crate::perfetto) const CPUIDLE_STATE_ENTRY: u32 = 2;
}
/// `SysStats.CpuIdleStateEntry`.
pub(in crate::perfetto) mod sys_stats_cpu_idle_state_entry {
    pub(in crate::perfetto) const STATE: u32 = 1;
    pub(in crate::perfetto) const DURATION_US: u32 = 2;
}
/// `SysStats.CpuTimes`.
pub(in crate::perfetto) mod sys_stats_cpu_times {
    pub(in crate::perfetto) const CPU_ID: u32 = 1;
    pub(in crate::perfetto) const USER_NS: u32 = 2;
    pub(in crate::perfetto) const USER_NICE_NS: u32 = 3;
    pub(in crate::perfetto) const SYSTEM_MODE_NS: u32 = 4;
    pub(in crate::perfetto) const IDLE_NS: u32 = 5;
    pub(in crate::perfetto) const IO_WAIT_NS: u32 = 6;
    pub(in crate::perfetto) const IRQ_NS: u32 = 7;
    pub(in crate::perfetto) const SOFTIRQ_NS: u32 = 8;
    pub(in crate::perfetto) const STEAL_NS: u32 = 9;
}
/// `SysStats.DevfreqValue`.
pub(in crate::perfetto) mod sys_stats_devfreq_value {
    pub(in crate::perfetto) const KEY: u32 = 1;
    pub(in crate::perfetto) const VALUE: u32 = 2;
}
/// `SysStats.DiskStat`.
pub(in crate::perfetto) mod sys_stats_disk_stat {
    pub(in crate::perfetto) const DEVICE_NAME: u32 = 1;
    pub(in crate::perfetto) const READ_SECTORS: u32 = 2;
    pub(in crate::perfetto) const READ_TIME_MS: u32 = 3;
    pub(in crate::perfetto) const WRITE_SECTORS: u32 = 4;
    pub(in crate::perfetto) const WRITE_TIME_MS: u32 = 5;
    pub(in crate::perfetto) const DISCARD_SECTORS: u32 = 6;
    pub(in crate::perfetto) const DISCARD_TIME_MS: u32 = 7;
    pub(in crate::perfetto) const FLUSH_COUNT: u32 = 8;
    pub(in crate::perfetto) const FLUSH_TIME_MS: u32 = 9;
}
/// `SysStats.InterruptCount`.
pub(in crate::perfetto) mod sys_stats_interrupt_count {
    pub(in crate::perfetto) const IRQ: u32 = 1;
    pub(in crate::perfetto) const COUNT: u32 = 2;
}
/// `SysStats.MeminfoValue`.
pub(in crate::perfetto) mod sys_stats_meminfo_value {
    pub(in crate::perfetto) const KEY: u32 = 1;
    pub(in crate::perfetto) const VALUE: u32 = 2;
}
/// `SysStats.PsiSample`.
pub(in crate::perfetto) mod sys_stats_psi_sample {
    pub(in crate::perfetto) const RESOURCE: u32 = 1;
    pub(in crate::perfetto) const TOTAL_NS: u32 = 2;
}
/// `SysStats.SlabInfo`.
pub(in crate::perfetto) mod sys_stats_slab_info {
    pub(in crate::perfetto) const NAME: u32 = 1;
    pub(in crate::perfetto) const PAGES_PER_SLAB: u32 = 2;
    pub(in crate::perfetto) const NUM_SLABS: u32 = 3;
}
/// `SysStats.ThermalZone`.
pub(in crate::perfetto) mod sys_stats_thermal_zone {
    pub(in crate::perfetto) const TEMP: u32 = 2;
    pub(in crate::perfetto) const TYPE: u32 = 3;
}
/// `SysStats.VmstatValue`.
pub(in crate::perfetto) mod sys_stats_vmstat_value {
    pub(in crate::perfetto) const KEY: u32 = 1;
    pub(in crate::perfetto) const VALUE: u32 = 2;
}
/// `TaskNewtaskFtraceEvent`.
pub(in crate::perfetto) mod task_newtask_ftrace_event {
    pub(in crate::perfetto) const PID: u32 = 1;
    pub(in crate::perfetto) const COMM: u32 = 2;
    pub(in crate::perfetto) const CLONE_FLAGS: u32 = 3;
}
/// `TaskRenameFtraceEvent`.
pub(in crate::perfetto) mod task_rename_ftrace_event {
    pub(in crate::perfetto) const PID: u32 = 1;
    pub(in crate::perfetto) const NEWCOMM: u32 = 3;
}
/// `ThreadDescriptor`.
pub(in crate::perfetto) mod thread_descriptor {
    pub(in crate::perfetto) const PID: u32 = 1;
    pub(in crate::perfetto) const TID: u32 = 2;
    pub(in crate::perfetto) const LEGACY_SORT_INDEX: u32 = 3;
    pub(in crate::perfetto) const CHROME_THREAD_TYPE: u32 = 4;
    pub(in crate::perfetto) const THREAD_NAME: u32 = 5;
    pub(in crate::perfetto) const REFERENCE_TIMESTAMP_US: u32 = 6;
    pub(in crate::perfetto) const REFERENCE_THREAD_TIME_US: u32 = 7;
    pub(in crate::perfetto) const REFERENCE_THREAD_INSTRUCTION_COUNT: u32 = 8;
}
/// `TracePacket`.
pub(in crate::perfetto) mod trace_packet {
    pub(in crate::perfetto) const FTRACE_EVENTS: u32 = 1;
    pub(in crate::perfetto) const PROCESS_TREE: u32 = 2;
    pub(in crate::perfetto) const CLOCK_SNAPSHOT: u32 = 6;
    pub(in crate::perfetto) const SYS_STATS: u32 = 7;
    pub(in crate::perfetto) const TIMESTAMP: u32 = 8;
    pub(in crate::perfetto) const PROCESS_STATS: u32 = 9;
    pub(in crate::perfetto) const TRUSTED_PACKET_SEQUENCE_ID: u32 = 10;
    pub(in crate::perfetto) const TRACK_EVENT: u32 = 11;
    pub(in crate::perfetto) const INTERNED_DATA: u32 = 12;
    pub(in crate::perfetto) const SEQUENCE_FLAGS: u32 = 13;
    pub(in crate::perfetto) const SYNCHRONIZATION_MARKER: u32 = 36;
    pub(in crate::perfetto) const BATTERY: u32 = 38;
    pub(in crate::perfetto) const ANDROID_LOG: u32 = 39;
    pub(in crate::perfetto) const POWER_RAILS: u32 = 40;
    pub(in crate::perfetto) const INCREMENTAL_STATE_CLEARED: u32 = 41;
    pub(in crate::perfetto) const PREVIOUS_PACKET_DROPPED: u32 = 42;
    pub(in crate::perfetto) const PROCESS_DESCRIPTOR: u32 = 43;
    pub(in crate::perfetto) const THREAD_DESCRIPTOR: u32 = 44;
    pub(in crate::perfetto) const TRIGGER: u32 = 46;
    pub(in crate::perfetto) const PACKAGES_LIST: u32 = 47;
    pub(in crate::perfetto) const COMPRESSED_PACKETS: u32 = 50;
    pub(in crate::perfetto) const GPU_COUNTER_EVENT: u32 = 52;
    pub(in crate::perfetto) const GPU_RENDER_STAGE_EVENT: u32 = 53;
    pub(in crate::perfetto) const STREAMING_PROFILE_PACKET: u32 = 54;
    pub(in crate::perfetto) const TIMESTAMP_CLOCK_ID: u32 = 58;
    pub(in crate::perfetto) const TRACE_PACKET_DEFAULTS: u32 = 59;
    pub(in crate::perfetto) const TRACK_DESCRIPTOR: u32 = 60;
    pub(in crate::perfetto) const MODULE_SYMBOLS: u32 = 61;
    pub(in crate::perfetto) const GPU_LOG: u32 = 63;
    pub(in crate::perfetto) const DEOBFUSCATION_MAPPING: u32 = 64;
    pub(in crate::perfetto) const VULKAN_API_EVENT: u32 = 65;
    pub(in crate::perfetto) const PERF_SAMPLE: u32 = 66;
    pub(in crate::perfetto) const INITIAL_DISPLAY_STATE: u32 = 70;
    pub(in crate::perfetto) const GPU_MEM_TOTAL_EVENT: u32 = 71;
    pub(in crate::perfetto) const ANDROID_ENERGY_ESTIMATION_BREAKDOWN: u32 = 77;
    pub(in crate::perfetto) const ANDROID_SYSTEM_PROPERTY: u32 = 86;
    pub(in crate::perfetto) const ENTITY_STATE_RESIDENCY: u32 = 91;
    pub(in crate::perfetto) const CHROME_TRIGGER: u32 = 109;
    pub(in crate::perfetto) const CLONE_SNAPSHOT_TRIGGER: u32 = 113;
    pub(in crate::perfetto) const KERNEL_WAKELOCK_DATA: u32 = 115;
    pub(in crate::perfetto) const GENERIC_KERNEL_CPU_FREQ_EVENT: u32 = 118;
    pub(in crate::perfetto) const CPU_PER_UID_DATA: u32 = 119;
    pub(in crate::perfetto) const GENERIC_GPU_FREQUENCY_EVENT: u32 = 129;
    pub(in crate::perfetto) const ZSTD_COMPRESSED_PACKETS: u32 = 133;
    pub(in crate::perfetto) const STACK_SAMPLE: u32 = 135;
}
/// `TracePacketDefaults`.
pub(in crate::perfetto) mod trace_packet_defaults {
    pub(in crate::perfetto) const TRACK_EVENT_DEFAULTS: u32 = 11;
    pub(in crate::perfetto) const PERF_SAMPLE_DEFAULTS: u32 = 12;
    pub(in crate::perfetto) const TIMESTAMP_CLOCK_ID: u32 = 58;
    pub(in crate::perfetto) const STACK_SAMPLE_DEFAULTS: u32 = 100;
}
/// `TrackDescriptor`.
pub(in crate::perfetto) mod track_descriptor {
    pub(in crate::perfetto) const UUID: u32 = 1;
    pub(in crate::perfetto) const NAME: u32 = 2;
    pub(in crate::perfetto) const PROCESS: u32 = 3;
    pub(in crate::perfetto) const THREAD: u32 = 4;
    pub(in crate::perfetto) const PARENT_UUID: u32 = 5;
    pub(in crate::perfetto) const CHROME_PROCESS: u32 = 6;
    pub(in crate::perfetto) const CHROME_THREAD: u32 = 7;
    pub(in crate::perfetto) const COUNTER: u32 = 8;
    pub(in crate::perfetto) const STATIC_NAME: u32 = 10;
    pub(in crate::perfetto) const CHILD_ORDERING: u32 = 11;
    pub(in crate::perfetto) const SIBLING_ORDER_RANK: u32 = 12;
    pub(in crate::perfetto) const ATRACE_NAME: u32 = 13;
    pub(in crate::perfetto) const SIBLING_MERGE_BEHAVIOR: u32 = 15;
    pub(in crate::perfetto) const SIBLING_MERGE_KEY: u32 = 16;
    pub(in crate::perfetto) const SIBLING_MERGE_KEY_INT: u32 = 17;
    pub(in crate::perfetto) const PROCESS_ORDERING: u32 = 19;
    pub(in crate::perfetto) const THREAD_ORDERING: u32 = 20;
}
/// `TrackEvent`.
pub(in crate::perfetto) mod track_event {
    pub(in crate::perfetto) const TIMESTAMP_DELTA_US: u32 = 1;
    pub(in crate::perfetto) const THREAD_TIME_DELTA_US: u32 = 2;
    pub(in crate::perfetto) const CATEGORY_IIDS: u32 = 3;
    pub(in crate::perfetto) const DEBUG_ANNOTATIONS: u32 = 4;
    pub(in crate::perfetto) const LEGACY_EVENT: u32 = 6;
    pub(in crate::perfetto) const THREAD_INSTRUCTION_COUNT_DELTA: u32 = 8;
    pub(in crate::perfetto) const TYPE: u32 = 9;
    pub(in crate::perfetto) const NAME_IID: u32 = 10;
    pub(in crate::perfetto) const TRACK_UUID: u32 = 11;
    pub(in crate::perfetto) const EXTRA_COUNTER_VALUES: u32 = 12;
    pub(in crate::perfetto) const TIMESTAMP_ABSOLUTE_US: u32 = 16;
    pub(in crate::perfetto) const THREAD_TIME_ABSOLUTE_US: u32 = 17;
    pub(in crate::perfetto) const THREAD_INSTRUCTION_COUNT_ABSOLUTE: u32 = 20;
    pub(in crate::perfetto) const CATEGORIES: u32 = 22;
    pub(in crate::perfetto) const NAME: u32 = 23;
    pub(in crate::perfetto) const COUNTER_VALUE: u32 = 30;
    pub(in crate::perfetto) const EXTRA_COUNTER_TRACK_UUIDS: u32 = 31;
    pub(in crate::perfetto) const FLOW_IDS_OLD: u32 = 36;
    pub(in crate::perfetto) const TERMINATING_FLOW_IDS_OLD: u32 = 42;
    pub(in crate::perfetto) const DOUBLE_COUNTER_VALUE: u32 = 44;
    pub(in crate::perfetto) const EXTRA_DOUBLE_COUNTER_TRACK_UUIDS: u32 = 45;
    pub(in crate::perfetto) const EXTRA_DOUBLE_COUNTER_VALUES: u32 = 46;
    pub(in crate::perfetto) const FLOW_IDS: u32 = 47;
    pub(in crate::perfetto) const TERMINATING_FLOW_IDS: u32 = 48;
    pub(in crate::perfetto) const CALLSTACK: u32 = 55;
    pub(in crate::perfetto) const CALLSTACK_IID: u32 = 56;
    pub(in crate::perfetto) const CALLSTACK_WEIGHT: u32 = 57;
}
/// `TrackEventDefaults`.
pub(in crate::perfetto) mod track_event_defaults {
    pub(in crate::perfetto) const TRACK_UUID: u32 = 11;
}
/// `TrackEvent.LegacyEvent`.
pub(in crate::perfetto) mod track_event_legacy_event {
    pub(in crate::perfetto) const NAME_IID: u32 = 1;
    pub(in crate::perfetto) const PHASE: u32 = 2;
    pub(in crate::perfetto) const DURATION_US: u32 = 3;
    pub(in crate::perfetto) const THREAD_DURATION_US: u32 = 4;
    pub(in crate::perfetto) const UNSCOPED_ID: u32 = 6;
    pub(in crate::perfetto) const ID_SCOPE: u32 = 7;
    pub(in crate::perfetto) const BIND_ID: u32 = 8;
    pub(in crate::perfetto) const USE_ASYNC_TTS: u32 = 9;
    pub(in crate::perfetto) const LOCAL_ID: u32 = 10;
    pub(in crate::perfetto) const GLOBAL_ID: u32 = 11;
    pub(in crate::perfetto) const BIND_TO_ENCLOSING: u32 = 12;
    pub(in crate::perfetto) const FLOW_DIRECTION: u32 = 13;
    pub(in crate::perfetto) const INSTANT_EVENT_SCOPE: u32 = 14;
    pub(in crate::perfetto) const THREAD_INSTRUCTION_DELTA: u32 = 15;
    pub(in crate::perfetto) const PID_OVERRIDE: u32 = 18;
    pub(in crate::perfetto) const TID_OVERRIDE: u32 = 19;
}
/// `Trigger`.
pub(in crate::perfetto) mod trigger {
    pub(in crate::perfetto) const TRIGGER_NAME: u32 = 1;
}
/// `VulkanApiEvent`.
pub(in crate::perfetto) mod vulkan_api_event {
    pub(in crate::perfetto) const VK_QUEUE_SUBMIT: u32 = 2;
}
/// `VulkanApiEvent.VkQueueSubmit`.
pub(in crate::perfetto) mod vulkan_api_event_vk_queue_submit {
    pub(in crate::perfetto) const DURATION_NS: u32 = 1;
    pub(in crate::perfetto) const PID: u32 = 2;
    pub(in crate::perfetto) const TID: u32 = 3;
    pub(in crate::perfetto) const SUBMISSION_ID: u32 = 6;
}
/// `WorkqueueExecuteStartFtraceEvent`.
pub(in crate::perfetto) mod workqueue_execute_start_ftrace_event {
    pub(in crate::perfetto) const FUNCTION: u32 = 2;
}
