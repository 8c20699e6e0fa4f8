//! The packed records: the top bits of the first byte say what follows and how long each number is.

use super::Record;
use crate::cursor::{Cursor, Short};

/// What the numbers of the next record are relative to.
#[derive(Debug, Clone, Copy)]
pub(super) struct Last {
    pub(super) when: u64,
    pub(super) address: u64,
    pub(super) caller: u64,
}

pub(super) struct Decoded<'a> {
    pub(super) record: Record<'a>,
    pub(super) length: usize,
    pub(super) last: Last,
    /// The time is beyond what a tick can hold.
    pub(super) clamped: bool,
}

/// Why there is no record.
pub(super) enum Stop {
    /// It has at least this many bytes.
    Short(usize),
    Unknown,
}

impl From<Short> for Stop {
    fn from(Short(needed): Short) -> Self {
        Self::Short(needed)
    }
}

/// The record at the start of `data`.
pub(super) fn record(data: &[u8], tid: u32, last: Last) -> Result<Decoded<'_>, Stop> {
    let mut input = Cursor::new(data, 0);
    let first = input.u8()?;
    // The lengths of numbers are powers of two, by two bits each.
    let length = |shift: u32| 1_usize << (first >> shift & 3);
    let mut next = last;
    let mut clamped = false;
    let mut advance = |input: &mut Cursor<'_>, length| {
        let delta = number(input, length)?;
        next.when = last.when.saturating_add(delta);
        clamped = i64::try_from(next.when).is_err();
        Ok::<_, Short>(next.when)
    };
    let record = match first >> 6 {
        0 => {
            let when = advance(&mut input, length(4))?;
            next.address ^= number(&mut input, length(2))?;
            next.caller ^= number(&mut input, length(0))?;
            Record::Enter { tid, when, address: next.address, caller: next.caller }
        }
        1 => Record::End { tid, when: advance(&mut input, length(4))? },
        2 if first >> 4 & 3 == 1 => {
            let when = advance(&mut input, length(2))?;
            let name_len = number(&mut input, 1 << (first >> 1 & 1))?;
            let args_len = number(&mut input, 1 << (first & 1))?;
            let mut text = |length| input.take(usize::try_from(length).unwrap_or(usize::MAX));
            Record::Begin { tid, when, name: text(name_len)?, args: text(args_len)? }
        }
        _ => return Err(Stop::Unknown),
    };
    Ok(Decoded { record, length: input.pos(), last: next, clamped })
}

/// A little-endian number of up to eight bytes.
fn number(input: &mut Cursor<'_>, length: usize) -> Result<u64, Short> {
    let bytes = input.take(length)?;
    Ok(bytes.iter().rev().fold(0, |value, &byte| value << 8 | u64::from(byte)))
}
