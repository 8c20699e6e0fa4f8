//! How the table of meanings is applied to an event. [ftrace 4.3](crate::rules::ftrace#4.3)

use spall_model::{
    AsyncPhase, DiagnosticKind, Event, Id, KeyedEvent, Scope, Text, Thread, ThreadEvent, Tick, TrackEvent,
};

use super::event_fields::{
    At, EventFields, FieldValue, Moment, Unsaid, field, fill, integer, is, number, on,
};
use super::kernel::Kernel;
use super::meanings::{FieldName, Meaning, meanings};
use super::output::{Output, float, signed_float};
use super::tasks::Step;

impl Kernel {
    /// Hands over what an event means.
    pub(crate) fn interpret(
        &mut self,
        event: &str,
        fields: &dyn EventFields,
        moment: Moment,
        out: &mut Output<'_>,
    ) -> Result<(), Unsaid> {
        let mut meanings = meanings(event).peekable();
        if meanings.peek().is_none() {
            return self.driver(event, fields, moment, out);
        }
        let mut result = Err(Unsaid::Unknown);
        for meaning in meanings {
            match self.mean(meaning, fields, moment, out) {
                Err(Unsaid::Unknown) => {}
                said => result = said,
            }
        }
        result
    }

    /// Hands over what an event of a graphics driver means.
    #[cold]
    fn driver(
        &mut self,
        event: &str,
        fields: &dyn EventFields,
        moment: Moment,
        out: &mut Output<'_>,
    ) -> Result<(), Unsaid> {
        let mut drm = core::mem::take(&mut self.drm);
        let mut tell = |place: &At, step: (Step, &str, &'static str)| {
            self.step(place, moment.at, step, out);
        };
        let result = drm.event(event, fields, moment.tid, &mut tell);
        self.drm = drm;
        result
    }

    /// Hands over one thing that an event means.
    fn mean(
        &mut self,
        mut meaning: Meaning,
        fields: &dyn EventFields,
        moment: Moment,
        out: &mut Output<'_>,
    ) -> Result<(), Unsaid> {
        // What is meant depends on a few fields at most.
        loop {
            meaning = match meaning {
                Meaning::When(name, values, then) | Meaning::Unless(name, values, then) => {
                    let value = field(fields, name)?;
                    let is_one = values.iter().any(|wanted| is(value, wanted));
                    if is_one != matches!(meaning, Meaning::When(..)) {
                        return Err(Unsaid::Unknown);
                    }
                    *then
                }
                Meaning::Below(name, limit, then) => {
                    if integer(fields, name)? >= limit {
                        return Err(Unsaid::Unknown);
                    }
                    *then
                }
                Meaning::From(name, limit, then) => {
                    if integer(fields, name)? < limit {
                        return Err(Unsaid::Unknown);
                    }
                    *then
                }
                _ => break,
            };
        }
        let at = moment.at;
        let text = |template| fill(template, fields, moment);
        match meaning {
            Meaning::Counter(name, value) => say(Id::NONE, &text(name)?, at, number(fields, value)?, out),
            Meaning::Thousands(name, value) => {
                say(Id::NONE, &text(name)?, at, number(fields, value)? * 1000.0, out);
            }
            Meaning::CounterAt(name, value, time) => {
                say(Id::NONE, &text(name)?, integer(fields, time)?, number(fields, value)?, out);
            }
            Meaning::Difference(name, above, below) => {
                let difference = integer(fields, above)?.saturating_sub(integer(fields, below)?);
                say(Id::NONE, &text(name)?, at, signed_float(difference), out);
            }
            Meaning::OfProcess(pid, name, value) => {
                let pid = match integer(fields, pid)? {
                    0 => Id::NONE,
                    pid => Id::Number(pid),
                };
                say(pid, &text(name)?, at, number(fields, value)?, out);
            }
            Meaning::OfThread(name, value) => {
                let pid = self.tasks.thread(moment.tid).pid;
                say(pid, &text(name)?, at, number(fields, value)?, out);
            }
            Meaning::KibSum(name, value) => {
                let (name, bytes) = (text(name)?, integer(fields, value)?);
                let sum = self.add(&name, bytes.cast_unsigned());
                say(Id::NONE, &name, at, float(sum / 1024), out);
            }
            Meaning::Count(name) => {
                let name = text(name)?;
                let sum = self.add(&name, 1);
                say(Id::NONE, &name, at, float(sum), out);
            }
            Meaning::Begin(place, name, category) => {
                let (place, name) = (on(place, fields, moment)?, text(name)?);
                self.step(&place, at, (Step::Begin, &name, category), out);
            }
            Meaning::End(place) => {
                let place = on(place, fields, moment)?;
                self.step(&place, at, (Step::End, "", ""), out);
            }
            Meaning::Instant(place, name, category) => {
                let (place, name) = (on(place, fields, moment)?, text(name)?);
                self.step(&place, at, (Step::Instant, &name, category), out);
            }
            Meaning::Send(name, category, key) | Meaning::Receive(name, category, key) => {
                let flow = if matches!(meaning, Meaning::Send(..)) { Step::FlowOut } else { Step::FlowIn };
                let (name, key) = (text(name)?, text(key)?);
                self.tasks.step(moment.tid, at, (Step::Moment, name.as_bytes(), category), out);
                self.tasks.step(moment.tid, at, (flow, key.as_bytes(), category), out);
            }
            Meaning::Next(place, name, category) => {
                let (place, name) = (on(place, fields, moment)?, text(name)?);
                if self.running.insert(place.clone(), 1).is_some() {
                    self.step(&place, at, (Step::End, "", ""), out);
                }
                self.step(&place, at, (Step::Begin, &name, category), out);
            }
            Meaning::First(place, name, category) => {
                let (place, name) = (on(place, fields, moment)?, text(name)?);
                let reasons = self.running.entry(place.clone()).or_default();
                *reasons = reasons.saturating_add(1);
                if *reasons == 1 {
                    self.step(&place, at, (Step::Begin, &name, category), out);
                }
            }
            Meaning::Last(place) => {
                let place = on(place, fields, moment)?;
                match self.running.get_mut(&place) {
                    Some(reasons) if *reasons > 1 => *reasons -= 1,
                    Some(_) => {
                        self.running.remove(&place);
                        self.step(&place, at, (Step::End, "", ""), out);
                    }
                    None => out.report(DiagnosticKind::UnmatchedEnd),
                }
            }
            Meaning::Mark(pid, name, begins, letter, value) => {
                let optional = |name: FieldName| if name.is_empty() { Ok(0) } else { integer(fields, name) };
                let letter = match u8::try_from(optional(letter)?) {
                    Ok(letter @ 1..) => char::from(letter),
                    _ if optional(begins)? != 0 => 'B',
                    _ => 'E',
                };
                let mut printed = alloc::format!("{letter}|{}|", integer(fields, pid)?).into_bytes();
                if let FieldValue::Text(name) = field(fields, name)? {
                    printed.extend_from_slice(name);
                }
                if letter == 'C' {
                    printed.extend_from_slice(alloc::format!("|{}", integer(fields, value)?).as_bytes());
                }
                self.print(&printed, moment.tid, at, out);
            }
            // What these depend on is settled above.
            Meaning::When(..) | Meaning::Unless(..) | Meaning::Below(..) | Meaning::From(..) => {}
        }
        Ok(())
    }

