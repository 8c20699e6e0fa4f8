//! A record of which only the beginning is there: when it is worth reading it again.

use crate::scan;

/// How far an unfinished record has been looked at. Every byte is seen once here, and a record is read at most as
/// often as its length doubles, so that small chunks cost no more than large ones.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Pending {
    /// Bytes of the record that are known to be incomplete.
    scanned: usize,
    depth: usize,
    in_string: bool,
    /// Whether the bracket that begins the record was seen to close.
    closed: bool,
    /// The length of the record from which on it is read in any case.
    retry: usize,
}

impl Pending {
    pub(crate) const NONE: Self = Self { scanned: 0, depth: 0, in_string: false, closed: false, retry: 0 };

    /// The record that begins `record` could not be read to its end.
    #[cold]
    pub(crate) fn failed(&mut self, record: &[u8]) {
        self.closes(record);
        self.retry = record.len().saturating_mul(2);
    }

    /// How many bytes more than `record` it takes; 0 if it should be read.
    #[inline]
    pub(crate) fn missing(&mut self, record: &[u8]) -> usize {
        if record.len() >= self.retry || self.closes(record) { 0 } else { self.retry - record.len() }
    }

    /// Whether the bracket that begins `record` is found closed for the first time.
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
