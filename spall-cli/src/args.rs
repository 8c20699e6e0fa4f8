//! The arguments of the command, and what each subcommand does with them.

use std::{ffi::OsString, path::PathBuf};

use clap::{CommandFactory, Parser, Subcommand, error::ErrorKind};

use crate::{
    convert::{self, Destination},
    diff, dump,
    error::Result,
    find, flame, gaps, info,
    input::open,
    render,
    section::SectionChoice,
    selection::{Selection, Viewed},
    serve::{self, Reach},
    session::Session,
    shown::{Printed, to_stdout},
    sums::SumChoice,
    table::TableFormat,
    top,
};

const FORMATS: &str = "\
FILE is a trace of one of these formats, which may be compressed with gzip, zstd or brotli: \
Trace Event JSON (Chrome, Perfetto, clang -ftime-trace), V8 CPU profiles, spall 0, 1 and 3, Heph, apitrace, Perfetto, \
ftrace (trace-cmd report, atrace, systrace), OpenTelemetry (OTLP), Jaeger, Zipkin, the Firefox Profiler (samply), \
speedscope, pprof, `perf script`, folded stacks, Callgrind, Cachegrind, Xdebug, dhat, V8 heap profiles.

`spall FILE` without a subcommand opens the file in the browser.

\
FILE may also be `-` for the standard input, a folder for the files in it, or a pattern such as 'runs/*.json'. Several \
files are put on one axis of time.

What is odd about a file is said on the error stream. The status is 0 if something was read and all was done, 1 if not, \
and 2 for arguments that make no sense.

Examples:
  spall info trace.json
  spall trace.json
  spall top --from 1.5s --to 2s trace.json
  spall help top";

/// Looks at profiler traces, compares, converts and draws them
#[derive(Parser)]
#[command(name = "spall", version, after_help = FORMATS, arg_required_else_help = true)]
// Of an option that is given twice the last one counts, so that an alias of the shell can be overruled.
#[command(args_override_self = true)]
pub(crate) struct Arguments {
    /// Say where in a file each odd thing is, and not only how often there is one
    #[arg(short, long, global = true, display_order = 100, overrides_with = "quiet")]
    pub(crate) verbose: bool,
    /// Say nothing on the error stream but errors
    #[arg(short, long, global = true, display_order = 101, overrides_with = "verbose")]
    pub(crate) quiet: bool,
    #[command(subcommand)]
    pub(crate) command: Command,
}

