//! Where everything is, from top to bottom.

use std::collections::HashMap;

use serde::Serialize;
use spall_trace::layout::Vertical;

use crate::{
    Engine,
    item::{Group, Item},
    shown::Shown,
};

/// The lines of a part of the timeline.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[cfg_attr(test, derive(ts_rs::TS))]
pub struct Lines {
    /// How high they are together.
    pub height: u64,
    /// The headers, from top to bottom.
    pub headers: Vec<Header>,
}

/// A header, and how far the lines below it reach.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[cfg_attr(test, derive(ts_rs::TS))]
pub struct Header {
    /// What it is the header of.
    pub item: Item,
    /// Its upper edge.
    pub top: u64,
    /// Its height.
    pub height: u32,
    /// The lower edge of the last line before the next header.
    pub bottom: u64,
}

impl<S: Shown> Engine<S> {
    /// Lists the processes and the tracks of each, in the order in which they are shown, and before them the derived tracks.
    #[must_use]
    pub fn groups(&self) -> Vec<Group> {
        let (trace, layout) = (&*self.trace(), &*self.layout());
        let mut groups: Vec<Group> = self.derived_group().into_iter().collect();
        groups.extend(self.view.items.groups(trace, layout));
        let lists = self.view.lists(trace, layout);
        let place_of: HashMap<Item, usize> = lists.into_iter().flatten().zip(0..).collect();
        let place = |item: &Item| place_of.get(item).copied();
        groups.sort_by_key(|group| group.item.as_ref().and_then(place));
        for group in &mut groups {
            group.members.sort_by_key(|member| place(&member.item));
        }
        groups
    }

    /// Returns where everything is: the main part, and the pinned one.
    #[must_use]
    pub fn lines(&self) -> (Lines, Lines) {
        (lines(self.view.main()), lines(self.view.pinned()))
    }
}

fn lines(vertical: &Vertical) -> Lines {
    let mut headers: Vec<Header> = Vec::new();
    for line in vertical.lines() {
        if let Some(item) = Item::of_header(line.kind) {
            headers.push(Header { item, top: line.top, height: line.height, bottom: 0 });
        }
        if let Some(header) = headers.last_mut() {
            header.bottom = line.bottom();
        }
    }
    Lines { height: vertical.height(), headers }
}
