//! Call trees that are added up step by step, so that other questions are answered in between.

use alloc::sync::Arc;
use core::{fmt, ops::Range};
use std::collections::HashMap;

use serde::{Deserialize, Serialize};
use spall_trace::layout::{LayoutView, slice_tree};
use spall_trace::model::{
    CallTree, CallTreeBuilder, Function, FunctionSource, Measure, NameId, Tick, Ticks, TraceView, TrackId,
    TreeNode, TreeNodeId,
};

use crate::{
    Engine, Numbers,
    shown::{Shown, Work},
    statistics::Area,
    task::{self, Task},
};

/// The tree that was asked for last.
#[derive(Default)]
pub(crate) struct Trees {
    /// What the tree is of, and what is left out.
    of: Option<(Area, Vec<TrackId>, String)>,
    job: Option<Task<CallTree>>,
    /// Whether the trace has grown since.
    is_old: bool,
    pub(crate) tree: Arc<CallTree>,
    /// The tree of another trace, and the names that only that has. They are numbered behind those of this trace.
    pub(crate) other: Arc<CallTree>,
    names: Vec<String>,
}

impl fmt::Debug for Trees {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Trees").field("of", &self.of).finish_non_exhaustive()
    }
}

impl Trees {
    /// Forgets the tree, but not that of the other trace.
    pub(crate) fn forget(&mut self) {
        (self.of, self.job, self.tree) = Default::default();
    }

    /// The trace has grown: the tree is that of less.
    pub(crate) fn grow(&mut self) {
        self.is_old = true;
    }

    /// What the tree adds up.
    pub(crate) fn measure(&self) -> Measure {
        self.of.as_ref().map_or(Measure::WallTime, |(area, ..)| area.measure())
    }
}

/// The work of adding up a tree.
struct AddUp {
    tracks: Vec<TrackId>,
    range: Range<Tick>,
    measure: Measure,
    without: String,
}

impl Work for AddUp {
    type Output = CallTree;

    async fn run<T: TraceView + Sync, L: LayoutView + Sync>(self, trace: &T, layout: &L) -> CallTree {
        let Self { tracks, range, measure, without } = self;
        let mut hidden = HashMap::new();
        let mut is_hidden =
            |function| *hidden.entry(function).or_insert_with(|| has_text(trace, function, &without));
        let function =
            |slice| trace.function_of(slice).filter(|&function| without.is_empty() || !is_hidden(function));
        task::run(slice_tree(trace, layout, tracks, range, measure, function)).await
    }
}

/// A call tree in a form that the engine of another trace takes.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
#[cfg_attr(test, derive(ts_rs::TS))]
pub struct SentTree {
    /// The names of functions and files.
    pub names: Vec<String>,
    /// Eight numbers for each node: its parent, name, URL, line and column, how often it was called, and its self time, as
    /// how many times 2³² ticks it has and what is left. Those that may be absent are greater by one, and 0 if they
    /// are.
    pub numbers: Numbers<f64>,
}

impl SentTree {
    /// A number has 53 bits, and a time 64.
    const LARGE: i64 = 1 << 32;
}

impl<S: Shown> Engine<S> {
    /// Begins to add up the calls of an area, unless that is done already. Functions with `without` in their name or source are
    /// left out, and their time is that of their callers.
    pub fn begin_tree(&mut self, area: &Area, without: &str) {
        let tracks = self.view.summed_tracks(area, &*self.trace());
        let wanted = (area.clone(), tracks.clone(), without.to_ascii_lowercase());
        if self.trees.of.as_ref() == Some(&wanted) && !self.trees.is_old {
            return;
        }
        self.trees.is_old = false;
        let range = self.range(area.start, area.end);
        let work = AddUp { tracks, range, measure: area.measure(), without: wanted.2.clone() };
        self.trees.job = Some(self.shown.start(work));
        self.trees.of = Some(wanted);
    }

