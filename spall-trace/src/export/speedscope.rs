//! The file format of <https://www.speedscope.app>.

use alloc::vec::Vec;
use std::{
    collections::HashMap,
    hash::RandomState,
    io::{self, BufWriter, Write},
};

use spall_json::JsonString;
use spall_model::{Event, Frame, NameId, Omitted, SliceId, Text, Tick, Trace};

use super::{
    Exported,
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

/// The frames that all profiles share, numbered as they come.
#[derive(Debug, Default)]
struct Places {
    places: Vec<Place>,
    numbers: HashMap<Place, usize, RandomState>,
}

impl Places {
    fn number(&mut self, place: Place) -> usize {
        *self.numbers.entry(place).or_insert_with(|| {
            self.places.push(place);
            self.places.len() - 1
        })
    }
}

/// Writes the threads of a trace in the format of speedscope, each lane of overlapping slices as a profile of its own.
/// `title` is the name of the whole.
///
/// Times become floating point nanoseconds. A slice without an end ends where it is drawn to. Left out is everything
/// that is no slice on a thread; slices lose their categories and arguments, which is counted where they have any.
///
/// # Errors
/// What `out` returns.
///
/// # Examples
/// ```
/// let json = br#"[{"ph":"X","name":"draw","pid":1,"tid":2,"ts":1,"dur":7}]"#;
/// let trace = spall_trace::load(json, &spall_trace::model::Limits::default())?;
/// let mut file = Vec::new();
/// spall_trace::export::speedscope(&trace, "a drawing", &mut file)?;
/// assert!(file.ends_with(b"\"shared\":{\"frames\":[\n{\"name\":\"draw\"}]}}\n"));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub fn speedscope(trace: &Trace<'_>, title: &str, out: impl Write) -> io::Result<Exported> {
    let mut out = BufWriter::new(out);
    write!(
        out,
        "{{\"$schema\":\"https://www.speedscope.app/file-format-schema.json\",\
         \"exporter\":\"spall\",\"name\":{},\"profiles\":[",
        JsonString(Text::plain(title.as_bytes()))
    )?;
    // Speedscope wants to know of a unit; counted events have none.
    let (unit, scale) = match trace.clock().ns_per_tick() {
        Some(scale) => ("nanoseconds", scale),
        None => ("none", 1.0),
    };
    let mut places = Places::default();
    let mut comma = "";
    for thread in threads(trace) {
        for (lane, edges) in lanes(trace, thread.track).iter().enumerate() {
            let name = thread.lane_name(trace, lane);
            let name = JsonString(Text::plain(name.as_bytes()));
            write!(out, "{comma}\n{{\"type\":\"evented\",\"name\":{name},\"unit\":\"{unit}\"")?;
            profile(&mut out, trace, edges, scale, &mut places)?;
            comma = ",";
        }
    }
    write!(out, "],\n\"shared\":{{\"frames\":[")?;
    for (index, place) in places.places.iter().enumerate() {
        writeln!(out, "{}", if index > 0 { "," } else { "" })?;
        frame(&mut out, trace, place)?;
    }
    writeln!(out, "]}}}}")?;
    out.flush()?;
    let has_form = |event: &Event<'_>| matches!(event, Event::ProcessName(..) | Event::ThreadName(..));
    let mut exported = Exported::without(trace, has_form);
    count_omitted(trace, &mut exported);
    Ok(exported)
}

/// The rest of a profile: from when to when it is, and its begins and ends.
fn profile(
    out: &mut impl Write,
    trace: &Trace<'_>,
    edges: &[Edge],
    scale: f64,
    places: &mut Places,
) -> io::Result<()> {
    #[allow(clippy::cast_precision_loss, reason = "the format has floating point numbers only")]
    let time = |at: Tick| at.0 as f64 * scale;
    let at = |edge: Option<&Edge>| edge.map_or(0.0, |edge| time(edge.at()));
    let (start, end) = (at(edges.first()), at(edges.last()));
    write!(out, ",\"startValue\":{start:?},\"endValue\":{end:?},\"events\":[")?;
    for (index, edge) in edges.iter().enumerate() {
        let (kind, slice) = match edge {
            Edge::Begin(slice, _) => ("O", slice),
            Edge::End(slice, _) => ("C", slice),
        };
        let frame = places.number(Place::of(trace, *slice));
        let comma = if index > 0 { "," } else { "" };
        write!(out, "{comma}{{\"type\":\"{kind}\",\"frame\":{frame},\"at\":{:?}}}", time(edge.at()))?;
    }
    write!(out, "]}}")
}

fn frame(out: &mut impl Write, trace: &Trace<'_>, place: &Place) -> io::Result<()> {
    let quoted = |name| JsonString(Text::plain(trace.names().bytes(name)));
    write!(out, "{{\"name\":{}", quoted(place.name))?;
    if !place.url.is_empty() {
        write!(out, ",\"file\":{}", quoted(place.url))?;
    }
    for (key, number) in [("line", place.line), ("col", place.column)] {
        if let Some(number) = number {
            write!(out, ",\"{key}\":{}", u64::from(number) + 1)?;
        }
    }
    write!(out, "}}")
}

/// Counts the slices with categories or arguments, for which the format has no place.
fn count_omitted(trace: &Trace<'_>, exported: &mut Exported) {
    for (id, slice) in threads(trace).flat_map(|thread| trace.slices_of(thread.track)) {
        let category = Omitted::CATEGORY.only_if(!slice.category.is_empty());
        let arguments = Omitted::ARGUMENTS.only_if(!trace.slice_args(id).is_none());
        exported.count_omitted(category.with(arguments));
    }
}
