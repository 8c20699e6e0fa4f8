//! Parents of spans in other processes, and the flows that spans of one trace say. [pairing 5.6](crate::rules::pairing#5.6)
#![allow(clippy::indexing_slicing, reason = "rows, spans and tracks are numbered by the builder")]

use alloc::{borrow::Cow, vec::Vec};

use foldhash::fast::RandomState;
use hashbrown::HashMap;

use crate::{
    Args, DiagnosticKind, Flow, FlowBind, Key, NameId, SliceId, Tick, Value,
    args_table::ArgsId,
    facts::FlowEnds,
    services::{self, span_kind},
    span_parents::NO_ID,
};

use super::{SaidRow, Spot};
use crate::builder::{TraceBuilder, registry::TrackKey, rows::Rows};

/// The spans of a builder that say an id, by the trace that they are of. The nests of several processes with one key are
/// those of one trace.
pub(super) struct Families<'b> {
    rows: &'b Rows,
    spans: &'b [SaidRow],
    track_of: &'b [u32],
    /// The spans of each id. Empty until somebody looks for one.
    by_id: HashMap<(Key, Key), OfId, RandomState>,
    is_filled: bool,
}

/// The spans of one id.
#[derive(Debug, Clone, Copy)]
struct OfId {
    first: usize,
    /// The first one that serves another one, as its argument `kind` says, and the first one that does not.
    server: Option<usize>,
    other: Option<usize>,
}

impl<'b> Families<'b> {
    pub(super) fn new(rows: &'b Rows, spans: &'b [SaidRow], track_of: &'b [u32]) -> Self {
        Self { rows, spans, track_of, by_id: HashMap::default(), is_filled: false }
    }

    /// Returns the trace of a span: the key of a nest that belongs to one process. `None` on other tracks.
    fn trace_of(&self, span: usize, builder: &TraceBuilder) -> Option<Key> {
        match builder.registry.track(self.track_of[span]).key {
            TrackKey::Async { process: Some(_), category: NameId::EMPTY, id, scope: NameId::EMPTY } => {
                Some(id).filter(|&id| id != NO_ID)
            }
            _ => None,
        }
    }

