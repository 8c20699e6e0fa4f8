//! Writes spall 3, which holds slices on threads.

use std::io::{self, BufWriter, Write};

use alloc::vec::Vec;
use spall_format::spall::{FileWriter, Version};
use spall_model::{Clock, Event, Id, Key, Process, Text, Thread, ThreadEvent, Tick, Trace, TraceView};

use super::{
    ExportReport, Loss,
    lane::{Edge, SpanLanes, lanes, span_lanes, without_open_ends},
    thread::{NamedThread, name_or_id, numbered, thread_lane_name, threads},
    thread_ids::{ThreadIds, fitting},
};

/// Writes the slices of a trace as spall 3.
///
/// The file has the names of processes and threads, and the arguments of begins as one line of text. Each overflow lane
/// becomes a thread of its own, because slices of a thread have to nest, and async spans of one title share such threads. Ids that are not 32-bit numbers are replaced by
/// free ones, and become names where there is no name. If the trace has a time before 0, all times are moved by
/// [`ExportReport::moved`]. An unfinished slice stays unfinished, unless it lies inside a finished one. The ids of async spans
/// and everything that is no slice are left out and counted.
///
/// # Errors
/// This returns an error when writing to `out` fails.
///
/// # Examples
/// ```
/// use spall_trace::{export, model::Limits};
///
/// let json = br#"[{"ph":"X","name":"frame","pid":1,"tid":2,"ts":-5,"dur":10},
///                 {"ph":"i","name":"now","pid":1,"tid":2,"ts":0}]"#;
/// let trace = spall_trace::load(json)?;
/// let mut file = Vec::new();
/// let report = export::spall(&trace, &mut file)?;
/// assert_eq!((report.left_out(), report.moved.0), (1, 5000));
/// assert_eq!(report.to_string(), "left out: 1 instant; all times moved by 5000 ticks");
/// assert_eq!(spall_trace::load(&file)?.slices().ends()[0].0, 10_000);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub fn spall(trace: &Trace, out: impl Write) -> io::Result<ExportReport> {
    let clock = trace.clock();
    let first = trace.bounds().map_or(Tick(0), |bounds| bounds.start.min(Tick(0)));
    let mut report = ExportReport::all_but_slices(trace);
    report.add_async_ids(trace);
    report.moved = Tick(0) - first;
    // What the clock says of tick 0 holds no longer if times are moved.
    let kept = if first == Tick(0) { clock } else { Clock::new(clock.unit) };
    report.add(Loss::Metadata, usize::from(clock != kept || clock.ns_per_tick().is_none()));
    let file = FileWriter::new(BufWriter::new(out), Version::V3);
    let mut writer = Writer { file, trace, report, ids: ThreadIds::of(trace, u32::MAX) };
    writer.write(&Event::Clock(kept))?;
    let mut last_pid = None;
    for thread in threads(trace) {
        let is_first = last_pid.replace(thread.process.pid) != Some(thread.process.pid);
        let lanes = lanes(trace, thread.track);
        for lane in 0..lanes.len().max(1) {
            let (pid, tid) = writer.ids.thread(&thread, lane);
            let ids = Thread::new(pid, tid);
            writer.names(ids, &thread, lane, is_first && lane == 0)?;
            writer.slices(ids, lanes.get(lane).map_or(&[], Vec::as_slice))?;
        }
    }
    for SpanLanes { process, title, lanes } in span_lanes(trace) {
        let is_first = last_pid.replace(process.pid) != Some(process.pid);
        for (lane, edges) in lanes.iter().enumerate() {
            let (pid, tid) = writer.ids.free_of(process);
            let ids = Thread::new(pid, tid);
            let name = numbered(&title, lane);
            writer.write(&Event::ThreadName(ids, Text::plain(name.as_bytes())))?;
            if is_first && lane == 0 {
                writer.process_name(ids.pid, process)?;
            }
            writer.slices(ids, edges)?;
        }
    }
    let Writer { file, report, .. } = writer;
    file.finish()?;
    Ok(report)
}

/// Returns whether the file has an id as it is.
fn keeps(key: Key, id: Id<'_>) -> bool {
    fitting(key, u32::MAX).map(Id::from) == Some(id)
}

/// The file that is written, with the state that this takes.
struct Writer<'t, W> {
    file: FileWriter<W>,
    trace: &'t Trace,
    report: ExportReport,
    ids: ThreadIds,
}

impl<W: Write> Writer<'_, W> {
    /// Writes an event and counts what is lost of it.
    fn write(&mut self, event: &Event<'_>) -> io::Result<()> {
        let written = self.file.write_event(event)?;
        self.report.add_written(event, written);
        Ok(())
    }

    /// Writes the name of a thread and, if `with_process` is set, that of its process.
    ///
    /// An id that was replaced becomes the name of a process or thread without a name.
    fn names(
        &mut self,
        ids: Thread<'_>,
        thread: &NamedThread<'_>,
        lane: usize,
        with_process: bool,
    ) -> io::Result<()> {
        let trace = self.trace;
        let &NamedThread { process, track, tid, .. } = thread;
        if lane > 0 || !track.name.is_empty() || !keeps(tid, ids.tid) {
            let name = thread_lane_name(trace, track.name, tid, lane);
            self.write(&Event::ThreadName(ids, Text::plain(name.as_bytes())))?;
        }
        if with_process { self.process_name(ids.pid, process) } else { Ok(()) }
    }

    /// Writes the name of a process, or an id that was replaced.
    fn process_name(&mut self, pid: Id<'_>, process: &Process) -> io::Result<()> {
        if process.name.is_empty() && keeps(process.pid, pid) {
            return Ok(());
        }
        let name = name_or_id(self.trace, process.name, process.pid);
        self.write(&Event::ProcessName(pid, Text::plain(name.as_bytes())))
    }

    /// Writes the begins and ends of a lane.
    fn slices(&mut self, ids: Thread<'_>, edges: &[Edge]) -> io::Result<()> {
        for &edge in without_open_ends(self.trace, edges) {
            // Times that are further apart than a tick can express saturate.
            let at = (edge.at() + self.report.moved).max(Tick(0));
            let (Edge::Begin(id, _) | Edge::End(id, _)) = edge;
            let Some(slice) = self.trace.slice(id) else { continue };
            let args = self.trace.slice_args(id);
            self.write(&match edge {
                Edge::Begin(..) => {
                    let text = |name| Text::plain(self.trace.names().bytes(name));
                    let (name, category) = (text(slice.name), text(slice.category));
                    Event::Begin(ThreadEvent { thread: ids, at, name, category, args: args.begin })
                }
                Edge::End(..) => {
                    Event::End(ThreadEvent { args: args.end, ..ThreadEvent::new(ids, at, Text::EMPTY) })
                }
            })?;
        }
        Ok(())
    }
}
