//! The calls that were entered and have not returned yet.

use alloc::collections::VecDeque;

/// A call that was entered. Its thread and function are not kept: they are read again when the call returns.
#[derive(Debug, Clone, Copy)]
pub(super) struct OpenCall {
    /// The position of the enter event in the stream.
    pub(super) start: usize,
    /// The position of the details of that event.
    pub(super) details: usize,
    /// The position behind that event.
    pub(super) end: usize,
    /// The number of enter and leave events before that event.
    pub(super) entered: u64,
    /// Whether the enter event says that the tracer inserted the call.
    pub(super) is_fake: bool,
}

/// The open calls, sorted by number. A call takes 56 bytes, and calls that have returned take at most as much again.
#[derive(Debug, Clone, Default)]
pub(super) struct OpenCalls {
    calls: VecDeque<(u64, Option<OpenCall>)>,
    n_returned: usize,
}

impl OpenCalls {
    /// Returns the number of calls that are open.
    pub(super) fn len(&self) -> usize {
        self.calls.len() - self.n_returned
    }

    /// Adds a call, whose number must be larger than those of all calls before it.
    pub(super) fn push(&mut self, number: u64, open: OpenCall) {
        self.calls.push_back((number, Some(open)));
    }

    /// Removes and returns the call with this number, or returns `None` if no such call is open.
    pub(super) fn remove(&mut self, number: u64) -> Option<OpenCall> {
        let index = self.calls.binary_search_by_key(&number, |&(number, _)| number).ok()?;
        let (_, call) = self.calls.get_mut(index)?;
        let open = call.take()?;
        self.n_returned += 1;
        // A compaction moves at most as many calls as have returned since the last one: constant work per call.
        if self.n_returned > self.calls.len() / 2 {
            self.calls.retain(|(_, call)| call.is_some());
            self.n_returned = 0;
        }
        Some(open)
    }

    /// Removes and returns the open call with the smallest number.
    pub(super) fn pop_first(&mut self) -> Option<(u64, OpenCall)> {
        while let Some((number, call)) = self.calls.pop_front() {
            match call {
                Some(open) => return Some((number, open)),
                None => self.n_returned -= 1,
            }
        }
        None
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use alloc::collections::BTreeMap;

    fn open(start: usize) -> OpenCall {
        OpenCall { start, details: 0, end: 0, entered: 0, is_fake: false }
    }

    #[test]
    fn c4_calls_return_in_any_order() {
        let (mut calls, mut expected) = (OpenCalls::default(), BTreeMap::new());
        let mut random = spall_synth::Random(1);
        for number in 0..2000 {
            calls.push(number, open(usize::try_from(number).unwrap()));
            expected.insert(number, number);
            // Three of four return, any of the last 64.
            if !random.one_in(4) {
                let leaving = number.saturating_sub(random.below(64));
                let found = calls.remove(leaving).map(|call| u64::try_from(call.start).unwrap());
                assert_eq!(found, expected.remove(&leaving));
            }
            assert!(calls.calls.len() <= 2 * expected.len() + 1);
        }
        for expected in expected {
            assert_eq!(calls.pop_first().map(|(number, call)| (number, call.start as u64)), Some(expected));
        }
        assert!(calls.pop_first().is_none());
    }
}