#[derive(Subcommand)]
pub(crate) enum Command {
    /// Says what is in files, by which clock, and what is odd about them
    #[command(after_help = "Example:\n  spall info trace.json")]
    Info {
        /// Traces: files, folders, patterns, or `-` for the standard input
        #[arg(required = true, value_name = "FILE")]
        files: Vec<PathBuf>,
        #[command(flatten)]
        section: SectionChoice,
        /// How to print it
        #[arg(long, value_enum, default_value_t)]
        format: TableFormat,
    },
    /// Shows traces in the browser
    ///
    /// The page asks this program, which ends when the page is closed.
    #[command(
        after_help = "Examples:\n  spall open server.json client.json\n  spall open --follow run.spall\n  nc -l 9000 | spall open --follow -"
    )]
    Open {
        /// Traces: files, folders, patterns, or `-` for the standard input
        #[arg(required = true, value_name = "FILE")]
        files: Vec<PathBuf>,
        /// Show a file or a pipe that a program writes to, as it grows
        #[arg(long)]
        follow: bool,
        /// Show the marks and notes of a file that the page has saved
        #[arg(long, value_name = "NOTES")]
        notes: Option<PathBuf>,
        #[command(flatten)]
        selection: Viewed,
    },
    /// Serves the page of traces to a browser of another machine, until it is interrupted
    ///
    /// The page is served to this machine alone. With `ssh -L 8000:localhost:8000 HOST` the other machine reaches it, at the address
    /// that this prints.
    #[command(
        after_help = "Examples:\n  spall serve --port 8000 trace.json\n  spall serve --follow run.spall"
    )]
    Serve {
        /// Traces: files, folders, patterns, or `-` for the standard input
        #[arg(required = true, value_name = "FILE")]
        files: Vec<PathBuf>,
        /// The port; any that is free if none is given
        #[arg(long, default_value_t = 0, hide_default_value = true)]
        port: u16,
        /// Start the browser of this machine, too
        #[arg(long)]
        browser: bool,
        /// Show a file or a pipe that a program writes to, as it grows
        #[arg(long)]
        follow: bool,
        /// Show the marks and notes of a file that the page has saved
        #[arg(long, value_name = "NOTES")]
        notes: Option<PathBuf>,
        #[command(flatten)]
        selection: Viewed,
    },
    /// Shows a trace in the terminal, whose key `?` lists what it can do
    #[command(after_help = "Examples:\n  spall tui trace.json\n  spall tui --follow run.spall")]
    Tui {
        /// A trace, or `-` for the standard input
        #[arg(value_name = "FILE")]
        file: PathBuf,
        /// Show a file that is being written, as it grows
        #[arg(long)]
        follow: bool,
    },
    /// Draws traces into a picture, or writes a page that has them and the viewer in itself
    ///
    /// Without the name of a picture or page it draws `render.svg`.
    #[command(
        after_help = "Example:\n  spall render trace.json picture.svg\n\nWithout a file it draws the trace that comes with it."
    )]
    Render {
        /// Traces, and at last a file that ends with .svg or .html
        #[arg(value_name = "FILE")]
        files: Vec<PathBuf>,
        /// Replace the input, if the picture is the same file
        #[arg(long)]
        force: bool,
        #[command(flatten)]
        selection: Selection,
    },
    /// Shows where the slices are that contain a text, with their flows and counters
    #[command(
        override_usage = "spall find [OPTIONS] <FILE>... <TEXT>",
        after_help = "Examples:\n  spall find trace.json parse\n  spall find trace.json 'parse dur > 10 ms'\n  spall find trace.json 'parse cat:io track:\"GPU Process\"'\n  spall find --notes long.notes.json trace.json 'dur > 50 ms'\n  spall open --notes long.notes.json trace.json"
    )]
    Find {
        /// Traces: files, folders, patterns, or `-` for the standard input; and behind them TEXT, a part of a name or an
        /// argument, in upper or lower case, or a regular expression between slashes, and maybe terms beside it: how long slices
        /// take, `cat:` with what a category contains, and `track:` with what the process and the track are called
        #[arg(required = true, value_name = "FILE")]
        files_and_text: Vec<OsString>,
        /// Write the slices and instants that were found as notes, which `spall open --notes` shows
        #[arg(long, value_name = "NOTES", conflicts_with_all = ["from", "to", "thread", "process", "track", "category", "name"])]
        notes: Option<PathBuf>,
        #[command(flatten)]
        selection: Selection,
        /// How to print it: the whole trace as strips with marks, or as JSON the slices that were found
        #[arg(long, value_enum, default_value_t)]
        format: TableFormat,
    },
    /// Lists the functions that took the most time
    #[command(
        after_help = "Examples:\n  spall top -n 5 trace.json\n  spall top --under parse trace.json\n  spall top --by track --from 1s --to 2s trace.json"
    )]
    Top {
        /// Traces: files, folders, patterns, or `-` for the standard input
        #[arg(required = true, value_name = "FILE")]
        files: Vec<PathBuf>,
        /// How many to list
        #[arg(short = 'n', long, default_value_t = 20, value_name = "N")]
        count: usize,
        #[command(flatten)]
        choice: top::Choice,
        #[command(flatten)]
        of: SumChoice,
        #[command(flatten)]
        selection: Selection,
        /// How to print it
        #[arg(long, value_enum, default_value_t)]
        format: TableFormat,
    },
    /// Lists the longest times in which a thread ran nothing
    ///
    /// Each is listed with what other threads ran meanwhile. A gap is between two slices of the thread. Without `--thread` or `--track`, those of all threads are listed.
    #[command(after_help = "Example:\n  spall gaps --thread main --from 1s --to 2s trace.json")]
    Gaps {
        /// Traces: files, folders, patterns, or `-` for the standard input
        #[arg(required = true, value_name = "FILE")]
        files: Vec<PathBuf>,
        /// How many to list
        #[arg(short = 'n', long, default_value_t = 20, value_name = "N")]
        count: usize,
        #[command(flatten)]
        selection: Selection,
        /// How to print it
        #[arg(long, value_enum, default_value_t)]
        format: TableFormat,
    },
    /// Says what got slower between two traces, or two groups of runs
    ///
    /// Compares the self times of functions over all threads, and by themselves those of async spans. Shares are of the time of
    /// all functions of that kind in BEFORE. A folder or a pattern is a group of runs, whose values are the median of the runs; a
    /// change is beyond noise if no value of one group lies within the values of the other.
    #[command(
        after_help = "Examples:\n  spall diff --fail-above 5% main.spall branch.spall\n  spall diff --percentile 95 --min-calls 100 before/ after/"
    )]
    Diff {
        /// The trace to compare with, `-` for the standard input, or a folder or a pattern for a group of runs
        #[arg(value_name = "BEFORE")]
        before: PathBuf,
        /// The trace that may have got slower, `-` for the standard input, or a folder or a pattern for a group of runs
        #[arg(value_name = "AFTER")]
        after: PathBuf,
        #[command(flatten)]
        choice: diff::Choice,
        #[command(flatten)]
        of: SumChoice,
        #[command(flatten)]
        selection: Selection,
        /// How to print it
        #[arg(long, value_enum, default_value_t)]
        format: TableFormat,
    },
    /// Draws a flame graph with characters
    #[command(after_help = "Example:\n  spall flame --only parse trace.json")]
    Flame {
        /// Traces: files, folders, patterns, or `-` for the standard input
        #[arg(required = true, value_name = "FILE")]
        files: Vec<PathBuf>,
        #[command(flatten)]
        choice: flame::Choice,
        #[command(flatten)]
        of: SumChoice,
        #[command(flatten)]
        selection: Selection,
    },
    /// Writes a trace in another format, or adds many to a data set of Parquet files
    #[command(
        override_usage = "spall convert [OPTIONS] <FILE>... <OUT>",
        after_help = "Examples:\n  spall convert trace.json trace.spall\n  spall convert --to folded trace.json - | head\n  spall convert runs/*.json data/"
    )]
    Convert {
        /// Traces: files, folders, patterns, or `-` for the standard input; and behind them OUT: the file to write, `-` for
        /// the standard output, or the folder of a data set, which ends with a slash and needs the feature `parquet`
        #[arg(required = true, value_name = "FILE")]
        files_and_out: Vec<OsString>,
        #[command(flatten)]
        how: Destination,
    },
    /// Writes a section of a trace as a trace: a range of time, threads, categories, names
    ///
    /// A slice that sticks out of the range is written with the part inside, without its thread time. A slice without duration, an
    /// instant and a sample are written if their time is in the range. A counter begins with the value that it has when the range
    /// begins. A flow is written if both its ends are, and an object if its creation, its deletion or a snapshot is in the range.
    /// Where slices are chosen by name or category, the functions that samples found are slices, too.
    #[command(
        after_help = "Examples:\n  spall cut --from 1.5s --to 2s trace.json part.json.gz\n  spall cut --thread main trace.json main.spall"
    )]
    Cut {
        /// A trace, or `-` for the standard input
        #[arg(value_name = "FILE")]
        file: PathBuf,
        /// The file to write, or `-` for the standard output
        #[arg(value_name = "OUT")]
        out: PathBuf,
        #[command(flatten)]
        how: Destination,
    },
    /// Puts traces on one axis of time and writes them as one
    #[command(
        override_usage = "spall merge [OPTIONS] <FILE>... <OUT>",
        after_help = "Example:\n  spall merge --align start before.spall after.spall both.json"
    )]
    Merge {
        /// Traces: files, folders, patterns, or `-` for the standard input; and behind them OUT: the file to write, or `-`
        /// for the standard output
        #[arg(required = true, value_name = "FILE")]
        files_and_out: Vec<OsString>,
        /// How times are put on the axis of the first trace
        ///
        /// auto: by the clocks and events that the traces share;
        /// start: the first events of all traces are at the same time;
        /// event=NAME: the first events with this name are at the same time;
        /// monotonic: times are by the monotonic clock of one machine, even where the file does not say so;
        /// offset=N: moved by N nanoseconds;
        /// keep: not moved.
        #[arg(long, default_value = "auto", value_name = "HOW", value_parser = valid_alignment, verbatim_doc_comment)]
        align: String,
        #[command(flatten)]
        how: Destination,
    },
    /// Asks traces, or a data set, questions in SQL, if built with the feature `sql`
    ///
    /// The feature takes tens of minutes to build on two cores.
    #[command(
        override_usage = "spall query [OPTIONS] <FILE>... <SQL>",
        after_help = "Examples:\n  spall query trace.json 'show tables'\n  spall query trace.json 'select name, count(*) from slice group by name'"
    )]
    Query {
        /// Traces: files, folders, patterns, or `-` for the standard input, or the folder of a data set; and behind them SQL,
        /// the question; `show tables` asks which tables and views there are
        #[arg(required = true, value_name = "FILE")]
        files_and_sql: Vec<OsString>,
        /// How to print the answer: `text` with tabs between columns, `json` or `csv`. Times are in ticks, as they are in the
        /// tables
        #[arg(long, value_enum, default_value_t, hide_possible_values = true)]
        format: TableFormat,
    },
    /// Prints a trace as one JSON object per line
    #[command(after_help = "Example:\n  spall dump trace.json | grep '\"k\":\"slice\"'")]
    Dump {
        /// A trace, or `-` for the standard input
        #[arg(value_name = "FILE")]
        file: PathBuf,
        /// Print only the first line, and how long each step took
        #[arg(long, group = "what")]
        summary: bool,
        /// Print the call tree of each thread as folded stacks
        #[arg(long, group = "what")]
        folded: bool,
        /// Print the calls of an apitrace recording, one per line
        #[arg(long, group = "what", conflicts_with_all = ["from", "to", "thread", "process", "track", "category", "name"])]
        calls: bool,
        #[command(flatten)]
        section: SectionChoice,
    },
    /// Prints what makes a shell complete these arguments
    #[command(after_help = "Example:\n  spall completions bash >> ~/.bash_completion")]
    Completions { shell: clap_complete::Shell },
}

