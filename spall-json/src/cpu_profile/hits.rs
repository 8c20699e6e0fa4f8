//! The samples of a profile that only counted them. [cpu 1](crate::rules::cpu#1)

use spall_model::{Event, ProfilePart, SampleEvent, SampleStack, Tick, Ticks};

use super::nodes::Nodes;
use crate::call::Call;

/// Hands over one sample for each node that was hit, in the order of the nodes. The weight of a sample is the number of
/// hits, and its share of the profile's duration is that of its hits in `all` hits.
pub(super) fn read<'a>(
    record: &'a [u8],
    nodes: Nodes,
    part: ProfilePart<'a>,
    all: u64,
    (start, duration): (Tick, Ticks),
    call: &mut Call<'a, '_>,
) {
    let mut before: u64 = 0;
    nodes.read(record, part, &mut |event, bytes, hits| {
        let Event::Frame(frame) = event else { return };
        if hits == 0 {
            return;
        }
        // In 128 bits: nanoseconds times hits may exceed 64.
        let offset = i128::from(duration.0) * i128::from(before) / i128::from(all);
        let offset = i64::try_from(offset).unwrap_or(duration.0);
        before = before.saturating_add(hits);
        let mut sample = SampleEvent::new(part, start + Ticks(offset), SampleStack::Frame(frame.id));
        #[allow(clippy::cast_precision_loss, reason = "a weight is a float")]
        let weight = hits as f64;
        sample.weight = weight;
        call.event(&Event::Sample(sample), bytes);
    });
}
