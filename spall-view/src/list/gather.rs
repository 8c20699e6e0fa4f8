//! Gathers what a list is of, and makes the list of it.

use alloc::sync::Arc;
use core::ops::Range;
use std::collections::HashMap;

use spall_trace::layout::{By, Hits, LayoutView};
use spall_trace::model::{Function, NameId, SliceId, Text, Tick, Ticks, TraceView, TrackId, Value};
use spall_trace::{Hidden, Sought as _};

use super::{Known, ListColumn, ListKind, sort};
use crate::{
    find::Matcher,
    shown::Work,
    task::{STEP, pause},
};

/// The most different keys that are counted, so that a file with ever new ones takes no memory.
const COUNTED_KEYS: usize = 1000;

/// What a list is of.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Subject {
    pub(super) kind: ListKind,
    pub(super) range: (Tick, Tick),
    pub(super) tracks: Vec<TrackId>,
    /// A name or a function.
    pub(super) of: Option<(By, String)>,
    /// What was found, if only that is listed.
    pub(super) hits: Option<Hits>,
    pub(super) hidden: Hidden,
}

/// The entries of a list in the order of time, whatever they are filtered and sorted by.
#[derive(Debug, Default)]
pub(super) struct Gathered {
    /// Those of one time are in the order of the trace.
    pub(super) ids: Vec<u32>,
    /// The keys of arguments, those that most entries have first.
    pub(super) keys: Vec<KeyCount>,
    pub(super) has_cpu: bool,
    pub(super) has_category: bool,
}

/// How many entries have an argument.
#[derive(Debug, Clone)]
pub(super) struct KeyCount {
    pub(super) text: String,
    pub(super) count: u32,
    /// How many of the values are numbers.
    n_numbers: u32,
    /// The entry that was counted last, as a key may repeat.
    last: u32,
}

impl KeyCount {
    pub(super) fn is_number(&self) -> bool {
        self.n_numbers > 0 && self.n_numbers == self.count
    }
}

/// The work of making a list.
pub(super) struct MakeList {
    /// What was gathered already, if that is the same.
    pub(super) gathered: Option<Arc<Gathered>>,
    pub(super) subject: Subject,
    pub(super) filter: Option<Matcher>,
    pub(super) order: ListColumn,
    pub(super) is_descending: bool,
}

impl Work for MakeList {
    type Output = (Arc<Gathered>, Vec<u32>);

    async fn run<T: TraceView + Sync, L: LayoutView + Sync>(self, trace: &T, layout: &L) -> Self::Output {
        let Self { gathered, subject, filter, order, is_descending } = self;
        let known = Known::new(subject.kind, trace, layout);
        let gathered = match gathered {
            Some(gathered) => gathered,
            None => Arc::new(gather(&subject, &known).await),
        };
        let mut entries = Vec::new();
        let mut matches = filter.as_ref().map(|filter| Filter::new(filter, &known));
        for some in gathered.ids.chunks(STEP) {
            match &mut matches {
                Some(filter) => entries.extend(some.iter().copied().filter(|&id| filter.matches(id, &known))),
                None => entries.extend(some),
            }
            pause().await;
        }
        // They are gathered in the order of time.
        if order != ListColumn::Start || is_descending {
            sort::sort(&mut entries, &known, &order, is_descending).await;
        }
        (gathered, entries)
    }
}

/// Finds all entries.
async fn gather<T: TraceView, L: LayoutView>(subject: &Subject, known: &Known<'_, T, L>) -> Gathered {
    let (mut gathered, mut keys) = (Gathered::default(), HashMap::new());
    let mut is_of = subject.of.as_ref().map(|(by, text)| Of { by: *by, text, known: HashMap::new() });
    for &track in &subject.tracks {
        let touching = touching(subject, track, known);
        for some in touching.chunks(STEP) {
            for &id in some {
                if !is_of.as_mut().is_none_or(|of| of.is(id, known)) || !is_found(subject, id, known) {
                    continue;
                }
                gathered.ids.push(id);
                gathered.has_cpu = gathered.has_cpu || known.cpu(id).is_some();
                gathered.has_category =
                    gathered.has_category || !known.trace.names().bytes(known.category(id)).is_empty();
                known.each_arg(id, |key, value| count_key(&mut keys, id, key, value));
            }
            pause().await;
        }
    }
    gathered.keys = keys.into_values().collect();
    gathered.keys.sort_by(|a, b| b.count.cmp(&a.count).then_with(|| a.text.cmp(&b.text)));
    // Tracks are in the order of the trace, and sorting is stable.
    sort::sort(&mut gathered.ids, known, &ListColumn::Start, false).await;
    gathered
}

