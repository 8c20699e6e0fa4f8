//! Slices or instants as a list, which can be sorted by what is known of them and filtered. The engine gathers, filters and sorts;
//! a frontend asks for the entries in sight.

mod gather;
mod sort;

use alloc::{borrow::Cow, sync::Arc};
use core::fmt;

use serde::{Deserialize, Serialize};
use spall_trace::layout::LayoutView;
use spall_trace::model::{Clock, NameId, SliceId, ThreadMeasure, Tick, Ticks, TraceView, TrackId, Value};

use crate::{
    Amount, Area, Element, Engine, Since, csv_field,
    listed::{ChosenList, ListColumn},
    matcher::matcher,
    shown::Shown,
    task::Task,
    view::View,
};
use gather::{Gathered, MakeList, Subject};

/// The most keys of arguments that have columns.
const MOST_KEYS: usize = 24;
/// How many keys have columns if the user chooses none: those that most entries have.
const USUAL_KEYS: usize = 6;

/// What is listed.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[cfg_attr(test, derive(ts_rs::TS))]
#[serde(rename_all = "camelCase")]
pub enum ListKind {
    /// Slices that touch a range of time.
    #[default]
    Slices,
    /// Instants inside a range of time.
    Instants,
}

/// A wish for a list.
#[derive(Debug, Clone, PartialEq, Deserialize)]
#[cfg_attr(test, derive(ts_rs::TS))]
pub struct WantedList {
    /// What is listed.
    pub kind: ListKind,
    /// The range of time and its tracks. Of instants, and of what was found, all tracks count if no items are chosen.
    pub area: Area,
    /// How it is listed.
    pub chosen: ChosenList,
}

/// A list, of which the entries are asked for in pieces.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[cfg_attr(test, derive(ts_rs::TS))]
#[serde(rename_all = "camelCase")]
pub struct List {
    /// The number by which its entries are asked for. A later list takes its place.
    pub number: u32,
    /// How many entries it has.
    pub count: usize,
    /// How many there are with those that do not match the filter.
    pub all: usize,
    /// Its columns.
    pub columns: Vec<ColumnFacts>,
    /// The keys of the arguments of all of them, those that most have first, and how many have each.
    pub keys: Vec<(String, u32)>,
    /// What is wrong with the filter, which then leaves out nothing.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub fault: Option<String>,
}

/// A column of a list.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[cfg_attr(test, derive(ts_rs::TS))]
#[serde(rename_all = "camelCase")]
pub struct ColumnFacts {
    /// What is in it.
    pub column: ListColumn,
    /// Its heading.
    pub title: String,
    /// Whether it has times and numbers, which are written to the right.
    pub is_number: bool,
}

/// An entry of a list.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[cfg_attr(test, derive(ts_rs::TS))]
pub struct Entry {
    /// The slice or the instant.
    pub element: Element,
    /// When it starts.
    pub at: Since,
    /// The text of each column.
    pub cells: Vec<String>,
}

/// How the entries of a list are written for programs. Times are nanoseconds since tick 0, as the command writes them.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize)]
#[cfg_attr(test, derive(ts_rs::TS))]
#[serde(rename_all = "lowercase")]
pub enum ListFormat {
    /// With commas between the values, and quotes where they are needed.
    Csv,
    /// With tabs between the values, in which tabs and line ends are blanks: what spreadsheets take from the clipboard.
    Tsv,
}

/// The lists that were asked for.
#[derive(Default)]
pub(crate) struct Lists {
    last: u32,
    /// What was gathered last, which a list in another order has again.
    gathered: Option<(Subject, Arc<Gathered>)>,
    making: Option<Making>,
    made: Option<Made>,
}

struct Making {
    subject: Subject,
    chosen: ChosenList,
    fault: Option<String>,
    task: Task<(Arc<Gathered>, Vec<u32>)>,
}

/// A list that can be read.
struct Made {
    number: u32,
    kind: ListKind,
    columns: Vec<ColumnFacts>,
    /// The numbers of slices or instants.
    entries: Vec<u32>,
}

impl fmt::Debug for Lists {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let n_entries = self.made.as_ref().map(|made| made.entries.len());
        f.debug_struct("Lists").field("n_entries", &n_entries).finish_non_exhaustive()
    }
}

impl Lists {
    /// The trace has grown: the next list is gathered anew. The entries of the last one are still there.
    pub(crate) fn grow(&mut self) {
        self.gathered = None;
    }

