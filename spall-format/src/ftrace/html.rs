//! Pages of systrace, which have the text in a script. [ftrace 1.4](crate::rules::ftrace#1.4)

use alloc::vec::Vec;

use memchr::memmem;
use spall_model::{DiagnosticKind, Event, Id, Text};

use super::fields::number;
use super::line::{Line, loss};
use super::output::Output;
use super::text::{Lines, is_head};

/// What a line of the file is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Place {
    /// A line of the text.
    Text,
    /// What follows a line `TRACE:`.
    AfterMark,
    /// Compressed text.
    Compressed,
    /// A line of a page, but of no script with data.
    Page,
    /// A line of a script with data.
    Block(Block),
    /// A line of a text in JavaScript. Whether it has quotes, as far as lines have shown.
    Script(Option<bool>),
}

/// The data in a script.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Block {
    /// The first line has not come.
    Unknown,
    Trace,
    Processes(Columns),
    Other,
}

/// The positions of columns in a list of processes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Columns {
    pid: usize,
    tid: Option<usize>,
    name: usize,
    /// The number of columns that have a heading.
    len: usize,
}

/// The begin of a script with data.
const DATA: &[u8] = b"<script class=\"trace-data\"";
/// The begin of the text in pages from before 2015. [ftrace 1.5](crate::rules::ftrace#1.5)
const OLD_DATA: &[u8] = b"linuxPerfData = \"";
/// The title of all pages of systrace.
const TITLE: &[u8] = b"<title>Android System Trace</title>";
const END: &[u8] = b"</script";

/// The most bytes of the tag at the begin of a page.
pub(super) const MAX_TAG: usize = 16;

/// Returns whether a file begins as a page does.
pub(super) fn begins_as_page(data: &[u8]) -> bool {
    let data = data.strip_prefix(b"\xef\xbb\xbf").unwrap_or(data).trim_ascii_start();
    let begins = |tag: &[u8]| data.get(..tag.len()).is_some_and(|start| start.eq_ignore_ascii_case(tag));
    begins(b"<!doctype html") || begins(b"<html")
}

/// Returns whether a page is one of systrace, as far as it is there.
pub(super) fn is_page_of_systrace(data: &[u8]) -> bool {
    let begins_line = |at: usize| {
        let before = data.get(..at).unwrap_or_default();
        let blanks = before.get(before.trim_ascii_end().len()..).unwrap_or_default();
        blanks.contains(&b'\n')
    };
    begins_as_page(data)
        && (memmem::find(data, TITLE).is_some()
            || memmem::find(data, OLD_DATA).is_some()
            || memmem::find_iter(data, DATA).any(begins_line))
}

impl Place {
    /// Reads a line without its end.
    pub(super) fn line(&mut self, line: &[u8], lines: &mut Lines, out: &mut Output<'_>) {
        match *self {
            Self::Text | Self::AfterMark | Self::Compressed => {
                if line.trim_ascii() == b"TRACE:" && !lines.has_begun() {
                    *self = Self::AfterMark;
                } else {
                    lines.line(line, out);
                }
            }
            Self::Page => self.page(line, lines, out),
            Self::Block(_) => {
                let end = memmem::find(line, END);
                let content = line.get(..end.unwrap_or(line.len())).unwrap_or(line);
                self.content(content, lines, out);
                if end.is_some() {
                    *self = Self::Page;
                }
            }
            Self::Script(is_quoted) => self.script(line, is_quoted, lines, out),
        }
    }

    /// Reads the last line of the file, which has no end. An event in it may be cut anywhere, so it is left out. [ftrace
    /// 6.1](crate::rules::ftrace#6.1)
    pub(super) fn last_line(&mut self, line: &[u8], lines: &mut Lines, out: &mut Output<'_>) {
        let ends_script = memmem::find(line, END).is_some();
        match self {
            Self::Block(_) if ends_script => self.line(line, lines, out),
            Self::Page | Self::Script(_) => self.line(line, lines, out),
            _ if line.starts_with(b"#") || line.trim_ascii().is_empty() => {}
            _ => out.report(DiagnosticKind::Truncated),
        }
    }

    /// Counts a line that is too long. [ftrace 6.1](crate::rules::ftrace#6.1)
    pub(super) fn long_line(&self, out: &mut Output<'_>) {
        if !matches!(self, Self::Page | Self::Block(Block::Other)) {
            out.report(DiagnosticKind::Junk);
        }
    }

    fn page(&mut self, line: &[u8], lines: &mut Lines, out: &mut Output<'_>) {
        if line.trim_ascii_start().starts_with(DATA) {
            *self = Self::Block(Block::Unknown);
            let tag = memchr::memchr(b'>', line).unwrap_or(line.len());
            let first = line.get(tag + 1..).unwrap_or_default();
            self.line(first, lines, out);
        } else if let Some(at) = memmem::find(line, OLD_DATA) {
            *self = Self::Script(None);
            let first = line.get(at + OLD_DATA.len()..).unwrap_or_default();
            if first.trim_ascii() != b"\\" {
                self.line(first, lines, out);
            }
        }
    }