/// The entries of a track that are shown and touch the range of time.
fn touching<T: TraceView, L: LayoutView>(
    subject: &Subject,
    track: TrackId,
    Known { trace, layout, .. }: &Known<'_, T, L>,
) -> Vec<u32> {
    let (start, end) = subject.range;
    match subject.kind {
        ListKind::Slices => {
            let slices = trace.slices_of(track).filter(|(_, slice)| slice.overlaps(&(start..end)));
            slices.filter(|(id, _)| layout.row_of(*id).is_some()).map(|(id, _)| id.0).collect()
        }
        ListKind::Instants => {
            let instants = trace.instants_of(track);
            let first = instants.partition_point(|instant| instant.at < start);
            let inside = instants.iter().enumerate().skip(first).take_while(|(_, instant)| instant.at < end);
            let shown = inside.filter(|(_, instant)| subject.hidden.shows(instant.name, instant.category));
            shown.filter_map(|(position, _)| trace.instant_number(track, position)).collect()
        }
    }
}

fn is_found<T, L: LayoutView>(subject: &Subject, id: u32, known: &Known<'_, T, L>) -> bool {
    subject.hits.as_ref().is_none_or(|hits| hits.has(known.layout, SliceId(id)))
}

/// Whether entries are of a name or a function.
struct Of<'s> {
    by: By,
    text: &'s str,
    known: HashMap<Function, bool>,
}

impl Of<'_> {
    fn is<T: TraceView, L: LayoutView>(&mut self, id: u32, known: &Known<'_, T, L>) -> bool {
        let named = Function::named(known.name(id));
        let function = match (known.kind, self.by) {
            (ListKind::Slices, By::Function) => known.trace.function_of(SliceId(id)).unwrap_or(named),
            _ => named,
        };
        *self.known.entry(function).or_insert_with(|| function.describe(known.trace) == self.text)
    }
}

fn count_key(keys: &mut HashMap<String, KeyCount>, id: u32, key: Text<'_>, value: Value<'_>) {
    // A backtrace is shown as a stack.
    if key.is(b"backtrace") && matches!(value, Value::List(_)) {
        return;
    }
    let text = key.decode();
    if !keys.contains_key(&*text) {
        if keys.len() == COUNTED_KEYS {
            return;
        }
        let none = KeyCount { text: text.clone().into(), count: 0, n_numbers: 0, last: u32::MAX };
        keys.insert(text.clone().into(), none);
    }
    if let Some(count) = keys.get_mut(&*text).filter(|count| count.last != id) {
        count.last = id;
        count.count += 1;
        let is_number = matches!(value, Value::I64(_) | Value::U64(_) | Value::F64(_));
        count.n_numbers += u32::from(is_number);
    }
}

impl<T: TraceView, L: LayoutView> Known<'_, T, L> {
    /// Calls `each` with every argument of an entry. One of the begin of a slice may come again with the value of the end.
    fn each_arg(&self, id: u32, mut each: impl FnMut(Text<'_>, Value<'_>)) {
        match self.kind {
            ListKind::Slices => {
                let args = self.trace.slice_args(SliceId(id));
                args.begin.iter().chain(args.end.iter()).for_each(|(key, value)| each(key, value));
            }
            ListKind::Instants => {
                let instant = self.trace.instant(id).map(|(_, instant)| instant);
                let args = instant.map(|instant| self.trace.args_of(&instant));
                args.into_iter().flatten().for_each(|(key, value)| each(key, value));
            }
        }
    }
}

/// Tells which entries match a pattern. Names and tracks are looked at once.
struct Filter<'m> {
    matcher: &'m Matcher,
    durations: Option<Range<Ticks>>,
    names: HashMap<u32, bool>,
    tracks: HashMap<u32, bool>,
}

impl<'m> Filter<'m> {
    fn new<T: TraceView, L: LayoutView>(matcher: &'m Matcher, known: &Known<'_, T, L>) -> Self {
        let durations = matcher.durations_of(&known.trace.clock());
        Self { matcher, durations, names: HashMap::new(), tracks: HashMap::new() }
    }

    fn matches<T: TraceView, L: LayoutView>(&mut self, id: u32, known: &Known<'_, T, L>) -> bool {
        let Self { matcher, durations, names, tracks } = self;
        let duration = known.duration(id);
        if durations.as_ref().is_some_and(|range| !duration.is_some_and(|ticks| range.contains(&ticks))) {
            return false;
        }
        let mut is_named =
            |name: NameId| *names.entry(name.0).or_insert_with(|| matcher.matches(&known.trace.name(name)));
        if is_named(known.name(id)) || is_named(known.category(id)) {
            return true;
        }
        let is_on = known.track(id).is_some_and(|track| {
            *tracks.entry(track.0).or_insert_with(|| matcher.matches(&known.track_text(track)))
        });
        is_on || matcher.matches(&known.args_text(id))
    }
}
