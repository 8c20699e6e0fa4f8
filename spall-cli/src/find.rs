//! `spall find`: where the slices are that contain a text.
//!
//! Each row with hits is a strip of the whole trace with a mark in each column that has one. Below are the flows that
//! leave or reach a row with hits, and the counters, each as the sum of its series.

use std::{
    collections::HashSet,
    io::{self, Write},
    path::PathBuf,
};

use spall_trace::{
    Found, find, ignoring_case,
    layout::{
        Flows, Hits, Layout, LayoutOptions, LayoutView, Series, Vertical, VerticalStyle, Viewport, block,
    },
    model::{Job, Tick, Trace, TraceView},
};

use crate::{
    error::{Error, Result},
    hide::Hide,
    input::open,
    session::Session,
    shown::{short, to_stdout},
    table::{Cell, Table, TableFormat},
};

const COLUMNS: u16 = 80;

/// Prints where the slices are that contain `text` in their name or arguments, or with JSON the slices.
pub(crate) fn run(
    files: &[PathBuf],
    text: &str,
    hide: &Hide,
    format: TableFormat,
    session: &Session,
) -> Result<()> {
    let opened = open(files, Default::default(), session)?;
    let trace = spall_trace::merge_samples(opened.trace);
    session.doing("finding");
    let hidden = hide.hidden(&trace, &opened.title, session);
    let layout = hidden.layout(&trace, &LayoutOptions::default());
    let found = find(&trace, &layout, &hidden, ignoring_case(text)).run();
    session.done();
    if found.slices.is_empty() && found.instants == 0 && found.tracks.is_empty() {
        let title = opened.title;
        return Err(Error::new(format_args!(
            "{title}: nothing has a name that contains \"{text}\". `spall top` lists names."
        )));
    }
    Ok(to_stdout(format.printed(), |out| match format {
        TableFormat::Json => table(&trace, &layout, &found.slices).write(format, out),
        TableFormat::Text => draw(&trace, &layout, &found, out),
    })?)
}

/// Returns the slices in the order of time.
fn table(trace: &Trace<'_>, layout: &Layout, hits: &Hits) -> Table<5> {
    let (mut table, clock) = (Table::new(["start", "duration", "track", "arguments", "name"]), trace.clock());
    let mut next = hits.first_from(layout, Tick(i64::MIN));
    while let Some(id) = next {
        next = hits.next(layout, id);
        let Some(slice) = trace.slice(id) else { continue };
        table.push([
            Cell::time(&clock, slice.start),
            Cell::duration(&clock, slice.duration()),
            Cell::text(&trace.track_of(id).map(|track| trace.track_title(track)).unwrap_or_default()),
            Cell::text(&trace.slice_args(id).to_string()),
            Cell::text(&trace.slice_name(id)),
        ]);
    }
    table
}

fn draw(trace: &Trace<'_>, layout: &Layout, found: &Found, out: &mut dyn Write) -> io::Result<()> {
    let hits = &found.slices;
    let vertical = Vertical::new(trace, layout, &VerticalStyle::FLAT);
    let viewport = Viewport::new(trace.bounds().unwrap_or_default(), COLUMNS);
    writeln!(out, "{found}")?;

    let (mut rects, mut lines) = (Vec::new(), HashSet::new());
    vertical.rects(0..vertical.height(), layout, &[], &viewport, &mut rects);
    for row in rects.chunk_by(|a, b| a.line == b.line) {
        let marked: Vec<_> = row.iter().filter(|found| hits.in_rect(&found.rect) > Some(0)).collect();
        let Some(first) = marked.first() else { continue };
        lines.insert(first.line);
        let is_marked = |x| marked.iter().any(|found| (found.rect.x0..found.rect.x1).contains(&x));
        let strip: String = (0..u32::from(COLUMNS)).map(|x| if is_marked(x) { '█' } else { '·' }).collect();
        let track = layout.row_info(first.rect.row).map(|info| trace.track_title(info.track));
        let (count, label) = (hits.in_row(first.rect.row), track.unwrap_or_default());
        writeln!(out, "{strip} {count:>6}  {}", short(&label))?;
    }

    let mut arrows = Vec::new();
    Flows::new(trace, layout).arrows(&viewport, &vertical, vertical.lines(), &mut arrows);
    for arrow in
        arrows.iter().filter(|arrow| lines.contains(&arrow.from.line) || lines.contains(&arrow.to.line))
    {
        let flow = &trace.flows()[arrow.flow.index()];
        let [from, to] = [flow.from, flow.to].map(|slice| short(&trace.slice_name(slice)));
        let takes = trace.clock().duration(flow.arrives - flow.leaves);
        writeln!(
            out,
            "{} × {from} → {to}, {takes}, in columns {} to {}",
            arrow.count, arrow.from.column, arrow.to.column
        )?;
    }

    for track in trace.track_ids() {
        let Some(sum) = Series::stacked(trace.counters_of(track)).and_then(|mut layers| layers.pop()) else {
            continue;
        };
        let (mut runs, Some((_, most))) = (Vec::new(), sum.bounds()) else { continue };
        sum.runs(&viewport, &mut runs);
        let strip = runs
            .iter()
            .flat_map(|run| std::iter::repeat_n(block((run.max / most) as f32), (run.x1 - run.x0) as usize));
        writeln!(out, "{} up to {most}  {}", strip.collect::<String>(), short(&trace.track_title(track)))?;
    }
    Ok(())
}
