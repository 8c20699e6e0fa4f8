//! `spall convert` and `spall merge`: traces as files for other programs.

use std::{
    borrow::Cow,
    path::{Path, PathBuf},
};

use clap::builder::{PossibleValue, PossibleValuesParser, TypedValueParser};
use spall_trace::{
    Alignment,
    export::{ExportOptions, StackRoot, Target},
    model::{Measure, Trace},
};

use crate::{
    error::{Error, Result},
    input::{load_one, open},
    output::Output,
    session::Session,
    sums::{SumChoice, call_tree},
    value::ValueChoice,
};

/// Returns the format that a file is to have, by the end of its name unless the user gave one.
fn target(out: &Path, asked: Option<&'static Target>) -> Result<&'static Target> {
    asked.or_else(|| Target::of_path(out)).ok_or_else(|| {
        let (out, ends) = (out.display(), ends(|_| true));
        Error::new(format_args!(
            "{out}: this name does not say a format. End it with one of {ends}, or give `--to FORMAT`."
        ))
    })
}

/// Returns the ends of the names of files of some formats.
fn ends(is_meant: fn(&Target) -> bool) -> String {
    let meant = Target::ALL.iter().filter(|target| is_meant(target));
    meant.map(|target| target.file_end).collect::<Vec<_>>().join(" ")
}

fn targets() -> impl TypedValueParser<Value = &'static Target> {
    let help = |target: &Target| format!("{} ({})", target.description, target.file_end);
    let values = Target::ALL.iter().map(|target| PossibleValue::new(target.name).help(help(target)));
    PossibleValuesParser::new(values).try_map(|name| Target::of_name(&name).ok_or("no format"))
}

/// Where traces are written, and as what.
#[derive(Debug, clap::Args)]
pub(crate) struct Destination {
    /// The format, if the name of the file does not end with that of a format
    #[arg(long, value_name = "FORMAT", value_parser = targets())]
    to: Option<&'static Target>,
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
    let format = target(out, how.to)?;
    let output = Output::new(out, files, how.force)?;
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

/// Puts traces on one axis of time and writes them as one.
pub(crate) fn merge(
    files: &[PathBuf],
    out: &Path,
    align: &str,
    how: &Destination,
    session: &Session,
) -> Result<()> {
    let format = target(out, how.to)?;
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
