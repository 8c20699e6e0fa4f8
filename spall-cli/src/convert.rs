//! `spall convert` and `spall merge`: traces as files for other programs.

use std::{
    io::{self, Write},
    path::{Path, PathBuf},
};

use spall_trace::{
    Alignment,
    export::{self, ExportReport},
    merge_samples,
    model::{Measure, Trace, TrackSet},
};

use crate::{
    error::{Error, Result},
    input::{load_one, open},
    output::Output,
    session::Session,
    sums::{SumChoice, call_tree},
    value::ValueChoice,
};

/// A format that can be written.
#[derive(Debug, Clone, Copy, clap::ValueEnum)]
pub(crate) enum Target {
    /// Trace Event JSON (.json)
    Json,
    /// spall 3 (.spall)
    Spall,
    /// A file of speedscope (.speedscope.json)
    Speedscope,
    /// A profile for the Firefox Profiler (.firefox.json)
    Firefox,
    /// Track events of Perfetto (.pftrace)
    Perfetto,
    /// Call trees for pprof (.pb)
    Pprof,
    /// Folded stacks for flame graph tools (.folded)
    Folded,
    /// Call trees as nested JSON objects for d3-flame-graph (.nested.json)
    Nested,
}

/// The ends of the names of files, the longer of two before the shorter.
const ENDS: [(&str, Target); 8] = [
    (".speedscope.json", Target::Speedscope),
    (".firefox.json", Target::Firefox),
    (".nested.json", Target::Nested),
    (".json", Target::Json),
    (".spall", Target::Spall),
    (".pftrace", Target::Perfetto),
    (".pb", Target::Pprof),
    (".folded", Target::Folded),
];

impl Target {
    /// Returns the format that a file is to have, by the end of its name unless the user gave one.
    fn of(out: &Path, asked: Option<Self>) -> Result<Self> {
        let name = out.to_string_lossy().to_lowercase();
        let by_name = || ENDS.iter().find(|(end, _)| name.ends_with(end)).map(|&(_, target)| target);
        asked.or_else(by_name).ok_or_else(|| {
            let (out, ends) = (out.display(), ENDS.map(|(end, _)| end).join(" "));
            Error::new(format_args!(
                "{out}: this name does not say a format. End it with one of {ends}, or give `--to FORMAT`."
            ))
        })
    }

    /// Returns whether the format is one of call trees, which are of a set of tracks.
    fn has_trees(self) -> bool {
        matches!(self, Self::Pprof | Self::Folded | Self::Nested)
    }

    /// Returns whether the format has several values of samples, so that none has to be chosen.
    fn keeps_values(self) -> bool {
        matches!(self, Self::Json | Self::Firefox | Self::Pprof)
    }

    fn write(
        self,
        trace: Trace,
        title: &str,
        choice: Choice,
        out: &mut dyn Write,
    ) -> io::Result<ExportReport> {
        match self {
            Self::Json => export::json(&trace, out),
            Self::Spall => export::spall(&merge_samples(trace), out),
            Self::Speedscope => export::speedscope(&merge_samples(trace), title, out),
            Self::Firefox => export::firefox(&trace, title, out),
            Self::Perfetto => export::perfetto(&merge_samples(trace), out),
            Self::Pprof => export::pprof(&trace, choice.tracks, out),
            Self::Folded if choice.ids => {
                export::folded(&trace, choice.tracks, choice.measure, export::StackRoot::Ids, out)
            }
            Self::Folded => {
                export::folded(&trace, choice.tracks, choice.measure, export::StackRoot::Name, out)
            }
            Self::Nested => export::nested(&trace, choice.tracks, choice.measure, out),
        }
    }
}

/// Where traces are written, and as what.
#[derive(Debug, clap::Args)]
pub(crate) struct Destination {
    /// The format, if the name of the file does not end with that of a format
    #[arg(long, value_name = "FORMAT")]
    to: Option<Target>,
    #[command(flatten)]
    of: SumChoice,
    #[command(flatten)]
    value: ValueChoice,
    /// Begin folded stacks with the ids of process and thread, such as `1:2`, instead of the name
    #[arg(long)]
    ids: bool,
    /// Replace the input, if the output is the same file
    #[arg(long)]
    force: bool,
}

