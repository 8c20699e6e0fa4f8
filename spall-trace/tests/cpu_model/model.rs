//! The rules of the merge by brute force: everything that can be looked up again is looked up again.

use alloc::collections::BTreeMap;

use super::case::{
    COLLECTOR, Case, FIRST_OF_FILE, FUNCTIONS, Function, IDLE, INVOCATIONS, PROGRAM, RESETS, Said, Slice,
    path, said,
};

/// A slice on the timeline. Only functions have hits.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct Row {
    pub(crate) start: i64,
    pub(crate) end: i64,
    pub(crate) depth: usize,
    pub(crate) name: String,
    pub(crate) hits: Option<u32>,
}

#[derive(Debug, Default)]
pub(crate) struct Merged {
    pub(crate) rows: Vec<Row>,
    pub(crate) own: BTreeMap<String, i64>,
    pub(crate) hits: BTreeMap<String, u32>,
    /// The numbers of frozen samples, echoes, conflicts, fixed missing callers and unknown call frames.
    pub(crate) stats: [u64; 5],
}

/// A slice with what can be said of it beforehand.
struct Span<'c> {
    slice: &'c Slice,
    parent: Option<usize>,
    is_call: bool,
    is_reset: bool,
    /// The id and the stack of the call site.
    site: Option<(usize, Vec<Function>)>,
}

#[derive(Clone)]
struct Moment {
    at: i64,
    id: usize,
    said: Said,
    /// The innermost slice around the moment.
    inside: Option<usize>,
}

/// An entry of a stack.
#[derive(Clone, Copy, PartialEq)]
enum Entry {
    Span(usize),
    Function(Function),
    Collector,
}

struct Open {
    entry: Entry,
    start: i64,
    row: usize,
    carries: bool,
}

/// Returns how many functions two stacks have in common from the outermost on.
fn common(a: &[Function], b: &[Function]) -> usize {
    a.iter().zip(b).take_while(|(a, b)| a == b).count()
}

/// Returns the slices that take part, in their order. A slice that overlaps another one partially takes no part.
fn spans(case: &Case) -> Vec<Span<'_>> {
    let mut slices: Vec<&Slice> = case.slices.iter().collect();
    slices.sort_by_key(|slice| (slice.start, -slice.end));
    let mut spans: Vec<Span<'_>> = Vec::new();
    let mut open: Vec<usize> = Vec::new();
    for slice in slices {
        let is_over = |above: &Slice| {
            above.end < slice.start
                || above.end == slice.start && (above.start < above.end || slice.start < slice.end)
        };
        while open.pop_if(|above| is_over(spans[*above].slice)).is_some() {}
        let parent = open.last().copied();
        if parent.is_some_and(|parent| spans[parent].slice.end < slice.end) {
            continue;
        }
        let site = slice.site.and_then(|site| case.sites.get(&site)).copied();
        open.push(spans.len());
        spans.push(Span {
            slice,
            parent,
            is_call: INVOCATIONS.contains(&slice.name),
            is_reset: RESETS.contains(&slice.name),
            site: site.and_then(|id| {
                path(&case.nodes, id)?;
                match said(&case.nodes, id) {
                    Said::Stack(stack) => Some((id, stack)),
                    Said::Nothing { .. } => Some((id, Vec::new())),
                    Said::Collector => None,
                }
            }),
        });
    }
    spans
}

struct Model<'c> {
    case: &'c Case,
    spans: Vec<Span<'c>>,
    moments: Vec<Moment>,
    open: Vec<Open>,
    now: i64,
    merged: Merged,
}

pub(crate) fn merge(case: &Case) -> Merged {
    let mut model = Model {
        case,
        spans: spans(case),
        moments: Vec::new(),
        open: Vec::new(),
        now: 0,
        merged: Merged::default(),
    };
    model.place_samples();
    model.fix_missing();
    model.run();
    model.merged
}

