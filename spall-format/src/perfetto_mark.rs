//! Recognises the traces of Perfetto, which works without their parser.

use crate::varint::varint;

/// Returns whether data begins like a trace: with a packet whose first field is one that packets have, behind which nothing but
/// another one comes.
///
/// Any text may begin with the same byte, a line feed, and so may messages of other formats. A packet is told from them by its
/// fields, as far as they are there, and by bytes that no text has. 16 bytes are enough for nearly every file. [perfetto 1.1](crate::rules::perfetto#1.1)
///
/// ```
/// use spall_format::perfetto::is_trace;
///
/// assert!(is_trace(b"\x0a\x04\x40\x00\x50\x01"));
/// assert!(!is_trace(b"\n[{\"ph\":\"B\"}]"));
/// ```
#[must_use]
pub fn is_trace(data: &[u8]) -> bool {
    /// More bytes without a control character are hardly found at the begin of a trace.
    const MAX_LOOK: usize = 256;
    let is_text = |&byte: &u8| byte >= b' ' || byte.is_ascii_whitespace();
    if data.get(..MAX_LOOK).unwrap_or(data).iter().all(is_text) {
        return false;
    }
    match behind_packet(data) {
        // A second packet may be empty, and it may be cut.
        Some(behind @ [_, length, _, _, _, _, ..]) if *length > 0 => behind_packet(behind).is_some(),
        Some(behind) => behind.first().is_none_or(|&key| key == PACKET),
        None => false,
    }
}

/// The key of a packet.
const PACKET: u8 = b'\n';

/// Returns what is behind the packet at the start, as far as it is there, if the packet's first field is one that packets have, and
/// the others may be.
fn behind_packet(data: &[u8]) -> Option<&[u8]> {
    let (&key, rest) = data.split_first()?;
    let (length, n) = varint(rest).filter(|_| key == PACKET)?;
    let packet = rest.get(n..)?;
    let wanted = usize::try_from(length).unwrap_or(usize::MAX);
    let (packet, behind, is_whole) = match packet.split_at_checked(wanted) {
        Some((packet, behind)) => (packet, behind, true),
        None => (packet, &[][..], false),
    };
    let (key, n) = varint(packet)?;
    let is_known = match (key >> 3, key & 7) {
        (number, 0) => SCALARS.contains(&number),
        (1..=200 | 900..=2000, 2) => {
            let inside = packet.get(n..).and_then(varint);
            inside.is_some_and(|(inside, _)| inside < length)
        }
        _ => false,
    };
    (is_known && may_be_packet(packet, is_whole)).then_some(behind)
}

/// The fields of a packet that are numbers.
const SCALARS: [u64; 10] = [3, 8, 10, 13, 41, 42, 58, 79, 87, 98];

/// Returns whether bytes may be a packet, or the beginning of one: its fields have types that they may have. The messages
/// of other formats that begin with the same byte have a text or another message there.
fn may_be_packet(packet: &[u8], is_whole: bool) -> bool {
    for field in (Fields { rest: packet, is_whole }) {
        let may_be = match field {
            Err(Damaged) => false,
            Ok((number, Value::Scalar)) => number != 1 && number != 2,
            Ok((number, _)) if SCALARS.contains(&number) => false,
            Ok((1, Value::Message(events, is_whole))) => first(events, is_whole, |number, is_scalar| {
                is_scalar == matches!(number, 1 | 3) || number > 4
            }),
            Ok((2, Value::Message(tree, is_whole))) => may_be_process_tree(tree, is_whole),
            Ok((1 | 2, Value::Fixed)) => false,
            Ok(_) => true,
        };
        if !may_be {
            return false;
        }
    }
    true
}

/// Returns whether bytes may be a list of processes and threads, each of which begins with its id.
fn may_be_process_tree(tree: &[u8], is_whole: bool) -> bool {
    let mut fields = Fields { rest: tree, is_whole };
    match fields.next() {
        Some(Ok((1 | 2, Value::Message(process, is_whole)))) => {
            first(process, is_whole, |number, is_scalar| is_scalar || number > 1)
        }
        Some(Ok((1 | 2, _)) | Err(Damaged)) => false,
        Some(Ok(_)) | None => true,
    }
}

