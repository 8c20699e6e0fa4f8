//! Statistics of the system and of its processes, which become counters. [perfetto 4.6](crate::rules::perfetto#4.6)

use spall_model::{DiagnosticKind, Event, Id, Text, Thread};

use super::schema::{Names, TreeProcess, TreeThread};
use super::state::State;
use crate::ftrace::Output;
use crate::ftrace::{Counters, Shown, float, signed_float};
use crate::protobuf::{Fields, FromWire as _, Message as _, Packed, Wire, numbers, repeated, scalars, text};

/// The names of the values of `/proc/meminfo`, by their number.
const MEMORY: Names = Names(
    "Unspecified MemTotal MemFree MemAvailable Buffers Cached SwapCached Active Inactive Active(anon) \
     Inactive(anon) Active(file) Inactive(file) Unevictable Mlocked SwapTotal SwapFree Dirty Writeback \
     AnonPages Mapped Shmem Slab SReclaimable SUnreclaim KernelStack PageTables CommitLimit Committed_AS \
     VmallocTotal VmallocUsed VmallocChunk CmaTotal CmaFree Gpu Zram Misc IonHeap IonHeapPool",
);

/// The names of the times of a processor, by their fields from 2 on.
const CPU_TIMES: Names =
    Names("user_ns user_nice_ns system_mode_ns idle_ns io_wait_ns irq_ns softirq_ns steal_ns");

/// The names of resources under pressure, by their number.
const PRESSURE: Names = Names("resource.unspecified cpu.some cpu.full io.some io.full mem.some mem.full");