/// What call trees are written of, and whether ids begin their stacks.
#[derive(Debug, Clone, Copy)]
struct Choice {
    tracks: TrackSet,
    measure: Measure,
    ids: bool,
}

/// Writes one trace in another format, or adds many to a data set if `out` ends with a slash.
pub(crate) fn run(files: &[PathBuf], out: &Path, how: &Destination, session: &Session) -> Result<()> {
    if out.as_os_str().as_encoded_bytes().ends_with(b"/") {
        #[cfg(feature = "parquet")]
        return crate::data_set::write(files, out, session);
        #[cfg(not(feature = "parquet"))]
        return Err(Error::new(format_args!(
            "{}: this `spall` was built without data sets. Install it with `--features parquet`.",
            out.display()
        )));
    }
    let target = Target::of(out, how.to)?;
    let output = Output::new(out, files, how.force)?;
    let [file] = files else {
        let (out, n) = (out.display(), files.len());
        return Err(Error::new(format_args!(
            "{out}: {n} files cannot become one without being put on one axis of time. Use `spall merge`."
        )));
    };
    let loaded = load_one(file, session)?;
    let title = loaded.name();
    write(loaded.trace, &title, target, how, &output, session)
}

/// Puts traces on one axis of time and writes them as one.
pub(crate) fn merge(
    files: &[PathBuf],
    out: &Path,
    align: &str,
    how: &Destination,
    session: &Session,
) -> Result<()> {
    let target = Target::of(out, how.to)?;
    let output = Output::new(out, files, how.force)?;
    let align = alignment(align).unwrap_or_default();
    let opened = open(files, align, session)?;
    if let Some((name, _)) = opened.unplaced() {
        return Err(Error::new(format_args!(
            "{name}: {}. Give `--align start`, `--align event=NAME`, `--align offset=NANOSECONDS` or `--align keep`.",
            match align {
                Alignment::Event(event) =>
                    format!("the first trace and this one do not both have an event \"{event}\""),
                _ => "nothing tells how its times relate to those of the first trace".to_owned(),
            }
        )));
    }
    for (name, placement) in &opened.placements {
        session.tell(format_args!("{name} {}", placement.by.description()));
    }
    write(opened.trace, &opened.title, target, how, &output, session)
}

fn write(
    trace: Trace,
    title: &str,
    target: Target,
    how: &Destination,
    output: &Output,
    session: &Session,
) -> Result<()> {
    let trace = if target.keeps_values() && how.value.is_none() {
        trace
    } else {
        how.value.of(trace, title, session)?
    };
    let choice = Choice {
        tracks: if target.has_trees() { how.of.tracks_of(&trace, title, session) } else { TrackSet::All },
        measure: how.of.measure,
        ids: how.ids,
    };
    if choice.ids && !matches!(target, Target::Folded) {
        session.tell(format_args!(
            "{}: `--ids` changes nothing, as only .folded begins with names",
            output.path.display()
        ));
    }
    if how.of.tracks.is_some() && !target.has_trees() {
        session.tell(format_args!(
            "{}: `--tracks` changes nothing, as only .pb, .folded and .nested.json are sums",
            output.path.display()
        ));
    }
    if choice.measure != Measure::WallTime {
        match target {
            Target::Folded | Target::Nested => drop(call_tree(&trace, choice.tracks, choice.measure, title)?),
            _ => session.tell(format_args!(
                "{}: `--measure` changes nothing, as only .folded and .nested.json are sums of one measure",
                output.path.display()
            )),
        }
    }
    session.doing(format_args!("writing {}", output.path.display()));
    let report = output.write(|out| target.write(trace, title, choice, out))?;
    session.tell_losses(&output.path, &report);
    Ok(())
}

/// Returns how times are put on the axis of the first trace, as `--align` names it.
pub(crate) fn alignment(text: &str) -> Option<Alignment<'_>> {
    match text {
        "auto" => Some(Alignment::Auto),
        "start" => Some(Alignment::Start),
        "monotonic" => Some(Alignment::Monotonic),
        "keep" => Some(Alignment::Offset(0)),
        _ => match text.split_once('=')? {
            ("event", name) => Some(Alignment::Event(name)),
            ("offset", ns) => ns.parse().ok().map(Alignment::Offset),
            _ => None,
        },
    }
}
