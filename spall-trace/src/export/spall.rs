//! spall 3.

use std::{
    collections::{HashMap, HashSet},
    hash::RandomState,
    io::{self, BufWriter, Write},
};

use alloc::vec::Vec;
use spall_format::spall::{FileWriter, Version};
use spall_model::{
    Event, Id, Key, Omitted, SliceArgs, SliceId, Text, Thread, ThreadEvent, Tick, Trace, Unit,
};

use super::{
    Exported,
    lanes::{Edge, lanes},
    threads::{NamedThread, name_or_id, numbered, threads},
};

/// Writes the slices of a trace as spall 3, with the names of processes and threads, and the arguments of begins.
///
/// Slices that overlap without nesting get threads of their own, as have ids that are no 32 bits. All times move to 0 if
/// one is earlier ([`Exported::moved`]). A slice without an end has none in the file either, unless it lies in one that
/// has. Arguments become one line of text. Left out is everything that is no slice on a thread, and what a thread stands
/// for that is none.
///
/// # Errors
/// What `out` returns.
///
/// # Examples
/// ```
/// use spall_trace::{export, model::Limits};
///
/// let json = br#"[{"ph":"X","name":"frame","pid":1,"tid":2,"ts":-5,"dur":10},
///                 {"ph":"i","name":"now","pid":1,"tid":2,"ts":0}]"#;
/// let trace = spall_trace::load(json, &Limits::default())?;
/// let mut file = Vec::new();
/// let exported = export::spall(&trace, &mut file)?;
/// assert_eq!((exported.no_form, exported.moved.0), (1, 5000));
/// assert_eq!(spall_trace::load(&file, &Limits::default())?.slices().ends()[0].0, 10_000);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub fn spall(trace: &Trace<'_>, out: impl Write) -> io::Result<Exported> {
    let mut exported =
        Exported::without(trace, |event| matches!(event, Event::ProcessName(..) | Event::ThreadName(..)));
    let clock = trace.clock();
    exported.no_form += u64::from(clock.epoch_ns.is_some() || clock.unit == Unit::Ordinal);
    let first = trace.bounds().map_or(Tick(0), |bounds| bounds.start.min(Tick(0)));
    exported.moved = Tick(0) - first;
    let file = FileWriter::new(BufWriter::new(out), Version::V3);
    let mut writer = Writer { file, trace, exported, ids: Ids::of(trace) };
    writer.write(&Event::Clock(clock))?;
    let mut last = None;
    for thread in threads(trace) {
        let is_first = last.replace(thread.process.pid) != Some(thread.process.pid);
        let lanes = lanes(trace, thread.track);
        for lane in 0..lanes.len().max(1) {
            let place = writer.ids.thread(&thread, lane);
            writer.names(place, &thread, lane, is_first && lane == 0)?;
            writer.slices(place, lanes.get(lane).map_or(&[], Vec::as_slice))?;
        }
    }
    let Writer { file, exported, .. } = writer;
    file.finish()?;
    Ok(exported)
}

struct Writer<'t, W> {
    file: FileWriter<W>,
    trace: &'t Trace<'t>,
    exported: Exported,
    ids: Ids,
}

