//! The least that a program can do with a spall v3 file, written the way one would without a library.
//!
//! Neither loop looks after damage: it stops where something does not fit.

use std::collections::HashMap;

use foldhash::fast::RandomState;

const HEADER: usize = 32;
const BUFFER_HEADER: usize = 20;

fn u32_at(data: &[u8], at: usize) -> Option<u32> {
    Some(u32::from_le_bytes(*data.get(at..)?.first_chunk()?))
}

fn u64_at(data: &[u8], at: usize) -> Option<u64> {
    Some(u64::from_le_bytes(*data.get(at..)?.first_chunk()?))
}

/// A receiver of the records of a file.
trait Visit<'a> {
    /// The records that follow are of this process and thread.
    fn buffer(&mut self, pid: u32, tid: u32);
    fn begin(&mut self, when: u64, name: &'a [u8], args: &'a [u8]);
    fn end(&mut self, when: u64);
}

#[inline(always)]
fn walk<'a>(data: &'a [u8], visit: &mut impl Visit<'a>) -> Option<()> {
    let mut rest = data.get(HEADER..)?;
    while !rest.is_empty() {
        visit.buffer(u32_at(rest, 8)?, u32_at(rest, 4)?);
        let size = u32_at(rest, 0)? as usize;
        let (mut records, tail) = rest.get(BUFFER_HEADER..)?.split_at_checked(size)?;
        while let Some(&kind) = records.first() {
            let length = match kind {
                3 => {
                    let when = u64_at(records, 1)?;
                    let (name, args) = (usize::from(*records.get(9)?), usize::from(*records.get(10)?));
                    let texts = records.get(11..11 + name + args)?;
                    let (name, args) = texts.split_at_checked(name)?;
                    visit.begin(when, name, args);
                    11 + texts.len()
                }
                4 => {
                    visit.end(u64_at(records, 1)?);
                    9
                }
                8 | 9 => 2 + usize::from(*records.get(1)?),
                _ => return None,
            };
            records = records.get(length..)?;
        }
        rest = tail;
    }
    Some(())
}

/// The numbers of begins and ends, and sums of their fields, so that the compiler cannot leave out reading them.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Counts {
    /// The numbers of begins and of ends.
    pub events: usize,
    /// The sum of all times and lengths of names.
    pub sum: u64,
}

impl Counts {
    /// Counts a begin.
    #[inline(always)]
    pub fn begin(&mut self, when: u64, name: &[u8]) {
        self.events += 1;
        self.sum = self.sum.wrapping_add(when ^ name.len() as u64);
    }

    /// Counts an end.
    #[inline(always)]
    pub fn end(&mut self, when: u64) {
        self.events += 1;
        self.sum = self.sum.wrapping_add(when);
    }
}

impl<'a> Visit<'a> for Counts {
    fn buffer(&mut self, _: u32, _: u32) {}

    #[inline(always)]
    fn begin(&mut self, when: u64, name: &'a [u8], _: &'a [u8]) {
        self.begin(when, name);
    }

    #[inline(always)]
    fn end(&mut self, when: u64) {
        self.end(when);
    }
}

/// Counts begins and ends.
#[must_use]
pub fn count(data: &[u8]) -> Counts {
    let mut counts = Counts::default();
    walk(data, &mut counts);
    counts
}

/// A slice as a row of a table.
#[derive(Debug, Clone, Copy)]
pub struct Row<'a> {
    /// The start of the slice.
    pub start: u64,
    /// The end of the slice, or 0 if it has none.
    pub end: u64,
    /// The position of the name in [`Rows::names`].
    pub name: u32,
    /// The number of the thread, in the order of first appearance.
    pub thread: u32,
    /// The arguments as the file has them.
    pub args: &'a [u8],
}

/// The slices of a file as rows, with interned names.
#[derive(Debug, Default)]
pub struct Rows<'a> {
    /// The rows in the order of the file.
    pub rows: Vec<Row<'a>>,
    /// The names, each of them once.
    pub names: Vec<&'a [u8]>,
    by_name: HashMap<&'a [u8], u32>,
    threads: HashMap<(u32, u32), u32>,
    /// The open rows of each thread.
    open: Vec<Vec<usize>>,
    thread: u32,
}

