//! Finds slices by name and shows where they are: `find FILE TEXT`.
//!
//! Each row with hits is a strip of the whole trace with a mark in each column that has one. Below are the flows that
//! leave or reach a row with hits, and the counters, each as the sum of its series.

use std::{collections::HashSet, error::Error, io::Write};

use spall_examples::terminal::clean;
use spall_trace::layout::{
    Flows, Hits, Layout, LayoutOptions, LayoutView, Series, Vertical, VerticalStyle, Viewport, block,
};
use spall_trace::model::{Job, TraceView};

const COLUMNS: u16 = 80;

fn main() -> Result<(), Box<dyn Error>> {
    let arguments: Vec<_> = std::env::args_os().skip(1).collect();
    let [path, text] = arguments.as_slice() else { return Err("usage: find FILE TEXT".into()) };
    let text = text.to_string_lossy();
    let trace = spall_trace::load_file(path)?;
    let Some(bounds) = trace.bounds() else { return Err("the trace is empty".into()) };
    let layout = Layout::new(&trace, &LayoutOptions::default());
    let vertical = Vertical::new(&trace, &layout, &VerticalStyle::FLAT);
    let viewport = Viewport::new(bounds, COLUMNS);
    let hits = Hits::of_names(&trace, &layout, |name| trace.name(name).contains(&*text)).run();
    let mut out = std::io::stdout().lock();
    writeln!(out, "{} slices", hits.len())?;

    let (mut rects, mut lines) = (Vec::new(), HashSet::new());
    vertical.rects(0..vertical.height(), &layout, &[], &viewport, &mut rects);
    for row in rects.chunk_by(|a, b| a.line == b.line) {
        let marked: Vec<_> = row.iter().filter(|found| hits.in_rect(&found.rect) > Some(0)).collect();
        let Some(first) = marked.first() else { continue };
        lines.insert(first.line);
        let is_marked = |x| marked.iter().any(|found| (found.rect.x0..found.rect.x1).contains(&x));
        let strip: String = (0..u32::from(COLUMNS)).map(|x| if is_marked(x) { '█' } else { '·' }).collect();
        let track = layout.row_info(first.rect.row).map(|info| trace.track_title(info.track));
        let (count, label) = (hits.in_row(first.rect.row), track.unwrap_or_default());
        writeln!(out, "{strip} {count:>6}  {}", clean(&label))?;
    }

    let mut arrows = Vec::new();
    Flows::new(&trace, &layout).arrows(&viewport, &vertical, vertical.lines(), &mut arrows);
    for arrow in
        arrows.iter().filter(|arrow| lines.contains(&arrow.from.line) || lines.contains(&arrow.to.line))
    {
        let flow = &trace.flows()[arrow.flow.index()];
        let [from, to] = [flow.from, flow.to].map(|slice| clean(&trace.slice_name(slice)));
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
        writeln!(out, "{} up to {most}  {}", strip.collect::<String>(), clean(&trace.track_title(track)))?;
    }
    Ok(())
}