impl Model<'_> {
    fn around(&self, span: Option<usize>) -> impl Iterator<Item = usize> {
        core::iter::successors(span, |&span| self.spans[span].parent)
    }

    fn place_samples(&mut self) {
        let mut samples = self.case.samples.clone();
        samples.sort_by_key(|&(at, _)| at);
        for (at, id) in samples {
            let contains = |span: &Span<'_>| span.slice.start <= at && at < span.slice.end;
            let inside = self.spans.iter().rposition(contains);
            self.merged.stats[4] += u64::from(path(&self.case.nodes, id).is_none());
            self.moments.push(Moment { at, id, said: said(&self.case.nodes, id), inside });
        }
    }

    fn fix_missing(&mut self) {
        let call =
            |moment: &Moment| self.around(moment.inside).filter(|&span| self.spans[span].is_call).last();
        let outermost = |moment: &Moment| match &moment.said {
            Said::Stack(stack) => stack.first().copied(),
            _ => None,
        };
        let mut fixed = self.moments.clone();
        for (window, at) in self.moments.windows(3).zip(1..) {
            let [a, b, c] = window else { continue };
            if b.said == (Said::Nothing { program: true })
                && outermost(a).is_some()
                && outermost(a) == outermost(c)
                && call(a) == call(b)
                && call(b) == call(c)
            {
                fixed[at] = Moment { at: b.at, inside: b.inside, ..a.clone() };
            }
        }
        let changed = self.moments.iter().zip(&fixed).filter(|(a, b)| a.said != b.said);
        self.merged.stats[3] = changed.count() as u64;
        self.moments = fixed;
    }

    /// Returns the stack that is shown for a sample, or `None` for the garbage collector.
    fn stack(&self, moment: &Moment) -> Option<Vec<Function>> {
        match &moment.said {
            Said::Stack(stack) => Some(stack.clone()),
            Said::Nothing { program } if self.spans.is_empty() => {
                Some(vec![if *program { PROGRAM } else { IDLE }])
            }
            Said::Nothing { .. } => Some(Vec::new()),
            Said::Collector => None,
        }
    }

    /// The samples in a span that are in no invocation inside it.
    fn direct(&self, span: usize) -> impl Iterator<Item = usize> {
        (0..self.moments.len()).filter(move |&moment| {
            let mut around = self.around(self.moments[moment].inside);
            around.find(|&around| around == span || self.spans[around].is_call) == Some(span)
        })
    }

    fn is_echo(&self, moment: usize) -> bool {
        self.around(self.moments[moment].inside).any(|span| {
            let site = self.spans[span].site.as_ref().map(|(id, _)| *id);
            site == Some(self.moments[moment].id) && self.direct(span).next() == Some(moment)
        })
    }

    fn top_span(&self) -> Option<usize> {
        self.open.iter().rposition(|open| matches!(open.entry, Entry::Span(_)))
    }

    /// Functions below the highest span, and those above it.
    fn functions(&self) -> (Vec<Function>, Vec<Function>) {
        let top = self.top_span().unwrap_or(0);
        let of = |open: &[Open]| {
            let function =
                |open: &Open| if let Entry::Function(function) = open.entry { Some(function) } else { None };
            open.iter().filter_map(function).collect()
        };
        (of(&self.open[..top]), of(&self.open[top..]))
    }

    fn is_frozen(&self) -> bool {
        let Some(top) = self.top_span() else { return false };
        let Entry::Span(span) = self.open[top].entry else { unreachable!() };
        let hosts = |open: &Open| !matches!(open.entry, Entry::Span(span) if !self.spans[span].is_call);
        !self.spans[span].is_call && self.open[..top].iter().any(hosts)
    }

    fn path_text(&self) -> String {
        let name = |open: &Open| match open.entry {
            Entry::Span(span) => self.spans[span].slice.name.to_owned(),
            Entry::Function(function) => format!("{}*", FUNCTIONS[function]),
            Entry::Collector => format!("{}*", FUNCTIONS[COLLECTOR]),
        };
        self.open.iter().map(name).collect::<Vec<_>>().join(";")
    }

    fn advance(&mut self, at: i64) {
        *self.merged.own.entry(self.path_text()).or_default() += at - self.now;
        self.now = at;
    }

    fn push(&mut self, entry: Entry, at: i64) {
        self.advance(at);
        let (name, hits) = match entry {
            Entry::Span(span) => (self.spans[span].slice.name, None),
            Entry::Function(function) => (FUNCTIONS[function], Some(0)),
            Entry::Collector => (FUNCTIONS[COLLECTOR], Some(0)),
        };
        let row = self.merged.rows.len();
        self.merged.rows.push(Row { start: at, end: -1, depth: self.open.len(), name: name.into(), hits });
        self.open.push(Open { entry, start: at, row, carries: false });
    }

    fn pop(&mut self, at: i64) {
        self.advance(at);
        let Some(open) = self.open.pop() else { return };
        if matches!(open.entry, Entry::Span(_)) || open.carries || open.start < at {
            self.merged.rows[open.row].end = at;
            self.open.last_mut().into_iter().for_each(|below| below.carries = true);
        }
    }

    fn pop_collector(&mut self, at: i64) {
        if self.open.last().is_some_and(|open| open.entry == Entry::Collector) {
            self.pop(at);
        }
    }

    /// Leaves so many of the functions above the highest span.
    fn keep_held(&mut self, count: usize, at: i64) {
        for _ in count..self.functions().1.len() {
            self.pop(at);
        }
    }

    fn set(&mut self, path: &[Function], at: i64) {
        self.pop_collector(at);
        let (locked, held) = self.functions();
        let mut rest = &path[common(path, &locked)..];
        if common(path, &locked) < locked.len() && !rest.is_empty() {
            self.merged.stats[2] += 1;
            if let Some(again) = rest.iter().position(|function| Some(function) == locked.last()) {
                rest = &rest[again + 1..];
            }
        }
        let kept = common(rest, &held);
        self.keep_held(kept, at);
        for &function in &rest[kept..] {
            self.push(Entry::Function(function), at);
        }
    }

    fn begin(&mut self, span: usize) {
        let at = self.spans[span].slice.start;
        self.pop_collector(at);
        let is_settled = self.prepare(span, at);
        let callee = self.callee(span, is_settled);
        if let Some(callee) = &callee {
            self.set(&callee[..callee.len() - 1], at);
        }
        self.push(Entry::Span(span), at);
        if let Some(callee) = &callee {
            self.set(callee, at);
        }
    }

    /// Applies the rules 1 to 5. Returns whether it was rule 1 or 2.
    fn prepare(&mut self, span: usize, at: i64) -> bool {
        let Span { slice, is_call, is_reset, ref site, .. } = self.spans[span];
        if self.is_frozen() {
            return true;
        }
        if let Some((_, stack)) = site.clone() {
            self.set(&stack, at);
            return true;
        }
        let next = self.moments.iter().find(|moment| moment.at >= at).cloned();
        let any = next.clone().filter(|next| next.at < slice.end);
        let direct = self.direct(span).next().map(|moment| self.moments[moment].clone());
        let (locked, held) = self.functions();
        let running = [&locked[..], &held[..]].concat();
        let in_call =
            self.open.iter().any(|open| matches!(open.entry, Entry::Span(span) if self.spans[span].is_call));
        if in_call {
            let first = any.as_ref().and_then(|any| self.stack(any)).unwrap_or_default();
            let direct =
                direct.and_then(|direct| self.stack(&direct)).filter(|stack| first.starts_with(stack));
            if let Some(stack) = direct.clone().filter(|_| !is_call) {
                self.set(&stack, at);
                return false;
            }
            let said = direct.clone().or_else(|| self.stack(&any?));
            let Some(stack) = said.filter(|stack| stack.starts_with(&locked)) else { return false };
            let inner = locked.len()..stack.len().saturating_sub(1).max(locked.len());
            let mut natives = inner.filter(|&function| stack[function] < FIRST_OF_FILE);
            let native = if direct.is_some() { natives.next_back() } else { natives.next() };
            match native {
                Some(native) => self.set(&stack[..=native], at),
                None => self.keep_held(common(&running, &stack) - locked.len(), at),
            }
        } else if is_call || is_reset {
            self.keep_held(0, at);
        } else if !held.is_empty() {
            let is_direct = direct.is_some();
            let said = direct.or(next).map(|moment| self.stack(&moment));
            match said {
                None => self.keep_held(0, at),
                Some(None) => {}
                Some(Some(stack)) => {
                    let kept = common(&running, &stack);
                    self.keep_held(kept - locked.len().min(kept), at);
                    if kept > locked.len() && is_direct {
                        self.set(&stack, at);
                    }
                }
            }
        }
        false
    }

    /// Applies rule 6. Returns the stack up to the function that the slice names as the one it calls.
    fn callee(&self, span: usize, is_settled: bool) -> Option<Vec<Function>> {
        let (callee, _) = self.spans[span].slice.callee.filter(|_| self.spans[span].is_call)?;
        let stack_of = |moment: usize| self.stack(&self.moments[moment]).filter(|stack| !stack.is_empty());
        let stack = self.direct(span).filter(|&moment| !self.is_echo(moment)).find_map(stack_of)?;
        let (mut base, held) = self.functions();
        if is_settled {
            base.extend(held);
        }
        let rest = stack.strip_prefix(&base[..])?;
        let found =
            rest.iter().position(|&function| function == callee).filter(|&at| !is_settled || at == 0)?;
        Some(stack[..=base.len() + found].to_vec())
    }

    fn end_span(&mut self) {
        let Some(Entry::Span(span)) = self.top_span().map(|top| self.open[top].entry) else { return };
        let end = self.spans[span].slice.end;
        while self.open.last().is_some_and(|open| open.entry != Entry::Span(span)) {
            self.pop(end);
        }
        self.pop(end);
    }

    /// Ends the slices except those for which `stays` is true.
    fn end_spans(&mut self, stays: impl Fn(&Self, usize) -> bool) {
        while let Some(Entry::Span(span)) = self.top_span().map(|top| self.open[top].entry)
            && !stays(self, span)
        {
            self.end_span();
        }
    }

    fn sample(&mut self, moment: usize) {
        let at = self.moments[moment].at;
        self.end_spans(|model, span| model.spans[span].slice.end > at);
        if self.is_frozen() {
            self.merged.stats[0] += 1;
        } else if self.is_echo(moment) {
            self.merged.stats[1] += 1;
        } else if let Some(stack) = self.stack(&self.moments[moment]) {
            self.set(&stack, at);
        } else if self.open.last().is_none_or(|open| open.entry != Entry::Collector) {
            self.push(Entry::Collector, at);
        }
        if let Some(open) = self.open.last() {
            self.merged.rows[open.row].hits.iter_mut().for_each(|hits| *hits += 1);
        }
        *self.merged.hits.entry(self.path_text()).or_default() += 1;
    }

    fn run(&mut self) {
        let of_slices = |time: fn(&Slice) -> i64| self.spans.iter().map(move |span| time(span.slice));
        let samples = self.moments.iter().map(|moment| moment.at);
        let start = of_slices(|slice| slice.start).chain(samples).chain([self.case.start]).min().unwrap();
        let end = of_slices(|slice| slice.end).chain([self.end_of_samples()]).max().unwrap();
        self.now = start;
        let (mut next, n_spans) = (0, self.spans.len());
        for span in 0..n_spans {
            while next < self.moments.len() && self.moments[next].at < self.spans[span].slice.start {
                self.sample(next);
                next += 1;
            }
            let parent = self.spans[span].parent;
            self.end_spans(|_, open| Some(open) == parent);
            self.begin(span);
        }
        (next..self.moments.len()).for_each(|moment| self.sample(moment));
        self.end_spans(|_, _| false);
        while !self.open.is_empty() {
            self.pop(end);
        }
        self.advance(end);
        self.merged.rows.retain(|row| row.end >= row.start);
    }

    fn end_of_samples(&self) -> i64 {
        let (Some(first), Some(last)) = (self.moments.first(), self.moments.last()) else {
            return self.case.end.unwrap_or(self.case.start).max(self.case.start);
        };
        let gaps = i64::try_from(self.moments.len() - 1).unwrap().max(1);
        let mean = (last.at - first.at) / gaps;
        self.case.end.filter(|&end| end >= last.at).unwrap_or(last.at + mean)
    }
}
