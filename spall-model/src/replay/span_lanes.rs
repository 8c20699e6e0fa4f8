//! Lanes for async spans that a reader would pair wrongly by their names. [pairing 5](crate::rules::pairing#5)

use alloc::{collections::BTreeSet, format, string::ToString, vec::Vec};
use core::convert::Infallible;

use foldhash::fast::RandomState;
use hashbrown::HashMap;

use crate::{Key, NameId, SliceArgs, SliceId, Tick, TraceView, Track, name_pairs::NameStep};

use super::{Replay, spans::SpanStep};

/// The lanes of one name. In a lane, each span lies inside of the ones around it, so that the last begin ends first.
#[derive(Debug, Default)]
struct NameLanes {
    /// The ends of the open spans of each lane, the innermost last.
    open: Vec<Vec<SpanEnd>>,
    /// The lanes with open spans, by the end of the innermost one.
    tops: BTreeSet<(SpanEnd, usize)>,
    /// The other lanes.
    free: BTreeSet<usize>,
}

/// Whether a span is unfinished, so that no end of its name may come for a span around it, and its end.
type SpanEnd = (bool, Tick);

impl NameLanes {
    /// Returns the lane of the next span in the order of starts: that of the shortest span around it if it may lie in one, or
    /// else the first one without an open span.
    fn place(&mut self, start: Tick, end: SpanEnd, may_nest: bool) -> usize {
        while let Some((_, lane)) = self.tops.first().copied().filter(|&(end, _)| end <= (false, start)) {
            self.tops.pop_first();
            let open = self.open.get_mut(lane).and_then(|open| {
                open.pop();
                open.last()
            });
            match open {
                Some(&end) => self.tops.insert((end, lane)),
                None => self.free.insert(lane),
            };
        }
        let around = self.tops.range((end, 0)..).next().copied().filter(|_| may_nest);
        let lane = match around {
            Some(top) => {
                self.tops.remove(&top);
                top.1
            }
            None => self.free.pop_first().unwrap_or(self.open.len()),
        };
        match self.open.get_mut(lane) {
            Some(open) => open.push(end),
            None => self.open.push([end].into()),
        }
        self.tops.insert((end, lane));
        lane
    }
}

impl<E> Replay<'_, E> {
    /// Returns the slices of an async track with the lane of each, lane by lane, if names and arguments do not tell which end
    /// belongs to which begin. In each lane they do. `None` if they do on the track.
    pub(super) fn lanes_by_name(&mut self, track: &Track) -> Option<Vec<(usize, SliceId)>> {
        if track.slices.len() < 2 {
            return None;
        }
        let mut by_name = HashMap::<NameId, NameLanes, RandomState>::default();
        let trace = self.trace;
        let place = |(id, slice): (SliceId, crate::Slice)| {
            // An end whose arguments are those of another begin closes that one.
            let SliceArgs { begin, end } = trace.slice_args(id);
            let may_nest = end.iter().next().is_none() || begin == end;
            let lanes = by_name.entry(slice.name).or_default();
            (lanes.place(slice.start, (slice.flags.is_unfinished(), slice.end), may_nest), id)
        };
        let mut lanes: Vec<(usize, SliceId)> = trace.slices_of(track.id).map(place).collect();
        // An end without a name closes a span of any name.
        let named = by_name.iter().filter(|(name, _)| !name.is_empty()).map(|(_, lanes)| lanes.open.len());
        let n_named = named.max().unwrap_or(0);
        if by_name.contains_key(&NameId::EMPTY) && n_named > 0 {
            let is_unnamed = |id| trace.slice_name_id(id).is_none_or(NameId::is_empty);
            lanes.iter_mut().filter(|&&mut (_, id)| is_unnamed(id)).for_each(|(lane, _)| *lane += n_named);
        }
        if lanes.iter().all(|&(lane, _)| lane == 0) || self.pairs_by_name(track) {
            return None;
        }
        lanes.sort_unstable();
        Some(lanes)
    }

    /// Returns whether a reader pairs the begins and ends of a track as they belong together.
    fn pairs_by_name(&mut self, track: &Track) -> bool {
        let trace = self.trace;
        let mut steps: Vec<(SliceId, bool)> = Vec::new();
        let Ok(()) = self.open_spans.replay(trace.slices_of(track.id), &[], true, |step| {
            steps.extend(step.begin_or_end());
            Ok::<(), Infallible>(())
        });
        let facts = steps.iter().filter_map(|&(id, is_end)| {
            let args = trace.slice_args(id);
            let has_args = !(if is_end { args.end } else { args.begin }).is_none();
            Some((id, args, NameStep { is_end, name: trace.slice_name_id(id)?, has_args }))
        });
        let pairs = &mut self.name_pairs;
        pairs.begin_group(facts.clone().map(|(.., step)| step));
        let is_right = facts.into_iter().all(|(id, args, step)| {
            if !step.is_end {
                pairs.begin(step.name, args.begin, id.0, ());
                return true;
            }
            let closed = pairs.end(step.name, args.end).map(|closed| SliceId(closed.row));
            // Of two spans that end alike it does not matter which end is whose.
            let end = |id| trace.slice(id).map(|slice| (slice.flags.is_unfinished(), slice.end));
            closed.is_some_and(|closed| {
                closed == id || end(closed) == end(id) && trace.slice_args(closed).end == args.end
            })
        });
        pairs.end_group().for_each(drop);
        is_right
    }

    /// Returns the id of the next lane of a track but its first: that of the track, a colon and a number, which no other track has.
    pub(super) fn lane_id(&mut self, id: Key) -> Vec<u8> {
        let trace = self.trace;
        let id = match id {
            Key::Number(number) if trace.conventions.unsigned_ids => {
                number.cast_unsigned().to_string().into_bytes()
            }
            Key::Number(number) => number.to_string().into_bytes(),
            Key::Text(name) => trace.names.bytes(name).to_vec(),
        };
        // No number is tried twice, however many tracks have this id.
        let last = self.last_lanes.entry(id.clone()).or_insert(1);
        loop {
            *last += 1;
            let id = [&id, format!(":{last}").as_bytes()].concat();
            if trace.names.find(&id).is_none() {
                return id;
            }
        }
    }
}

impl SpanStep<'_> {
    /// Returns the slice that begins or ends, and whether it ends; `None` for an instant.
    fn begin_or_end(&self) -> Option<(SliceId, bool)> {
        match *self {
            Self::Begin(id, _) => Some((id, false)),
            Self::End(id, _) => Some((id, true)),
            Self::Instant(_) => None,
        }
    }
}
