//! Converts a trace of any format into another one.
//!
//! `convert FILE OUT`: what is written follows from the end of OUT's name.
//!
//! | end | what is written | what it cannot hold |
//! |---|---|---|
//! | `.spall` | spall 3 | what is not a slice; categories; texts over 255 bytes |
//! | `.speedscope.json` | what <https://www.speedscope.app> reads: a profile for each thread | what is not a slice; arguments |
//! | `.json` | Trace Event JSON, event by event | what the writer of the format says it has no form for |
//! | `.folded` | stacks for flame graph tools: a line for each path, own ticks last | times, order |
//!
//! CPU samples become slices first, but for `.json`. What a format cannot hold is left out, and said on the error stream.

use std::{
    collections::{HashMap, HashSet},
    error::Error,
    fs::File,
    io::{self, BufWriter, Write},
    path::Path,
    process::ExitCode,
};

use spall::{
    format::spall::{FileWriter, Version},
    json,
    layout::{Layout, Options},
    model::{Event, Key, Limits, NameId, Text, Thread, ThreadEvent, Tick, Trace, Written},
};
use spall_examples::{
    folded,
    lanes::{Edge, lanes},
    speedscope,
    threads::{NamedThread, threads},
};

fn main() -> ExitCode {
    let mut arguments = std::env::args_os().skip(1);
    let (Some(from), Some(to), None) = (arguments.next(), arguments.next(), arguments.next()) else {
        eprintln!("usage: convert FILE OUT.spall|OUT.speedscope.json|OUT.json|OUT.folded");
        return ExitCode::from(2);
    };
    match convert(from.as_ref(), to.as_ref()) {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("{}: {error}", from.to_string_lossy());
            ExitCode::FAILURE
        }
    }
}

fn convert(from: &Path, to: &Path) -> Result<(), Box<dyn Error>> {
    let data = std::fs::read(from)?;
    let name = to.file_name().unwrap_or_default().to_string_lossy();
    let is = |ending| name.ends_with(ending);
    if is(".json") && !is(".speedscope.json") {
        return to_json(&data, to);
    }
    let trace = spall::load(&data, &Limits::default())?;
    if is(".folded") {
        let mut out = BufWriter::new(File::create(to)?);
        folded::write(&mut out, &trace)?;
        return Ok(out.flush()?);
    }
    let trace = spall::merge_samples(trace);
    let layout = Layout::new(&trace, &Options::default());
    if is(".speedscope.json") {
        let title = from.file_name().unwrap_or_default().to_string_lossy();
        let mut out = BufWriter::new(File::create(to)?);
        speedscope::write(&mut out, &title, &trace, &layout)?;
        return Ok(out.flush()?);
    }
    if is(".spall") {
        return to_spall(&trace, &layout, to);
    }
    Err(format!("{name}: nobody knows what to write by such a name").into())
}

/// Event by event, so that everything which both formats can say stays as it is.
fn to_json(data: &[u8], to: &Path) -> Result<(), Box<dyn Error>> {
    let mut out = BufWriter::new(File::create(to)?);
    let mut writer = json::Writer::new(Utf8(&mut out));
    let (mut left_out, mut failed) = (0_u64, false);
    spall::read_events(data, &Limits::default(), |event, _| match writer.write_event(event) {
        Ok(Written::Done) => {}
        Ok(_) => left_out += 1,
        Err(_) => failed = true,
    })?;
    failed |= writer.finish().is_err();
    out.flush()?;
    if failed {
        return Err("cannot be written".into());
    }
    if left_out > 0 {
        eprintln!("{left_out} events left out, for which Trace Event JSON has no form");
    }
    Ok(())
}

/// Text into a file.
struct Utf8<W>(W);

impl<W: io::Write> core::fmt::Write for Utf8<W> {
    fn write_str(&mut self, text: &str) -> core::fmt::Result {
        self.0.write_all(text.as_bytes()).map_err(|_| core::fmt::Error)
    }
}

/// Slices as begins and ends. Lanes that overlap get threads of their own.
fn to_spall(trace: &Trace<'_>, layout: &Layout, to: &Path) -> Result<(), Box<dyn Error>> {
    let mut file = FileWriter::new(BufWriter::new(File::create(to)?), Version::V3);
    // The format knows no times before 0.
    let first = trace.bounds().map_or(0, |(first, _)| first.0.min(0));
    let mut left_out = 0_u64;
    let mut write = |event: &Event<'_>| -> io::Result<()> {
        left_out += u64::from(file.write_event(event)? != Written::Done);
        Ok(())
    };
    write(&Event::Clock(trace.clock()))?;
    let mut ids = Ids::of(trace);
    for thread in threads(trace) {
        for (lane, edges) in lanes(thread.track, layout).into_iter().enumerate() {
            let place = ids.thread(&thread, lane);
            write(&Event::ThreadName(place, Text::plain(thread.lane_name(lane).as_bytes())))?;
            for edge in edges {
                let event = ThreadEvent::new(place, Tick(edge.at().0.saturating_sub(first)), Text::EMPTY);
                write(&match edge {
                    Edge::Begin(slice, _) => {
                        let name = trace.slice(slice).map_or(NameId::EMPTY, |slice| slice.name);
                        let args = trace.slice_args(slice);
                        let args = if args.begin.is_none() { args.end } else { args.begin };
                        Event::Begin(ThreadEvent {
                            name: Text::plain(trace.names().bytes(name)),
                            args,
                            ..event
                        })
                    }
                    Edge::End(..) => Event::End(event),
                })?;
            }
        }
    }
    file.finish()?.flush()?;
    if left_out > 0 {
        eprintln!("{left_out} events left out, which spall cannot hold");
    }
    if first < 0 {
        eprintln!("all times moved by {} ticks, as none may be before 0", first.unsigned_abs());
    }
    Ok(())
}

/// Process and thread ids of 32 bits, for ids of any kind.
struct Ids {
    processes: HashMap<Key, u32>,
    taken: HashSet<(u32, u32)>,
}

impl Ids {
    /// Ids that fit stay as they are.
    fn of(trace: &Trace<'_>) -> Self {
        let mut ids = Self { processes: HashMap::new(), taken: HashSet::new() };
        let mut taken: HashSet<u32> = threads(trace).filter_map(|thread| fitting(thread.pid)).collect();
        for thread in threads(trace) {
            let pid = *ids
                .processes
                .entry(thread.pid)
                .or_insert_with(|| fitting(thread.pid).unwrap_or_else(|| free(|id| taken.insert(id))));
            ids.taken.extend(fitting(thread.tid).map(|tid| (pid, tid)));
        }
        ids
    }

    fn thread(&mut self, thread: &NamedThread<'_>, lane: usize) -> Thread<'static> {
        let pid = self.processes[&thread.pid];
        let own = fitting(thread.tid).filter(|_| lane == 0);
        let tid = own.unwrap_or_else(|| free(|id| self.taken.insert((pid, id))));
        Thread::new(pid, tid)
    }
}

fn fitting(key: Key) -> Option<u32> {
    match key {
        Key::Number(number) => u32::try_from(number).ok(),
        Key::Text(_) => None,
    }
}

/// The largest id that can be taken.
fn free(mut take: impl FnMut(u32) -> bool) -> u32 {
    (0..=u32::MAX).rev().find(|&id| take(id)).unwrap_or_default()
}
