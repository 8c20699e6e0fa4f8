//! The lines of a view, as they follow from its place.

use std::collections::HashMap;

use spall_trace::layout::{Folds, LayoutView, Line, LineKind, PackId, Vertical, VerticalStyle};
use spall_trace::model::{TraceView, TrackId, TrackKind};

use super::{View, Wide};
use crate::{derived_track::DerivedTrack, heights::Heights, item::Item};

impl View {
    /// What is folded.
    pub(crate) fn folded_items(&self) -> Vec<Item> {
        self.at_paths(&self.folded()).collect()
    }

    /// The paths of what is folded.
    pub(super) fn folded(&self) -> Vec<String> {
        if let Some(folded) = &self.place.folded {
            return folded.clone();
        }
        let packs = (0..self.items.packs().len()).map(|pack| Item::Pack(PackId::new(pack)));
        let folded = packs.filter(|item| self.folds.is_folded(item.header()));
        folded.filter_map(|item| self.items.path(item)).map(str::to_owned).collect()
    }

    /// The processes, and the tracks and packs of each, in the order in which they are shown.
    pub(crate) fn lists(&self, trace: &impl TraceView, layout: &impl LayoutView) -> Vec<Vec<Item>> {
        let mut lists = self.items.lists().to_vec();
        if self.place.by_activity {
            for list in &mut lists {
                list.sort_by_cached_key(|&item| {
                    // The busiest first; none is negative.
                    core::cmp::Reverse(self.items.busy(trace, layout, item).to_bits())
                });
            }
        }
        for (path, before) in &self.place.moves {
            let item_at = |path: &String| self.items.at_path(path);
            let Some(item) = item_at(path) else { continue };
            let Some(list) = lists.iter_mut().find(|list| list.contains(&item)) else { continue };
            list.retain(|&other| other != item);
            let before = before.as_ref().and_then(item_at);
            let at = list.iter().position(|&other| Some(other) == before).unwrap_or(list.len());
            list.insert(at, item);
        }
        lists
    }

    /// The tracks from top to bottom.
    pub(super) fn order(&self, trace: &impl TraceView, layout: &impl LayoutView) -> Vec<TrackId> {
        if self.place.moves.is_empty() && !self.place.by_activity {
            return trace.track_ids().collect();
        }
        let mut items = self.items_in_order(trace, layout);
        items.retain(|item| !matches!(item, Item::Process(_)));
        items.into_iter().flat_map(|item| self.items.tracks_of(trace, item)).collect()
    }

    /// What belongs to no process, and then the processes, each before its tracks and packs, from top to bottom.
    pub(crate) fn items_in_order(&self, trace: &impl TraceView, layout: &impl LayoutView) -> Vec<Item> {
        let lists = self.lists(trace, layout);
        let Some((processes, members)) = lists.split_first() else { return Vec::new() };
        let process = |list: &[Item]| self.items.process_of(trace, *list.first()?);
        let members = members.iter().filter(|list| !list.is_empty());
        let of: HashMap<Option<Item>, &Vec<Item>> = members.map(|list| (process(list), list)).collect();
        let with_members = |process: Option<Item>| {
            process.into_iter().chain(of.get(&process).into_iter().copied().flatten().copied())
        };
        core::iter::once(None).chain(processes.iter().copied().map(Some)).flat_map(with_members).collect()
    }

    pub(super) fn stack(&mut self, trace: &impl TraceView, layout: &impl LayoutView) {
        self.derived.derive(&self.place.derived, self.origin, trace, layout);
        let derived: Vec<String> = self.place.derived.iter().map(DerivedTrack::path).collect();
        let is_pinned_derived: Vec<bool> =
            derived.iter().map(|path| self.place.pinned.contains(path)).collect();
        self.items.set_derived(derived);
        let derived = self.derived.n_lines();
        let mut folds = Folds::new();
        match &self.place.folded {
            Some(folded) => self.at_paths(folded).for_each(|item| folds.toggle(item.header())),
            None => folds.fold_tall(self.items.packs()),
        }
        self.folds = folds;
        let is_hidden = self.items.marked(trace, self.at_paths(&self.place.hidden));
        let is_pinned = self.items.marked(trace, self.at_paths(&self.place.pinned));
        let is_in = |list: &[bool], track: &TrackId| list.get(track.index()) == Some(&true);
        let header = |track: &TrackId| self.headers.get(track.index()).copied().unwrap_or(0);
        let mut shown = self.order(trace, layout);
        shown.retain(|track| (self.place.shows_empty || header(track) > 0) && !is_in(&is_hidden, track));
        let pinned: Vec<TrackId> = shown.iter().copied().filter(|track| is_in(&is_pinned, track)).collect();
        let height = |line| self.height(line);
        let style = VerticalStyle {
            height: Some(&height),
            folds: Some(&self.folds),
            tracks: Some(&shown),
            packs: self.items.packs(),
            derived: &derived,
            ..VerticalStyle::FLAT
        };
        let main = Vertical::new(trace, layout, &style);
        let height = |line| match line {
            LineKind::Process(_) => 0,
            LineKind::Derived(track) | LineKind::DerivedLine(track, _)
                if is_pinned_derived.get(track as usize) != Some(&true) =>
            {
                0
            }
            line => self.height(line),
        };
        let style = VerticalStyle { height: Some(&height), tracks: Some(&pinned), ..style };
        let pinned = Vertical::new(trace, layout, &style);
        (self.wide, self.pinned, self.main) = (wide(trace, &main), pinned, main);
        self.window.scroll(0.0, &self.main);
    }

    pub(super) fn height(&self, line: LineKind) -> u32 {
        let Heights { process: header, row, folded: is_folded, gap, .. } = self.heights;
        let folded = if self.folds.is_folded(line) { is_folded } else { 0 };
        let open = |track: &TrackId| match self.headers.get(track.index()) {
            None | Some(0) => is_folded,
            Some(&height) => height,
        };
        match line {
            LineKind::Process(_) if folded > 0 => header,
            LineKind::Process(process) => header + self.objects.get(process.index()).copied().unwrap_or(0),
            LineKind::Track(track) => open(&track).max(folded),
            LineKind::Derived(_) => is_folded,
            LineKind::Pack(_) if folded > 0 => folded,
            LineKind::Pack(pack) => {
                let tracks = self.items.pack(pack).map_or(&[][..], |pack| pack.tracks());
                tracks.iter().map(open).max().unwrap_or(gap)
            }
            _ => row,
        }
    }
}

fn wide(trace: &impl TraceView, vertical: &Vertical) -> Vec<Wide> {
    let lines = vertical.lines();
    let next_process = |line: &Line| {
        let is_process = |next: &&Line| matches!(next.kind, LineKind::Process(_));
        let after = lines.get(line.id.index()..).unwrap_or_default();
        after.iter().find(is_process).map_or(vertical.height(), |next| next.top)
    };
    let of_line = |line: &Line| {
        let LineKind::Track(track) = line.kind else { return None };
        let bottom = match trace.track_info(track)?.kind {
            TrackKind::Global => vertical.height(),
            TrackKind::Process => next_process(line),
            _ => return None,
        };
        Some(Wide { line: *line, track, bottom })
    };
    lines.iter().filter_map(of_line).collect()
}
