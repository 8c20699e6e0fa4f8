//! What of a trace is shown: `--value`, `--hide` and the section, which mean the same to all subcommands that have them.

use std::{collections::BTreeSet, path::PathBuf};

use spall_trace::{
    Hidden,
    model::{NameId, Tick, Trace, TraceView},
};

use spall_view::Place;

use crate::{
    error::Result,
    input::{Opened, open},
    section::SectionChoice,
    session::Session,
    value::ValueChoice,
};

/// The number of categories that are named where there is none of those to hide.
const MAX_NAMED: usize = 8;

/// The part of a trace that is added up or drawn.
#[derive(Debug, Default, clap::Args)]
pub(crate) struct Selection {
    #[command(flatten)]
    viewed: Viewed,
    #[command(flatten)]
    pub(crate) section: SectionChoice,
}

/// What a viewer shows of a trace at first.
#[derive(Debug, Default, clap::Args)]
pub(crate) struct Viewed {
    #[command(flatten)]
    value: ValueChoice,
    /// Leave out slices and instants of a category; may be given more than once
    #[arg(long, value_name = "CATEGORY")]
    hide: Vec<String>,
}

impl Viewed {
    /// Returns the place of a viewer that shows it.
    pub(crate) fn place(&self) -> Place {
        Place { value: self.value.name().map(Into::into), categories: self.hide.clone(), ..Place::default() }
    }
}

impl Selection {
    /// Returns the place of a viewer that shows it.
    pub(crate) fn place(&self) -> Place {
        self.viewed.place()
    }

    /// Returns a trace with the samples of the value that is shown.
    pub(crate) fn of_value(&self, trace: Trace, title: &str, session: &Session) -> Result<Trace> {
        self.viewed.value.of(trace, title, session)
    }

    /// Returns the section of a trace that is drawn, in which the functions of samples are slices.
    pub(crate) fn drawn(&self, trace: Trace, title: &str, session: &Session) -> Result<Trace> {
        let trace = self.of_value(trace, title, session)?;
        match self.section.is_all() {
            true => Ok(spall_trace::merge_samples(trace)),
            false => self.section.of_functions(trace, title),
        }
    }

    /// Returns what is hidden of a trace, and says which categories it does not have.
    pub(crate) fn hidden(&self, trace: &Trace, title: &str, session: &Session) -> Hidden {
        if !self.viewed.hide.is_empty() {
            self.tell_missing(trace, title, session);
        }
        Hidden::new(trace, &self.viewed.hide, &[], &[])
    }

    /// Returns the part of a trace of which sums are made. Callers get the time of what is hidden below them.
    pub(crate) fn of(&self, trace: Trace, title: &str, session: &Session) -> Result<Trace> {
        let trace = self.of_value(trace, title, session)?;
        if self.viewed.hide.is_empty() {
            return self.section.of_functions(trace, title);
        }
        // Functions stay where the timeline has them.
        let trace = spall_trace::merge_samples(trace).without_samples();
        let hidden = self.hidden(&trace, title, session);
        let shown = trace.part(Tick::MIN..Tick::MAX, |_| true, |name, category| hidden.shows(name, category));
        self.section.of_functions(shown, title)
    }

    /// Loads the parts of traces of which sums are made.
    pub(crate) fn open(&self, files: &[PathBuf], session: &Session) -> Result<Opened> {
        let opened = open(files, Default::default(), session)?;
        let trace = self.of(opened.trace, &opened.title, session)?;
        Ok(Opened { trace, ..opened })
    }

    fn tell_missing(&self, trace: &Trace, title: &str, session: &Session) {
        let of_instants = trace.instants().iter().map(|instant| instant.category);
        let ids: BTreeSet<NameId> = trace.slices().categories().iter().copied().chain(of_instants).collect();
        let texts: Vec<_> = ids.iter().map(|&id| trace.name(id)).collect();
        let categories: BTreeSet<&str> =
            texts.iter().flat_map(|text| text.split(',').map(str::trim)).collect();
        for missing in self.viewed.hide.iter().filter(|hidden| !categories.contains(hidden.as_str())) {
            let named: Vec<_> =
                categories.iter().filter(|text| !text.is_empty()).take(MAX_NAMED).copied().collect();
            let there = match named.len() {
                0 => "It has no categories.".to_owned(),
                n if n == MAX_NAMED => format!("Some that it has: {}.", named.join(", ")),
                _ => format!("It has: {}.", named.join(", ")),
            };
            session.tell(format_args!(
                "{title}: nothing is hidden for \"{missing}\", which is no category of this trace. {there}"
            ));
        }
    }
}
