//! What a second thread saves, over files of more than 100 MB.

use spall_benches::ours;
use spall_benches::report::{Budget, line};
use spall_synth::program::{Order, Program};

use crate::{File, LARGE, memory, nanos};

/// Compares one thread with two.
pub(crate) fn compare() {
    let pairs = Program { calls: 500_000, threads: 4, run: 64 };
    let complete = Program { calls: 700_000, threads: 8, run: 64 };
    for (name, data) in [
        ("10M events.spall", Program { calls: LARGE / 2, threads: 4, run: 1800 }.spall()),
        ("1M begins and ends", pairs.begins_and_ends()),
        ("700k complete", complete.complete(Order::Ends)),
        ("700k complete, in blocks", complete.complete(Order::ShuffledBlocks)),
    ] {
        let file = File::new(name, &data);
        let [two, one] = file.medians(["two threads", "one thread"]);
        let peer = Some(("one thread", one.figure(0) / 1e6));
        line("trace on two threads", name, "ms", two.figure(0) / 1e6, peer, Budget::Faster(1.6));
        let peer = Some(("one thread", one.figure(1) / 1e6));
        line("processor time of it", name, "ms", two.figure(1) / 1e6, peer, Budget::Open);
        let peer = Some(("one thread", one.figure(2) / 1e6));
        line("peak of it", name, "MB", two.figure(2) / 1e6, peer, Budget::Open);
    }
}

/// Loads a trace on one thread: a job of [`busy`].
pub(crate) fn on_one_thread(data: &[u8]) -> Vec<f64> {
    busy(|| ours::trace(data))
}

/// Loads a trace on two threads: a job of [`busy`].
pub(crate) fn on_two_threads(data: &[u8]) -> Vec<f64> {
    busy(|| ours::trace_on_two_threads(data))
}

/// Returns how long a job takes, how long processors work for it, and by how many bytes the process grows meanwhile.
fn busy<T>(run: impl FnOnce() -> T) -> Vec<f64> {
    let (processors, bytes) = (processor_nanos(), memory("VmRSS"));
    let time = nanos(run);
    vec![time, processor_nanos() - processors, memory("VmHWM") - bytes]
}

/// Returns how long processors have worked for this process, in steps of 10 ms; NaN where the operating system does not
/// tell.
fn processor_nanos() -> f64 {
    let stat = std::fs::read_to_string("/proc/self/stat").unwrap_or_default();
    // Behind the name come the state and further numbers; the time in user mode is the twelfth of all, then in the kernel.
    let fields = stat.rsplit_once(')').map(|(_, fields)| fields.split_whitespace().skip(11).take(2));
    fields.map_or(f64::NAN, |ticks| ticks.filter_map(|ticks| ticks.parse::<f64>().ok()).sum::<f64>() * 1e7)
}