impl<'a> Visit<'a> for Rows<'a> {
    fn buffer(&mut self, pid: u32, tid: u32) {
        let next = index32(self.threads.len());
        self.thread = *self.threads.entry((pid, tid)).or_insert(next);
        if self.thread == next {
            self.open.push(Vec::new());
        }
    }

    #[inline(always)]
    fn begin(&mut self, when: u64, name: &'a [u8], args: &'a [u8]) {
        let next = index32(self.names.len());
        let id = *self.by_name.entry(name).or_insert(next);
        if id == next {
            self.names.push(name);
        }
        if let Some(open) = self.open.get_mut(self.thread as usize) {
            open.push(self.rows.len());
        }
        self.rows.push(Row { start: when, end: 0, name: id, thread: self.thread, args });
    }

    #[inline(always)]
    fn end(&mut self, when: u64) {
        let open = self.open.get_mut(self.thread as usize).and_then(Vec::pop);
        if let Some(row) = open.and_then(|open| self.rows.get_mut(open)) {
            row.end = when;
        }
    }
}

/// Makes rows of slices.
#[must_use]
pub fn rows(data: &[u8]) -> Rows<'_> {
    let mut rows = Rows::default();
    walk(data, &mut rows);
    rows
}

/// A slice in the table of its thread.
#[derive(Debug, Clone, Copy)]
pub struct ThreadRow<'a> {
    /// The start of the slice.
    pub start: u64,
    /// The end of the slice, or 0 if it has none.
    pub end: u64,
    /// The position of the name in [`RowsByThread::names`].
    pub name: u32,
    /// The arguments as the file has them.
    pub args: &'a [u8],
}

/// The slices of a file in a table for each thread, with names that are interned with a fast hash.
///
/// This is what a careful program without a library makes of a file that it wants to draw.
#[derive(Debug, Default)]
pub struct RowsByThread<'a> {
    /// The threads in the order of their first appearance.
    pub threads: Vec<ThreadRows<'a>>,
    /// The names, each of them once.
    pub names: Vec<&'a [u8]>,
    by_name: HashMap<&'a [u8], u32, RandomState>,
    by_id: HashMap<(u32, u32), usize, RandomState>,
    /// The thread of the current buffer.
    current: usize,
}

/// The slices of one thread.
#[derive(Debug, Default)]
pub struct ThreadRows<'a> {
    /// The rows in the order of the file.
    pub rows: Vec<ThreadRow<'a>>,
    /// The positions of the open rows.
    open: Vec<usize>,
}

impl<'a> Visit<'a> for RowsByThread<'a> {
    fn buffer(&mut self, pid: u32, tid: u32) {
        self.current = *self.by_id.entry((pid, tid)).or_insert(self.threads.len());
        if self.current == self.threads.len() {
            self.threads.push(ThreadRows::default());
        }
    }

    #[inline(always)]
    fn begin(&mut self, when: u64, name: &'a [u8], args: &'a [u8]) {
        let next = index32(self.names.len());
        let id = *self.by_name.entry(name).or_insert(next);
        if id == next {
            self.names.push(name);
        }
        if let Some(thread) = self.threads.get_mut(self.current) {
            thread.open.push(thread.rows.len());
            thread.rows.push(ThreadRow { start: when, end: 0, name: id, args });
        }
    }

    #[inline(always)]
    fn end(&mut self, when: u64) {
        if let Some(thread) = self.threads.get_mut(self.current)
            && let Some(row) = thread.open.pop().and_then(|open| thread.rows.get_mut(open))
        {
            row.end = when;
        }
    }
}

/// Makes rows of slices, thread by thread.
#[must_use]
pub fn rows_by_thread(data: &[u8]) -> RowsByThread<'_> {
    let mut rows = RowsByThread::default();
    walk(data, &mut rows);
    rows
}

fn index32(index: usize) -> u32 {
    u32::try_from(index).unwrap_or(u32::MAX)
}
