//! The section of a trace that is added up, drawn or written: `--from`, `--to`, `--thread`, `--process`, `--track`, `--category` and
//! `--name`, which mean the same to all subcommands.

use spall_trace::model::Trace;
use spall_view::Section;

use crate::error::{Error, Result};

/// A section of a trace. Texts of names are a part of a name, in upper or lower case, or a regular expression between slashes.
#[derive(Debug, Clone, Default, clap::Args)]
#[command(next_help_heading = "A section of the trace")]
pub(crate) struct SectionChoice {
    /// Where it starts: a time as it is printed, such as 1.5ms or 0:01:05.5, a number of nanoseconds, or +2s, which is since the
    /// start of the trace
    #[arg(long, value_name = "TIME", allow_hyphen_values = true)]
    from: Option<String>,
    /// Where it ends; what is at this time is no longer in it
    #[arg(long, value_name = "TIME", allow_hyphen_values = true)]
    to: Option<String>,
    #[command(flatten)]
    only: Only,
}

/// The tracks, categories and names of a section.
#[derive(Debug, Clone, Default, clap::Args)]
#[command(next_help_heading = "A section of the trace")]
pub(crate) struct Only {
    /// Only threads with this id, or with this text in their name; all these may be given more than once
    #[arg(long, value_name = "NAME")]
    thread: Vec<String>,
    /// Only processes with this id, or with this text in their name
    #[arg(long, value_name = "NAME")]
    process: Vec<String>,
    /// Only tracks of any kind with this text in their name
    #[arg(long, value_name = "NAME")]
    track: Vec<String>,
    /// Only slices and instants of this category, in full
    #[arg(long, value_name = "CATEGORY")]
    category: Vec<String>,
    /// Only slices and instants with this text in their name
    #[arg(long, value_name = "TEXT")]
    name: Vec<String>,
}

impl SectionChoice {
    pub(crate) fn new(from: Option<String>, to: Option<String>, only: Only) -> Self {
        Self { from, to, only }
    }

    /// Returns the section as the library knows it.
    pub(crate) fn section(&self) -> Section {
        let Self { from, to, only } = self.clone();
        let Only { thread, process, track, category, name } = only;
        Section {
            from,
            to,
            threads: thread,
            processes: process,
            tracks: track,
            categories: category,
            names: name,
        }
    }

    /// Returns whether it is all of a trace.
    pub(crate) fn is_all(&self) -> bool {
        self.section().is_all()
    }

    /// Returns the section of a trace. Its samples stay samples, unless names are chosen, which their functions have.
    pub(crate) fn of(&self, trace: Trace, title: &str) -> Result<Trace> {
        if self.section().is_by_name() { self.of_functions(trace, title) } else { self.cut(trace, title) }
    }

    /// Returns the section of a trace in which the functions of samples are slices, so that they count with the part inside.
    pub(crate) fn of_functions(&self, trace: Trace, title: &str) -> Result<Trace> {
        match self.is_all() {
            true => Ok(trace),
            false => self.cut(spall_trace::merge_samples(trace).without_samples(), title),
        }
    }

    fn cut(&self, trace: Trace, title: &str) -> Result<Trace> {
        let section = self.section();
        if section.is_all() {
            return Ok(trace);
        }
        section.of(trace).map_err(|error| Error::new(format_args!("{title}: {error}")))
    }
}
