//! The arguments of events, in the forms of the kernel and of trace-cmd. [ftrace 4](crate::rules::ftrace#4)

use memchr::memchr_iter;

/// The threads of a switch, each with its name and id, and the state of the first.
pub(super) struct Switch<'a> {
    pub(super) previous: (&'a [u8], i64),
    pub(super) state: &'a [u8],
    pub(super) next: (&'a [u8], i64),
}

impl<'a> Switch<'a> {
    /// Reads `prev_comm=A prev_pid=1 prev_prio=120 prev_state=S ==> next_comm=B next_pid=2 next_prio=120`. Older programs
    /// leave out the arrow.
    pub(super) fn with_keys(args: &'a [u8]) -> Option<Self> {
        let (comm, rest) = split_at_key(args.strip_prefix(b"prev_comm=")?, b" prev_pid=")?;
        let previous = (comm, leading_integer(rest)?);
        let (_, rest) = split_at_key(rest, b" prev_state=")?;
        let (state, rest) = split_at_key(rest, b" next_comm=")?;
        let state = state.strip_suffix(b"==>").unwrap_or(state).trim_ascii();
        let (comm, rest) = split_at_key(rest, b" next_pid=")?;
        Some(Self { previous, state, next: (comm, leading_integer(rest)?) })
    }

    /// Reads `A:1 [120] S ==> B:2 [120]`.
    pub(super) fn of_trace_cmd(args: &'a [u8]) -> Option<Self> {
        let (before, behind) = split_at_key(args, b" ==> ")?;
        let before = before.trim_ascii_end();
        let (task, state) = before.split_at_checked(memchr::memrchr(b' ', before)?)?;
        let previous = comm_and_tid(without_priority(task)?)?;
        let next = comm_and_tid(without_priority(behind)?)?;
        Some(Self { previous, state: state.trim_ascii(), next })
    }
}

/// Returns a task without the priority in brackets behind it.
fn without_priority(task: &[u8]) -> Option<&[u8]> {
    let task = task.trim_ascii_end().strip_suffix(b"]")?;
    Some(task.get(..memchr::memrchr(b'[', task)?)?.trim_ascii_end())
}

/// Splits `COMM:TID`.
pub(super) fn comm_and_tid(task: &[u8]) -> Option<(&[u8], i64)> {
    let (comm, tid) = task.split_at_checked(memchr::memrchr(b':', task)?)?;
    Some((comm, number(tid.get(1..)?)?))
}

/// Splits a text at the first place at which a key begins, which has a blank in front.
pub(super) fn split_at_key<'a>(text: &'a [u8], key: &[u8]) -> Option<(&'a [u8], &'a [u8])> {
    let at = memchr_iter(b' ', text).find(|&at| text.get(at..).is_some_and(|rest| rest.starts_with(key)))?;
    Some((text.get(..at)?, text.get(at + key.len()..)?))
}

/// Returns what follows the first place of a key.
pub(super) fn behind<'a>(text: &'a [u8], key: &[u8]) -> Option<&'a [u8]> {
    let at = memchr::memmem::find(text, key)?;
    text.get(at + key.len()..)
}

/// Returns what follows the first place of a key, up to a character.
pub(super) fn between<'a>(text: &'a [u8], key: &[u8], end: u8) -> Option<&'a [u8]> {
    let rest = behind(text, key)?;
    rest.get(..memchr::memrchr(end, rest)?)
}

/// Returns the value of a field `name=value`, which ends where the next one begins. One without a name is at the begin.
pub(super) fn field<'a>(args: &'a [u8], name: &str) -> Option<&'a [u8]> {
    let name = name.as_bytes();
    let is_field = |at: usize| {
        args.get(at..)
            .and_then(|rest| rest.strip_prefix(name))
            .and_then(|rest| if name.is_empty() { Some(rest) } else { rest.strip_prefix(b"=") })
    };
    let starts = core::iter::once(0).chain(memchr_iter(b' ', args).map(|blank| blank + 1));
    let value = starts.filter_map(is_field).next()?;
    let is_next = |&blank: &usize| {
        let word = value.get(blank + 1..).unwrap_or_default();
        let word = word.split(|&byte| byte == b' ').next().unwrap_or_default();
        word.contains(&b'=')
    };
    let end = memchr_iter(b' ', value).find(is_next).unwrap_or(value.len());
    value.get(..end).map(<[u8]>::trim_ascii)
}

/// Reads the integer behind the first place of a key.
pub(super) fn integer(text: &[u8], key: &[u8]) -> Option<i64> {
    leading_integer(behind(text, key)?)
}

/// Reads the integer at the start of a text, which a blank follows if anything does.
pub(super) fn leading_integer(text: &[u8]) -> Option<i64> {
    number(text.get(..memchr::memchr(b' ', text).unwrap_or(text.len()))?.trim_ascii_end())
}

/// Reads the hexadecimal digits at the start of a text.
pub(super) fn hexadecimal(text: &[u8]) -> Option<u64> {
    let len = text.iter().position(|byte| !byte.is_ascii_hexdigit()).unwrap_or(text.len());
    u64::from_str_radix(core::str::from_utf8(text.get(..len)?).ok()?, 16).ok()
}

/// Reads decimal seconds as nanoseconds. Digits below them do not count.
pub(super) fn nanoseconds(seconds: &[u8]) -> Option<i64> {
    let point = memchr::memchr(b'.', seconds).unwrap_or(seconds.len());
    let (whole, fraction) = seconds.split_at_checked(point)?;
    let fraction = fraction.get(1..).unwrap_or_default();
    if !fraction.iter().all(u8::is_ascii_digit) {
        return None;
    }
    let mut below = 0;
    for at in 0..9 {
        below = below * 10 + i64::from(fraction.get(at).map_or(0, |digit| digit - b'0'));
    }
    number(whole)?.checked_mul(1_000_000_000)?.checked_add(below)
}

/// Returns a decimal number that is a whole text, clamped to 64 bits.
pub(crate) fn number(text: &[u8]) -> Option<i64> {
    let number: i128 = core::str::from_utf8(text).ok()?.parse().ok()?;
    i64::try_from(number.clamp(i64::MIN.into(), i64::MAX.into())).ok()
}
