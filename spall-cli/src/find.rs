//! `spall find`: where the slices are that contain a text.
//!
//! Each row with hits is a strip of the whole trace with a mark in each column that has one. Below are the flows that
//! were found, or that leave or reach a hit, and the counters, each as the sum of its series.

use std::{
    io::{self, Write},
    ops::Range,
    path::{Path, PathBuf},
};

use spall_trace::{
    Found, Hidden, Timed, find,
    layout::{Flows, Hits, Layout, LayoutView, RowId, Series, Vertical, VerticalStyle, Viewport, block},
    model::{FlowId, Job, Key, SliceId, Tick, Ticks, Trace, TraceView, TrackId, TrackKind},
};
use spall_view::{Element, Place};

use crate::{
    dump::thread_above,
    error::{Error, Result},
    input::open,
    output::Output,
    selection::Selection,
    session::Session,
    shown::{cut, short, to_stdout},
    table::{Cell, Table, TableFormat},
    terminal,
};

/// The columns of the axis of time, between these numbers, and what is left for the words beside it.
const MIN_COLUMNS: u16 = 20;
const MAX_COLUMNS: u16 = 80;
const BESIDE: u16 = 40;
/// More notes than this are a list that nobody reads.
const MAX_NOTES: usize = 1000;

/// Prints how much of each kind [`text`](spall_view::matcher) finds and where the slices are, or with JSON the slices.
pub(crate) fn run(
    files: &[PathBuf],
    text: &str,
    notes: Option<&Path>,
    selection: &Selection,
    format: TableFormat,
    session: &Session,
) -> Result<()> {
    let notes = notes.map(|path| Output::new(path, files, None)).transpose()?;
    let matches = spall_view::matcher(text).map_err(|error| Error::new(format_args!("{text}: {error}.")))?;
    let opened = open(files, Default::default(), session)?;
    let trace = selection.drawn(opened.trace, &opened.title, session)?;
    session.doing("finding");
    let hidden = selection.hidden(&trace, &opened.title, session);
    let layout = hidden.layout(&trace);
    let found = find(&trace, &layout, &hidden, matches).run();
    session.done();
    if found.is_empty() {
        let title = opened.title;
        return Err(Error::new(format_args!(
            "{title}: nothing has a name that contains \"{text}\". `spall top` lists names."
        )));
    }
    if let Some(file) = notes {
        // Times count from what a viewer shows at first, which is all.
        let whole = (hidden != Hidden::default()).then(|| Layout::new(&trace));
        let slices = in_order(&layout, &found.slices).map(Element::Slice);
        let instants = found.instants.iter().map(|instant| Element::Instant(instant.number));
        let elements = slices.chain(instants).take(MAX_NOTES);
        let marks = spall_view::notes(&trace, whole.as_ref().unwrap_or(&layout), elements, text);
        let n_found = found.slices.len() as usize + found.instants.len();
        if n_found > marks.len() {
            session.tell(format_args!("{n_found} were found, of which the first {} are noted", marks.len()));
        }
        let place = Place { marks, ..Place::default() };
        file.write(|out| Ok(serde_json::to_writer(out, &place)?))?;
    }
    Ok(to_stdout(format.printed(), |out| match format {
        TableFormat::Json | TableFormat::Csv => table(&trace, &layout, &found.slices).write(format, out),
        TableFormat::Text => draw(&trace, &layout, &found, out),
    })?)
}

/// Returns the slices in the order of time.
fn in_order<'a>(layout: &'a Layout, hits: &'a Hits) -> impl Iterator<Item = SliceId> + 'a {
    let first = hits.first_from(layout, Tick(i64::MIN));
    std::iter::successors(first, |&slice| hits.next(layout, slice))
}

/// Returns the slices in the order of time.
fn table(trace: &Trace, layout: &Layout, hits: &Hits) -> Table<7> {
    let columns = ["start", "duration", "pid", "tid", "track", "arguments", "name"];
    let (mut table, clock) = (Table::new(columns), trace.clock());
    for id in in_order(layout, hits) {
        let Some(slice) = trace.slice(id) else { continue };
        let track = trace.track_of(id);
        let [pid, tid] = ids(trace, track).map(|key| Cell::key(trace, key));
        table.push([
            Cell::time(&clock, slice.start),
            Cell::duration(&clock, slice.duration()),
            pid,
            tid,
            Cell::text(&track.map(|track| trace.track_title(track)).unwrap_or_default()),
            Cell::text(&trace.slice_args(id).to_string()),
            Cell::text(&trace.slice_name(id)),
        ]);
    }
    table
}

/// Returns the ids of the process and the thread of a track, as far as it is of one.
fn ids(trace: &Trace, track: Option<TrackId>) -> [Option<Key>; 2] {
    let Some(track) = track.and_then(|track| trace.tracks().get(track.index())) else { return [None; 2] };
    let process = track.process.and_then(|process| trace.processes().get(process.0 as usize));
    let tid = match track.kind {
        TrackKind::Thread { tid }
        | TrackKind::Cpu { tid }
        | TrackKind::Gpu { tid }
        | TrackKind::Frames { tid } => Some(tid),
        _ => thread_above(trace, track),
    };
    [process.map(|process| process.pid), tid]
}

/// What was found, over an axis of time.
struct Picture<'a> {
    trace: &'a Trace,
    layout: &'a Layout,
    hits: &'a Hits,
    found_flows: &'a [Timed],
    vertical: Vertical,
    viewport: Viewport,
}

