//! Statistics of the system and of its processes, which become counters. [perfetto 4.6](crate::rules::perfetto#4.6)

use spall_model::{DiagnosticKind, Event, Id, Text, Thread};

use super::proto::numbers::{
    process_stats, process_stats_process, process_tree, process_tree_process, sys_stats,
    sys_stats_buddy_info, sys_stats_cpu_idle_state,
};
use super::schema::{
    BuddyInfo, CpuIdle, CpuTimes, DevfreqValue, DiskStat, IdleState, InterruptCount, MemInfo, Names,
    Pressure, ProcessStats, SlabInfo, ThermalZone, TreeProcess, TreeThread, VmStat,
};
use super::state::State;
use crate::ftrace::Output;
use crate::ftrace::{Counters, Shown, float, signed_float};
use crate::protobuf::{Fields, FromWire as _, Message as _, Packed, Wire, repeated, scalars};

/// The names of the values of `/proc/meminfo`, by their number.
const MEMORY: Names = Names(&[
    "Unspecified",
    "MemTotal",
    "MemFree",
    "MemAvailable",
    "Buffers",
    "Cached",
    "SwapCached",
    "Active",
    "Inactive",
    "Active(anon)",
    "Inactive(anon)",
    "Active(file)",
    "Inactive(file)",
    "Unevictable",
    "Mlocked",
    "SwapTotal",
    "SwapFree",
    "Dirty",
    "Writeback",
    "AnonPages",
    "Mapped",
    "Shmem",
    "Slab",
    "SReclaimable",
    "SUnreclaim",
    "KernelStack",
    "PageTables",
    "CommitLimit",
    "Committed_AS",
    "VmallocTotal",
    "VmallocUsed",
    "VmallocChunk",
    "CmaTotal",
    "CmaFree",
    "Gpu",
    "Zram",
    "Misc",
    "IonHeap",
    "IonHeapPool",
]);

/// The names of resources under pressure, by their number.
const PRESSURE: Names =
    Names(&["resource.unspecified", "cpu.some", "cpu.full", "io.some", "io.full", "mem.some", "mem.full"]);

/// The names of the values of a process, by their field, with the number they are multiplied with.
const OF_PROCESS: [(u32, &str, u64); 19] = [
    (process_stats_process::VM_SIZE_KB, "mem.virt", 1024),
    (process_stats_process::VM_RSS_KB, "mem.rss", 1024),
    (process_stats_process::RSS_ANON_KB, "mem.rss.anon", 1024),
    (process_stats_process::RSS_FILE_KB, "mem.rss.file", 1024),
    (process_stats_process::RSS_SHMEM_KB, "mem.rss.shmem", 1024),
    (process_stats_process::VM_SWAP_KB, "mem.swap", 1024),
    (process_stats_process::VM_LOCKED_KB, "mem.locked", 1024),
    (process_stats_process::VM_HWM_KB, "mem.rss.watermark", 1024),
    (process_stats_process::CHROME_PRIVATE_FOOTPRINT_KB, "chrome.private_footprint_kb", 1024),
    (process_stats_process::CHROME_PEAK_RESIDENT_SET_KB, "chrome.peak_resident_set_kb", 1024),
    (process_stats_process::DMABUF_RSS_KB, "mem.dmabuf_rss", 1024),
    (process_stats_process::SMR_RSS_KB, "mem.smaps.rss", 1024),
    (process_stats_process::SMR_PSS_KB, "mem.smaps.pss", 1024),
    (process_stats_process::SMR_PSS_ANON_KB, "mem.smaps.pss.anon", 1024),
    (process_stats_process::SMR_PSS_FILE_KB, "mem.smaps.pss.file", 1024),
    (process_stats_process::SMR_PSS_SHMEM_KB, "mem.smaps.pss.smem", 1024),
    (process_stats_process::SMR_SWAP_PSS_KB, "mem.smaps.swap.pss", 1024),
    (process_stats_process::RUNTIME_USER_MODE, "runtime.user_ns", 1),
    (process_stats_process::RUNTIME_KERNEL_MODE, "runtime.kernel_ns", 1),
];

/// The size of a page in KiB, where the file does not say.
const PAGE_KIB: u64 = 4;

