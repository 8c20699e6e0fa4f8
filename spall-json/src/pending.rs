//! The decision when to read an incomplete record again.

use crate::scan;

/// The state of a record whose end has not arrived.
///
/// Reading an incomplete record from its start for every chunk would take quadratic time. This looks at every byte
/// once, and lets the record be read when its bracket closes, or when its length has doubled since the last try (a
/// damaged record never closes). A file in small chunks therefore costs little more than one in large chunks.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Pending {
    /// The number of bytes that were looked at.
    scanned: usize,
    /// The number of brackets that are open there.
    depth: usize,
    /// Whether a string is open there.
    in_string: bool,
    /// Whether the bracket that begins the record was found closed.
    closed: bool,
    /// The length at which the record is read again in any case.
    retry: usize,
}

impl Pending {
    /// The state when no record is pending.
    pub(crate) const NONE: Self = Self { scanned: 0, depth: 0, in_string: false, closed: false, retry: 0 };

    /// Takes note that `record` could not be read because it is incomplete.
    pub(crate) fn failed(&mut self, record: &[u8]) {
        self.closes(record);
        self.retry = record.len().saturating_mul(2);
    }

    /// Returns how many more bytes than `record` are needed before it should be read, or 0 if it should be read now.
    #[inline]
    pub(crate) fn missing(&mut self, record: &[u8]) -> usize {
        if record.len() >= self.retry || self.closes(record) { 0 } else { self.retry - record.len() }
    }

    /// Returns whether the bracket that begins `record` is found closed, which is true only once.
    fn closes(&mut self, record: &[u8]) -> bool {
        if self.closed {
            return false;
        }
        while let Some(pos) = self.next_special(record) {
            let byte = record.get(pos);
            match (byte, self.in_string) {
                (Some(b'\\'), _) if pos + 1 >= record.len() => {
                    self.scanned = pos;
                    return false;
                }
                (Some(b'\\'), _) => self.scanned = pos + 2,
                (Some(b'"'), _) => {
                    self.in_string = !self.in_string;
                    self.scanned = pos + 1;
                }
                (Some(b'{' | b'['), _) => {
                    self.depth += 1;
                    self.scanned = pos + 1;
                }
                _ => {
                    self.depth = self.depth.saturating_sub(1);
                    self.scanned = pos + 1;
                    if self.depth == 0 {
                        self.closed = true;
                        return true;
                    }
                }
            }
        }
        self.scanned = record.len();
        false
    }

    /// Returns the next byte that changes the state.
    fn next_special(&self, record: &[u8]) -> Option<usize> {
        if self.in_string {
            scan::string_special(record, self.scanned)
        } else {
            scan::structural(record, self.scanned)
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_record_is_read_again_when_its_bracket_closes_or_its_length_doubled() {
        let record = br#"{"a\"}":[{}],"b":1}"#;
        let mut pending = Pending::NONE;
        pending.failed(&record[..10]);
        for len in 10..record.len() {
            assert_eq!(pending.missing(&record[..len]), 20 - len);
        }
        assert_eq!(pending.missing(record), 0);
        let mut open = Pending::NONE;
        open.failed(b"{{{{");
        assert_eq!(open.missing(b"{{{{{{{"), 1);
        assert_eq!(open.missing(b"{{{{{{{{"), 0);
    }
}