/// Returns a way to align traces as it is given, if there is such a way.
fn valid_alignment(text: &str) -> std::result::Result<String, &'static str> {
    let is_known = convert::alignment(text).is_some();
    is_known
        .then(|| text.to_owned())
        .ok_or("use auto, start, event=NAME, monotonic, offset=NANOSECONDS or keep")
}

impl Arguments {
    /// Reads the arguments of a program, of which the first is its name.
    pub(crate) fn read(
        arguments: impl IntoIterator<Item = OsString>,
    ) -> std::result::Result<Self, clap::Error> {
        let arguments = Self::try_parse_from(with_command(arguments.into_iter().collect()))?;
        let (command, last, n) = match &arguments.command {
            Command::Find { files_and_text, .. } => ("find", "<TEXT>", files_and_text.len()),
            Command::Convert { files_and_out, .. } => ("convert", "<OUT>", files_and_out.len()),
            Command::Merge { files_and_out, .. } => ("merge", "<OUT>", files_and_out.len()),
            Command::Query { files_and_sql, .. } => ("query", "<SQL>", files_and_sql.len()),
            _ => return Ok(arguments),
        };
        if n > 1 {
            return Ok(arguments);
        }
        let said = format!("{last} is missing behind <FILE>...");
        let mut all = Self::command();
        all.build();
        let command =
            all.find_subcommand_mut(command).map(|command| command.error(ErrorKind::TooFewValues, &said));
        Err(command.unwrap_or_else(|| Self::command().error(ErrorKind::TooFewValues, said)))
    }
}

