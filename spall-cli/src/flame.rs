//! `spall flame`: a flame graph in the terminal, which shows what all threads did, by call path.
//!
//! A block stands for functions that are too narrow for a cell each. The graph is as wide as the terminal, or has 120
//! columns. It has colours in a terminal, unless the variable `NO_COLOR` is set or `TERM` is `dumb`.

use std::path::PathBuf;

use spall_trace::{
    Comparison,
    layout::{Row, RowId, Viewport, diff_rows, flame_rows},
    model::{
        CallTree, DiffWidth, Function, InvertedTree, Job, Tick, Ticks, Trace, TraceView, TrackSet, TreeDiff,
    },
};

use crate::{
    error::{Error, Result},
    input::Opened,
    selection::Selection,
    session::Session,
    shown::{Printed, to_stdout},
    sums::{SumChoice, call_tree, compared, tell_unmeasured},
    table::Cell,
    terminal,
};

/// What of the call trees is drawn.
#[derive(Debug, clap::Args)]
#[group(multiple = false)]
pub(crate) struct Choice {
    /// Draw the functions that took the time on top, and their callers below
    #[arg(long)]
    inverted: bool,
    /// Draw recursive calls inside the outermost one
    #[arg(long)]
    flat: bool,
    /// Draw only call stacks with a function whose name contains TEXT
    #[arg(long, value_name = "TEXT")]
    only: Option<String>,
    /// Draw only call stacks without such a function
    #[arg(long, value_name = "TEXT")]
    without: Option<String>,
    /// Draw callers in place of such functions
    #[arg(long, value_name = "TEXT")]
    skip: Option<String>,
    /// Draw how the times differ from those of another trace
    #[arg(long, value_name = "OTHER")]
    diff: Option<PathBuf>,
}

/// Draws callers above what they call, each as wide as its time, or what was chosen.
pub(crate) fn run(
    files: &[PathBuf],
    choice: &Choice,
    of: SumChoice,
    selection: &Selection,
    session: &Session,
) -> Result<()> {
    let load = |files: &[PathBuf]| selection.open(files, session);
    let other = choice.diff.as_ref().map(|other| load(std::slice::from_ref(other))).transpose()?;
    let Opened { trace, title, .. } = load(files)?;
    if let Some(Opened { trace: other, title: other_title, .. }) = other {
        return diff([&other, &trace], &[other_title, title], of, session);
    }
    // That is said where the file is opened.
    if trace.is_empty_profile() {
        session.done();
        return Ok(());
    }
    let tree = call_tree(&trace, of.tracks_of(&trace, &title, session), of.measure, &title)?;
    tell_unmeasured(&tree, of.measure, &title, session);
    if choice.inverted {
        session.done();
        // What is narrower than a column would not be seen, nor would what has no width.
        let least = Ticks((tree.total().0 / i64::from(terminal::width())).max(1));
        let inverted = InvertedTree::bottom_up(&tree).run().expand_all(least, 100).run();
        let rows = flame_rows(inverted.nodes()).run();
        let label = |node: usize| inverted.nodes()[node].function.describe(&trace);
        return draw(&rows, inverted.total(), &title, label);
    }
    let tree = choice.apply(tree, &trace, &title, session)?;
    session.done();
    let rows = flame_rows(tree.nodes()).run();
    draw(&rows, tree.total(), &title, |node| tree.nodes()[node].function.describe(&trace))
}

impl Choice {
    /// Returns the part of a tree that was chosen. It is an error if nothing is left of it.
    fn apply(&self, tree: CallTree, trace: &Trace, title: &str, session: &Session) -> Result<CallTree> {
        let text = self.only.as_ref().or(self.without.as_ref()).or(self.skip.as_ref());
        let Some(text) = text else {
            return Ok(if self.flat { tree.flatten_recursion() } else { tree });
        };
        let matches = |function: Function| function.describe(trace).contains(text.as_str());
        let is_found = tree.functions().iter().any(|stats| matches(stats.function));
        if !is_found {
            let said = format!("{title}: no function has a name that contains \"{text}\"");
            if self.only.is_some() {
                return Err(Error::new(format_args!("{said}. `spall top` lists names.")));
            }
            session.tell(format_args!("{said}, so all are drawn"));
        }
        let left = match self {
            Self { only: Some(_), .. } => tree.keep_stacks(matches),
            Self { without: Some(_), .. } => tree.drop_stacks(matches),
            _ => tree.hide(matches),
        };
        if left.nodes().is_empty() {
            return Err(Error::new(format_args!(
                "{title}: nothing is left to draw, as every call stack has a function whose name contains \"{text}\"."
            )));
        }
        Ok(left)
    }
}

/// Draws the trees of two traces as one, each function as wide as the longer of its times.
fn diff([before, after]: [&Trace; 2], titles: &[String; 2], of: SumChoice, session: &Session) -> Result<()> {
    let sets =
        [(before, &titles[0]), (after, &titles[1])].map(|(trace, title)| of.tracks_of(trace, title, session));
    let tracks = if sets[0] == sets[1] { sets[0] } else { TrackSet::All };
    let comparison = compared([before, after], titles, Some(tracks), of.measure, session)?.into_iter().next();
    let Some(Comparison { trees: [before_tree, after_tree], clock, .. }) = comparison else { return Ok(()) };
    let diff = TreeDiff::of_traces((&before_tree, before.names()), (&after_tree, after.names()));
    session.done();
    let rows = diff_rows(&diff, DiffWidth::Larger).run();
    let roots = diff.nodes().iter().zip(diff.widths(DiffWidth::Larger));
    let total = roots.filter(|(node, _)| node.parent.is_none()).map(|(_, width)| width).sum();
    draw(&rows, total, &titles[1], |node| {
        let node = diff.nodes()[node];
        let label = node.before.function.map(|function| function.describe(before));
        let label = label.or_else(|| Some(node.after.function?.describe(after))).unwrap_or_default();
        let change = Cell::duration(&clock, node.after.total - node.before.total).with_sign();
        format!("{} {label}", change.shown())
    })
}

/// Draws rows over an axis from 0 to `total`. `label` names the box of a node.
fn draw(rows: &[Row], total: Ticks, title: &str, label: impl Fn(usize) -> String) -> Result<()> {
    if total.0 <= 0 {
        return Err(Error::new(format_args!(
            "{title}: what is to be drawn took no time. `spall top --measure count` lists calls."
        )));
    }
    let viewport = Viewport::fit(Tick(0)..Tick(total.0), terminal::width(), 0);
    let mut rects = Vec::new();
    let color = terminal::has_colors();
    Ok(to_stdout(Printed::Drawing, |out| {
        for row in rows {
            rects.clear();
            row.view(RowId(0)).rects(&viewport, &mut rects);
            let boxes = rects.iter().copied();
            writeln!(
                out,
                "{}",
                terminal::line(boxes, viewport.columns(), color, |node| label(node.index()))
            )?;
        }
        Ok(())
    })?)
}