    fn args<'a>(&self, span: usize, builder: &'a TraceBuilder) -> Args<'a> {
        builder.args.get(self.rows.args(self.spans[span].row))
    }

    /// Finds the spans of all ids, in the order of the file.
    fn find_ids(&mut self, builder: &TraceBuilder) {
        if core::mem::replace(&mut self.is_filled, true) {
            return;
        }
        let mut in_file: Vec<usize> = (0..self.spans.len()).collect();
        in_file.sort_by_key(|&at| self.spans[at].order);
        for at in in_file {
            let span = self.spans[at].span;
            let Some(trace) = self.trace_of(at, builder).filter(|_| span != NO_ID) else { continue };
            let is_server = matches!(span_kind(self.args(at, builder)), Some(Value::Text(kind))
                if kind.is(b"server") || kind.is(b"consumer"));
            let none = OfId { first: at, server: None, other: None };
            let of_id = self.by_id.entry((trace, span)).or_insert(none);
            let first = if is_server { &mut of_id.server } else { &mut of_id.other };
            let _ = first.get_or_insert(at);
        }
    }

    /// Finds the parents that are in other processes of the same trace. Of several spans of an id, one that serves another
    /// one is meant, or else the first in the file. A span that says its own id is the half of one that a server has: the half of
    /// the client is meant, or else itself.
    pub(super) fn find_parents(&mut self, parents: &mut [Option<usize>], builder: &TraceBuilder) {
        for (at, parent) in parents.iter_mut().enumerate() {
            let SaidRow { span, parent: said, .. } = self.spans[at];
            if said == NO_ID || parent.is_some() && said != span {
                continue;
            }
            let Some(trace) = self.trace_of(at, builder) else { continue };
            self.find_ids(builder);
            let of_id = self.by_id.get(&(trace, said));
            *parent = match of_id {
                Some(of_id) if said == span => of_id.other.or(Some(at)),
                of_id => of_id.map(|of_id| of_id.server.unwrap_or(of_id.first)),
            };
        }
    }

    /// Adds a flow from each parent to its child in another process, and from each linked span to the one that has the link.
    pub(super) fn add_flows(&mut self, parents: &[Option<usize>], builder: &mut TraceBuilder) {
        for (at, parent) in parents.iter().enumerate() {
            if let &Some(parent) = parent
                && self.track_of[parent] != self.track_of[at]
            {
                self.flow("parent", parent, at, builder);
            }
        }
        let mut targets = Vec::new();
        for at in 0..self.spans.len() {
            let names = &builder.names.all;
            let key = |id: Cow<'_, [u8]>| names.find(&services::comparable(&id)).map(Key::Text);
            let links = services::links(self.args(at, builder));
            targets.extend(links.map(|[of_trace, of_span]| key(of_trace).zip(key(of_span))));
            for target in targets.drain(..) {
                self.find_ids(builder);
                match target.and_then(|target| self.by_id.get(&target)) {
                    Some(of_id) => self.flow("link", of_id.first, at, builder),
                    None => {
                        let spot = Spot::new(self.spans[at].bytes, self.rows.start(self.spans[at].row));
                        builder.diagnostics.add_at(DiagnosticKind::LostSpanLink, spot);
                    }
                }
            }
        }
    }

    /// Adds a flow that leaves a span when another one starts, as far as it lasts until then.
    fn flow(&self, name: &str, from: usize, to: usize, builder: &mut TraceBuilder) {
        let rows = self.rows;
        let (id, [from, to]) = (self.spans[to].span, [from, to].map(|span| self.spans[span].row));
        let arrives = rows.start(to);
        let leaves: Tick = arrives.min(rows.end(from)).max(rows.start(from));
        let name = builder.names.intern_bytes(name.as_bytes());
        builder.flows.joined.push(Flow {
            id,
            name,
            category: NameId::EMPTY,
            from: SliceId(from),
            to: SliceId(to),
            leaves,
            arrives,
            args: (ArgsId::NONE, ArgsId::NONE),
            ends: FlowEnds {
                local: true,
                starts: true,
                goes_on: false,
                said: true,
                binds: (FlowBind::Slice, FlowBind::Slice),
                times: (leaves, arrives),
            },
        });
    }
}

/// Returns the nearest span of the same track above each span. Spans of other tracks may lie between them.
pub(super) fn nearest_of_track(parents: Vec<Option<usize>>, track_of: &[u32]) -> Vec<Option<usize>> {
    let is_of_track = |(at, parent): (usize, &Option<usize>)| {
        parent.is_none_or(|parent: usize| track_of[parent] == track_of[at])
    };
    if parents.iter().enumerate().all(is_of_track) {
        return parents;
    }
    // The children of each span are neighbours.
    let mut by_parent: Vec<usize> = (0..parents.len()).filter(|&at| parents[at].is_some()).collect();
    by_parent.sort_unstable_by_key(|&at| parents[at]);
    let (parents, by_parent) = (&parents, &by_parent);
    let children = |span: usize| {
        let first = by_parent.partition_point(|&child| parents[child] < Some(span));
        by_parent[first..].iter().copied().take_while(move |&child| parents[child] == Some(span))
    };
    // The innermost span of each track on the way from a root to the current span.
    let mut innermost: HashMap<u32, usize, RandomState> = HashMap::default();
    let mut nearest = alloc::vec![None; parents.len()];
    let mut steps: Vec<Step> =
        (0..parents.len()).filter(|&at| parents[at].is_none()).map(Step::Into).collect();
    while let Some(step) = steps.pop() {
        match step {
            Step::Into(span) => {
                nearest[span] = innermost.insert(track_of[span], span);
                steps.push(Step::OutOf(span));
                steps.extend(children(span).map(Step::Into));
            }
            Step::OutOf(span) => {
                match nearest[span] {
                    Some(before) => innermost.insert(track_of[span], before),
                    None => innermost.remove(&track_of[span]),
                };
            }
        }
    }
    nearest
}

/// A step of the walk over a forest of spans.
enum Step {
    Into(usize),
    OutOf(usize),
}
