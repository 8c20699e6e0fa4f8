//! The table of what events of the kernel mean, by their names. [ftrace 4.3](crate::rules::ftrace#4.3)
//!
//! Events whose meaning needs more than one line are in [`Kernel`](super::Kernel).

use Meaning::{
    Begin, Below, Count, Counter, CounterAt, Difference, End, First, Instant, KibSum, Last, Mark, Next,
    OfProcess, OfThread, Thousands, Unless, When,
};
use Place::{Apart, Thread, ThreadOf, Track};

/// A text in which fields of the event stand between braces.
///
/// | | |
/// |---|---|
/// | `{name}` | the field as text, or its number |
/// | `{x0:x}` | the number with hexadecimal digits |
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
    /// What a driver marks as if it had printed it: the fields of the process, the name, whether a slice begins, the letter of
    /// the phase, and the value.
    Mark(FieldName, FieldName, FieldName, FieldName, FieldName),
    /// A meaning that counts if a field is one of these.
    When(FieldName, &'static [&'static str], &'static Meaning),
    /// A meaning that counts if a field is none of these.
    Unless(FieldName, &'static [&'static str], &'static Meaning),
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
    /// On a track of this name, which belongs to no process.
    Track(Template),
    /// On a track of this name on which slices may overlap: the second text tells which begin and end belong together.
    Apart(&'static str, Template),
}

/// The names that numbers stand for, by the name of their list.
pub(super) const LISTS: [(&str, &[&str]); 6] = [
    ("dsp", &["ASDP", "MDSP", "SDSP", "CDSP"]),
    ("mm", &["min_flt", "maj_flt", "read_io", "compaction", "reclaim", "swp_flt", "kern_alloc"]),
    ("power", &["OFF", "PG", "ON"]),
    ("rpm", &["Active", "Resuming", "Suspended", "Suspending"]),
    (
        "tcp",
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
    ("zone", &["BIG", "MID", "LITTLE", "GPU", "ISP", "TPU", "AUR"]),
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
    ("dmabuf_rss_stat", OfThread("mem.dmabuf_rss", "rss")),
    ("dpu_tracing_mark_write", Mark("pid", "name", "", "type", "value")),
    ("drm_vblank_event", Instant(Track("vblank-{crtc}"), "signal", "")),
    ("drm_vblank_event_delivered", Instant(Track("vblank-{crtc}"), "deliver", "")),
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
    ("kfree_skb", When("protocol", NETWORK, &Count("Kfree Skb IP Prot"))),
    ("kgsl_gpu_frequency", Thousands("Gpu {gpu_id} gpufreq", "gpu_freq")),
    ("kprobe_event", When("type", &["1"], &Begin(Thread, "{name}", ""))),
    ("kprobe_event", When("type", &["2"], &End(Thread))),
    ("kprobe_event", When("type", &["3"], &Instant(Thread, "{name}", ""))),
    ("local_timer_entry", Begin(IRQS, "IRQ (LocalTimer)", "irq")),
    ("local_timer_exit", End(IRQS)),
    ("lwis_tracing_mark_write", Mark("pid", "func_name", "", "type", "value")),
    ("mali_gpu_power_state", Counter("mali_gpu_power_state", "to_state")),
    ("mali_mali_CSF_INTERRUPT_END", End(Track("Mali Irq Cpu {@cpu}"))),
    ("mali_mali_CSF_INTERRUPT_START", Begin(Track("Mali Irq Cpu {@cpu}"), "mali_CSF_INTERRUPT", "")),
    ("mali_tracing_mark_write", Mark("pid", "name", "", "type", "value")),
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
    ("wakeup_source_activate", First(Track("Wakelock({name})"), "Wakelock({name})", "")),
    ("wakeup_source_deactivate", Last(Track("Wakelock({name})"))),
];
