//! The steps that make a trace of what a builder has collected. Each takes what the one before it gives, so that no other
//! order of them compiles.

use alloc::{vec, vec::Vec};

use crate::{Trace, workers::Workers};

use super::{TraceBuilder, flows, objects, order, rows::Rows, said_spans::SaidSpans, samples::Profiles};

impl TraceBuilder {
    pub(super) fn finish_with(mut self, workers: Workers) -> Trace {
        self.diagnostics.end();
        self.pair().join_samples().end_slices().arrange(workers)
    }

    /// Decides which end belongs to which begin. Spans come first, because the arguments of their ends are joined to those
    /// of begins together with those of threads.
    fn pair(mut self) -> Paired {
        self.finish_spans();
        Paired { rows: self.finish_pairs(), builder: self }
    }
}

/// A builder in which no slice gets an end from an event any more.
struct Paired {
    builder: TraceBuilder,
    rows: Rows,
}

impl Paired {
    /// Makes profiles of all samples, which extend the bounds of their threads.
    fn join_samples(mut self) -> Sampled {
        let profiles = self.builder.finish_profiles();
        Sampled { builder: self.builder, rows: self.rows, profiles }
    }
}

/// A builder whose tracks have their bounds, but for those of flows that open slices last for.
struct Sampled {
    builder: TraceBuilder,
    rows: Rows,
    profiles: Profiles,
}

impl Sampled {
    /// Gives slices without an end the last time of their track.
    #[allow(clippy::indexing_slicing, reason = "numbers of tracks of the builder")]
    fn end_slices(mut self) -> Ended {
        let TraceBuilder { registry, flows, .. } = &mut self.builder;
        let unfinished = core::mem::take(&mut self.rows.unfinished);
        // A flow shows that its thread went on, so an open slice lasts at least until then and can hold it.
        if !unfinished.is_empty() && !flows.is_empty() {
            let mut is_open = vec![false; registry.tracks.len()];
            for &row in &unfinished {
                is_open[self.rows.track(row) as usize] |= self.rows.flags(row).is_open_ended();
            }
            for (track, at) in flows.times().filter(|&(track, _)| is_open[track as usize]) {
                let track = registry.track_mut(track);
                track.last = track.last.max(at);
            }
        }
        for row in unfinished {
            // An async span may have got its end since it was added, and a repair may have given one.
            if self.rows.flags(row).is_open_ended() {
                let last = registry.track(self.rows.track(row)).last;
                self.rows.set_end(row, last.max(self.rows.start(row)));
            }
        }
        Ended(self)
    }
}

/// A builder in which every slice has its end, on which its place in the order of display depends.
struct Ended(Sampled);

impl Ended {
    /// Puts everything into the order of display.
    fn arrange(self, workers: Workers) -> Trace {
        let Sampled { mut builder, mut rows, mut profiles } = self.0;
        let said = SaidSpans::new(&mut builder, &mut rows);
        let need_slice_of_row = !builder.flows.is_empty() || !said.is_empty();
        let mut arranged = order::arrange(&mut builder, rows, &said, need_slice_of_row, workers);
        let (said_spans, span_parents) = said.finish(&arranged.slice_of_row, &arranged.slices);
        profiles.arrange(&arranged.track_ids, &mut builder.diagnostics);
        let flows = flows::resolve(&builder.flows, builder.clock, &arranged, &mut builder.diagnostics);
        let (objects, snapshots) =
            objects::finish(builder.objects, &arranged.process_ids, &mut builder.diagnostics);
        let tracks = order::join_tracks(arranged.tracks, &mut arranged.processes);
        builder.names.all.shrink_to_fit();
        builder.args.finish();
        Trace {
            clock: builder.clock,
            conventions: builder.conventions,
            names: builder.names.all,
            args: builder.args,
            processes: arranged.processes,
            tracks,
            slices: arranged.slices,
            said_spans,
            span_parents,
            instants: arranged.instants,
            counters: arranged.counters,
            states: arranged.states,
            flows,
            objects,
            snapshots,
            profiles: profiles.profiles.into_iter().map(|(profile, _)| profile).collect(),
            frames: profiles.frames,
            shared_frames: profiles.shared_frames,
            samples: profiles.samples,
            call_sites: profiles.sites,
            line_hits: profiles.lines,
            sampled: Vec::new(),
            meta: builder.meta,
            others: builder.others,
            diagnostics: builder.diagnostics.found,
            bounds: builder.registry.bounds(),
        }
    }
}
