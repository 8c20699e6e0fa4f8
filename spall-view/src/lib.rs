//! A viewer of traces without a screen. It holds a trace and what is shown of it, and answers what a frontend asks; the frontend
//! draws the answers, and adds up, sorts and words nothing itself. So all frontends show the same.
//!
//! ```
//! use spall_view::{Area, By, Engine, Heights, Ranking, Since, Source, open};
//! # use spall_trace::model::Ticks;
//! let data = &br#"[{"ph":"X","name":"frame","pid":1,"tid":1,"ts":0,"dur":10},
//!                  {"ph":"X","name":"draw","pid":1,"tid":1,"ts":2,"dur":4}]"#[..];
//! let opened = open(vec![Source { name: "a.json".into(), read: data, offset: None }]).unwrap();
//! let mut engine = Engine::new(opened, None, Heights::PAGE);
//!
//! let about = engine.about();
//! assert_eq!(about.counts, [("process", 1), ("track", 1), ("slice", 2)]);
//!
//! // Long answers come in steps, so that a frontend stays alive in between.
//! let area = Area { start: about.start, end: about.end, items: None, tracks: None, measure: None };
//! engine.begin_statistics(&area, By::Name);
//! while !engine.step_statistics() {}
//! let ranked = engine.statistics(&Ranking { most: 10, ..Ranking::default() }).unwrap();
//! assert_eq!(ranked.rows[0].name, "frame");
//! assert_eq!(ranked.rows[0].own, Since(Ticks(6_000)));
//! ```
//!
//! Times are ticks since the origin, which is where what is active in the trace starts; heights are in the unit of the
//! [`Heights`] that a frontend gives. Requests are deserialised, and answers are serialised, so that they cross a channel as
//! they are.

extern crate alloc;

mod about;
mod act;
mod ask;
mod beside;
mod colours;
mod command;
mod csv;
mod derived;
mod derived_facts;
mod derived_track;
mod details;
mod durations;
mod element;
mod filter;
mod find;
mod frame;
mod graph;
mod growing;
mod heights;
mod hits;
mod item;
mod lines;
mod list;
mod listed;
mod marks;
mod matcher;
mod number;
mod objects;
mod open;
mod packing;
mod place;
mod question;
mod section;
mod shown;
mod since;
mod statistics;
mod tail;
mod task;
mod tree;
#[cfg(test)]
mod types;
mod view;
mod waits;
#[cfg(feature = "wire")]
pub mod wire;

use alloc::sync::Arc;
use core::ops::Range;

use spall_trace::layout::Layout;
use spall_trace::model::{Trace, TraceView};

pub use about::{About, Colours, Shades, TickUnit};
pub use act::{Action, Seen};
pub use beside::{Table, TableRow};
pub use colours::{Arrows, ColorBy};
pub use command::{COMMANDS, Command, CommandInfo};
pub use csv::{Amount, csv_field};
pub use derived::DerivedSpan;
pub use derived_track::{DerivedTrack, NamedRows, NamedTime};
pub use details::{Details, Link, SlicePlace, Step};
pub use durations::{Durations, WantedDurations};
pub use element::{Element, Selected};
pub use find::FoundCounts;
pub use frame::{
    Boxes, ChartPart, Frame, Layer, Marks, NamedBox, ObjectLines, Part, Pointed, Strip, Style,
    Wanted as WantedFrame,
};
pub use graph::{
    BoxFacts, GraphFrame, Kind as GraphKind, Shape, TreeRow, TreeRows, Wanted as WantedGraph, WantedTreeRows,
};
pub use growing::{Live, LiveEngine};
pub use heights::Heights;
pub use hits::{Hit, Target};
pub use item::{Group, Item, Member};
pub use lines::{Header, Lines};
pub use list::{ColumnFacts, Entry, List, ListFormat, ListKind, WantedList};
pub use listed::{ChosenList, ChosenTable, ListColumn, Order, TreeOrder};
pub use marks::{MarkFacts, notes};
pub use matcher::{Matcher, matcher};
pub use open::{Damage, Note, OpenError, Opened, Placed, Source, open};
pub use place::{ChosenRange, Mark, Place, PlaceFile};
pub use question::{Answer, Changed, News, Progress, Question, Reply, Ticket};
pub use section::{Section, SectionError, closest};
pub use shown::{Finished, Growth, Now, Shown};
pub use since::{Numbers, Since};
pub use spall_trace::layout::By;
pub use spall_trace::model::Tick;
pub use statistics::{Area, Ranked, Ranking, Sums};
pub use tail::Tail;
pub use task::STEP;
pub use tree::SentTree;
pub use view::View;
pub use waits::{Stretch, Stretches};

/// A trace, what a user has chosen to see of it, and what was asked of it. The trace is finished, or it grows: [`LiveEngine`].
#[derive(Debug)]
pub struct Engine<S: Shown = Finished> {
    shown: S,
    filter: filter::Filter,
    said: Said,
    view: View,
    objects: objects::Objects,
    categories: filter::Categories,
    pictures: frame::Pictures,
    search: find::Search,
    searching: Option<find::Searching>,
    statistics: statistics::Statistics,
    gathered: durations::Gathered,
    gaps: waits::Gaps,
    lists: list::Lists,
    trees: tree::Trees,
    graphs: [graph::Graph; 2],
    making: Option<graph::Making>,
    asked: ask::Asked,
}