/// The names of the values of a process, by their field, with the number they are multiplied with.
const OF_PROCESS: [(u32, &str, u64); 19] = [
    (2, "mem.virt", 1024),
    (3, "mem.rss", 1024),
    (4, "mem.rss.anon", 1024),
    (5, "mem.rss.file", 1024),
    (6, "mem.rss.shmem", 1024),
    (7, "mem.swap", 1024),
    (8, "mem.locked", 1024),
    (9, "mem.rss.watermark", 1024),
    (13, "chrome.private_footprint_kb", 1024),
    (14, "chrome.peak_resident_set_kb", 1024),
    (24, "mem.dmabuf_rss", 1024),
    (16, "mem.smaps.rss", 1024),
    (17, "mem.smaps.pss", 1024),
    (18, "mem.smaps.pss.anon", 1024),
    (19, "mem.smaps.pss.file", 1024),
    (20, "mem.smaps.pss.smem", 1024),
    (23, "mem.smaps.swap.pss", 1024),
    (21, "runtime.user_ns", 1),
    (22, "runtime.kernel_ns", 1),
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
            if let (13, Wire::Bytes(disk)) = (number, value) {
                self.disk(disk, at, out);
                continue;
            }
            let mut counters = self.counters(at, out);
            match (number, value) {
                (1, Wire::Bytes(entry)) => {
                    let [_, key, value] = numbers(entry);
                    let name = MEMORY.get(key).unwrap_or("meminfo");
                    counters.global(format_args!("{name}"), value.saturating_mul(1024));
                }
                (2, Wire::Bytes(entry)) => {
                    let [_, key, value] = numbers(entry);
                    counters.global(format_args!("vmstat {key}"), value);
                }
                (3, Wire::Bytes(times)) => {
                    let [_, cpu, times @ ..]: [u64; 10] = numbers(times);
                    for (time, name) in times.into_iter().zip(CPU_TIMES.all()) {
                        counters.global(format_args!("Cpu {cpu} times.{name}"), time);
                    }
                }
                (4, Wire::Varint(count)) => counters.global(format_args!("num_forks"), count),
                (5, Wire::Varint(count)) => counters.global(format_args!("num_irq_total"), count),
                (7, Wire::Varint(count)) => counters.global(format_args!("num_softirq_total"), count),
                (6 | 8, Wire::Bytes(entry)) => {
                    let [_, irq, count] = numbers(entry);
                    let name = if number == 6 { "num_irq" } else { "num_softirq" };
                    counters.global(format_args!("{name} (id: {irq})"), count);
                }
                (10, Wire::Bytes(entry)) => {
                    let [.., value]: [u64; 3] = numbers(entry);
                    counters.global(format_args!("{} Frequency", Shown(text(entry, 1))), value);
                }
                (11, value) => {
                    for khz in value.numbers(Packed::Varint) {
                        counters.global(format_args!("Cpu {n_cpus} cpufreq"), khz);
                        n_cpus += 1;
                    }
                }
                (12, Wire::Bytes(info)) => {
                    let (node, zone) = (Shown(text(info, 1)), Shown(text(info, 2)));
                    let pages = scalars(info, 3, Packed::Varint);
                    for (pages, order) in pages.zip(0..32) {
                        let size = PAGE_KIB << order;
                        counters.global(format_args!("mem.buddyinfo[{node}][{zone}][{size} kB]"), pages);
                    }
                }
                (14, Wire::Bytes(entry)) => {
                    let [_, resource, total] = numbers(entry);
                    if let Some(name) = PRESSURE.get(resource) {
                        counters.global(format_args!("psi.{name}"), total);
                    }
                }
                (15, Wire::Bytes(zone)) => {
                    let [.., temperature]: [u64; 3] = numbers(zone);
                    counters.global(format_args!("{}", Shown(text(zone, 3))), temperature);
                }
                (16, Wire::Bytes(cpu)) => {
                    let [_, id] = numbers(cpu);
                    for entry in repeated(cpu, 2) {
                        let [.., us]: [u64; 3] = numbers(entry);
                        counters.global(format_args!("cpuidle{id}.{}", Shown(text(entry, 1))), us);
                    }
                }
                (17, Wire::Varint(mhz)) => counters.global(format_args!("gpufreq"), mhz),
                (18, Wire::Bytes(slab)) => {
                    let [.., pages, slabs]: [u64; 4] = numbers(slab);
                    let size = pages.saturating_mul(slabs).saturating_mul(PAGE_KIB * 1024);
                    counters.global(format_args!("mem.slab.{}", Shown(text(slab, 1))), size);
                }
                _ => {}
            }
        }
    }

    /// Hands over what a disk did since its last statistics.
    fn disk(&mut self, message: &[u8], at: i64, out: &mut Output<'_>) {
        /// The sectors of a megabyte.
        const SECTORS: f64 = 2048.0;
        let name = text(message, 1);
        let now: [u64; 10] = numbers(message);
        let Some(before) = self.disks.insert(name.to_vec(), now) else { return };
        let since = |field: usize| {
            let (now, before) = (now.get(field).unwrap_or(&0), before.get(field).unwrap_or(&0));
            if now >= before { float(now - before) } else { -float(before - now) }
        };
        let mut counters = self.counters(at, out);
        let mut say = |what: &str, value| {
            counters.say(Id::NONE, format_args!("diskstat.[{}].{what}", Shown(name)), value);
        };
        for (what, amount, time) in [("read", 2, 3), ("write", 4, 5), ("discard", 6, 7)] {
            let (megabytes, ms) = (since(amount) / SECTORS, since(time));
            let rate = if ms == 0.0 { 0.0 } else { megabytes * 1000.0 / ms };
            match what {
                "read" => (say("read_amount", megabytes), say("read_throughput", rate)),
                "write" => (say("write_amount", megabytes), say("write_throughput", rate)),
                _ => (say("discard_amount", megabytes), say("discard_throughput", rate)),
            };
        }
        say("flush_amount", since(8));
        say("flush_time", since(9));
    }

    /// Hands over statistics of processes.
    pub(super) fn process_stats(&mut self, message: &[u8], at: i64, out: &mut Output<'_>) {
        for process in repeated(message, 1) {
            let [_, pid] = numbers(process);
            let pid = Id::Number(pid.cast_signed());
            let mut counters = self.counters(at, out);
            for (number, value) in Fields::new(process).map_while(Result::ok) {
                let Some(value) = u64::from_wire(value) else { continue };
                if number == 10 {
                    counters.say(pid, format_args!("oom_score_adj"), signed_float(value.cast_signed()));
                } else if let Some((_, name, unit)) = OF_PROCESS.iter().find(|(field, ..)| *field == number) {
                    counters.say(pid, format_args!("{name}"), float(value.saturating_mul(*unit)));
                }
            }
        }
    }

    /// Hands over the names of processes and threads.
    pub(super) fn process_tree(&mut self, message: &[u8], out: &mut Output<'_>) {
        for process in repeated(message, 1) {
            let facts = TreeProcess::of(process);
            self.kernel.tasks.place(facts.pid.into(), facts.pid.into(), out);
            self.uids.insert(facts.pid, facts.uid);
            let mut command = repeated(process, 3);
            if let Some(first) = command.next() {
                // A command line in one piece ends its first word at a blank.
                let word = first.split(|&byte| byte == b' ').next().unwrap_or_default();
                let name = if command.next().is_none() { word } else { first };
                out.say(&Event::ProcessName(Id::from(facts.pid), Text::plain(name)));
            }
        }
        for thread in repeated(message, 2).map(TreeThread::of) {
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
