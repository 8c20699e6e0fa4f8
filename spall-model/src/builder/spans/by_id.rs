//! The pairing of spans by their ids. [pairing 5](crate::rules::pairing#5)

use alloc::{collections::VecDeque, vec::Vec};

use foldhash::fast::RandomState;
use hashbrown::HashMap;
use smallvec::SmallVec;

use crate::{AsyncPhase, DiagnosticKind, Key, SliceFlags, sort::sort_by_number, span_parents::NO_ID};

use super::{SpanEvent, TraceBuilder};

/// The events of one id that have no partner yet, in the order of the file: positions of begins among spans,
/// and of ends among events.
#[derive(Default)]
struct Single {
    /// Nearly always one, which then needs no memory of its own.
    begins: SmallVec<[usize; 1]>,
    ends: VecDeque<usize>,
}

impl TraceBuilder {
    /// Adds the spans of a track that have ids, and its instants, and leaves the other events in the group. Events are those
    /// of one track in the order of the file.
    ///
    /// An end closes the last begin of its id before it in the file that has no end, or else takes the first one behind it:
    /// so those that write a span as two neighbours, and an id twice, get the spans that they wrote.
    pub(super) fn pair_by_id(&mut self, group: &mut Vec<SpanEvent>) {
        // The positions of the begin and of the end of each span, and those of instants, which have no end.
        let mut spans: Vec<(usize, Option<usize>)> = Vec::new();
        let mut singles = HashMap::<Key, Single, RandomState>::default();
        let id_of = |said: u32| self.spans.said.get(said as usize).map_or(NO_ID, |said| said.span);
        for (at, event) in group.iter().enumerate() {
            let id = id_of(event.said);
            match event.phase {
                AsyncPhase::Instant => spans.push((at, None)),
                AsyncPhase::Begin if id != NO_ID => {
                    let single = singles.entry(id).or_default();
                    let end = single.ends.pop_front();
                    if end.is_none() {
                        single.begins.push(spans.len());
                    }
                    spans.push((at, end));
                }
                AsyncPhase::End if id != NO_ID => {
                    let single = singles.entry(id).or_default();
                    let begin = single.begins.pop().and_then(|begin| spans.get_mut(begin));
                    match begin {
                        Some((_, end)) => *end = Some(at),
                        None => single.ends.push_back(at),
                    }
                }
                _ => {}
            }
        }
        let mut unmatched: Vec<usize> = singles.into_values().flat_map(|single| single.ends).collect();
        unmatched.sort_unstable();
        for end in unmatched.iter().filter_map(|&end| group.get(end)) {
            self.diagnostics.add_at(DiagnosticKind::UnmatchedAsync, end.spot());
        }
        sort_by_number(&mut spans, |&(begin, _)| group.get(begin).map_or(0, |begin| begin.row.at.0));
        for (begin, end) in spans {
            if let Some(begin) = group.get(begin) {
                self.span_of_id(begin, end.and_then(|end| group.get(end)).copied());
            }
        }
        group.retain(|event| match event.phase {
            AsyncPhase::Instant => false,
            AsyncPhase::Begin | AsyncPhase::End => {
                self.spans.said.get(event.said as usize).is_none_or(|said| said.span == NO_ID)
            }
            _ => true,
        });
    }

    /// Adds a span with an id, or an instant.
    fn span_of_id(&mut self, begin: &SpanEvent, end: Option<SpanEvent>) {
        if begin.phase == AsyncPhase::Instant {
            return self.add_span_instant(begin, 0);
        }
        let Some(row) = self.open_span(begin, 0) else {
            return end
                .iter()
                .for_each(|end| self.diagnostics.add_at(DiagnosticKind::SliceLimit, end.spot()));
        };
        let Some(end) = end else {
            return self.diagnostics.add_at(DiagnosticKind::UnfinishedAsync, begin.spot());
        };
        let start = begin.row.at;
        self.close_span(row, end.row.at.max(start), end.row.args);
        if end.row.at < start {
            self.diagnostics.add_at(DiagnosticKind::NegativeDuration, end.spot());
            let rows = &mut self.slices.rows;
            rows.set_flags(row, rows.flags(row).with(SliceFlags::CLAMPED));
        }
    }
}
