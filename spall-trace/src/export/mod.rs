//! From a finished trace to files of other programs.
//!
//! A trace that was read from a file, put together from several, filtered, or built by hand is written the same way.
//! What a format cannot hold is counted in [`Exported`]. For other formats, or to write a part of a trace, see
//! [`Trace::replay`](crate::model::Trace::replay), on which this is built.
//!
//! | function | what is written | what it is for |
//! |---|---|---|
//! | [`json()`] | Trace Event JSON | everything that a trace can say; Perfetto, `chrome://tracing`, speedscope |
//! | [`spall()`] | spall 3 | slices; the spall viewer |
//! | [`speedscope()`] | the file format of speedscope | slices and functions, with their sources |
//! | [`folded()`] | folded stacks | flame graph tools |
//!
//! Functions that CPU samples found are slices only once [`merge_samples`](crate::merge_samples) has made them so.

mod folded;
mod json;
mod lanes;
mod spall;
mod speedscope;
mod threads;

use core::convert::Infallible;

use spall_model::{Event, Omitted, SliceFlags, Ticks, Trace, Written};

pub use folded::folded;
pub use json::json;
pub use spall::spall;
pub use speedscope::speedscope;

/// What a format could not hold of a trace, in events.
///
/// A span that is not on a thread is two events, a slice on a thread one, a counter's values at one time one.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
#[non_exhaustive]
pub struct Exported {
    /// Left out: the format has no form for them.
    pub no_form: u64,
    /// Left out: a process or thread id that the format cannot hold.
    pub bad_ids: u64,
    /// Left out: a time that the format cannot hold.
    pub bad_times: u64,
    /// The number of events written in part. The next five say what they lost; one event may count in several.
    pub in_part: u64,
    /// The number of events written without their category.
    pub without_category: u64,
    /// The number of events written without their name, as an end in a format whose ends have none.
    pub without_name: u64,
    /// The number of events written without some or all of their arguments.
    pub without_arguments: u64,
    /// The number of events whose arguments became a line of text, so that their names and types are gone.
    pub arguments_as_text: u64,
    /// The number of events with a text that was cut.
    pub with_cut_text: u64,
    /// What was added to all times, because the format has none before 0.
    pub moved: Ticks,
}

impl Exported {
    /// How many events are not in the file at all.
    #[must_use]
    pub fn left_out(&self) -> u64 {
        self.no_form + self.bad_ids + self.bad_times
    }

    fn count(&mut self, written: Written) {
        match written {
            Written::Done => {}
            Written::InPart(omitted) => self.count_omitted(omitted),
            Written::BadId => self.bad_ids += 1,
            Written::BadTime => self.bad_times += 1,
            _ => self.no_form += 1,
        }
    }

    /// Counts an event that is in the file without `omitted`.
    fn count_omitted(&mut self, omitted: Omitted) {
        let count = |counter: &mut u64, part| *counter += u64::from(omitted.contains(part));
        self.in_part += u64::from(!omitted.is_empty());
        count(&mut self.without_category, Omitted::CATEGORY);
        count(&mut self.without_name, Omitted::NAME);
        count(&mut self.without_arguments, Omitted::ARGUMENTS);
        count(&mut self.arguments_as_text, Omitted::ARGUMENT_TYPES);
        count(&mut self.with_cut_text, Omitted::TEXT);
    }

    /// What is left out of a trace by a format that knows slices on threads, and whatever else `has_form`. Samples have
    /// their form in the slices that were inferred from them.
    fn without(trace: &Trace<'_>, has_form: impl Fn(&Event<'_>) -> bool) -> Self {
        let merged = trace.slices().flags().iter().any(|flags| flags.contains(SliceFlags::SAMPLED));
        let mut exported = Self::default();
        let Ok(()) = trace.replay(|event| {
            let known = is_slice(event) || merged && is_sample(event) || has_form(event);
            exported.no_form += u64::from(!known);
            Ok::<(), Infallible>(())
        });
        exported
    }
}

/// Whether an event is part of a slice on a thread, or says what it is no loss to lose.
fn is_slice(event: &Event<'_>) -> bool {
    matches!(
        event,
        Event::Begin(_)
            | Event::End(_)
            | Event::Complete(..)
            | Event::Unfinished(_)
            | Event::Clock(_)
            | Event::Conventions(_)
    )
}

/// Whether an event is part of a sampling profile.
fn is_sample(event: &Event<'_>) -> bool {
    matches!(
        event,
        Event::Profile(_)
            | Event::Frame(_)
            | Event::CallSite(..)
            | Event::Sample(_)
            | Event::SharedFrame(_)
            | Event::ThreadSample(_)
    )
}
