//! Counts the things that an export could not hold.

use core::fmt;

use spall_model::{Event, LostParts, SliceFlags, Ticks, Trace, TraceView, Track, TrackKind, Written};

macro_rules! losses {
    ($($(#[doc = $doc:literal])* $loss:ident = $one:literal | $words:literal,)*) => {
        /// A kind of thing that an exported file may lack.
        ///
        /// Things of the kinds before [`Loss::Category`] are left out as a whole. From [`Loss::Category`] on, something was
        /// written without a part of it.
        #[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
        #[non_exhaustive]
        pub enum Loss {
            $($(#[doc = $doc])* $loss,)*
        }

        impl Loss {
            /// All kinds, in the order of the enum.
            pub const ALL: [Self; [$($words),*].len()] = [$(Self::$loss),*];

            /// Returns the words for the missing things, in the plural, as in "12 flows".
            #[must_use]
            pub const fn name(self) -> &'static str {
                match self { $(Self::$loss => $words,)* }
            }

            /// Returns the words for a number of missing things, without the number.
            const fn of(self, count: u64) -> &'static str {
                match self { $(Self::$loss => if count == 1 { $one } else { $words },)* }
            }
        }
    };
}

losses! {
    /// Slices, for example those on overflow lanes in a format of call trees.
    Slice = "slice" | "slices",
    /// Stacks of calls that are deeper than the format can hold. Their time is in the innermost frame that is written.
    DeepStack = "stack that is too deep" | "stacks that are too deep",
    /// Spans, which are identified by an id and not by a thread.
    Span = "span" | "spans",
    /// Instants, which are point events.
    Instant = "instant" | "instants",
    /// Values of the series of counters.
    CounterValue = "counter value" | "counter values",
    /// Scheduling states of threads.
    State = "thread state" | "thread states",
    /// Flows between slices.
    Flow = "flow" | "flows",
    /// Objects, with their snapshots.
    Object = "object" | "objects",
    /// Samples of profilers that were not merged with the slices of their thread.
    Sample = "sample" | "samples",
    /// Facts without a time: labels, sort indices, the epoch, keys of the file, and the ids and places of tracks that are no
    /// threads but were written as such.
    Metadata = "fact without a time" | "facts without a time",
    /// Events of kinds that have no meaning in the model.
    Other = "event of unknown meaning" | "events of unknown meaning",
    /// Events with a process or thread id that the format cannot hold.
    Id = "event with an id out of range" | "events with an id out of range",
    /// Events with a time that the format cannot hold.
    Time = "event with a time out of range" | "events with a time out of range",
    /// The category of something that was written.
    Category = "category" | "categories",
    /// One or more arguments of something that was written.
    Argument = "argument" | "arguments",
    /// The types of arguments that were written as a line of text.
    ArgumentType = "type of an argument" | "types of arguments",
    /// The end of a name or an argument that is longer than the format allows, or bytes of one that are no UTF-8.
    Text = "end or byte of a text" | "ends or bytes of texts",
    /// The exact time of something whose ticks are shorter than the format's, or that is beyond what the format holds
    /// exactly.
    ExactTime = "exact time" | "exact times",
    /// The number of an id that is read as text.
    IdType = "type of an id" | "types of ids",
    /// The parent that an async span says it has, and its own id.
    SpanParent = "parent of a span" | "parents of spans",
}

impl Loss {
    /// Returns whether only a part of something is missing, and the rest of it is in the file.
    fn is_partial(self) -> bool {
        self >= Self::Category
    }
}

impl fmt::Display for Loss {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

/// A count of the things of a trace that an exported file does not hold, by kind.
///
/// [`Display`](fmt::Display) writes one line for people, which is empty if the export [is
/// lossless](ExportReport::is_lossless).
///
/// ```
/// use spall_trace::{export::{self, Loss}, model::Limits};
///
/// let json = br#"[{"ph":"X","name":"a","cat":"io","pid":1,"tid":1,"ts":0,"dur":2},
///                 {"ph":"i","name":"now","pid":1,"tid":1,"ts":1}]"#;
/// let trace = spall_trace::load(json)?;
/// let report = export::spall(&trace, &mut Vec::new())?;
/// assert_eq!(report.count(Loss::Instant), 1);
/// assert_eq!((report.left_out(), report.in_part()), (1, 1));
/// assert_eq!(report.to_string(), "left out: 1 instant; written without: 1 category");
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
#[non_exhaustive]
#[must_use = "it says what the file lacks; `let _ =` if nobody is to know"]
pub struct ExportReport {
    /// The number of missing things, in the order of [`Loss::ALL`].
    counts: [u64; Loss::ALL.len()],
    /// The number of things that were written without a part of them.
    in_part: u64,
    /// The duration that was added to all times, because the format has no times before 0. It is 0 if times are unchanged.
    pub moved: Ticks,
}

impl ExportReport {
    /// Returns how many things of one kind are missing.
    #[must_use]
    pub fn count(&self, loss: Loss) -> u64 {
        self.counts.get(loss as usize).copied().unwrap_or(0)
    }

    /// Returns the kinds of which something is missing, with their counts, in the order of [`Loss::ALL`].
    pub fn losses(&self) -> impl Iterator<Item = (Loss, u64)> {
        Loss::ALL.into_iter().map(|loss| (loss, self.count(loss))).filter(|&(_, count)| count > 0)
    }

    /// Returns how many things are not in the file at all.
    #[must_use]
    pub fn left_out(&self) -> u64 {
        self.losses().filter(|(loss, _)| !loss.is_partial()).map(|(_, count)| count).sum()
    }

    /// Returns how many things are in the file without a part of them.
    ///
    /// A thing that lacks several parts counts once here, and once for each part in [`ExportReport::losses`].
    #[must_use]
    pub fn in_part(&self) -> u64 {
        self.in_part
    }

    /// Returns whether the file holds everything, at the times of the trace.
    #[must_use]
    pub fn is_lossless(&self) -> bool {
        *self == Self::default()
    }

    /// Adds to the count of one kind.
    pub(super) fn add(&mut self, loss: Loss, count: usize) {
        if let Some(sum) = self.counts.get_mut(loss as usize) {
            *sum += count as u64;
        }
    }

    /// Replaces the count of one kind.
    pub(super) fn set(&mut self, loss: Loss, count: usize) {
        if let Some(sum) = self.counts.get_mut(loss as usize) {
            *sum = count as u64;
        }
    }

    /// Counts the parts that something lost that was written.
    pub(super) fn add_lost_parts(&mut self, lost: LostParts) {
        const PARTS: [(LostParts, Loss); 7] = [
            (LostParts::CATEGORY, Loss::Category),
            (LostParts::ARGUMENTS, Loss::Argument),
            (LostParts::ARGUMENT_TYPES, Loss::ArgumentType),
            (LostParts::TEXT, Loss::Text),
            (LostParts::TIME, Loss::ExactTime),
            (LostParts::ID, Loss::IdType),
            (LostParts::SPAN_IDS, Loss::SpanParent),
        ];
        let parts = PARTS.into_iter().filter(|&(part, _)| lost.contains(part));
        let n_parts = parts.map(|(_, loss)| self.add(loss, 1)).count();
        self.in_part += u64::from(n_parts > 0);
    }

    /// Counts an event by the result of its writer. An event that was written as a whole counts as no loss.
    pub(super) fn add_written(&mut self, event: &Event<'_>, written: Written) {
        match written {
            Written::Done => {}
            Written::InPart(lost) => self.add_lost_parts(lost),
            Written::BadId => self.add(Loss::Id, 1),
            Written::BadTime => self.add(Loss::Time, 1),
            _ => self.add(loss_of(event), 1),
        }
    }

    /// Counts everything of a trace but its slices, because a format of nested slices cannot hold the rest.
    pub(super) fn all_but_slices(trace: &Trace) -> Self {
        let mut report = Self::all_facts(trace);
        let labels: usize = trace.processes().iter().map(|process| process.labels.len()).sum();
        let is_own = |track: &Track| matches!(track.kind, TrackKind::Track { .. });
        let places = trace.processes().iter().filter(|process| process.sort_index != 0).count()
            + trace.tracks().iter().filter(|track| track.sort_index != 0 || is_own(track)).count();
        report.add(Loss::Instant, trace.instants().len());
        report.add(Loss::CounterValue, trace.counters().len());
        report.add(Loss::State, trace.states().len());
        report.add(Loss::Flow, trace.flows().len());
        report.add_samples(trace);
        report.add(Loss::Metadata, labels + places);
        report
    }

    /// Counts the ids of async tracks, of which a format of threads has the titles.
    pub(super) fn add_async_ids(&mut self, trace: &Trace) {
        let are_async =
            |track: &&Track| matches!(track.kind, TrackKind::Async { .. }) && !track.slices().is_empty();
        self.add(Loss::Metadata, trace.tracks().iter().filter(are_async).count());
    }

    /// Counts the things of a trace that no timeline shows: objects, the facts of the file, and events without a meaning.
    pub(super) fn all_facts(trace: &Trace) -> Self {
        let mut report = Self::default();
        report.add(Loss::Object, trace.objects().len());
        report.add(Loss::Metadata, trace.meta().len());
        report.add(Loss::Other, trace.others().len());
        report
    }

    /// Counts the samples, unless they were merged: then they are written as the slices that were inferred from them.
    pub(super) fn add_samples(&mut self, trace: &Trace) {
        if !trace.slices().flags().iter().any(|flags| flags.contains(SliceFlags::SAMPLED)) {
            self.add(Loss::Sample, trace.samples().len());
        }
    }
}

/// Returns the kind of loss if an event of a replay is left out.
fn loss_of(event: &Event<'_>) -> Loss {
    match event {
        Event::Begin(_) | Event::End(_) | Event::Complete(..) | Event::Unfinished(_) => Loss::Slice,
        Event::Async(..) => Loss::Span,
        Event::Instant(..) => Loss::Instant,
        Event::Counter(_) => Loss::CounterValue,
        Event::State(..) => Loss::State,
        Event::Flow(_) => Loss::Flow,
        Event::Object(..) => Loss::Object,
        Event::Sample(_) => Loss::Sample,
        Event::Other(..) => Loss::Other,
        _ => Loss::Metadata,
    }
}

impl fmt::Display for ExportReport {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        // `losses` gives what was left out before what was written in part, so each heading comes once.
        let mut heading_of = None;
        for (loss, count) in self.losses() {
            let heading = if loss.is_partial() { "written without: " } else { "left out: " };
            match heading_of.replace(heading) {
                None => f.write_str(heading)?,
                Some(before) if before == heading => f.write_str(", ")?,
                Some(_) => write!(f, "; {heading}")?,
            }
            write!(f, "{count} {}", loss.of(count))?;
        }
        if self.moved != Ticks::ZERO {
            let separator = if heading_of.is_some() { "; " } else { "" };
            write!(
                f,
                "{separator}all times moved by {} tick{}",
                self.moved.0,
                if self.moved.0.abs() == 1 { "" } else { "s" }
            )?;
        }
        Ok(())
    }
}
