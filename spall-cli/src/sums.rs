//! Call trees, which add up what a trace has of all threads.

use clap::builder::{PossibleValuesParser, TypedValueParser};
use spall_trace::{
    json::V8,
    model::{CallTree, Measure, Trace, TreeNode},
    samples::call_trees_by,
};

use crate::{
    error::{Error, Result},
    session::Session,
};

/// What call trees add up.
#[derive(Debug, Clone, Copy, clap::Args)]
pub(crate) struct MeasureChoice {
    /// What is added up: time, or the time in which threads were running, or another number
    #[arg(long, value_name = "MEASURE", default_value = Measure::WallTime.name(), value_parser = measures())]
    pub(crate) measure: Measure,
}

fn measures() -> impl TypedValueParser<Value = Measure> {
    PossibleValuesParser::new(Measure::ALL.map(Measure::name))
        .map(|name| Measure::of_name(&name).unwrap_or_default())
}

/// Adds up a measure of the slices and samples of all threads by call path. It is an error if the trace has none of it.
pub(crate) fn call_tree(trace: &Trace, measure: Measure, title: &str) -> Result<CallTree> {
    let tree = CallTree::merged(call_trees_by(trace, &V8, measure).map(|thread| thread.tree));
    if tree.nodes().is_empty() {
        return Err(Error::new(format_args!(
            "{title}: there are no slices and no samples to add up. `spall info` says what is in a file."
        )));
    }
    let is_missing = match measure {
        // Time may be zero.
        Measure::WallTime => false,
        _ if measure.of_thread().is_some() => n_unmeasured(&tree) == n_slices(&tree),
        _ => tree.total().0 == 0,
    };
    if is_missing {
        let name = measure.name();
        return Err(Error::new(format_args!(
            "{title}: there is nothing to add up, as nothing in it has {name}. Without `--measure`, time is added up."
        )));
    }
    Ok(tree)
}

/// Says how many slices a tree has no value of.
pub(crate) fn tell_unmeasured(tree: &CallTree, measure: Measure, title: &str, session: &Session) {
    let n = n_unmeasured(tree);
    if n > 0 {
        session.tell(format_args!("{title}: {n} of {} slices have no {}", n_slices(tree), measure.name()));
    }
}

fn n_unmeasured(tree: &CallTree) -> u64 {
    tree.nodes().iter().map(|node: &TreeNode| node.unmeasured).sum()
}

fn n_slices(tree: &CallTree) -> u64 {
    tree.nodes().iter().map(|node: &TreeNode| node.count).sum()
}
