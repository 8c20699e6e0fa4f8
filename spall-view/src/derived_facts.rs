//! What there is to say about derived tracks, and which of a place the trace has.

use spall_trace::model::{NameId, TraceView};

use crate::{
    Engine,
    derived::{Derived, DerivedSpan, on_cpu},
    derived_track::{DerivedTrack, NamedRows},
    details::{Details, texts, track_facts},
    element::Element,
    item::{Group, Item, Member},
    number::count,
    place::Place,
    shown::Shown,
};

impl<S: Shown> Engine<S> {
    /// Returns what there is to say about a span of a derived track, by the number that [`Element::Derived`] has.
    #[must_use]
    pub fn derived_span(&self, span: u32) -> Option<DerivedSpan> {
        self.view.derived.span(span, &*self.trace())
    }

    /// Returns the name of a box of a [`Frame`](crate::Frame), which may be none of the trace.
    #[must_use]
    pub fn box_name(&self, name: NameId) -> String {
        self.view.derived.text(name, &*self.trace())
    }

    /// The derived tracks as they are listed; nothing if there are none.
    pub(crate) fn derived_group(&self) -> Option<Group> {
        let path = |item| self.view.items.path(item).unwrap_or_default().into();
        let member = |track| {
            let (item, (label, detail)) = (Item::Derived(track), self.view.derived.titled(track)?);
            Some(Member { item, path: path(item), label, detail, what: "derived", busy: 0.0, empty: false })
        };
        let members: Vec<Member> = (0..).map_while(member).collect();
        let (path, label, detail) = (String::new(), "Derived tracks".into(), String::new());
        (!members.is_empty()).then_some(Group { item: None, path, label, detail, members })
    }

    /// Describes a span of a derived track.
    pub(crate) fn derived_details(&self, span: u32) -> Option<Details> {
        let (trace, derived) = (&*self.trace(), &self.view.derived);
        let found = derived.span(span, trace)?;
        let state = on_cpu(span).and_then(|state| trace.state(state));
        let (part, args) = (derived.part(span), state.as_ref().map(|(_, state)| trace.args_of(state)));
        let slice = match found.of {
            Some(Element::Slice(slice)) => trace.track_of(slice),
            _ => None,
        };
        let track = state.as_ref().map(|&(track, _)| track).or(part.map(|part| part.track)).or(slice);
        let mut facts = track_facts(trace, track);
        facts.push(("start", self.time(found.start)));
        facts.push(("duration", trace.clock().duration(found.end - found.start).to_string()));
        if let Some(part) = part {
            facts.push(("came by", self.came_by(part)));
            facts.push(("states", self.states_of_part(part)));
        }
        let args = args.map_or(Vec::new(), |args| texts(args.iter()));
        Some(Details::new(found.name, facts, args))
    }

    /// Leaves out of a place which derived tracks the trace does not have.
    pub(crate) fn check_derived(&self, place: &mut Place, missing: &mut Vec<String>) {
        let mut paths: Vec<String> = Vec::new();
        let mut derived = core::mem::take(&mut place.derived);
        derived.retain_mut(|track| {
            let path = track.path();
            if paths.contains(&path) {
                return false;
            }
            let wrong = match track {
                DerivedTrack::Cpus if !Derived::has_cpus(&*self.trace()) => {
                    Some("Here is no processor on which something ran.".into())
                }
                DerivedTrack::Path(slice) if !self.is_here(slice) => Some(format!(
                    "Here is no {} at that time, so its critical path is not shown.",
                    slice.name
                )),
                DerivedTrack::Rows(rows) => self.check_rows(rows, missing),
                DerivedTrack::Cpus | DerivedTrack::Path(_) => None,
            };
            paths.push(path);
            let is_there = wrong.is_none();
            missing.extend(wrong);
            is_there
        });
        place.derived = derived;
    }

    /// Finds the rows of a title that has none, and says what is wrong if there are none. A slice that is not where its row is
    /// belongs to another trace.
    fn check_rows(&self, rows: &mut NamedRows, missing: &mut Vec<String>) -> Option<String> {
        if rows.rows.is_empty() {
            match self.view.known_rows(&rows.title) {
                Some(known) => *rows = known.clone(),
                None => return Some(format!("The rows of {} are not in this place.", rows.title)),
            }
            return None;
        }
        *rows = core::mem::take(rows).bounded();
        let n_others = rows.forget_others(self.view.origin(), &*self.trace());
        if n_others > 0 {
            missing.push(format!(
                "Of {} {} name slices that are not here at that time.",
                rows.title,
                count(n_others as u64)
            ));
        }
        None
    }
}
