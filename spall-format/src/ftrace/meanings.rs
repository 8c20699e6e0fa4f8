//! The table of what events of the kernel mean, by their names. [ftrace 4.3](crate::rules::ftrace#4.3)
//!
//! Events whose meaning needs more than one line are in [`Kernel`](super::Kernel).

use Meaning::{
    Begin, Below, Count, Counter, CounterAt, Difference, End, First, From, Instant, KibSum, Last, Mark, Next,
    OfProcess, OfThread, Receive, Send, Thousands, Unless, When,
};
use Place::{Apart, Process, Thread, ThreadOf, Track};

/// A text in which fields of the event stand between braces.
///
/// | | |
/// |---|---|
/// | `{name}` | the field as text, or its number |
/// | `{x0:x}` | the number with hexadecimal digits |
/// | `{len:kb}` | the number of bytes in kB |
/// | `{dev:device}` | the number of a device as its two parts |
/// | `{func:symbol}` | the function at this address |
/// | `{id:zone}` | the name of the number in one of the [`LISTS`] |
/// | `{@cpu}`, `{@tid}` | the processor and the thread of the event |
pub(super) type Template = &'static str;

/// The name of a field, or two between bars: that of Perfetto's packets and that of the text.
pub(super) type FieldName = &'static str;

/// What an event means.
#[derive(Debug, Clone, Copy)]
pub(crate) enum Meaning {
    /// A value of a counter of this name.
    Counter(Template, FieldName),
    /// The same in thousands.
    Thousands(Template, FieldName),
    /// A value at the time that a field says.
    CounterAt(Template, FieldName, FieldName),
    /// What a field is above another.
    Difference(Template, FieldName, FieldName),
    /// A value of a counter of the process of this id. It is of none for id 0.
    OfProcess(FieldName, Template, FieldName),
    /// A value of a counter of the process of the thread.
    OfThread(Template, FieldName),
    /// The sum of the bytes so far, in KiB.
    KibSum(Template, FieldName),
    /// The number of such events so far.
    Count(Template),
    /// A slice of this name and category begins.
    Begin(Place, Template, &'static str),
    /// The innermost slice ends.
    End(Place),
    /// What runs ends, and a slice begins.
    Next(Place, Template, &'static str),
    /// One of several reasons begins to hold: the first begins the slice.
    First(Place, Template, &'static str),
    /// One of several reasons ends: the last ends the slice.
    Last(Place),
    Instant(Place, Template, &'static str),
    /// Something of this name and category happens in the thread, from which a flow leaves: the last text says which.
    Send(Template, &'static str, Template),
    /// The same with a flow that arrives.
    Receive(Template, &'static str, Template),
    /// What a driver marks as if it had printed it: the fields of the process, the name, whether a slice begins, the letter of
    /// the phase, and the value.
    Mark(FieldName, FieldName, FieldName, FieldName, FieldName),
    /// A meaning that counts if a field is one of these.
    When(FieldName, &'static [&'static str], &'static Meaning),
    /// A meaning that counts if a field is none of these.
    Unless(FieldName, &'static [&'static str], &'static Meaning),
    /// A meaning that counts if a field is a number or above it.
    From(FieldName, i64, &'static Meaning),
    /// A meaning that counts if a field is below a number.
    Below(FieldName, i64, &'static Meaning),
}

/// Where something happens.
#[derive(Debug, Clone, Copy)]
pub(crate) enum Place {
    /// In the thread of the event.
    Thread,
    /// In the thread of this id.
    ThreadOf(FieldName),
    /// In the process of this id, in no thread. Only instants are there.
    Process(FieldName),
    /// On a track of this name, which belongs to no process.
    Track(Template),
    /// On a track of this name on which slices may overlap: the second text tells which begin and end belong together.
    Apart(&'static str, Template),
}

/// The names that numbers stand for, by the name of their list and the first number.
pub(super) const LISTS: [(&str, u64, &[&str]); 9] = [
    ("dsp", 0, &["ASDP", "MDSP", "SDSP", "CDSP"]),
    ("mm", 0, &["min_flt", "maj_flt", "read_io", "compaction", "reclaim", "swp_flt", "kern_alloc"]),
    ("power", 0, &["OFF", "PG", "ON"]),
    ("rpm", 0, &["Active", "Resuming", "Suspended", "Suspending"]),
    (
        "tcp",
        0,
        &[
            "TCP_UNKNOWN",
            "TCP_ESTABLISHED",
            "TCP_SYN_SENT",
            "TCP_SYN_RECV",
            "TCP_FIN_WAIT1",
            "TCP_FIN_WAIT2",
            "TCP_TIME_WAIT",
            "TCP_CLOSE",
            "TCP_CLOSE_WAIT",
            "TCP_LAST_ACK",
            "TCP_LISTEN",
            "TCP_CLOSING",
            "TCP_NEW_SYN_RECV",
        ],
    ),
    (
        "virtio",
        0x100,
        &[
            "GET_DISPLAY_INFO",
            "RESOURCE_CREATE_2D",
            "RESOURCE_UNREF",
            "SET_SCANOUT",
            "RESOURCE_FLUSH",
            "TRANSFER_TO_HOST_2D",
            "RESOURCE_ATTACH_BACKING",
            "RESOURCE_DETACH_BACKING",
            "GET_CAPSET_INFO",
            "GET_CAPSET",
            "GET_EDID",
            "RESOURCE_ASSIGN_UUID",
            "RESOURCE_CREATE_BLOB",
            "SET_SCANOUT_BLOB",
        ],
    ),
    (
        "virtio",
        0x200,
        &[
            "CTX_CREATE",
            "CTX_DESTROY",
            "CTX_ATTACH_RESOURCE",
            "CTX_DETACH_RESOURCE",
            "RESOURCE_CREATE_3D",
            "TRANSFER_TO_HOST_3D",
            "TRANSFER_FROM_HOST_3D",
            "SUBMIT_3D",
            "RESOURCE_MAP_BLOB",
            "RESOURCE_UNMAP_BLOB",
        ],
    ),
    ("virtio", 0x300, &["UPDATE_CURSOR", "MOVE_CURSOR"]),
    ("zone", 0, &["BIG", "MID", "LITTLE", "GPU", "ISP", "TPU", "AUR"]),
];

/// Returns what an event means, which may be several things.
pub(crate) fn meanings(event: &str) -> impl Iterator<Item = Meaning> {
    let start = MEANINGS.partition_point(|(other, _)| *other < event);
    let known = MEANINGS.get(start..).unwrap_or_default().iter();
    known.take_while(move |(other, _)| *other == event).map(|&(_, meaning)| meaning)
}

const NETWORK: &[&str] = &["2048", "34525"];
const TCP: Place = Track("TCP stream {skaddr:x}");
const SUSPEND: Place = Apart("Suspend/Resume Latency", "{action}({val})");
const FREEZE: Place = Apart("Suspend/Resume Latency", "{action}");
const HYPERVISOR: Place = Track("pkVM Hypervisor CPU {@cpu}");
const IRQS: Place = Track("Cpu {@cpu} Irq");

/// All events in the order of their names.
const MEANINGS: &[(&str, Meaning)] = &[
    ("android_fs_dataread_end", End(Apart("Android FS", "{ino} {offset}"))),
    ("android_fs_dataread_start", Begin(Apart("Android FS", "{ino} {offset}"), "android_fs_data_read", "")),
    ("block_io_done", End(Track("Block I/O {dev:device}"))),
    ("block_io_start", Begin(Track("Block I/O {dev:device}"), "block_io", "")),
    ("cdev_update", Counter("{type} Cooling Device", "target")),
    ("clock_disable", Counter("{name} State", "state")),
    ("clock_enable", Counter("{name} State", "state")),
    ("clock_set_rate", Counter("{name} Frequency", "state")),
    ("cma_alloc_finish", Last(Thread)),
    ("cma_alloc_info", Last(Thread)),
    ("cma_alloc_start", First(Thread, "mm_cma_alloc", "")),
    ("cpu_frequency", Counter("Cpu {cpu_id} cpufreq", "state")),
    ("cpu_frequency_limits", Counter("Cpu {cpu_id} Max Freq Limit", "max_freq|max")),
    ("cpu_frequency_limits", Counter("Cpu {cpu_id} Min Freq Limit", "min_freq|min")),
    ("cpu_idle", Counter("Cpu {cpu_id} cpuidle", "state")),
    (
        "cros_ec_sensorhub_data",
        Difference("cros_ec.cros_ec_sensorhub_data.{ec_sensor_num}", "current_time", "current_timestamp"),
    ),
    ("dcvsh_freq", Counter("Cpu {cpu} cpufreq_throttle", "freq")),
    ("devfreq_frequency", Counter("devfreq_{dev_name}", "freq")),
    ("device_pm_callback_end", End(Apart("Suspend/Resume Latency", "{device} {driver}"))),
    (
        "device_pm_callback_start",
        Begin(Apart("Suspend/Resume Latency", "{device} {driver}"), "{device} {driver}", ""),
    ),
    ("dma_fence_wait_end", End(Thread)),
    ("dma_fence_wait_start", Begin(Thread, "dma_fence_wait", "")),
    ("dma_heap_stat", Counter("mem.dma_heap", "total_allocated")),
    ("dma_heap_stat", OfThread("mem.dma_heap_change", "len")),
    ("dma_heap_stat", From("len", 1, &Begin(Apart("mem.dma_buffer", "{inode}"), "{len:kb}", ""))),
    ("dma_heap_stat", Below("len", 1, &End(Apart("mem.dma_buffer", "{inode}")))),
    ("dmabuf_rss_stat", OfThread("mem.dmabuf_rss", "rss")),
    ("dpu_tracing_mark_write", Mark("pid", "name", "", "type", "value")),
    ("drm_vblank_event", Instant(Track("vblank-{crtc}"), "signal", "")),
    ("drm_vblank_event_delivered", Instant(Track("vblank-{crtc}"), "deliver", "")),
    ("f2fs_iostat", Counter("f2fs_iostat.[{dev:device}].write_app_total", "app_wio")),
    ("f2fs_iostat", Counter("f2fs_iostat.[{dev:device}].write_app_direct", "app_dio")),
    ("f2fs_iostat", Counter("f2fs_iostat.[{dev:device}].write_app_buffered", "app_bio")),
    ("f2fs_iostat", Counter("f2fs_iostat.[{dev:device}].write_app_mapped", "app_mio")),
    ("f2fs_iostat", Counter("f2fs_iostat.[{dev:device}].write_fs_data", "fs_dio")),
    ("f2fs_iostat", Counter("f2fs_iostat.[{dev:device}].write_fs_node", "fs_nio")),
    ("f2fs_iostat", Counter("f2fs_iostat.[{dev:device}].write_fs_meta", "fs_mio")),
    ("f2fs_iostat", Counter("f2fs_iostat.[{dev:device}].write_gc_data", "fs_gc_dio")),
    ("f2fs_iostat", Counter("f2fs_iostat.[{dev:device}].write_gc_node", "fs_gc_nio")),
    ("f2fs_iostat", Counter("f2fs_iostat.[{dev:device}].write_cp_data", "fs_cp_dio")),
    ("f2fs_iostat", Counter("f2fs_iostat.[{dev:device}].write_cp_node", "fs_cp_nio")),
    ("f2fs_iostat", Counter("f2fs_iostat.[{dev:device}].write_cp_meta", "fs_cp_mio")),
    ("f2fs_iostat", Counter("f2fs_iostat.[{dev:device}].read_app_total", "app_rio")),
    ("f2fs_iostat", Counter("f2fs_iostat.[{dev:device}].read_app_direct", "app_drio")),
    ("f2fs_iostat", Counter("f2fs_iostat.[{dev:device}].read_app_buffered", "app_brio")),
    ("f2fs_iostat", Counter("f2fs_iostat.[{dev:device}].read_app_mapped", "app_mrio")),
    ("f2fs_iostat", Counter("f2fs_iostat.[{dev:device}].read_fs_data", "fs_drio")),
    ("f2fs_iostat", Counter("f2fs_iostat.[{dev:device}].read_fs_gdata", "fs_gdrio")),
    ("f2fs_iostat", Counter("f2fs_iostat.[{dev:device}].read_fs_cdata", "fs_cdrio")),
    ("f2fs_iostat", Counter("f2fs_iostat.[{dev:device}].read_fs_node", "fs_nrio")),
    ("f2fs_iostat", Counter("f2fs_iostat.[{dev:device}].read_fs_meta", "fs_mrio")),
    ("f2fs_iostat", Counter("f2fs_iostat.[{dev:device}].other_fs_discard", "fs_discard")),
    ("f2fs_iostat_latency", Counter("f2fs_iostat_latency.[{dev:device}].read_data_peak", "d_rd_peak")),
    ("f2fs_iostat_latency", Counter("f2fs_iostat_latency.[{dev:device}].read_data_avg", "d_rd_avg")),
    ("f2fs_iostat_latency", Counter("f2fs_iostat_latency.[{dev:device}].read_data_cnt", "d_rd_cnt")),
    ("f2fs_iostat_latency", Counter("f2fs_iostat_latency.[{dev:device}].read_node_peak", "n_rd_peak")),
    ("f2fs_iostat_latency", Counter("f2fs_iostat_latency.[{dev:device}].read_node_avg", "n_rd_avg")),
    ("f2fs_iostat_latency", Counter("f2fs_iostat_latency.[{dev:device}].read_node_cnt", "n_rd_cnt")),
    ("f2fs_iostat_latency", Counter("f2fs_iostat_latency.[{dev:device}].read_meta_peak", "m_rd_peak")),
    ("f2fs_iostat_latency", Counter("f2fs_iostat_latency.[{dev:device}].read_meta_avg", "m_rd_avg")),
    ("f2fs_iostat_latency", Counter("f2fs_iostat_latency.[{dev:device}].read_meta_cnt", "m_rd_cnt")),
    (
        "f2fs_iostat_latency",
        Counter("f2fs_iostat_latency.[{dev:device}].write_sync_data_peak", "d_wr_s_peak"),
    ),
    ("f2fs_iostat_latency", Counter("f2fs_iostat_latency.[{dev:device}].write_sync_data_avg", "d_wr_s_avg")),
    ("f2fs_iostat_latency", Counter("f2fs_iostat_latency.[{dev:device}].write_sync_data_cnt", "d_wr_s_cnt")),
    (
        "f2fs_iostat_latency",
        Counter("f2fs_iostat_latency.[{dev:device}].write_sync_node_peak", "n_wr_s_peak"),
    ),
    ("f2fs_iostat_latency", Counter("f2fs_iostat_latency.[{dev:device}].write_sync_node_avg", "n_wr_s_avg")),
    ("f2fs_iostat_latency", Counter("f2fs_iostat_latency.[{dev:device}].write_sync_node_cnt", "n_wr_s_cnt")),
    (
        "f2fs_iostat_latency",
        Counter("f2fs_iostat_latency.[{dev:device}].write_sync_meta_peak", "m_wr_s_peak"),
    ),
    ("f2fs_iostat_latency", Counter("f2fs_iostat_latency.[{dev:device}].write_sync_meta_avg", "m_wr_s_avg")),
    ("f2fs_iostat_latency", Counter("f2fs_iostat_latency.[{dev:device}].write_sync_meta_cnt", "m_wr_s_cnt")),
    (
        "f2fs_iostat_latency",
        Counter("f2fs_iostat_latency.[{dev:device}].write_async_data_peak", "d_wr_as_peak"),
    ),
    (
        "f2fs_iostat_latency",
        Counter("f2fs_iostat_latency.[{dev:device}].write_async_data_avg", "d_wr_as_avg"),
    ),
    (
        "f2fs_iostat_latency",
        Counter("f2fs_iostat_latency.[{dev:device}].write_async_data_cnt", "d_wr_as_cnt"),
    ),
    (
        "f2fs_iostat_latency",
        Counter("f2fs_iostat_latency.[{dev:device}].write_async_node_peak", "n_wr_as_peak"),
    ),
    (
        "f2fs_iostat_latency",
        Counter("f2fs_iostat_latency.[{dev:device}].write_async_node_avg", "n_wr_as_avg"),
    ),
    (
        "f2fs_iostat_latency",
        Counter("f2fs_iostat_latency.[{dev:device}].write_async_node_cnt", "n_wr_as_cnt"),
    ),
    (
        "f2fs_iostat_latency",
        Counter("f2fs_iostat_latency.[{dev:device}].write_async_meta_peak", "m_wr_as_peak"),
    ),
    (
        "f2fs_iostat_latency",
        Counter("f2fs_iostat_latency.[{dev:device}].write_async_meta_avg", "m_wr_as_avg"),
    ),
    (
        "f2fs_iostat_latency",
        Counter("f2fs_iostat_latency.[{dev:device}].write_async_meta_cnt", "m_wr_as_cnt"),
    ),
    ("fastrpc_dma_stat", Counter("mem.fastrpc[{cid:dsp}]", "total_allocated")),
    ("fastrpc_dma_stat", OfThread("mem.fastrpc_change[{cid:dsp}]", "len")),
    ("funcgraph_entry", Begin(Thread, "{func:symbol}", "")),
    ("funcgraph_exit", End(Thread)),
    ("fwtp_perfetto_counter", CounterAt("{name}", "value", "timestamp")),
    ("fwtp_perfetto_slice", When("begin", &["0"], &Last(Track("{name}")))),
    ("fwtp_perfetto_slice", Unless("begin", &["0"], &Next(Track("{name}"), "{name}", ""))),
    ("g2d_tracing_mark_write", Mark("pid", "name", "", "type", "value")),
    ("google_icc_event", Instant(Track("Interconnect Events"), "{event}", "google_icc_event")),
    ("google_irm_event", Instant(Track("Interconnect Events"), "{event}", "google_irm_event")),
    ("gpu_frequency", Counter("Gpu {gpu_id} gpufreq", "state")),
    ("gpu_mem_total", OfProcess("pid", "Gpu {gpu_id} Memory", "size")),
    ("gpu_power_state", Next(Track("powervr_gpu_power_state"), "{new_state:power}", "")),
    ("hrtimer_expire_entry", Begin(Track("Cpu {@cpu} hrtimer"), "{function:symbol}", "hrtimer")),
    ("hrtimer_expire_exit", End(Track("Cpu {@cpu} hrtimer"))),
    ("hyp_enter", Begin(HYPERVISOR, "hyp", "pkvm_hyp")),
    ("hyp_exit", End(HYPERVISOR)),
    ("hypervisor_hyp_enter", Begin(HYPERVISOR, "hyp", "pkvm_hyp")),
    ("hypervisor_hyp_exit", End(HYPERVISOR)),
    (
        "inet_sock_set_state",
        When(
            "protocol",
            &["6", "IPPROTO_TCP"],
            &When(
                "newstate",
                &["1", "TCP_ESTABLISHED"],
                &Next(TCP, "{newstate:tcp}(sport={sport},dport={dport})", "tcp_state"),
            ),
        ),
    ),
    (
        "inet_sock_set_state",
        When(
            "protocol",
            &["6", "IPPROTO_TCP"],
            &When("newstate", &["2", "TCP_SYN_SENT"], &Next(TCP, "{newstate:tcp}(pid={@tid})", "tcp_state")),
        ),
    ),
    (
        "inet_sock_set_state",
        When(
            "protocol",
            &["6", "IPPROTO_TCP"],
            &Unless(
                "newstate",
                &["1", "TCP_ESTABLISHED", "2", "TCP_SYN_SENT"],
                &Next(TCP, "{newstate:tcp}", "tcp_state"),
            ),
        ),
    ),
    ("ion_stat", Counter("mem.ion", "total_allocated")),
    ("ion_stat", Counter("mem.ion_change", "len")),
    ("ion_stat", From("len", 1, &Begin(Apart("mem.ion_buffer", "{buffer_id}"), "{len:kb}", ""))),
    ("ion_stat", Below("len", 1, &End(Apart("mem.ion_buffer", "{buffer_id}")))),
    ("kfree_skb", When("protocol", NETWORK, &Count("Kfree Skb IP Prot"))),
    ("kgsl_gpu_frequency", Thousands("Gpu {gpu_id} gpufreq", "gpu_freq")),
    ("kprobe_event", When("type", &["1"], &Begin(Thread, "{name}", ""))),
    ("kprobe_event", When("type", &["2"], &End(Thread))),
    ("kprobe_event", When("type", &["3"], &Instant(Thread, "{name}", ""))),
    ("local_timer_entry", Begin(IRQS, "IRQ (LocalTimer)", "irq")),
    ("local_timer_exit", End(IRQS)),
    ("lowmemory_kill", Instant(Process("pid"), "mem.lmk", "")),
    ("lwis_tracing_mark_write", Mark("pid", "func_name", "", "type", "value")),
    ("mali_gpu_power_state", Counter("mali_gpu_power_state", "to_state")),
    ("mali_mali_CSF_INTERRUPT_END", End(Track("Mali Irq Cpu {@cpu}"))),
    ("mali_mali_CSF_INTERRUPT_START", Begin(Track("Mali Irq Cpu {@cpu}"), "mali_CSF_INTERRUPT", "")),
    ("mali_tracing_mark_write", Mark("pid", "name", "", "type", "value")),
    ("mark_victim", Instant(ThreadOf("pid"), "mem.oom_kill", "")),
    ("mm_event_record", OfThread("mem.mm.{type:mm}.count", "count")),
    ("mm_event_record", OfThread("mem.mm.{type:mm}.max_lat", "max_lat")),
    ("mm_event_record", OfThread("mem.mm.{type:mm}.avg_lat", "avg_lat")),
    ("mm_shrink_slab_end", End(Thread)),
    ("mm_shrink_slab_start", Begin(Thread, "mm_vmscan_shrink_slab", "")),
    ("mm_vmscan_direct_reclaim_begin", Begin(Thread, "mm_vmscan_direct_reclaim", "")),
    ("mm_vmscan_direct_reclaim_end", End(Thread)),
    ("mm_vmscan_memcg_reclaim_begin", Begin(Thread, "mm_vmscan_memcg_reclaim", "")),
    ("mm_vmscan_memcg_reclaim_end", End(Thread)),
    ("napi_gro_receive_entry", Begin(Track("Napi Gro Cpu {@cpu}"), "{name|dev}", "napi_gro")),
    ("napi_gro_receive_exit", End(Track("Napi Gro Cpu {@cpu}"))),
    ("net_dev_xmit", When("rc", &["0"], &KibSum("{name|dev} Transmitted KB", "len"))),
    ("netif_receive_skb", KibSum("{name|dev} Received KB", "len")),
    ("oom_score_adj_update", OfProcess("pid", "oom_score_adj", "oom_score_adj")),
    ("panel_write_generic", Mark("pid", "name", "", "type", "value")),
    ("param_set_value_cpm", CounterAt("{body}", "value", "timestamp")),
    ("rpm_status", Unless("status", &["2"], &Next(Track("{name}"), "{status:rpm}", ""))),
    ("rpm_status", When("status", &["2"], &End(Track("{name}")))),
    ("samsung_tracing_mark_write", Mark("pid", "trace_name", "", "trace_type", "value")),
    ("sched_cpu_util_cfs", Counter("Cpu {cpu} Util", "cpu_util")),
    ("sched_cpu_util_cfs", Counter("Cpu {cpu} Cap", "capacity")),
    ("sched_cpu_util_cfs", Counter("Cpu {cpu} Nr Running", "nr_running")),
    ("scm_call_end", End(Thread)),
    ("scm_call_start", Begin(Thread, "scm id={x0:x}", "")),
    ("sde_tracing_mark_write", Mark("pid", "trace_name", "trace_begin", "trace_type", "value")),
    ("signal_deliver", Instant(Thread, "signal_deliver", "")),
    ("signal_generate", Instant(ThreadOf("pid"), "signal_generate", "")),
    (
        "suspend_resume",
        When("action", &["timekeeping_freeze"], &When("start", &["1"], &Begin(FREEZE, "{action}(0)", ""))),
    ),
    ("suspend_resume", When("action", &["timekeeping_freeze"], &When("start", &["0"], &End(FREEZE)))),
    (
        "suspend_resume",
        Unless(
            "action",
            &["timekeeping_freeze"],
            &When("start", &["1"], &Begin(SUSPEND, "{action}({val})", "")),
        ),
    ),
    ("suspend_resume", Unless("action", &["timekeeping_freeze"], &When("start", &["0"], &End(SUSPEND)))),
    (
        "suspend_resume_minimal",
        When("start", &["1"], &Begin(Track("Suspend/Resume Minimal"), "Suspended", "")),
    ),
    ("suspend_resume_minimal", When("start", &["0"], &End(Track("Suspend/Resume Minimal")))),
    ("tcp_retransmit_skb", Instant(Track("TCP Retransmit Skb"), "sport={sport},dport={dport}", "tcp_event")),
    ("thermal_exynos_acpm_bulk", CounterAt("{tz_id:zone} Temperature", "current_temp", "timestamp")),
    ("thermal_exynos_acpm_bulk", CounterAt("Tj-{tz_id:zone} Cooling Device", "cdev_state", "timestamp")),
    ("thermal_exynos_acpm_high_overhead", Counter("{tz_id:zone} Temperature", "current_temp")),
    ("thermal_exynos_acpm_high_overhead", Counter("Tj-{tz_id:zone} Cooling Device", "cdev_state")),
    ("thermal_temperature", Counter("{thermal_zone} Temperature", "temp")),
    ("tracing_mark_write", Mark("pid", "trace_name", "trace_begin", "", "")),
    (
        "trusty_enqueue_nop",
        Instant(Thread, "trusty_enqueue_nop: arg1= {arg1} arg2= {arg2} arg3={arg3}", "tipc"),
    ),
    ("trusty_ipc_connect", Begin(Thread, "tipc_connect: {port}", "tipc")),
    ("trusty_ipc_connect_end", End(Thread)),
    (
        "trusty_ipc_connect_end",
        Unless("err", &["0"], &Instant(Thread, "tipc_err_connect:err= {err}", "tipc")),
    ),
    (
        "trusty_ipc_handle_event",
        Instant(Thread, "trusty_ipc_handle_event: chan={chan} srv_name={srv_name} event={event_id}", "tipc"),
    ),
    ("trusty_ipc_poll", Instant(Thread, "tipc_poll: {srv_name}", "tipc")),
    ("trusty_ipc_read", Begin(Thread, "tipc_read: {srv_name}", "tipc")),
    ("trusty_ipc_read_end", End(Thread)),
    (
        "trusty_ipc_read_end",
        Below("len_or_err", 1, &Instant(Thread, "tipc_err_read:len_or_err= {len_or_err}", "tipc")),
    ),
    ("trusty_ipc_rx", Instant(Thread, "tipc_rx", "tipc")),
    ("trusty_ipc_write", Instant(Thread, "tipc_write: {srv_name}", "tipc")),
    (
        "trusty_ipc_write",
        Below("len_or_err", 0, &Instant(Thread, "tipc_err_write:len_or_err= {len_or_err}", "tipc")),
    ),
    ("trusty_irq", Instant(Thread, "trusty_irq: irq= {irq}", "tipc")),
    ("trusty_reclaim_memory", Begin(Thread, "trusty_reclaim_mem: id={id}", "tipc")),
    ("trusty_reclaim_memory_done", End(Thread)),
    (
        "trusty_reclaim_memory_done",
        Below("ret", 0, &Instant(Thread, "trusty_reclaim_mem_err: err= {ret}", "tipc")),
    ),
    (
        "trusty_share_memory",
        Begin(Thread, "trusty_share_mem: len= {len} nents= {nents} lend= {lend}", "tipc"),
    ),
    ("trusty_share_memory_done", End(Thread)),
    ("trusty_share_memory_done", Instant(Thread, "trusty_share_mem: handle= {handle} ret= {ret}", "tipc")),
    ("trusty_smc", Begin(Thread, "trusty_smc:r0= {r0}", "tipc")),
    ("trusty_smc_done", End(Thread)),
    ("trusty_smc_done", Instant(Thread, "trusty_smc_done:r0= {ret}", "tipc")),
    ("trusty_std_call32", Begin(Thread, "trusty_std", "tipc")),
    ("trusty_std_call32_done", End(Thread)),
    ("trusty_std_call32_done", Below("ret", 0, &Instant(Thread, "trusty_err_std: err= {ret}", "tipc"))),
    (
        "v4l2_dqbuf",
        Receive(
            "VIDIOC_DQBUF minor={minor} seq={sequence} type={type} index={index}",
            "Video 4 Linux 2",
            "{minor} {type} {index}",
        ),
    ),
    (
        "v4l2_qbuf",
        Send(
            "VIDIOC_QBUF minor={minor} seq={sequence} type={type} index={index}",
            "Video 4 Linux 2",
            "{minor} {type} {index}",
        ),
    ),
    (
        "vb2_v4l2_buf_done",
        Instant(Thread, "vb2_v4l2_buf_done minor={minor} seq={sequence} type=0 index=0", "Video 4 Linux 2"),
    ),
    (
        "vb2_v4l2_buf_queue",
        Instant(Thread, "vb2_v4l2_buf_queue minor={minor} seq={sequence} type=0 index=0", "Video 4 Linux 2"),
    ),
    (
        "vb2_v4l2_dqbuf",
        Instant(Thread, "vb2_v4l2_dqbuf minor={minor} seq={sequence} type=0 index=0", "Video 4 Linux 2"),
    ),
    (
        "vb2_v4l2_qbuf",
        Instant(Thread, "vb2_v4l2_qbuf minor={minor} seq={sequence} type=0 index=0", "Video 4 Linux 2"),
    ),
    ("virtio_gpu_cmd_queue", Counter("Virtgpu {name} Free", "num_free")),
    ("virtio_gpu_cmd_queue", Begin(Apart("Virtgpu Queue", "{name} {seqno}"), "{type:virtio}", "")),
    ("virtio_gpu_cmd_response", Counter("Virtgpu {name} Free", "num_free")),
    ("virtio_gpu_cmd_response", End(Apart("Virtgpu Queue", "{name} {seqno}"))),
    ("wakeup_source_activate", First(Track("Wakelock({name})"), "Wakelock({name})", "")),
    ("wakeup_source_deactivate", Last(Track("Wakelock({name})"))),
    ("zero", When("flag", &["1"], &Begin(Thread, "{name}", ""))),
    ("zero", When("flag", &["2"], &End(Thread))),
    ("zero", When("flag", &["4"], &OfProcess("pid", "{name}", "value"))),
];

#[cfg(test)]
mod tests {
    use super::{LISTS, MEANINGS, Meaning, Place};
    use alloc::{string::String, vec, vec::Vec};

    #[test]
    fn events_and_lists_are_in_the_order_of_their_names() {
        assert!(MEANINGS.is_sorted_by_key(|(event, _)| event));
        assert!(LISTS.is_sorted_by_key(|(name, first, _)| (name, *first)));
    }

    /// The fields that a meaning names, with the form in which they are shown.
    fn names(meaning: &Meaning) -> Vec<String> {
        let of_place = |place: &Place| match *place {
            Place::Thread => vec![],
            Place::ThreadOf(field) | Place::Process(field) => vec![field.into()],
            Place::Track(text) | Place::Apart(_, text) => in_braces(text),
        };
        let and = |text: &str, more: &[&str]| {
            in_braces(text)
                .into_iter()
                .chain(more.iter().map(|&field| String::from(field)))
                .collect::<Vec<_>>()
        };
        match meaning {
            Meaning::Counter(name, value)
            | Meaning::Thousands(name, value)
            | Meaning::OfThread(name, value)
            | Meaning::KibSum(name, value) => and(name, &[value]),
            Meaning::CounterAt(name, value, other)
            | Meaning::Difference(name, value, other)
            | Meaning::OfProcess(other, name, value) => and(name, &[value, other]),
            Meaning::Count(name) => in_braces(name),
            Meaning::Begin(place, name, _)
            | Meaning::Next(place, name, _)
            | Meaning::First(place, name, _)
            | Meaning::Instant(place, name, _) => [of_place(place), in_braces(name)].concat(),
            Meaning::End(place) | Meaning::Last(place) => of_place(place),
            Meaning::Send(name, _, key) | Meaning::Receive(name, _, key) => {
                [in_braces(name), in_braces(key)].concat()
            }
            Meaning::Mark(pid, name, begins, letter, value) => {
                let named = [pid, name, begins, letter, value].into_iter().filter(|name| !name.is_empty());
                named.map(|&name| name.into()).collect()
            }
            Meaning::When(field, _, then)
            | Meaning::Unless(field, _, then)
            | Meaning::From(field, _, then)
            | Meaning::Below(field, _, then) => [vec![String::from(*field)], names(then)].concat(),
        }
    }

    fn in_braces(text: &str) -> Vec<String> {
        let parts = text.split('{').skip(1).map(|part| part.split('}').next().unwrap_or_default());
        parts.filter(|name| !name.starts_with('@')).map(Into::into).collect()
    }

    #[test]
    fn perfetto_has_every_event_and_field_of_the_table() {
        let forms = ["", "x", "kb", "device", "symbol"];
        for (event, meaning) in MEANINGS {
            let fields = crate::perfetto::fields_of(event).unwrap_or_else(|| panic!("no event {event}"));
            for name in names(meaning) {
                let (field, form) = name.split_once(':').unwrap_or((&name, ""));
                let field = field.split('|').next().unwrap_or_default();
                assert!(fields.contains(&field), "{event} has no field {field}");
                let is_list = LISTS.iter().any(|(list, ..)| *list == form);
                assert!(forms.contains(&form) || is_list, "{event}: {form} is no form");
            }
        }
    }
}