/// What there is to say about the files.
#[derive(Debug, Clone, Default)]
struct Said {
    /// The formats of the files.
    format: String,
    notes: Vec<Note>,
    damage: Vec<Damage>,
    placed: Vec<Placed>,
    files: Vec<PlaceFile>,
    /// The names of the values of the samples, and the one that was chosen.
    values: Vec<String>,
    value: Option<String>,
}

/// Whether a part of a place is as if nobody had chosen it, so that it is not written.
pub(crate) fn is_default<T: Default + PartialEq>(value: &T) -> bool {
    *value == T::default()
}

impl Engine {
    /// Shows all of what files say, in lines of these heights. Samples have the value of this name, or the one that the files
    /// say if there is none.
    #[must_use]
    pub fn new(opened: Opened, value: Option<&str>, heights: Heights) -> Self {
        let Opened { trace, format, notes, damage, placed, files, .. } = opened;
        let all = trace.sample_values();
        let values: Vec<_> = all.iter().map(|value| trace.name(value.name).into_owned()).collect();
        let chosen = all.iter().zip(&values).find(|(_, name)| Some(name.as_str()) == value);
        let value = chosen.map(|(_, name)| name.clone());
        let trace = match chosen {
            Some((value, _)) => trace.with_value(Some(value.name)),
            None => trace,
        };
        let (trace, layout) = spall_trace::lay_out(trace);
        let said = Said { format, notes, damage, placed, files, values, value };
        Self::of(trace.into(), layout.into(), said, heights)
    }

    /// Returns another engine of the same trace, which shows all of it. It shares the trace with this one, and its layout unless
    /// this one hides something.
    #[must_use]
    pub fn again(&self) -> Self {
        let (trace, layout) = self.whole();
        Self::of(trace, layout, self.said.clone(), *self.view.heights())
    }

    /// Returns the trace and a layout of all of it, for what goes on beside the engine.
    #[must_use]
    pub fn whole(&self) -> (Arc<Trace>, Arc<Layout>) {
        let layout = match self.filter.hidden == Default::default() {
            true => self.shown.layout.clone(),
            false => Layout::new(&self.shown.trace).into(),
        };
        (self.shown.trace.clone(), layout)
    }

    fn of(trace: Arc<Trace>, layout: Arc<Layout>, said: Said, heights: Heights) -> Self {
        let objects = objects::Objects::new(&trace);
        let has_instants = |track| !trace.instants_of(track).is_empty();
        let shown = trace.shown_tracks();
        let view =
            View::new(&*trace, &*layout, heights, |process| objects.n_lines(process), has_instants, shown);
        Self {
            said,
            view,
            objects,
            pictures: frame::Pictures::new(&*trace, &*layout),
            ..Self::bare(Finished { trace, layout }, heights)
        }
    }
}

impl<S: Shown> Engine<S> {
    /// Shows something of which nothing is known yet.
    fn bare(shown: S, heights: Heights) -> Self {
        Self {
            shown,
            filter: filter::Filter::default(),
            said: Said::default(),
            view: View::live(heights),
            objects: objects::Objects::default(),
            categories: filter::Categories::default(),
            pictures: frame::Pictures::default(),
            search: find::Search::default(),
            searching: None,
            statistics: statistics::Statistics::default(),
            gathered: durations::Gathered::default(),
            gaps: waits::Gaps::default(),
            lists: list::Lists::default(),
            trees: tree::Trees::default(),
            graphs: Default::default(),
            making: None,
            asked: ask::Asked::default(),
        }
    }

    /// Returns the trace.
    #[must_use]
    pub fn trace(&self) -> S::Trace<'_> {
        self.shown.trace()
    }

    /// Returns the layout of what is shown.
    #[must_use]
    pub fn layout(&self) -> S::Layout<'_> {
        self.shown.layout()
    }

    /// Returns the names of the values that the samples have.
    #[must_use]
    pub fn values(&self) -> &[String] {
        &self.said.values
    }

    /// Returns the value that was chosen; `None` if it is the one that the files say.
    #[must_use]
    pub fn value(&self) -> Option<&str> {
        self.said.value.as_deref()
    }

    /// Returns the tick of a time.
    #[must_use]
    pub fn tick(&self, at: Since) -> Tick {
        self.view.tick(at)
    }

    /// Returns the time of a tick.
    #[must_use]
    pub fn since(&self, at: Tick) -> Since {
        self.view.since(at)
    }

    /// Forgets what was found and added up, as it is about other slices.
    fn forget(&mut self) {
        (self.statistics, self.search, self.searching) = Default::default();
        self.trees.forget();
        self.lists.forget();
        self.making = None;
        self.asked.forget();
    }

    fn range(&self, start: Since, end: Since) -> Range<Tick> {
        self.tick(start)..self.tick(end)
    }

    /// A point in time as text, counted from the origin.
    fn time(&self, at: Tick) -> String {
        self.view.time(at, &*self.trace())
    }
}
