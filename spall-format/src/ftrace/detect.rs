//! Recognises the text by its first lines. [ftrace 1](crate::rules::ftrace#1)

use super::html::is_page_of_systrace;
use super::line::{Line, loss};
use super::parser::{is_zlib, without_end};
use super::text::is_head;

/// The number of lines that tell whether a text is one of ftrace.
const FIRST_LINES: usize = 10;

/// More bytes than those lines and what stands before them usually have.
const MAX_LOOK: usize = 64 << 10;

/// The tracers whose text is not read: their lines are calls or reports and not events.
const NOT_READ: [&[u8]; 7] =
    [b"function_graph", b"blk", b"mmiotrace", b"wakeup", b"irqsoff", b"preemptoff", b"preemptirqsoff"];

/// Returns whether a file is text of ftrace or atrace, or a page of systrace.
///
/// The text has a comment about the tracer, or all of its first lines are events; of ten, one may have another form, and half of them if one of the
/// others is a switch of a processor or printed by a program. A last line that is cut does not count.
///
/// ```
/// use spall_format::ftrace::is_ftrace;
///
/// assert!(is_ftrace(b"# tracer: nop\n#\n"));
/// assert!(is_ftrace(b" app-100 [000] .... 10.000001: cpu_idle: state=1 cpu_id=0\n"));
/// assert!(!is_ftrace(b"app 100 [000] 10.000001: cycles:\n"));
/// ```
#[must_use]
pub fn is_ftrace(data: &[u8]) -> bool {
    if is_page_of_systrace(data) {
        return true;
    }
    let text = data.strip_prefix(b"\xef\xbb\xbf").unwrap_or(data);
    let text = text.get(..MAX_LOOK).unwrap_or(text);
    // A document of JSON may have such a text in one of its lines.
    if matches!(text.trim_ascii_start().first(), Some(b'{' | b'[')) {
        return false;
    }
    let (mut fit, mut other, mut position) = (0, 0, 0);
    let (mut is_report, mut may_go_on, mut is_certain) = (false, false, false);
    for whole in text.split_inclusive(|&byte| byte == b'\n') {
        position += whole.len();
        let line = without_end(whole);
        let trimmed = line.trim_ascii();
        if trimmed.is_empty() {
            continue;
        }
        if let Some(tracer) = trimmed.strip_prefix(b"# tracer:") {
            let tracer = tracer.trim_ascii();
            return fit == 0 && !NOT_READ.iter().any(|name| tracer.starts_with(name));
        }
        if trimmed == b"TRACE:" {
            if let Some(head) = text.get(position..).and_then(<[u8]>::first_chunk)
                && is_zlib(*head)
            {
                return true;
            }
            (fit, other) = (0, 0);
        } else if is_head(line) {
            is_report = true;
        } else if let Some(found) = Line::of(line).filter(|_| !trimmed.starts_with(b"#")) {
            if is_report && other == 0 {
                return true;
            }
            fit += 1;
            // A printed text may have a second line.
            may_go_on = found.rest.starts_with(b"bp");
            is_certain |= CERTAIN.iter().any(|event| found.rest.starts_with(event));
        } else if !may_go_on && whole.ends_with(b"\n") && !trimmed.starts_with(b"#") && loss(line).is_none() {
            other += 1;
        }
        if fit + other == FIRST_LINES {
            break;
        }
    }
    // A program may have printed lines between them.
    let are_most = (other == 1 && fit + other == FIRST_LINES) || (is_certain && other <= fit);
    fit > 0 && (other == 0 || are_most)
}

/// Events that nothing else has, so that half of the first lines are enough.
const CERTAIN: [&[u8]; 2] = [b"tracing_mark_write: ", b"sched_switch: "];