    /// Visits some slices. Returns whether all are added up.
    pub fn step_tree(&mut self) -> bool {
        let Some(job) = &mut self.trees.job else { return true };
        let Some(tree) = job.step() else { return false };
        (self.trees.tree, self.trees.job) = (Arc::new(tree), None);
        true
    }

    /// Forgets a tree that is not done.
    pub fn cancel_tree(&mut self) {
        if self.trees.job.take().is_some() {
            self.trees.of = None;
        }
    }

    /// Returns the tree that was added up last.
    #[must_use]
    pub fn tree(&self) -> &CallTree {
        &self.trees.tree
    }

    /// Returns the tree in a form that the engine of another trace takes.
    #[must_use]
    pub fn sent_tree(&self) -> SentTree {
        let (mut names, mut known) = (Vec::new(), HashMap::new());
        let mut number = |name: NameId| {
            *known.entry(name).or_insert_with(|| {
                names.push(self.name_text(name));
                names.len() as f64 - 1.0
            })
        };
        let one_more = |number: Option<u32>| number.map_or(0.0, |number| f64::from(number) + 1.0);
        let mut numbers = Vec::new();
        for TreeNode { function, parent, count, self_time, .. } in self.trees.tree.nodes() {
            let source = function.source;
            numbers.extend([
                one_more(parent.map(|parent| parent.0)),
                number(function.name),
                source.map_or(0.0, |source| number(source.url) + 1.0),
                one_more(source.and_then(|source| source.line)),
                one_more(source.and_then(|source| source.column)),
                *count as f64,
                self_time.0.div_euclid(SentTree::LARGE) as f64,
                self_time.0.rem_euclid(SentTree::LARGE) as f64,
            ]);
        }
        SentTree { names, numbers: Numbers(numbers) }
    }

    /// Takes the tree of another trace, to compare with. A name that is no UTF-8 is that of the same text.
    #[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "they were whole numbers")]
    pub fn compare(&mut self, sent: SentTree) {
        let trace = self.shown.trace();
        let ours = trace.names();
        let is_text = |name: &NameId| core::str::from_utf8(ours.bytes(*name)).is_ok();
        let no_texts = (0..ours.len()).map(NameId::new).filter(|name| !is_text(name));
        let no_texts: HashMap<_, _> = no_texts.map(|name| (ours.text(name), name)).collect();
        let others = &mut self.trees.names;
        others.clear();
        let number = |name: String| {
            let found = ours.find(name.as_bytes()).or_else(|| no_texts.get(name.as_str()).copied());
            found.unwrap_or_else(|| {
                others.push(name);
                NameId::new(ours.len() + others.len() - 1)
            })
        };
        let ids: Vec<NameId> = sent.names.into_iter().map(number).collect();
        let one_less = |number: f64| (number as u32).checked_sub(1);
        let mut builder = CallTreeBuilder::new();
        for &[parent, name, url, line, column, count, large, rest] in sent.numbers.as_chunks().0 {
            let Some(&name) = ids.get(name as usize) else { continue };
            let url = one_less(url).and_then(|url| ids.get(url as usize));
            let source =
                url.map(|&url| FunctionSource { url, line: one_less(line), column: one_less(column) });
            let node = builder.child(one_less(parent).map(TreeNodeId), Function { name, source });
            builder.add_count(node, count as u64);
            let self_time = (large as i64).saturating_mul(SentTree::LARGE).saturating_add(rest as i64);
            builder.add_time(Some(node), Ticks(self_time));
        }
        self.trees.other = Arc::new(builder.finish());
    }

    /// Returns the text of a name of this trace, or of the one that it is compared with.
    pub(crate) fn name_text(&self, name: NameId) -> String {
        match name.index().checked_sub(self.trace().names().len()) {
            Some(other) => self.trees.names.get(other).cloned().unwrap_or_default(),
            None => self.trace().name(name).into(),
        }
    }
}

/// Whether the name or the source of a function has a text, which is in lower case.
fn has_text(trace: &impl TraceView, function: Function, text: &str) -> bool {
    function.describe(trace).to_ascii_lowercase().contains(text)
}