    /// Reads a line of a script with data.
    fn content(&mut self, line: &[u8], lines: &mut Lines, out: &mut Output<'_>) {
        let Self::Block(block) = self else { return };
        let text = line.trim_ascii();
        if text.is_empty() {
            return;
        }
        let columns = Columns::of(text);
        if let Some(columns) = columns.filter(|_| matches!(block, Block::Unknown | Block::Processes(_))) {
            *block = Block::Processes(columns);
            return;
        }
        if *block == Block::Unknown && text != b"PROCESS DUMP" {
            let is_trace =
                text.starts_with(b"#") || is_head(text) || loss(text).is_some() || Line::of(line).is_some();
            *block = if is_trace { Block::Trace } else { Block::Other };
            if !is_trace {
                out.report(DiagnosticKind::NotRead);
            }
        }
        match *block {
            Block::Trace => lines.line(line, out),
            Block::Processes(columns) if columns.row(text, lines, out).is_none() => {
                out.report(DiagnosticKind::Junk);
            }
            _ => {}
        }
    }

    /// Reads a line of a text in JavaScript, which ends with a quote. Lines without escapes end with the script.
    fn script(&mut self, line: &[u8], is_quoted: Option<bool>, lines: &mut Lines, out: &mut Output<'_>) {
        let trimmed = line.trim_ascii();
        if trimmed.starts_with(END) {
            *self = Self::Page;
            return;
        }
        let goes_on = trimmed.strip_suffix(b"\\");
        let is_quoted = is_quoted.unwrap_or(goes_on.is_some());
        *self = Self::Script(Some(is_quoted));
        if !is_quoted {
            return lines.line(line, out);
        }
        let (text, is_over) = unescape(goes_on.unwrap_or(line));
        for line in text.split(|&byte| byte == b'\n') {
            lines.line(line, out);
        }
        if is_over {
            *self = Self::Page;
        }
    }
}

/// Returns a text of JavaScript up to its quote, and whether there is one.
fn unescape(text: &[u8]) -> (Vec<u8>, bool) {
    let mut plain = Vec::with_capacity(text.len());
    let mut bytes = text.iter();
    while let Some(&byte) = bytes.next() {
        match byte {
            b'"' => return (plain, true),
            b'\\' => match bytes.next() {
                Some(b'n') => plain.push(b'\n'),
                Some(b't') => plain.push(b'\t'),
                Some(b'r') => plain.push(b'\r'),
                Some(&other) => plain.push(other),
                None => {}
            },
            _ => plain.push(byte),
        }
    }
    (plain, false)
}

impl Columns {
    /// Reads the heading of a list of processes, as `ps` prints it.
    fn of(heading: &[u8]) -> Option<Self> {
        if !heading.starts_with(b"USER") {
            return None;
        }
        let position = |name: &[u8]| words(heading).position(|(_, word)| word == name);
        let name = position(b"NAME").or_else(|| position(b"CMD"))?;
        Some(Self { pid: position(b"PID")?, tid: position(b"TID"), name, len: words(heading).count() })
    }

    /// Reads the row of a process or of a thread. Returns `None` if it has another form.
    fn row(self, row: &[u8], lines: &mut Lines, out: &mut Output<'_>) -> Option<()> {
        let id = |column: usize| words(row).nth(column).and_then(|(_, word)| number(word));
        let rest = |column: usize| words(row).nth(column).and_then(|(at, _)| row.get(at..));
        let pid = id(self.pid)?;
        let mut column = self.name;
        let is_last = column + 1 == self.len;
        // The state of a process is a letter without a heading.
        if is_last
            && words(row).nth(column).is_some_and(|(_, word)| word.len() == 1)
            && rest(column + 1).is_some()
        {
            column += 1;
        }
        let tasks = &mut lines.kernel.tasks;
        let name = if is_last { rest(column)? } else { words(row).nth(column)?.1 };
        if let Some(tid) = self.tid {
            let tid = id(tid)?;
            tasks.place(tid, pid, out);
            tasks.name_unknown(tid, name);
            return Some(());
        }
        tasks.place(pid, pid, out);
        out.say(&Event::ProcessName(Id::Number(pid), Text::plain(name)));
        if !is_last && let Some(comm) = rest(self.len - 1) {
            tasks.name_unknown(pid, comm);
        }
        Some(())
    }
}

/// Returns the words of a line, each with its position.
fn words(line: &[u8]) -> impl Iterator<Item = (usize, &[u8])> {
    let mut at = 0;
    core::iter::from_fn(move || {
        let rest = line.get(at..)?;
        let start = at + rest.iter().position(|byte| !byte.is_ascii_whitespace())?;
        let rest = line.get(start..)?;
        at = start + rest.iter().position(u8::is_ascii_whitespace).unwrap_or(rest.len());
        Some((start, line.get(start..at)?))
    })
}
