//! Draws a flame graph in the terminal: what all threads did, by call path.
//!
//! | arguments | what is drawn |
//! |---|---|
//! | `flame FILE` | callers above what they call, each as wide as its time |
//! | `flame --inverted FILE` | the functions that took the time on top, their callers below |
//! | `flame --flat FILE` | the first again, with recursive calls inside the outermost one |
//! | `flame --only TEXT FILE` | call stacks with a function whose name contains TEXT |
//! | `flame --without TEXT FILE` | all other call stacks |
//! | `flame --hide TEXT FILE` | all, but the callers take the place of these functions |
//! | `flame --diff OTHER FILE` | how the times of FILE differ from those of OTHER |
//!
//! A block stands for functions that are too narrow for a cell each.

use std::{error::Error, ffi::OsStr, io::IsTerminal, io::Write};

use spall_examples::terminal;
use spall_trace::json::V8;
use spall_trace::layout::{Row, RowId, SelfSide, TreeOrder, Viewport, diff_rows, flame_rows};
use spall_trace::model::{
    CallTree, DiffWidth, Function, InvertedTree, Job, Tick, Ticks, Trace, TraceView, TreeDiff,
};
use spall_trace::samples::call_trees;

const COLUMNS: u16 = 120;
const USAGE: &str =
    "usage: flame [--inverted | --flat | --only TEXT | --without TEXT | --hide TEXT | --diff OTHER] FILE";

fn main() -> Result<(), Box<dyn Error>> {
    let arguments: Vec<_> = std::env::args_os().skip(1).collect();
    let arguments: Vec<&OsStr> = arguments.iter().map(AsRef::as_ref).collect();
    match *arguments.as_slice() {
        [path] => {
            let (trace, tree) = load(path)?;
            draw_calls(&trace, &tree)
        }
        [option, path] if option == "--flat" => {
            let (trace, tree) = load(path)?;
            draw_calls(&trace, &tree.flatten_recursion())
        }
        [option, path] if option == "--inverted" => {
            let (trace, tree) = load(path)?;
            // What is narrower than a column would not be seen.
            let least = Ticks(tree.total().0 / i64::from(COLUMNS));
            let inverted = InvertedTree::bottom_up(&tree).run().expand_all(least, 100).run();
            let rows = flame_rows(inverted.nodes(), TreeOrder::Weight, SelfSide::Right).run();
            draw(&rows, inverted.total(), |node| inverted.nodes()[node].function.describe(&trace))
        }
        [option, other, path] if option == "--diff" => diff(load(other)?, load(path)?),
        [option, text, path] => {
            let ((trace, tree), text) = (load(path)?, text.to_string_lossy());
            let matches = |function: Function| function.describe(&trace).contains(&*text);
            match option.to_str() {
                Some("--only") => draw_calls(&trace, &tree.keep_stacks(matches)),
                Some("--without") => draw_calls(&trace, &tree.drop_stacks(matches)),
                Some("--hide") => draw_calls(&trace, &tree.hide(matches)),
                _ => Err(USAGE.into()),
            }
        }
        _ => Err(USAGE.into()),
    }
}

/// Draws callers above what they call.
fn draw_calls(trace: &Trace<'_>, tree: &CallTree) -> Result<(), Box<dyn Error>> {
    let rows = flame_rows(tree.nodes(), TreeOrder::Weight, SelfSide::Right).run();
    draw(&rows, tree.total(), |node| tree.nodes()[node].function.describe(trace))
}

/// Loads a trace and adds up the slices and samples of all its threads.
fn load(path: &OsStr) -> Result<(Trace<'static>, CallTree), Box<dyn Error>> {
    let trace = spall_trace::load_file(path)?;
    let tree = CallTree::merged(call_trees(&trace, &V8).map(|thread| thread.tree));
    Ok((trace, tree))
}

/// Draws two trees as one, each function as wide as the longer of its times.
fn diff(before: (Trace<'_>, CallTree), after: (Trace<'_>, CallTree)) -> Result<(), Box<dyn Error>> {
    let ((before, before_tree), (after, after_tree)) = (before, after);
    let diff = TreeDiff::of_traces((&before_tree, before.names()), (&after_tree, after.names()));
    let rows = diff_rows(&diff, DiffWidth::Larger, TreeOrder::Weight).run();
    let roots = diff.nodes().iter().zip(diff.widths(DiffWidth::Larger));
    let total = roots.filter(|(node, _)| node.parent.is_none()).map(|(_, width)| width).sum();
    draw(&rows, total, |node| {
        let node = diff.nodes()[node];
        let label = node.before.function.map(|function| function.describe(&before));
        let label = label.or_else(|| Some(node.after.function?.describe(&after))).unwrap_or_default();
        let change = before.clock().duration(Ticks(node.after.total.0 - node.before.total.0)).to_string();
        format!("{}{change} {}", if change.starts_with('-') { "" } else { "+" }, label)
    })
}

/// Draws rows over an axis from 0 to `total`. `label` names the box of a node.
fn draw(rows: &[Row], total: Ticks, label: impl Fn(usize) -> String) -> Result<(), Box<dyn Error>> {
    let viewport = Viewport::fit(Tick(0)..Tick(total.0), COLUMNS, 0);
    let mut rects = Vec::new();
    let mut out = std::io::stdout().lock();
    let color = out.is_terminal();
    for row in rows {
        rects.clear();
        row.view(RowId(0)).rects(&viewport, &mut rects);
        let boxes = rects.iter().copied();
        writeln!(out, "{}", terminal::line(boxes, viewport.columns(), color, |node| label(node.index())))?;
    }
    Ok(())
}
