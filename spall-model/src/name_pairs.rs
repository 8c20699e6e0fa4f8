//! The pairing of async spans by their names and arguments. [pairing 5](crate::rules::pairing#5)

mod by_args;

use crate::{Args, NameId, open_stack::OpenStack};

use by_args::ByArgs;

/// Finds the begins that the ends of a group of spans belong to: an end closes the innermost open begin of its name with equal
/// arguments, or else the innermost one of its name, and nothing else.
///
/// It is meant to be used again for the next group, as an [`OpenStack`] is.
#[derive(Debug, Default)]
pub(crate) struct NamePairs<T> {
    /// The rows of the open spans, and what else is known of them.
    open: OpenStack<(u32, T)>,
    /// The open spans by their arguments, if these have a say in this group.
    by_args: Option<ByArgs>,
}

/// A begin or an end of a span.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct NameStep {
    pub(crate) is_end: bool,
    pub(crate) name: NameId,
    /// Whether the event has arguments.
    pub(crate) has_args: bool,
}

/// The span that an end closes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct ClosedSpan {
    pub(crate) row: u32,
    /// Whether its arguments decided for it, against the innermost span of its name.
    pub(crate) is_repeated: bool,
}

impl<T: Copy + Default> NamePairs<T> {
    /// Begins a group, whose begins and ends are these in their order.
    pub(crate) fn begin_group(&mut self, steps: impl Iterator<Item = NameStep> + Clone) {
        let may_tell = steps.clone().any(|step| step.is_end && step.has_args);
        self.by_args = (may_tell && self.repeats(steps)).then(ByArgs::default);
    }

    /// Returns whether a span begins while another one of its name is open. Nearly no group has such spans.
    fn repeats(&mut self, mut steps: impl Iterator<Item = NameStep>) -> bool {
        let repeats = steps.any(|step| {
            if step.is_end {
                self.open.take(step.name);
                return false;
            }
            let is_open = self.open.innermost(step.name).is_some();
            self.open.push(step.name, Default::default());
            is_open
        });
        self.open.drain().for_each(drop);
        repeats
    }

    /// Returns the depth of a span that begins here.
    pub(crate) fn depth(&self) -> u32 {
        self.open.depth()
    }

    /// Adds a span that begins.
    pub(crate) fn begin(&mut self, name: NameId, args: Args<'_>, row: u32, item: T) {
        let position = self.open.push(name, (row, item));
        if let Some(by_args) = &mut self.by_args {
            by_args.add(name, args, position, row);
        }
    }

    /// Removes the span that an end closes. Returns `None` if there is none.
    pub(crate) fn end(&mut self, name: NameId, args: Args<'_>) -> Option<ClosedSpan> {
        let equal = self.by_args.as_mut().and_then(|spans| spans.take(name, args, &self.open));
        let is_repeated = equal.is_some() && equal != self.open.innermost(name);
        let (row, _) = self.open.remove(equal.or_else(|| self.open.closed_by(name))?)?;
        Some(ClosedSpan { row, is_repeated })
    }

    /// Ends the group. Returns what is known of the spans that are still open, the outermost first.
    pub(crate) fn end_group(&mut self) -> impl Iterator<Item = T> {
        self.open.drain().map(|(_, item)| item)
    }
}
