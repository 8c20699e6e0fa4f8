//! The text that `perf script` prints: samples with their call stacks. [profiles 4](spall_model::rules::profiles#4)
//!
//! A sample is a line of the command, the thread, the time and the event, and a line for each call frame. [`Parser`] turns
//! it into a [`Sample`](spall_model::Event::Sample), and each call frame that is new into a
//! [`Frame`](spall_model::Event::Frame). Most names of functions are in the text, but not all, so it is a
//! [`LendingParser`](spall_model::LendingParser).
//!
//! | in the file | event |
//! |---|---|
//! | the command | the name of the thread, and of the process if the ids of both are equal |
//! | the process and the thread | the thread; without a process, the process has the id of the thread |
//! | the time | the time in nanoseconds, by the clock of the recording; nothing says which one it is |
//! | the event without modifiers | the name of the sample; the events of a file are profiles of each thread, and the first one counts |
//! | the period | the weight of the sample, or 1 |
//! | the processor, the address of the innermost frame, fields of the event | the arguments `cpu`, `address` and `fields` of the sample |
//! | a symbol, a library | the name and the URL of a call frame |
//! | the file and the line of a frame (`-F +srcline`) | its URL and its line |
//! | records of lost events | the fact `lost_events`: their number |
//! | comments `# key : value` | facts of the file |
//!
//! Names of functions are those that `inferno-collapse-perf` gives by default: without parameters, and with the library in
//! brackets where the function is unknown. It differs in three ways: functions of namespaces without a name are kept, `->`
//! separates inlined functions in symbols of virtual machines only, and the path of a library may have blanks.
//!
//! This module needs the feature `profiles`.
//!
//! ```
//! use spall_format::perf_script::Parser;
//! use spall_model::{Event, LendingParser as _, SampleTime, Tick};
//!
//! let file = b"\
//! main 71/73 12.000000250: 1000000 cpu-clock:
//! \t    401b97 parse(int)+0x1f (/bin/main)
//! \t    401a02 [unknown] (/lib/libc.so.6)
//! ";
//! let (mut frames, mut samples) = (Vec::new(), Vec::new());
//! Parser::new().lend_all(file, |event, _| match event {
//!     Event::Frame(frame) => frames.push(frame.name.to_string()),
//!     Event::Sample(sample) => samples.push((sample.at, sample.weight)),
//!     _ => {}
//! })?;
//! assert_eq!(frames, ["[libc.so.6]", "parse"]);
//! assert_eq!(samples, [(SampleTime::At(Tick(12_000_000_250)), 1e6)]);
//! # Ok::<(), spall_format::FormatError>(())
//! ```

mod frame;
mod header;
mod lines;
mod name;
mod parser;
mod profiles;
mod stacks;

pub use parser::Parser;

use frame::FrameLine;
use header::Header;

/// Returns whether a file is such text, by its first lines.
///
/// The first line that is no comment is that of a sample, and the next one is that of a frame, or of another sample if both
/// have what perf alone writes: a time and an event, and a processor, a period or a tracepoint. A file
/// may also begin with a long comment about the recording.
///
/// ```
/// use spall_format::perf_script::is_perf_script;
///
/// assert!(is_perf_script(b"main 71 12.5: cycles:\n\t401b97 parse+0x1f (/bin/main)\n"));
/// assert!(!is_perf_script(b"main 71 12.5: cycles:\nbut that is all\n"));
/// ```
#[must_use]
pub fn is_perf_script(data: &[u8]) -> bool {
    /// More bytes than a comment about the recording and two lines usually have.
    const MAX_LOOK: usize = 64 << 10;
    if data.starts_with(b"# ========\n# captured on") {
        return true;
    }
    let data = data.get(..MAX_LOOK).unwrap_or(data);
    let is_text = |line: &&[u8]| !line.trim_ascii().is_empty() && !line.starts_with(b"#");
    let mut lines = data.split(|&byte| byte == b'\n').filter(is_text);
    let is_frame = |line| FrameLine::of(line).is_some_and(|frame| frame.is_certain());
    let head = |line| Header::of(line).filter(Header::is_certain);
    let Some(first) = lines.next().and_then(head) else { return false };
    let is_second = |line| first.is_of_perf() && head(line).is_some_and(|head| head.is_of_perf());
    let is_next = |line| is_frame(line) || is_second(line);
    is_frame(first.rest) || lines.next().is_some_and(is_next)
}