    /// Forgets the lists, as they are of other slices. Their numbers are not given again.
    pub(crate) fn forget(&mut self) {
        *self = Self { last: self.last, ..Self::default() };
    }
}

impl<S: Shown> Engine<S> {
    /// Begins to list slices or instants. Returns whether there is something to wait for: without a search nothing is found.
    pub fn begin_list(&mut self, wanted: &WantedList) -> bool {
        let Some(subject) = self.subject_of_list(wanted) else { return false };
        let chosen = wanted.chosen.clone();
        let filter = (!chosen.filter.is_empty()).then(|| matcher(&chosen.filter)).transpose();
        let (filter, fault) = match filter {
            Ok(filter) => (filter, None),
            Err(fault) => (None, Some(fault)),
        };
        let gathered = self.lists.gathered.as_ref().filter(|(known, _)| *known == subject);
        let work = MakeList {
            gathered: gathered.map(|(_, gathered)| Arc::clone(gathered)),
            subject: subject.clone(),
            filter,
            order: chosen.order.clone(),
            is_descending: chosen.is_descending,
        };
        let task = self.shown.start(work);
        self.lists.making = Some(Making { subject, chosen, fault, task });
        true
    }

    /// Looks at some entries. Returns the list once it is done.
    pub fn step_list(&mut self) -> Option<List> {
        let lists = &mut self.lists;
        let (gathered, entries) = lists.making.as_mut()?.task.step()?;
        let Making { subject, chosen, fault, .. } = lists.making.take()?;
        let columns = columns_of(subject.kind, &gathered, chosen.keys.as_deref());
        lists.last += 1;
        let list = List {
            number: lists.last,
            count: entries.len(),
            all: gathered.ids.len(),
            columns: columns.clone(),
            keys: gathered.keys.iter().map(|key| (key.text.clone(), key.count)).collect(),
            fault,
        };
        lists.made = Some(Made { number: lists.last, kind: subject.kind, columns, entries });
        lists.gathered = Some((subject, gathered));
        Some(list)
    }

    /// Forgets a list that is not done.
    pub fn cancel_list(&mut self) {
        self.lists.making = None;
    }

    /// Returns so many entries of the last list from a position on. There are none if another list was made since.
    #[must_use]
    pub fn entries(&self, number: u32, from: usize, count: usize) -> Vec<Entry> {
        let clock = self.trace().clock();
        self.read_list(number, from, count, |element, at, cells| Entry {
            element,
            at: self.since(at),
            cells: cells.map(|cell| cell.for_people(&self.view, &clock)).collect(),
        })
    }

    /// Returns so many entries of the last list from a position on, one a line, below the headings if they are the first ones; `None`
    /// if another list was made since.
    #[must_use]
    pub fn list_text(&self, number: u32, format: ListFormat, from: usize, count: usize) -> Option<String> {
        let made = self.lists.made.as_ref().filter(|made| made.number == number)?;
        let clock = self.trace().clock();
        let mut text = String::new();
        if from == 0 {
            format.write(made.columns.iter().map(|facts| facts.column.for_programs()), &mut text);
        }
        self.read_list(number, from, count, |_, _, cells| {
            format.write(cells.map(|cell| cell.for_programs(&clock)), &mut text);
        });
        Some(text)
    }

    fn read_list<T>(
        &self,
        number: u32,
        from: usize,
        count: usize,
        mut entry: impl FnMut(Element, Tick, &mut dyn Iterator<Item = Cell<'_>>) -> T,
    ) -> Vec<T> {
        let Some(made) = self.lists.made.as_ref().filter(|made| made.number == number) else {
            return Vec::new();
        };
        let (trace, layout) = (self.shown.trace(), self.shown.layout());
        let known = Known::new(made.kind, &*trace, &*layout);
        let wanted = made.entries.iter().skip(from).take(count);
        let read = wanted.filter_map(|&id| {
            let start = known.start(id)?;
            let mut cells = made.columns.iter().map(|facts| known.cell(id, &facts.column));
            Some(entry(known.element(id), start, &mut cells))
        });
        read.collect()
    }

    /// What a list is of; `None` if it is of what was found, and nothing was looked for.
    fn subject_of_list(&self, WantedList { kind, area, chosen }: &WantedList) -> Option<Subject> {
        let trace = &*self.trace();
        let hits = match chosen.found && *kind == ListKind::Slices {
            true => Some(self.found_all()?.slices.clone()),
            false => None,
        };
        let tracks = match (kind, &hits, &area.items) {
            // They are as many as the search says, on hidden tracks, too.
            (_, Some(_), None) => trace.track_ids().collect(),
            (ListKind::Slices, None, _) => self.view.summed_tracks(area, trace),
            _ => self.view.tracks_among(area, trace, |_| true),
        };
        let range = self.range(area.start, area.end);
        let of = chosen.of.clone().map(|of| (chosen.by, of));
        let hidden = self.filter.hidden.clone();
        Some(Subject { kind: *kind, range: (range.start, range.end), tracks, of, hits, hidden })
    }
}

impl ListColumn {
    /// What it is called in a file.
    fn for_programs(&self) -> String {
        let name = match self {
            Self::Start => "start",
            Self::Duration => "duration",
            Self::Own => "self",
            Self::Cpu => "cpu",
            Self::Name => "name",
            Self::Track => "track",
            Self::Category => "category",
            Self::Arg(key) => key,
        };
        name.into()
    }

