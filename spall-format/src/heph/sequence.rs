//! The search for gaps in the packet counters of streams. [heph B.4](crate::rules::heph#B.4)

use spall_model::DiagnosticKind;

/// The number of streams that are watched at once.
const SLOTS: usize = 64;

/// The expected next counter of each stream, for as many streams as there are slots.
///
/// The slot of a stream is its number modulo [`SLOTS`], and belongs to the stream seen last. Real traces have a stream
/// per worker thread, numbered from 0, so streams do not share slots. If two do, the first packet after the other
/// stream's is not compared with anything: a gap may be missed, but none is invented. So the reader needs no table that
/// grows.
#[derive(Debug, Clone)]
pub(super) struct Sequence {
    slots: [Option<Slot>; SLOTS],
}

#[derive(Debug, Clone, Copy)]
struct Slot {
    stream: u32,
    expected: u32,
}

impl Default for Sequence {
    fn default() -> Self {
        Self { slots: [None; SLOTS] }
    }
}

impl Sequence {
    #[inline]
    fn slot(&mut self, stream: u32) -> Option<&mut Option<Slot>> {
        usize::try_from(stream).ok().and_then(|stream| self.slots.get_mut(stream % SLOTS))
    }

    /// Takes note of a packet if it is the expected one of its stream, and returns whether it is. Otherwise nothing
    /// changes.
    #[inline]
    pub(super) fn accept(&mut self, stream: u32, counter: u32) -> bool {
        match self.slot(stream) {
            Some(Some(slot)) if slot.stream == stream && slot.expected == counter => {
                slot.expected = counter.wrapping_add(1);
                true
            }
            _ => false,
        }
    }

    /// Takes note of a packet, and returns the fault of its counter.
    pub(super) fn check(&mut self, stream: u32, counter: u32) -> Option<DiagnosticKind> {
        let slot = self.slot(stream)?;
        let next = Slot { stream, expected: counter.wrapping_add(1) };
        let Some(known) = slot.filter(|known| known.stream == stream) else {
            *slot = Some(next);
            return None;
        };
        let ahead = counter.wrapping_sub(known.expected).cast_signed();
        // A counter that goes back belongs to a packet that was overtaken, which does not change the expected one, or
        // to a cloned writer, which counts from 0 again.
        if ahead >= 0 || counter == 0 {
            *slot = Some(next);
        }
        match ahead {
            0 => None,
            1.. => Some(DiagnosticKind::LostPackets),
            _ => Some(DiagnosticKind::PacketOrder),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use DiagnosticKind::{LostPackets, PacketOrder};

    fn check<const N: usize>(packets: [(u32, u32); N]) -> [Option<DiagnosticKind>; N] {
        let mut sequence = Sequence::default();
        packets.map(|(stream, counter)| sequence.check(stream, counter))
    }

    #[test]
    fn streams_count_on_their_own_and_start_anywhere() {
        assert_eq!(check([(0, 0), (1, 7), (0, 1), (1, 8)]), [None; 4]);
    }

    #[test]
    fn a_gap_is_lost_packets() {
        assert_eq!(check([(3, 0), (3, 2), (3, 3)]), [None, Some(LostPackets), None]);
    }

    #[test]
    fn the_counter_wraps() {
        assert_eq!(check([(0, u32::MAX), (0, 0), (0, 1)]), [None; 3]);
    }

    #[test]
    fn an_overtaken_packet_changes_nothing_about_the_next() {
        assert_eq!(
            check([(0, 4), (0, 6), (0, 5), (0, 7)]),
            [None, Some(LostPackets), Some(PacketOrder), None]
        );
    }

    #[test]
    fn a_cloned_writer_starts_over() {
        assert_eq!(check([(0, 9), (0, 0), (0, 1)]), [None, Some(PacketOrder), None]);
    }

    #[test]
    fn streams_that_share_a_slot_invent_no_gap() {
        assert_eq!(check([(1, 0), (65, 5), (1, 9), (65, 20)]), [None; 4]);
        let mut sequence = Sequence::default();
        assert_eq!(sequence.check(1, 0), None);
        assert!(!sequence.accept(65, 1), "the next one of the other stream");
        assert!(sequence.accept(1, 1));
    }
}
