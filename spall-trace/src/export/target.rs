//! The formats that traces are written in, by their names and by the ends of the names of files.

use alloc::borrow::Cow;
use std::{
    io::{self, Write},
    path::Path,
};

use spall_model::{Measure, Trace, TrackSet};

use super::{ExportReport, StackRoot, folded, json, nested, spall, speedscope};

/// A format that traces are written in, for programs that let somebody choose one.
///
/// ```
/// use spall_trace::export::Target;
///
/// assert_eq!(Target::of_path("RUN.nested.json").unwrap().name, "nested");
/// assert_eq!(Target::of_name("json").unwrap().file_end, ".json");
/// assert!(Target::of_path("run.json.gz").is_none(), "nothing is compressed");
/// ```
#[derive(Debug, Clone, Copy)]
#[non_exhaustive]
pub struct Target {
    /// The name, such as `speedscope`.
    pub name: &'static str,
    /// The end of the names of files that have the format, such as `.speedscope.json`.
    pub file_end: &'static str,
    /// Another end of the names of such files, which is not offered for choice.
    pub other_end: Option<&'static str>,
    /// What a file of the format is, for people.
    pub description: &'static str,
    /// Whether the format has all values of samples. Any other has the one that [`Trace::with_value`] chose, or that the file
    /// says.
    pub has_values: bool,
    /// Whether the format is one of call trees, which are of a set of tracks: [`ExportOptions::tracks`].
    pub has_tracks: bool,
    /// Whether the format has sums of one measure: [`ExportOptions::measure`].
    pub has_measure: bool,
    /// Whether the format has stacks with a first name: [`ExportOptions::root`].
    pub has_root: bool,
    write: fn(Cow<'_, Trace>, &ExportOptions<'_>, &mut dyn Write) -> io::Result<ExportReport>,
}

/// What may be chosen about a file. A format that has no place for a choice leaves it aside.
#[derive(Debug, Clone, Copy, Default)]
#[non_exhaustive]
pub struct ExportOptions<'t> {
    /// The title, in the formats of speedscope and the Firefox Profiler.
    pub title: &'t str,
    /// The tracks that are added up, or `None` for [`Trace::shown_tracks`].
    pub tracks: Option<TrackSet>,
    /// What is added up.
    pub measure: Measure,
    /// The first name of stacks.
    pub root: StackRoot,
}

impl Target {
    /// The formats, in the order in which they are offered for choice. Those of features are there if the feature is on.
    pub const ALL: &[Self] = &[
        Self {
            has_values: true,
            ..Self::new("json", ".json", "Trace Event JSON", |trace, _, out| json(&trace, out))
        },
        Self::new("spall", ".spall", "spall 3", |trace, _, out| spall(&merged(trace), out)),
        Self::new("speedscope", ".speedscope.json", "A file of speedscope", |trace, options, out| {
            speedscope(&merged(trace), options.title, out)
        }),
        #[cfg(feature = "firefox")]
        Self {
            has_values: true,
            ..Self::new(
                "firefox",
                ".firefox.json",
                "A profile for the Firefox Profiler",
                |trace, options, out| super::firefox(&trace, options.title, out),
            )
        },
        #[cfg(feature = "perfetto")]
        Self {
            other_end: Some(".perfetto-trace"),
            ..Self::new("perfetto", ".pftrace", "Track events of Perfetto", |trace, _, out| {
                super::perfetto(&merged(trace), out)
            })
        },
        #[cfg(feature = "pprof")]
        Self {
            has_values: true,
            has_tracks: true,
            ..Self::new("pprof", ".pb", "Call trees for pprof", |trace, options, out| {
                super::pprof(&trace, options.tracks_of(&trace), out)
            })
        },
        Self {
            has_tracks: true,
            has_measure: true,
            has_root: true,
            ..Self::new("folded", ".folded", "Folded stacks for flame graph tools", |trace, options, out| {
                folded(&trace, options.tracks_of(&trace), options.measure, options.root, out)
            })
        },
        Self {
            has_tracks: true,
            has_measure: true,
            ..Self::new(
                "nested",
                ".nested.json",
                "Call trees as JSON objects for d3-flame-graph",
                |trace, options, out| nested(&trace, options.tracks_of(&trace), options.measure, out),
            )
        },
    ];

    /// Returns a format about which nothing can be chosen.
    const fn new(
        name: &'static str,
        file_end: &'static str,
        description: &'static str,
        write: fn(Cow<'_, Trace>, &ExportOptions<'_>, &mut dyn Write) -> io::Result<ExportReport>,
    ) -> Self {
        let [has_values, has_tracks, has_measure, has_root] = [false; 4];
        let other_end = None;
        Self { name, file_end, other_end, description, has_values, has_tracks, has_measure, has_root, write }
    }

    /// Returns the format with this name.
    #[must_use]
    pub fn of_name(name: &str) -> Option<&'static Self> {
        Self::ALL.iter().find(|target| target.name == name)
    }

    /// Returns the format that the end of a file's name says, in upper or lower case; of two that fit, the one with the longer end.
    #[must_use]
    pub fn of_path(path: impl AsRef<Path>) -> Option<&'static Self> {
        let path = path.as_ref().to_string_lossy().to_lowercase();
        let fitting = Self::ALL.iter().filter(|target| {
            path.ends_with(target.file_end) || target.other_end.is_some_and(|end| path.ends_with(end))
        });
        fitting.max_by_key(|target| target.file_end.len())
    }

    /// Writes a trace in the format. Where it has slices but no samples, samples are [merged](crate::merge_samples) before. A
    /// trace that is borrowed is copied only if its samples make another trace of it.
    ///
    /// # Errors
    /// This returns an error when writing to `out` fails.
    ///
    /// ```
    /// use std::borrow::Cow;
    /// use spall_trace::export::{ExportOptions, Target};
    ///
    /// let trace = spall_trace::load(br#"[{"ph":"X","name":"frame","pid":1,"tid":2,"ts":0,"dur":10}]"#)?;
    /// let (target, mut file) = (Target::of_name("folded").unwrap(), Vec::new());
    /// let report = target.write(Cow::Owned(trace), &ExportOptions::default(), &mut file)?;
    /// assert!(report.is_lossless() && file == b"1:2;frame 10000\n");
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn write(
        &self,
        trace: Cow<'_, Trace>,
        options: &ExportOptions<'_>,
        out: &mut dyn Write,
    ) -> io::Result<ExportReport> {
        let trace = match self.has_values || !trace.needs_value() {
            true => trace,
            false => Cow::Owned(trace.into_owned().with_value(None)),
        };
        (self.write)(trace, options, out)
    }
}

impl ExportOptions<'_> {
    fn tracks_of(&self, trace: &Trace) -> TrackSet {
        self.tracks.unwrap_or_else(|| trace.shown_tracks())
    }
}

/// Returns a trace with slices for the functions that samples found.
fn merged(trace: Cow<'_, Trace>) -> Cow<'_, Trace> {
    if trace.profiles().is_empty() { trace } else { Cow::Owned(crate::merge_samples(trace.into_owned())) }
}
