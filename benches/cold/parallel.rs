//! What a second thread saves, over files of more than 100 MB.

use std::num::NonZeroUsize;

use spall_benches::ours;
use spall_benches::report::{Budget, line};
use spall_synth::program::{Order, Program};
use spall_trace::layout::{Fidelity, Layout, LayoutOptions, Scratch, Vertical};

use crate::{File, LARGE, median, memory, nanos, whole};

/// Compares one thread with two.
pub(crate) fn compare() {
    traces();
    layouts();
}

fn traces() {
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

/// Five threads and 24 levels are 120 rows.
fn layouts() {
    let name = "10M slices, 120 rows";
    let file = File::new(name, &Program { calls: LARGE, threads: 5, run: 1800 }.spall());
    let [two, one] = file.medians(["layout on two threads", "layout on one thread"]);
    for (at, job, budget) in [
        (0, "layout on two threads", Budget::Faster(1.8)),
        (1, "processor time of it", Budget::Open),
        (3, "frame on two threads, Fast", Budget::Faster(1.8)),
        (4, "frame on two threads, Exact", Budget::Faster(1.8)),
    ] {
        let peer = Some(("one thread", one.figure(at) / 1e6));
        line(job, name, "ms", two.figure(at) / 1e6, peer, budget);
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

/// Lays out a trace on a number of threads. Behind the figures of [`busy`] come the times to draw all rows (Fast, Exact) on as
/// many threads, as a viewer does it.
pub(crate) fn layout_on(n_threads: usize, data: &[u8]) -> Vec<f64> {
    let n_threads = NonZeroUsize::new(n_threads).unwrap_or(NonZeroUsize::MIN);
    let trace = ours::trace(data);
    let mut layout = Layout::default();
    let mut figures = busy(|| layout = Layout::new_on(n_threads, &trace, &LayoutOptions::default()));
    let vertical = Vertical::new(&trace, &layout, &());
    let (mut scratch, mut rects) = (Scratch::new(), Vec::new());
    figures.extend([Fidelity::Fast, Fidelity::Exact].map(|fidelity| {
        let viewport = whole(&trace, fidelity);
        median(|| {
            let y = 0..vertical.height();
            vertical.rects_on(n_threads, y, &layout, &(), &viewport, &mut scratch, &mut rects);
        })
    }));
    figures
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
