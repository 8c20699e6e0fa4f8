//! Call trees that are added up step by step, so that other questions are answered in between.

use std::{collections::HashMap, rc::Rc};

use js_sys::{Array, Float64Array, Object};
use spall_trace::layout::slice_tree;
use spall_trace::model::{
    CallTree, CallTreeBuilder, Function, FunctionSource, Measure, NameId, Ticks, Trace, TraceView, TreeNode,
    TreeNodeId,
};
use wasm_bindgen::prelude::{JsValue, wasm_bindgen};

use crate::{
    Viewer, object, question,
    statistics::Area,
    task::{self, Task},
};

/// The tree that was asked for last.
#[derive(Default)]
pub struct Trees {
    /// What the tree is of, and what is left out.
    of: Option<(Area, String)>,
    job: Option<Task<CallTree>>,
    pub tree: Rc<CallTree>,
    /// The tree of another trace, and the names that only that has. They are numbered behind those of this trace.
    pub other: Rc<CallTree>,
    names: Vec<String>,
}

impl Trees {
    /// Forgets the tree, but not that of the other trace.
    pub fn forget(&mut self) {
        (self.of, self.job, self.tree) = Default::default();
    }

    /// What the tree adds up.
    pub fn measure(&self) -> Measure {
        self.of.as_ref().map_or(Measure::WallTime, |(area, _)| area.measure())
    }

    pub fn other_name(&self, at: usize) -> &str {
        self.names.get(at).map_or("", String::as_str)
    }
}

#[wasm_bindgen]
impl Viewer {
    /// Begins to add up the calls of an area, unless that is done already. Functions with `without` in their name or
    /// source are left out, and their time is that of their callers.
    pub fn begin_tree(&mut self, area: JsValue, without: String) -> Result<(), JsValue> {
        let wanted = (question::<Area>(area)?, without.to_ascii_lowercase());
        if self.trees.of.as_ref() != Some(&wanted) {
            let (trace, without, mut hidden) = (self.trace, wanted.1.clone(), HashMap::new());
            let mut is_hidden = move |function| {
                *hidden.entry(function).or_insert_with(|| has_text(trace, function, &without))
            };
            let leaves_out = !wanted.1.is_empty();
            let function = move |slice| {
                trace.function_of(slice).filter(|&function| !(leaves_out && is_hidden(function)))
            };
            let (layout, measure) = (Rc::clone(&self.layout), wanted.0.measure());
            let (range, tracks) = (self.range(wanted.0.start, wanted.0.end), self.tracks_of(&wanted.0));
            self.trees.job = Some(Task::new(async move {
                task::run(slice_tree(trace, &*layout, tracks, range, measure, function)).await
            }));
            self.trees.of = Some(wanted);
        }
        Ok(())
    }

    /// Visits some slices. Returns whether all are added up.
    pub fn step_tree(&mut self) -> bool {
        let Some(job) = &mut self.trees.job else { return true };
        let Some(tree) = job.step() else { return false };
        (self.trees.tree, self.trees.job) = (Rc::new(tree), None);
        true
    }

    /// Forgets a tree that is not done.
    pub fn cancel_tree(&mut self) {
        if self.trees.job.take().is_some() {
            self.trees.of = None;
        }
    }

    /// Returns the tree in a form that the viewer of another trace takes: names, and for each node `NODE` numbers.
    pub fn tree(&self) -> Object {
        let (names, mut known) = (Array::new(), HashMap::new());
        let mut number = |name: NameId| {
            *known.entry(name).or_insert_with(|| f64::from(names.push(&self.name_text(name).into()) - 1))
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
                self_time.0 as f64,
            ]);
        }
        let numbers = Float64Array::from(&numbers[..]);
        object([("names", names.into()), ("numbers", numbers.into())])
    }

    /// Takes the tree of another trace, to compare with.
    pub fn compare(&mut self, names: Vec<String>, numbers: &[f64]) {
        let ours = self.trace.names();
        self.trees.names.clear();
        let mut number = |name: String| {
            ours.find(name.as_bytes()).unwrap_or_else(|| {
                self.trees.names.push(name);
                NameId::new(ours.len() + self.trees.names.len() - 1)
            })
        };
        let ids: Vec<NameId> = names.into_iter().map(&mut number).collect();
        let one_less = |number: f64| (number as u32).checked_sub(1);
        let mut builder = CallTreeBuilder::new();
        for &[parent, name, url, line, column, count, self_time] in numbers.as_chunks::<NODE>().0 {
            let Some(&name) = ids.get(name as usize) else { continue };
            let url = one_less(url).and_then(|url| ids.get(url as usize));
            let source =
                url.map(|&url| FunctionSource { url, line: one_less(line), column: one_less(column) });
            let node = builder.child(one_less(parent).map(TreeNodeId), Function { name, source });
            builder.add_count(node, count as u64);
            builder.add_time(Some(node), Ticks(self_time as i64));
        }
        self.trees.other = Rc::new(builder.finish());
    }
}

/// How many numbers a node is: its parent, name, URL, line and column, how often it was called, and its self time.
const NODE: usize = 7;

/// Whether the name or the source of a function has a text, which is in lower case.
fn has_text(trace: &Trace, function: Function, text: &str) -> bool {
    function.describe(trace).to_ascii_lowercase().contains(text)
}