/// Returns whether the first field of a message, if there is any, is as a test wants its number and whether it is a scalar.
fn first(message: &[u8], is_whole: bool, may_be: impl Fn(u64, bool) -> bool) -> bool {
    match (Fields { rest: message, is_whole }).next() {
        Some(Ok((number, value))) => may_be(number, matches!(value, Value::Scalar)),
        Some(Err(Damaged)) => false,
        None => true,
    }
}

/// The fields of a message whose end may not be there.
struct Fields<'a> {
    rest: &'a [u8],
    is_whole: bool,
}

/// A field that no message has.
struct Damaged;

/// What is known of the value of a field.
enum Value<'a> {
    Scalar,
    Fixed,
    /// The bytes of a message or a text, and whether all of them are there.
    Message(&'a [u8], bool),
}

impl<'a> Iterator for Fields<'a> {
    type Item = Result<(u64, Value<'a>), Damaged>;

    fn next(&mut self) -> Option<Self::Item> {
        if self.rest.is_empty() {
            return None;
        }
        // A field that the end of the data cuts off may be anything.
        let cut = if self.is_whole { Some(Err(Damaged)) } else { None };
        let Some((key, n)) = varint(self.rest) else { return cut };
        let (number, behind) = (key >> 3, self.rest.get(n..).unwrap_or_default());
        if number == 0 || number >= 1 << 29 {
            return Some(Err(Damaged));
        }
        let (value, n) = match key & 7 {
            0 => match varint(behind) {
                Some((_, n)) => (Value::Scalar, n),
                None => return cut,
            },
            1 => (Value::Fixed, 8),
            5 => (Value::Fixed, 4),
            2 => {
                let Some((length, n)) = varint(behind) else { return cut };
                let inside = behind.get(n..).unwrap_or_default();
                let length = usize::try_from(length).unwrap_or(usize::MAX);
                let Some(message) = inside.get(..length) else {
                    self.rest = &[];
                    return if self.is_whole {
                        cut
                    } else {
                        Some(Ok((number, Value::Message(inside, false))))
                    };
                };
                (Value::Message(message, true), n + length)
            }
            _ => return Some(Err(Damaged)),
        };
        let Some(rest) = behind.get(n..) else { return cut };
        self.rest = rest;
        Some(Ok((number, value)))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn perfetto_1_1_other_messages_and_texts_are_no_packets() {
        for other in [
            // A plane of an XSpace with a name and a list of lines.
            &b"\x0a\x10\x12\x0a/host:CPU0\x1a\x02\x08\x01"[..],
            b"\x0a\x06\x12\x02vm\x1a\x00",
            // Resource spans of OpenTelemetry, with and without a resource.
            b"\x0a\x13\x0a\x11\x0a\x0f\x0a\x07service\x12\x04\x0a\x02ab",
            b"\x0a\x09\x12\x07\x0a\x05\x0a\x03lib",
            b"\nThe programs included with this system are free software;\nthe exact terms of each program\n",
            b"\nthis\nis an unknown\nformat\n",
            b"\n/*--------------------------------------------------*/\n/*--- begin ---*/\n",
            // A packet, and behind it no second one.
            b"\x0a\x04\x40\x00\x50\x01\x12\x02\x08\x01",
            b"\x0a\x04\x40\x00\x50\x01\x0a\x04\x0a\x02ab",
        ] {
            assert!(!is_trace(other), "{}", other.escape_ascii());
        }
    }

    #[test]
    fn perfetto_1_1_packets_are_recognised_wherever_they_are_cut() {
        let process_tree = b"\x0a\x10\x12\x0a\x0a\x08\x08\x07\x10\x01\x1a\x02ab\x40\x05\x50\x01";
        let ftrace = b"\x0a\x0c\x0a\x06\x08\x01\x12\x02\x08\x05\x40\x05\x50\x01";
        for packet in [&process_tree[..], ftrace] {
            for end in 5..=packet.len() {
                assert!(is_trace(&packet[..end]), "{}", packet[..end].escape_ascii());
            }
        }
    }
}