    fn title(&self) -> &str {
        match self {
            Self::Start => "Time",
            Self::Duration => "Duration",
            Self::Own => "Self",
            Self::Cpu => "CPU",
            Self::Name => "Name",
            Self::Track => "Track",
            Self::Category => "Category",
            Self::Arg(key) => key,
        }
    }
}

/// The columns of a list: what all have, CPU times and categories if one has them, and arguments.
fn columns_of(kind: ListKind, gathered: &Gathered, keys: Option<&[String]>) -> Vec<ColumnFacts> {
    use ListColumn::{Arg, Category, Cpu, Duration, Name, Own, Start, Track};
    let is_slices = kind == ListKind::Slices;
    let known = [
        (Start, true),
        (Duration, is_slices),
        (Own, is_slices),
        (Cpu, gathered.has_cpu),
        (Name, true),
        (Track, true),
        (Category, gathered.has_category),
    ];
    let known = known.into_iter().filter(|(_, is_there)| *is_there).map(|(column, _)| column);
    let usual = || gathered.keys.iter().take(USUAL_KEYS).map(|key| key.text.clone()).collect();
    let keys: Vec<String> = keys.map_or_else(usual, |keys| keys.iter().take(MOST_KEYS).cloned().collect());
    let facts = |column: ListColumn| ColumnFacts {
        title: column.title().into(),
        is_number: match &column {
            Start | Duration | Own | Cpu => true,
            Name | Track | Category => false,
            Arg(key) => gathered.keys.iter().any(|known| known.text == *key && known.is_number()),
        },
        column,
    };
    known.chain(keys.into_iter().map(Arg)).map(facts).collect()
}

/// What a column says of an entry.
enum Cell<'a> {
    Nothing,
    At(Tick),
    Takes(Ticks),
    Text(Cow<'a, str>),
    Arg(Value<'a>),
}

impl Cell<'_> {
    fn for_people(self, view: &View, clock: &Clock) -> String {
        match self {
            Self::Nothing => String::new(),
            Self::At(at) => clock.time(Tick(0) + view.since(at).0).to_string(),
            Self::Takes(ticks) => clock.duration(ticks).to_string(),
            Self::Text(text) => text.into(),
            Self::Arg(value) => value.to_string(),
        }
    }

    fn for_programs(self, clock: &Clock) -> String {
        match self {
            Self::Nothing => String::new(),
            Self::At(at) => Amount::new(clock, at - Tick(0)).to_string(),
            Self::Takes(ticks) => Amount::new(clock, ticks).to_string(),
            Self::Text(text) => text.into(),
            Self::Arg(value) => value.to_string(),
        }
    }
}

impl ListFormat {
    /// Adds a line.
    pub(crate) fn write(self, values: impl Iterator<Item = String>, text: &mut String) {
        for (number, value) in values.enumerate() {
            if number > 0 {
                text.push(if self == Self::Csv { ',' } else { '\t' });
            }
            match self {
                Self::Csv => text.push_str(&csv_field(&value)),
                Self::Tsv => text.push_str(&value.replace(['\t', '\n', '\r'], " ")),
            }
        }
        text.push('\n');
    }
}

/// What a trace knows of the entries of a list, which have numbers.
struct Known<'t, T, L> {
    kind: ListKind,
    trace: &'t T,
    layout: &'t L,
    /// Whether tracks are told by their processes, too.
    has_processes: bool,
}