/// Returns the arguments with `open` before them if they begin with a file and not with a subcommand.
fn with_command(mut arguments: Vec<OsString>) -> Vec<OsString> {
    let is_option = |argument: &OsString| argument.as_encoded_bytes().starts_with(b"-") && argument != "-";
    let first = arguments.iter().skip(1).find(|argument| !is_option(argument));
    let is_file = |argument: &OsString| {
        let is_command = argument == "help" || Arguments::command().find_subcommand(argument).is_some();
        // A name with a dot or a slash is that of a file that is not there, and no subcommand with a mistake in it.
        let is_name = argument == "-" || argument.as_encoded_bytes().iter().any(|byte| b"./*".contains(byte));
        !is_command && (is_name || PathBuf::from(argument).exists())
    };
    if first.is_some_and(is_file) {
        arguments.insert(1, "open".into());
    }
    arguments
}

/// Returns files and the argument behind them. To the parser they are one list, as options may stand between them.
fn last_of(mut arguments: Vec<OsString>) -> (Vec<PathBuf>, OsString) {
    let last = arguments.pop().unwrap_or_default();
    (arguments.into_iter().map(PathBuf::from).collect(), last)
}

impl Command {
    /// Does what the arguments ask for.
    pub(crate) fn run(self, session: &Session) -> Result<()> {
        match self {
            Self::Info { files, section, format } => info::run(&files, &section, format, session),
            Self::Open { files, follow: follows, notes, selection } => {
                let reach = Reach { port: 0, browser: true, ends_with_page: true, follows };
                serve::run(&files, notes.as_deref(), &selection, reach, session)
            }
            Self::Serve { files, port, browser, follow: follows, notes, selection } => {
                let reach = Reach { port, browser, ends_with_page: false, follows };
                serve::run(&files, notes.as_deref(), &selection, reach, session)
            }
            Self::Render { files, force, selection } => render::run(files, force, &selection, session),
            Self::Find { files_and_text, notes, selection, format } => {
                let (files, text) = last_of(files_and_text);
                find::run(&files, &text.to_string_lossy(), notes.as_deref(), &selection, format, session)
            }
            Self::Top { files, count, choice, of, selection, format } => {
                let trace = selection.open(&files, session)?;
                top::run(trace, count, &choice, of, format, session)
            }
            Self::Gaps { files, count, selection, format } => {
                let opened = open(&files, Default::default(), session)?;
                gaps::run(opened, count, &selection, format, session)
            }
            Self::Diff { before, after, choice, of, selection, format } => {
                diff::run([&before, &after], &choice, of, &selection, format, session)
            }
            Self::Flame { files, choice, of, selection } => {
                flame::run(&files, &choice, of, &selection, session)
            }
            Self::Convert { files_and_out, how } => {
                let (files, out) = last_of(files_and_out);
                convert::run(&files, out.as_ref(), &how, session)
            }
            Self::Cut { file, out, how } => convert::cut(&file, &out, &how, session),
            Self::Merge { files_and_out, align, how } => {
                let (files, out) = last_of(files_and_out);
                convert::merge(&files, out.as_ref(), &align, &how, session)
            }
            #[cfg(feature = "tui")]
            Self::Tui { file, follow } => crate::tui::run(&file, follow, session),
            #[cfg(not(feature = "tui"))]
            Self::Tui { .. } => Err(crate::error::Error::new(
                "this `spall` was built without its viewer in the terminal. Install it with `--features tui`.",
            )),
            #[cfg(feature = "sql")]
            Self::Query { files_and_sql, format } => {
                let (files, sql) = last_of(files_and_sql);
                crate::query::run(&files, &sql.to_string_lossy(), format, session)
            }
            #[cfg(not(feature = "sql"))]
            Self::Query { .. } => Err(crate::error::Error::new(
                "this `spall` was built without SQL. Install it with `--features sql`: tens of minutes on two cores.",
            )),
            Self::Dump { file, folded: true, section, .. } => dump::folded(&file, &section, session),
            Self::Dump { file, calls: true, .. } => dump::calls(&file, session),
            Self::Dump { file, summary, section, .. } => dump::run(&file, summary, &section, session),
            Self::Completions { shell } => Ok(to_stdout(Printed::File, |mut out| {
                clap_complete::generate(shell, &mut Arguments::command(), "spall", &mut out);
                Ok(())
            })?),
        }
    }
}
