//! `spall convert` and `spall merge`: traces as files for other programs.

use std::{
    borrow::Cow,
    path::{Path, PathBuf},
    str::FromStr,
};

use spall_trace::{
    Alignment,
    export::{ExportOptions, StackRoot, Target},
    model::{CallGraph, Measure, Trace, TraceView},
};

use crate::{
    error::{Error, Result},
    input::{load_one, open},
    output::{Output, is_packed},
    section::{Only, SectionChoice},
    session::Session,
    sums::{SumChoice, call_tree},
    value::ValueChoice,
};

/// Returns the format that a file is to have, by the end of its name unless the user gave one.
fn target(out: &Path, asked: Option<&'static Target>) -> Result<&'static Target> {
    asked.or_else(|| Target::of_path(unpacked(out))).ok_or_else(|| {
        let (out, ends) = (out.display(), ends(|_| true));
        Error::new(format_args!(
            "{out}: this name does not say a format. End it with one of {ends}, or give `--to FORMAT`."
        ))
    })
}

/// Returns the name of a file without an end that says that it is compressed.
fn unpacked(out: &Path) -> Cow<'_, Path> {
    if is_packed(out) { Cow::Owned(out.with_extension("")) } else { Cow::Borrowed(out) }
}

/// Returns the ends of the names of files of some formats.
fn ends(is_meant: fn(&Target) -> bool) -> String {
    let meant = Target::ALL.iter().filter(|target| is_meant(target));
    meant.map(|target| target.file_end).collect::<Vec<_>>().join(" ")
}

/// What `--to` says. No name of a format is a time.
#[derive(Debug, Clone)]
enum To {
    Format(&'static Target),
    Time(String),
}

impl FromStr for To {
    type Err = String;

    fn from_str(text: &str) -> std::result::Result<Self, String> {
        match Target::of_name(text) {
            Some(target) => Ok(Self::Format(target)),
            None if text.starts_with(|c: char| c.is_ascii_digit() || "+-.".contains(c)) => {
                Ok(Self::Time(text.into()))
            }
            None => {
                let names: Vec<_> = Target::ALL.iter().map(|target| target.name).collect();
                Err(format!("use one of {}, or a time such as 2s", names.join(", ")))
            }
        }
    }
}

/// Says what `--to` takes, with a line for each format.
fn formats() -> String {
    let lines = Target::ALL
        .iter()
        .map(|target| format!("\n- {}: {} ({})", target.name, target.description, target.file_end));
    let lines: String = lines.collect();
    format!(
        "The format, if the name of the file does not end with that of a format, or the time at which the section ends:{lines}"
    )
}

/// Where traces are written, and as what.
#[derive(Debug, clap::Args)]
pub(crate) struct Destination {
    #[arg(long, value_name = "FORMAT or TIME", allow_hyphen_values = true, help = "The format, if the name of the file does not end with that of a format, or the time at which the section ends", long_help = formats())]
    to: Vec<To>,
    /// Where the section starts: a time as it is printed, such as 1.5ms or 0:01:05.5, a number of nanoseconds, or +2s, which is
    /// since the start of the trace
    #[arg(long, value_name = "TIME", allow_hyphen_values = true, help_heading = "A section of the trace")]
    from: Option<String>,
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
    #[command(flatten)]
    only: Only,
}

impl Destination {
    /// Returns the format that was asked for.
    fn format(&self) -> Option<&'static Target> {
        let mut formats = self.to.iter().filter_map(|to| match to {
            To::Format(target) => Some(*target),
            To::Time(_) => None,
        });
        formats.next_back()
    }

    fn section(&self) -> SectionChoice {
        let mut times = self.to.iter().filter_map(|to| match to {
            To::Time(text) => Some(text.clone()),
            To::Format(_) => None,
        });
        SectionChoice::new(self.from.clone(), times.next_back(), self.only.clone())
    }
}

/// Writes one trace in another format, or adds many to a data set if `out` ends with a slash.
pub(crate) fn run(files: &[PathBuf], out: &Path, how: &Destination, session: &Session) -> Result<()> {
    if out.as_os_str().as_encoded_bytes().ends_with(b"/") {
        #[cfg(feature = "parquet")]
        return match how.section().is_all() {
            true => crate::data_set::write(files, out, session),
            false => Err(Error::new(format_args!(
                "{}: a data set has whole traces. `spall cut` writes a section of a trace, which can be added.",
                out.display()
            ))),
        };
        #[cfg(not(feature = "parquet"))]
        return Err(Error::new(format_args!(
            "{}: this `spall` was built without data sets. Install it with `--features parquet`.",
            out.display()
        )));
    }
    let format = target(out, how.format())?;
    let output = Output::new(out, files, Some(how.force))?;
    let [file] = files else {
        let (out, n) = (out.display(), files.len());
        return Err(Error::new(format_args!(
            "{out}: {n} files cannot become one without being put on one axis of time. Use `spall merge`."
        )));
    };
    let loaded = load_one(file, session)?;
    let title = loaded.name();
    write(loaded.trace, &title, format, how, &output, session)
}

/// Writes a section of a trace as a trace.
pub(crate) fn cut(file: &PathBuf, out: &Path, how: &Destination, session: &Session) -> Result<()> {
    if how.section().is_all() {
        return Err(Error::new(format_args!(
            "{}: nothing says what to cut out. Give `--from`, `--to`, `--thread`, `--process`, `--track`, `--category` or `--name`.",
            out.display()
        )));
    }
    run(std::slice::from_ref(file), out, how, session)
}

/// Puts traces on one axis of time and writes them as one.
pub(crate) fn merge(
    files: &[PathBuf],
    out: &Path,
    align: &str,
    how: &Destination,
    session: &Session,
) -> Result<()> {
    let format = target(out, how.format())?;
    let output = Output::new(out, files, Some(how.force))?;
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
    write(opened.trace, &opened.title, format, how, &output, session)
}

fn write(
    trace: Trace,
    title: &str,
    target: &Target,
    how: &Destination,
    output: &Output,
    session: &Session,
) -> Result<()> {
    let trace = match target.has_values && how.value.is_none() {
        true => trace,
        false => how.value.of(trace, title, session)?,
    };
    // Sums are of the functions with their parts inside.
    let trace = match target.has_tracks {
        true => how.section().of_functions(trace, title)?,
        false => how.section().of(trace, title)?,
    };
    if trace.stacks_are_estimated() {
        session.tell(format_args!("{title}: its stacks are {}", CallGraph::FACT.1));
    }
    let mut options = ExportOptions::default();
    options.title = title;
    options.measure = how.of.measure;
    options.root = if how.ids { StackRoot::Ids } else { StackRoot::Name };
    for (option, is_given, is_used) in [
        ("--ids", how.ids, (|of| of.has_root) as fn(&Target) -> bool),
        ("--tracks", how.of.tracks.is_some(), |of| of.has_tracks),
        ("--measure", options.measure != Measure::WallTime, |of| of.has_measure),
    ] {
        if is_given && !is_used(target) {
            let (out, ends) = (output.path.display(), ends(is_used));
            session.tell(format_args!("{out}: `{option}` changes nothing, as it is only for {ends}"));
        }
    }
    if target.has_tracks {
        let tracks = how.of.tracks_of(&trace, title, session);
        options.tracks = Some(tracks);
        if target.has_measure && options.measure != Measure::WallTime {
            drop(call_tree(&trace, tracks, options.measure, title)?);
        }
    }
    session.doing(format_args!("writing {}", output.path.display()));
    let report = output.write(|out| target.write(Cow::Owned(trace), &options, out))?;
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