impl State {
    pub(super) fn counters<'c, 'r>(&'c mut self, at: i64, out: &'c mut Output<'r>) -> Counters<'c, 'r> {
        Counters { name: &mut self.name, at, out }
    }

    /// Hands over statistics of the system.
    pub(super) fn sys_stats(&mut self, message: &[u8], at: i64, out: &mut Output<'_>) {
        let mut n_cpus = 0_u64;
        for (number, value) in Fields::new(message).map_while(Result::ok) {
            match value {
                Wire::Bytes(disk) if number == sys_stats::DISK_STAT => self.disk(disk, at, out),
                // Frequencies are the only numbers that may be packed.
                _ if number == sys_stats::CPUFREQ_KHZ => {
                    let mut counters = self.counters(at, out);
                    for khz in value.numbers(Packed::Varint) {
                        counters.global(format_args!("Cpu {n_cpus} cpufreq"), khz);
                        n_cpus += 1;
                    }
                }
                Wire::Bytes(entry) => sys_stat((number, entry), &mut self.counters(at, out)),
                Wire::Varint(count) => {
                    let name = match number {
                        sys_stats::NUM_FORKS => "num_forks",
                        sys_stats::NUM_IRQ_TOTAL => "num_irq_total",
                        sys_stats::NUM_SOFTIRQ_TOTAL => "num_softirq_total",
                        sys_stats::GPUFREQ_MHZ => "gpufreq",
                        _ => continue,
                    };
                    self.counters(at, out).global(format_args!("{name}"), count);
                }
                _ => {}
            }
        }
    }

    /// Hands over what a disk did since its last statistics.
    fn disk(&mut self, message: &[u8], at: i64, out: &mut Output<'_>) {
        /// The sectors of a megabyte.
        const SECTORS: f64 = 2048.0;
        let now = DiskStat::of(message);
        let name = now.name;
        let now = [
            [now.read_sectors, now.read_ms],
            [now.write_sectors, now.write_ms],
            [now.discard_sectors, now.discard_ms],
            [now.flushes, now.flush_ms],
        ];
        let Some(before) = self.disks.insert(name.to_vec(), now) else { return };
        let since = |now: u64, before: u64| {
            if now >= before { float(now - before) } else { -float(before - now) }
        };
        let mut counters = self.counters(at, out);
        let mut say = |what: &str, value| {
            counters.say(Id::NONE, format_args!("diskstat.[{}].{what}", Shown(name)), value);
        };
        let names = [
            ["read_amount", "read_throughput"],
            ["write_amount", "write_throughput"],
            ["discard_amount", "discard_throughput"],
            ["flush_amount", "flush_time"],
        ];
        for (([amount, ms], before), [first, second]) in now.into_iter().zip(before).zip(names) {
            let (amount, ms) = (since(amount, before[0]), since(ms, before[1]));
            let rate = if ms == 0.0 { 0.0 } else { amount / SECTORS * 1000.0 / ms };
            let is_flush = first == "flush_amount";
            say(first, if is_flush { amount } else { amount / SECTORS });
            say(second, if is_flush { ms } else { rate });
        }
    }

    /// Hands over statistics of processes.
    pub(super) fn process_stats(&mut self, message: &[u8], at: i64, out: &mut Output<'_>) {
        for process in repeated(message, process_stats::PROCESSES) {
            let pid = Id::from(ProcessStats::of(process).pid);
            let mut counters = self.counters(at, out);
            for (number, value) in Fields::new(process).map_while(Result::ok) {
                let Some(value) = u64::from_wire(value) else { continue };
                if number == process_stats_process::OOM_SCORE_ADJ {
                    counters.say(pid, format_args!("oom_score_adj"), signed_float(value.cast_signed()));
                } else if let Some((_, name, unit)) = OF_PROCESS.iter().find(|(field, ..)| *field == number) {
                    counters.say(pid, format_args!("{name}"), float(value.saturating_mul(*unit)));
                }
            }
        }
    }