fn draw(trace: &Trace, layout: &Layout, found: &Found, out: &mut dyn Write) -> io::Result<()> {
    let columns = terminal::width().saturating_sub(BESIDE).clamp(MIN_COLUMNS, MAX_COLUMNS);
    let Range { start, end } = trace.bounds().unwrap_or_default();
    // A hit without duration at the very end lies behind a range that ends there.
    let is_at_end = found.slices.first_from(layout, end).is_some();
    let picture = Picture {
        trace,
        layout,
        hits: &found.slices,
        found_flows: &found.flows,
        vertical: Vertical::new(trace, layout, &VerticalStyle::FLAT),
        viewport: Viewport::new(start..end + Ticks(i64::from(is_at_end)), columns),
    };
    writeln!(out, "{found}")?;
    picture.axis(out)?;
    picture.strips(out)?;
    picture.flows(out)?;
    picture.counters(out)
}

impl Picture<'_> {
    /// The times of the first and the last column.
    fn axis(&self, out: &mut dyn Write) -> io::Result<()> {
        let (clock, range) = (self.trace.clock(), self.trace.bounds().unwrap_or_default());
        let [start, end] = [range.start, range.end].map(|at| clock.time(at).to_string());
        let n_between = (self.viewport.columns() as usize)
            .saturating_sub(start.chars().count() + end.chars().count())
            .max(1);
        writeln!(out, "{start}{}{end}", " ".repeat(n_between))
    }

    /// The rows that have hits, each with their number and the time of the first.
    fn strips(&self, out: &mut dyn Write) -> io::Result<()> {
        let mut rects = Vec::new();
        self.vertical.rects(0..self.vertical.height(), self.layout, &self.viewport, &mut rects);
        for row in rects.chunk_by(|a, b| a.line == b.line) {
            let marked: Vec<_> =
                row.iter().filter(|found| self.hits.in_rect(&found.rect) > Some(0)).collect();
            let Some(first) = marked.first() else { continue };
            let is_marked = |x| marked.iter().any(|found| (found.rect.x0..found.rect.x1).contains(&x));
            let strip: String =
                (0..self.viewport.columns()).map(|x| if is_marked(x) { '█' } else { '·' }).collect();
            let row = first.rect.row;
            let track = self.layout.row_info(row).map(|info| self.trace.track_title(info.track));
            let (count, label) = (self.hits.in_row(row), short(&track.unwrap_or_default()));
            let words = self.beside(&format!("{count:>6}  {label}{}", self.first_time(row)));
            writeln!(out, "{strip} {words}")?;
        }
        Ok(())
    }

    /// Cuts what stands beside a strip, so that the line fits into a terminal.
    fn beside(&self, words: &str) -> String {
        match terminal::columns() {
            Some(columns) => {
                cut(words, (usize::from(columns)).saturating_sub(self.viewport.columns() as usize + 1))
            }
            None => words.to_owned(),
        }
    }

    /// Says when the first hit of a row is.
    fn first_time(&self, row: RowId) -> String {
        let slices = self.layout.row(row).map(|row| row.slices()).unwrap_or_default();
        let first = slices.iter().find(|&&slice| self.hits.has(self.layout, slice));
        let Some(slice) = first.and_then(|&slice| self.trace.slice(slice)) else { return String::new() };
        format!(", from {}", self.trace.clock().time(slice.start))
    }

    /// The flows that were found, or that leave or reach a hit.
    fn flows(&self, out: &mut dyn Write) -> io::Result<()> {
        let (trace, clock) = (self.trace, self.trace.clock());
        let is_hit = |slice| self.hits.has(self.layout, slice);
        let is_of_hit = |id: FlowId| {
            let flow = trace.flows().get(id.index());
            flow.is_some_and(|flow| {
                let is_found = || self.found_flows.binary_search(&Timed::new(flow.leaves, id.0)).is_ok();
                is_hit(flow.from) || is_hit(flow.to) || is_found()
            })
        };
        let mut arrows = Vec::new();
        let flows = Flows::new(trace, self.layout).filtered(is_of_hit);
        flows.arrows(&self.viewport, &self.vertical, self.vertical.lines(), &mut arrows);
        for arrow in &arrows {
            let flow = &trace.flows()[arrow.flow.index()];
            let [from, to] = [flow.from, flow.to].map(|slice| short(&trace.slice_name(slice)));
            let takes = clock.duration(flow.arrives - flow.leaves);
            let (leaves, arrives) = (clock.time(flow.leaves), clock.time(flow.arrives));
            writeln!(out, "{} × {from} → {to}, {takes}, from {leaves} to {arrives}", arrow.count)?;
        }
        Ok(())
    }

    /// The counters, each as high as the sum of its series.
    fn counters(&self, out: &mut dyn Write) -> io::Result<()> {
        for track in self.trace.track_ids() {
            let layers = Series::stacked(self.trace.counters_of(track));
            let Some(sum) = layers.and_then(|mut layers| layers.pop()) else { continue };
            let (mut runs, Some((_, most))) = (Vec::new(), sum.bounds()) else { continue };
            sum.runs(&self.viewport, &mut runs);
            let strip = runs.iter().flat_map(|run| {
                std::iter::repeat_n(block((run.max / most) as f32), (run.x1 - run.x0) as usize)
            });
            let title = short(&self.trace.track_title(track));
            writeln!(
                out,
                "{} {}",
                strip.collect::<String>(),
                self.beside(&format!("up to {most}  {title}"))
            )?;
        }
        Ok(())
    }
}