    /// Adds to the sum of a counter, and returns it.
    fn add(&mut self, name: &str, more: u64) -> u64 {
        let sum = self.sums.entry_ref(name).or_default();
        *sum = sum.saturating_add(more);
        *sum
    }

    /// Returns the track of a name, which belongs to no process.
    pub(crate) fn track<'n>(&mut self, name: &'n str, out: &mut Output<'_>) -> Thread<'n> {
        let thread = Thread { pid: Id::NONE, tid: Id::Text(name.as_bytes()) };
        if !self.tracks.contains(name) {
            self.tracks.insert(name.into());
            out.say(&Event::Track(TrackEvent::new(thread, Text::from(name))));
        }
        thread
    }

    /// Hands over a step at a place.
    pub(crate) fn step(
        &mut self,
        place: &At,
        at: i64,
        (step, name, category): (Step, &str, &'static str),
        out: &mut Output<'_>,
    ) {
        let text = Text::from(name);
        match place {
            At::Thread(tid) => self.tasks.step(*tid, at, (step, name.as_bytes(), category), out),
            At::Track(label) => {
                let thread = self.track(label, out);
                super::tasks::say(thread, at, (step, name.as_bytes(), category), out);
            }
            At::Process(pid) => {
                let thread = Thread { pid: Id::Number(*pid), tid: Id::NONE };
                let event = ThreadEvent {
                    category: Text::from(category),
                    ..ThreadEvent::new(thread, Tick(at), text)
                };
                out.say(&Event::Instant(event, Scope::Process));
            }
            At::Apart(track, key) => {
                let phase = match step {
                    Step::Begin => AsyncPhase::Begin,
                    Step::End => AsyncPhase::End,
                    _ => AsyncPhase::Instant,
                };
                let id = key.parse().map_or(Id::Text(key.as_bytes()), Id::Number);
                let mut event = KeyedEvent::new(Id::NONE, Tick(at), id, text);
                event = event.with_scope(Text::from(*track));
                event.category = Text::from(category);
                out.say(&Event::Async(phase, event));
            }
        }
    }
}

fn say(pid: Id<'_>, name: &str, at: i64, value: f64, out: &mut Output<'_>) {
    out.counter((pid, None), name.as_bytes(), at, value);
}