impl<W: Write> Writer<'_, W> {
    fn write(&mut self, event: &Event<'_>) -> io::Result<()> {
        let written = self.file.write_event(event)?;
        self.exported.count(written);
        Ok(())
    }

    /// Names that are there, and the ids of what had to get others.
    fn names(
        &mut self,
        place: Thread<'_>,
        thread: &NamedThread<'_>,
        lane: usize,
        with_process: bool,
    ) -> io::Result<()> {
        let trace = self.trace;
        let &NamedThread { process, track, tid } = thread;
        let keeps = |key: Key, id: Id<'_>| fitting(key).map(Id::from) == Some(id);
        if lane > 0 || !track.name.is_empty() || !keeps(tid, place.tid) {
            let name = numbered(name_or_id(trace, track.name, tid), lane);
            self.write(&Event::ThreadName(place, Text::plain(name.as_bytes())))?;
        }
        if with_process && (!process.name.is_empty() || !keeps(process.pid, place.pid)) {
            let name = name_or_id(trace, process.name, process.pid);
            self.write(&Event::ProcessName(place.pid, Text::plain(name.as_bytes())))?;
        }
        Ok(())
    }

    fn slices(&mut self, place: Thread<'_>, edges: &[Edge]) -> io::Result<()> {
        // What is open at the end of the thread stays so.
        let is_open = |edge: &&Edge| match edge {
            Edge::Begin(..) => false,
            Edge::End(id, _) => self.trace.slice(*id).is_some_and(|slice| slice.flags.is_unfinished()),
        };
        let n_open = edges.iter().rev().take_while(is_open).count();
        for &edge in edges.get(..edges.len() - n_open).unwrap_or_default() {
            // What lies further apart than a tick can say saturates at both ends.
            let at = (edge.at() + self.exported.moved).max(Tick(0));
            match edge {
                Edge::Begin(id, _) => self.begin(place, at, id)?,
                Edge::End(..) => self.write(&Event::End(ThreadEvent::new(place, at, Text::EMPTY)))?,
            }
        }
        Ok(())
    }

    fn begin(&mut self, place: Thread<'_>, at: Tick, id: SliceId) -> io::Result<()> {
        let Some(slice) = self.trace.slice(id) else { return Ok(()) };
        let name = self.trace.names().bytes(slice.name);
        let category = Text::plain(self.trace.names().bytes(slice.category));
        let SliceArgs { begin: args, end } = self.trace.slice_args(id);
        let begin = ThreadEvent { category, args, ..ThreadEvent::new(place, at, Text::plain(name)) };
        // The end is written without its arguments, so the begin answers for them: a slice counts once.
        let end_args = Omitted::ARGUMENTS.only_if(!end.is_none());
        match self.file.write_event(&Event::Begin(begin))? {
            written if written.is_in_file() => self.exported.count_omitted(written.omitted().with(end_args)),
            written => self.exported.count(written),
        }
        Ok(())
    }
}

/// Process and thread ids of 32 bits, for ids of any kind.
struct Ids {
    processes: HashMap<Key, u32, RandomState>,
    taken: HashSet<(u32, u32), RandomState>,
    /// No larger one has been given to a thread that has none of its own.
    next: u32,
}

impl Ids {
    /// Ids that fit stay as they are.
    fn of(trace: &Trace<'_>) -> Self {
        let pids = || trace.processes().iter().map(|process| process.pid);
        let mut processes: HashMap<Key, u32, RandomState> =
            pids().filter_map(|pid| Some((pid, fitting(pid)?))).collect();
        let taken: HashSet<u32, RandomState> = processes.values().copied().collect();
        let mut free = (0..=u32::MAX).rev().filter(|id| !taken.contains(id));
        for pid in pids().filter(|&pid| fitting(pid).is_none()) {
            processes.insert(pid, free.next().unwrap_or_default());
        }
        let mut ids = Self { processes, taken: HashSet::new(), next: u32::MAX };
        for thread in threads(trace) {
            let pid = ids.process(&thread);
            ids.taken.extend(fitting(thread.tid).map(|tid| (pid, tid)));
        }
        ids
    }

    fn process(&self, thread: &NamedThread<'_>) -> u32 {
        self.processes.get(&thread.process.pid).copied().unwrap_or_default()
    }

    /// The ids of a lane: the first one has those of its thread, if they fit.
    fn thread(&mut self, thread: &NamedThread<'_>, lane: usize) -> Thread<'static> {
        let pid = self.process(thread);
        let own = fitting(thread.tid).filter(|_| lane == 0);
        Thread::new(pid, own.unwrap_or_else(|| self.free(pid)))
    }

    fn free(&mut self, pid: u32) -> u32 {
        while !self.taken.insert((pid, self.next)) && self.next > 0 {
            self.next -= 1;
        }
        self.next
    }
}

fn fitting(key: Key) -> Option<u32> {
    match key {
        Key::Number(number) => u32::try_from(number).ok(),
        Key::Text(_) => None,
    }
}