impl<'t, T: TraceView, L: LayoutView> Known<'t, T, L> {
    fn new(kind: ListKind, trace: &'t T, layout: &'t L) -> Self {
        let process = |track| trace.track_info(track).and_then(|info| info.process);
        let mut processes = trace.track_ids().filter_map(process);
        let first = processes.next();
        Self { kind, trace, layout, has_processes: processes.any(|process| Some(process) != first) }
    }

    fn element(&self, id: u32) -> Element {
        match self.kind {
            ListKind::Slices => Element::Slice(SliceId(id)),
            ListKind::Instants => Element::Instant(id),
        }
    }

    /// The start, the name and the category.
    fn facts(&self, id: u32) -> Option<(Tick, NameId, NameId)> {
        match self.kind {
            ListKind::Slices => {
                self.trace.slice(SliceId(id)).map(|slice| (slice.start, slice.name, slice.category))
            }
            ListKind::Instants => {
                self.trace.instant(id).map(|(_, instant)| (instant.at, instant.name, instant.category))
            }
        }
    }

    fn start(&self, id: u32) -> Option<Tick> {
        self.facts(id).map(|(start, ..)| start)
    }

    fn duration(&self, id: u32) -> Option<Ticks> {
        match self.kind {
            ListKind::Slices => self.trace.slice(SliceId(id)).map(|slice| slice.duration()),
            ListKind::Instants => None,
        }
    }

    fn name(&self, id: u32) -> NameId {
        self.facts(id).map_or(NameId::EMPTY, |(_, name, _)| name)
    }

    fn category(&self, id: u32) -> NameId {
        self.facts(id).map_or(NameId::EMPTY, |(.., category)| category)
    }

    fn track(&self, id: u32) -> Option<TrackId> {
        match self.kind {
            ListKind::Slices => self.trace.track_of(SliceId(id)),
            ListKind::Instants => self.trace.instant(id).map(|(track, _)| track),
        }
    }

    /// What a track is called.
    fn track_text(&self, track: TrackId) -> String {
        let title = self.trace.track_title(track);
        let process = self.trace.track_info(track).and_then(|info| info.process);
        match process.filter(|_| self.has_processes) {
            Some(process) => format!("{title} ({})", self.trace.process_title(process)),
            None => title.into(),
        }
    }

    fn cpu(&self, id: u32) -> Option<Ticks> {
        match self.kind {
            ListKind::Slices => {
                self.trace.slice_args(SliceId(id)).thread_measure(ThreadMeasure::Time).map(Ticks)
            }
            ListKind::Instants => None,
        }
    }

    fn arg(&self, id: u32, key: &str) -> Option<Value<'t>> {
        match self.kind {
            ListKind::Slices => self.trace.slice_args(SliceId(id)).get(key.as_bytes()),
            ListKind::Instants => {
                let (_, instant) = self.trace.instant(id)?;
                self.trace.args_of(&instant).get(key.as_bytes())
            }
        }
    }

    /// All arguments as one text.
    fn args_text(&self, id: u32) -> String {
        match self.kind {
            ListKind::Slices => self.trace.slice_args(SliceId(id)).to_string(),
            ListKind::Instants => {
                self.trace.instant(id).map_or_else(String::new, |(_, it)| self.trace.args_of(&it).to_string())
            }
        }
    }

    fn cell(&self, id: u32, column: &ListColumn) -> Cell<'t> {
        let slice = || (self.kind == ListKind::Slices).then_some(SliceId(id));
        let takes = |ticks: Option<Ticks>| ticks.map_or(Cell::Nothing, Cell::Takes);
        match column {
            ListColumn::Start => self.start(id).map_or(Cell::Nothing, Cell::At),
            ListColumn::Duration => takes(self.duration(id)),
            ListColumn::Own => takes(slice().and_then(|slice| self.layout.self_time(slice))),
            ListColumn::Cpu => takes(self.cpu(id)),
            ListColumn::Name => Cell::Text(self.trace.name(self.name(id))),
            ListColumn::Track => {
                self.track(id).map_or(Cell::Nothing, |track| Cell::Text(self.track_text(track).into()))
            }
            ListColumn::Category => Cell::Text(self.trace.name(self.category(id))),
            ListColumn::Arg(key) => self.arg(id, key).map_or(Cell::Nothing, Cell::Arg),
        }
    }
}
