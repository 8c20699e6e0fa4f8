//! The file format of <https://www.speedscope.app>.

use std::{
    collections::HashMap,
    io::{self, Write},
};

use spall::layout::Layout;
use spall::model::{Frame, NameId, SliceId, Tick, Trace};

use crate::{
    json::quoted,
    lanes::{Edge, lanes},
    threads::threads,
};

/// What speedscope calls a frame: a function or the name of a slice.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
struct Place {
    name: NameId,
    url: NameId,
    line: Option<u32>,
    column: Option<u32>,
}

impl Place {
    fn of(trace: &Trace<'_>, slice: SliceId) -> Self {
        match trace.sampled(slice).and_then(|sampled| trace.frame(sampled.frame)) {
            Some(&Frame { name, url, line, column, .. }) => Self { name, url, line, column },
            None => {
                let name = trace.slice(slice).map_or(NameId::EMPTY, |slice| slice.name);
                Self { name, url: NameId::EMPTY, line: None, column: None }
            }
        }
    }
}

/// Writes the threads of a trace, each lane a profile of its own.
///
/// # Errors
/// What `out` returns.
pub fn write(out: &mut impl Write, title: &str, trace: &Trace<'_>, layout: &Layout) -> io::Result<()> {
    let mut frames: Vec<Place> = Vec::new();
    let mut numbers: HashMap<Place, usize> = HashMap::new();
    write!(out, "{{\"$schema\":\"https://www.speedscope.app/file-format-schema.json\"")?;
    write!(out, ",\"exporter\":\"spall\",\"name\":{},\"profiles\":[", quoted(title))?;
    let mut comma = "";
    // Speedscope wants to know of a unit; counted events have none.
    let (unit, scale) = match trace.clock().ns_per_tick() {
        Some(scale) => ("nanoseconds", scale),
        None => ("none", 1.0),
    };
    for thread in threads(trace) {
        for (lane, edges) in lanes(thread.track, layout).into_iter().enumerate() {
            let (Some(start), Some(end)) = (edges.first(), edges.last()) else { continue };
            #[allow(clippy::cast_precision_loss, reason = "the format has floating point numbers only")]
            let time = |at: Tick| at.0 as f64 * scale;
            let name = quoted(&thread.lane_name(lane));
            write!(out, "{comma}\n{{\"type\":\"evented\",\"name\":{name},\"unit\":\"{unit}\"")?;
            write!(
                out,
                ",\"startValue\":{:?},\"endValue\":{:?},\"events\":[",
                time(start.at()),
                time(end.at())
            )?;
            comma = ",";
            for (index, edge) in edges.iter().enumerate() {
                let (kind, slice) = match edge {
                    Edge::Begin(slice, _) => ("O", slice),
                    Edge::End(slice, _) => ("C", slice),
                };
                let place = Place::of(trace, *slice);
                let frame = *numbers.entry(place).or_insert_with(|| {
                    frames.push(place);
                    frames.len() - 1
                });
                let comma = if index > 0 { "," } else { "" };
                write!(out, "{comma}{{\"type\":\"{kind}\",\"frame\":{frame},\"at\":{:?}}}", time(edge.at()))?;
            }
            write!(out, "]}}")?;
        }
    }
    write!(out, "],\n\"shared\":{{\"frames\":[")?;
    for (index, frame) in frames.iter().enumerate() {
        let comma = if index > 0 { "," } else { "" };
        write!(out, "{comma}\n{{\"name\":{}", quoted(&trace.name(frame.name)))?;
        if !frame.url.is_empty() {
            write!(out, ",\"file\":{}", quoted(&trace.name(frame.url)))?;
        }
        for (key, number) in [("line", frame.line), ("col", frame.column)] {
            if let Some(number) = number {
                write!(out, ",\"{key}\":{}", u64::from(number) + 1)?;
            }
        }
        write!(out, "}}")?;
    }
    writeln!(out, "]}}}}")
}
