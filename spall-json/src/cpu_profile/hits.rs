//! The samples of a profile that only counted them. [cpu 1](crate::rules::cpu#1)

use spall_model::{Event, SampleEvent, SampleTime, Tick, Ticks};

use super::nodes::{Located, NodeCursor};

/// The position in the hit counts of a profile. It yields one sample for each node that was hit, in the order of the
/// nodes. The weight of a sample is the number of hits, and its share of the profile's duration is that of its hits in
/// all hits.
#[derive(Debug, Clone, Copy)]
pub(super) struct HitCursor {
    nodes: NodeCursor,
    start: Tick,
    duration: Ticks,
    total: u64,
    /// The number of hits of the nodes that were read.
    before: u64,
}

impl HitCursor {
    /// Creates the position before the first node. Returns `None` if no node was hit.
    pub(super) fn new(record: &[u8], nodes: NodeCursor, start: Tick, duration: Ticks) -> Option<Self> {
        let mut all = nodes;
        let mut total: u64 = 0;
        while let Some((_, hits)) = all.next_with_hits(record) {
            total = total.saturating_add(hits);
        }
        (total > 0).then_some(Self { nodes, start, duration, total, before: 0 })
    }

    /// Returns the next sample and the range of its node.
    pub(super) fn next<'a>(&mut self, record: &'a [u8]) -> Option<Located<'a>> {
        loop {
            let ((event, bytes), hits) = self.nodes.next_with_hits(record)?;
            let Event::Frame(frame) = event else { continue };
            if hits == 0 {
                continue;
            }
            // In 128 bits: nanoseconds times hits may exceed 64.
            let offset = i128::from(self.duration.0) * i128::from(self.before) / i128::from(self.total);
            let offset = i64::try_from(offset).unwrap_or(self.duration.0);
            self.before = self.before.saturating_add(hits);
            let at = SampleTime::At(self.start + Ticks(offset));
            let mut sample = SampleEvent::new(at, frame.id);
            #[allow(clippy::cast_precision_loss, reason = "a weight is a float")]
            let weight = hits as f64;
            sample.weight = weight;
            return Some((Event::Sample(sample), bytes));
        }
    }
}