    /// Hands over the names of processes and threads.
    pub(super) fn process_tree(&mut self, message: &[u8], out: &mut Output<'_>) {
        for process in repeated(message, process_tree::PROCESSES) {
            let facts = TreeProcess::of(process);
            self.kernel.tasks.place(facts.pid.into(), facts.pid.into(), out);
            self.uids.insert(facts.pid, facts.uid);
            let mut command = repeated(process, process_tree_process::CMDLINE);
            if let Some(first) = command.next() {
                // A command line in one piece ends its first word at a blank.
                let word = first.split(|&byte| byte == b' ').next().unwrap_or_default();
                let name = if command.next().is_none() { word } else { first };
                out.say(&Event::ProcessName(Id::from(facts.pid), Text::plain(name)));
            }
        }
        for thread in repeated(message, process_tree::THREADS).map(TreeThread::of) {
            if thread.pid == 0 || thread.tid == 0 {
                out.report(DiagnosticKind::MissingId);
                continue;
            }
            self.kernel.tasks.place(thread.tid.into(), thread.pid.into(), out);
            if !thread.name.is_empty() {
                let id = Thread::new(thread.pid, thread.tid);
                out.say(&Event::ThreadName(id, Text::plain(thread.name)));
            }
        }
    }
}

/// Hands over a statistic of the system that is a message.
fn sys_stat((number, entry): (u32, &[u8]), counters: &mut Counters<'_, '_>) {
    match number {
        sys_stats::MEMINFO => {
            let MemInfo { key, value, .. } = MemInfo::of(entry);
            let name = MEMORY.get(key).unwrap_or("meminfo");
            counters.global(format_args!("{name}"), value.saturating_mul(1024));
        }
        sys_stats::VMSTAT => {
            let VmStat { key, value, .. } = VmStat::of(entry);
            counters.global(format_args!("vmstat {key}"), value);
        }
        sys_stats::CPU_STAT => {
            let times = CpuTimes::of(entry);
            let cpu = times.cpu;
            let named = [
                ("user_ns", times.user),
                ("user_nice_ns", times.nice),
                ("system_mode_ns", times.system),
                ("idle_ns", times.idle),
                ("io_wait_ns", times.io_wait),
                ("irq_ns", times.irq),
                ("softirq_ns", times.softirq),
                ("steal_ns", times.steal),
            ];
            for (name, ns) in named {
                counters.global(format_args!("Cpu {cpu} times.{name}"), ns);
            }
        }
        sys_stats::NUM_IRQ | sys_stats::NUM_SOFTIRQ => {
            let InterruptCount { irq, count, .. } = InterruptCount::of(entry);
            let name = if number == sys_stats::NUM_IRQ { "num_irq" } else { "num_softirq" };
            counters.global(format_args!("{name} (id: {irq})"), count);
        }
        sys_stats::DEVFREQ => {
            let DevfreqValue { key, value, .. } = DevfreqValue::of(entry);
            counters.global(format_args!("{} Frequency", Shown(key)), value);
        }
        sys_stats::BUDDY_INFO => {
            let info = BuddyInfo::of(entry);
            let (node, zone) = (Shown(info.node), Shown(info.zone));
            let pages = scalars(entry, sys_stats_buddy_info::ORDER_PAGES, Packed::Varint);
            for (pages, order) in pages.zip(0..32) {
                let size = PAGE_KIB << order;
                counters.global(format_args!("mem.buddyinfo[{node}][{zone}][{size} kB]"), pages);
            }
        }
        sys_stats::PSI => {
            let Pressure { resource, total, .. } = Pressure::of(entry);
            if let Some(name) = PRESSURE.get(resource) {
                counters.global(format_args!("psi.{name}"), total);
            }
        }
        sys_stats::THERMAL_ZONE => {
            let ThermalZone { temperature, kind, .. } = ThermalZone::of(entry);
            counters.global(format_args!("{}", Shown(kind)), temperature);
        }
        sys_stats::CPUIDLE_STATE => {
            let cpu = CpuIdle::of(entry).cpu;
            for state in repeated(entry, sys_stats_cpu_idle_state::CPUIDLE_STATE_ENTRY).map(IdleState::of) {
                counters.global(format_args!("cpuidle{cpu}.{}", Shown(state.name)), state.us);
            }
        }
        sys_stats::SLAB_INFO => {
            let SlabInfo { name, pages, slabs, .. } = SlabInfo::of(entry);
            let size = pages.saturating_mul(slabs).saturating_mul(PAGE_KIB * 1024);
            counters.global(format_args!("mem.slab.{}", Shown(name)), size);
        }
        _ => {}
    }
}
