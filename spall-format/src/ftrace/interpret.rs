//! How the table of meanings is applied to an event. [ftrace 4.3](crate::rules::ftrace#4.3)

use alloc::string::String;
use core::fmt::{self, Write as _};

use spall_model::{
    AsyncPhase, DiagnosticKind, Event, Id, KeyedEvent, Scope, Text, Thread, ThreadEvent, Tick, TrackEvent,
};

use super::kernel::Kernel;
use super::meanings::{FieldName, LISTS, Meaning, Place, Template, meanings};
use super::output::{Output, Shown, float, signed_float};
use super::tasks::Step;

/// A value of a field.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum FieldValue<'a> {
    Text(&'a [u8]),
    Unsigned(u64),
    Signed(i64),
}

/// The fields of an event.
pub(crate) trait EventFields {
    /// Returns the value of a field, if the event can have it.
    fn get(&self, name: &str) -> Option<FieldValue<'_>>;

    /// Returns the name of the function at an address.
    fn symbol(&self, address: u64) -> &[u8];
}

/// Where and when an event is.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Moment {
    pub(crate) cpu: u32,
    pub(crate) tid: i64,
    pub(crate) at: i64,
}

/// Why an event says nothing.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Unsaid {
    /// Its name or one of its fields is not known.
    Unknown,
    /// A field that is a number in other events is none.
    Damaged,
}

impl FieldValue<'_> {
    /// Returns the number as the value of a counter. A text that is a number is one.
    fn float(self) -> Option<f64> {
        match self {
            Self::Unsigned(number) => Some(float(number)),
            Self::Signed(number) => Some(signed_float(number)),
            Self::Text(_) => self.integer().map(signed_float),
        }
    }

    fn integer(self) -> Option<i64> {
        match self {
            Self::Unsigned(number) => Some(i64::try_from(number).unwrap_or(i64::MAX)),
            Self::Signed(number) => Some(number),
            Self::Text(text) => super::marks::number(text),
        }
    }
}

impl fmt::Display for FieldValue<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Text(text) => match self.integer() {
                Some(number) => number.fmt(f),
                None => Shown(text).fmt(f),
            },
            Self::Unsigned(number) => number.fmt(f),
            Self::Signed(number) => number.fmt(f),
        }
    }
}

/// Returns a field that has one of the names, which stand between bars.
fn field<'e>(fields: &'e dyn EventFields, names: FieldName) -> Result<FieldValue<'e>, Unsaid> {
    names.split('|').find_map(|name| fields.get(name)).ok_or(Unsaid::Unknown)
}

fn number(fields: &dyn EventFields, name: FieldName) -> Result<f64, Unsaid> {
    field(fields, name)?.float().ok_or(Unsaid::Damaged)
}

pub(super) fn integer(fields: &dyn EventFields, name: FieldName) -> Result<i64, Unsaid> {
    field(fields, name)?.integer().ok_or(Unsaid::Damaged)
}

/// Returns the bits of a number.
pub(super) fn bits(fields: &dyn EventFields, name: FieldName) -> Result<u64, Unsaid> {
    match field(fields, name)? {
        FieldValue::Unsigned(number) => Ok(number),
        other => other.integer().map(i64::cast_unsigned).ok_or(Unsaid::Damaged),
    }
}

/// Returns a field as text.
pub(super) fn shown(fields: &dyn EventFields, name: FieldName) -> Result<String, Unsaid> {
    Ok(alloc::format!("{}", field(fields, name)?))
}

/// Returns a text with the fields of an event in the places of their names.
fn fill(template: Template, fields: &dyn EventFields, moment: Moment) -> Result<String, Unsaid> {
    let mut text = String::new();
    let mut rest = template;
    while let Some((before, behind)) = rest.split_once('{') {
        text.push_str(before);
        let (name, behind) = behind.split_once('}').unwrap_or((behind, ""));
        let (name, form) = name.split_once(':').unwrap_or((name, ""));
        let value = match name {
            "@cpu" => FieldValue::Unsigned(moment.cpu.into()),
            "@tid" => FieldValue::Signed(moment.tid),
            _ => field(fields, name)?,
        };
        // Writing into memory does not fail.
        let _ = show(value, form, fields, &mut text);
        rest = behind;
    }
    text.push_str(rest);
    Ok(text)
}

/// Writes a value in a form of [`Template`].
fn show(value: FieldValue<'_>, form: &str, fields: &dyn EventFields, to: &mut String) -> fmt::Result {
    let bits = match value {
        FieldValue::Unsigned(number) => Some(number),
        FieldValue::Signed(number) => Some(number.cast_unsigned()),
        FieldValue::Text(_) => None,
    };
    match (form, bits) {
        ("x", Some(number)) => write!(to, "{number:#x}"),
        ("device", Some(number)) => write!(to, "{}:{}", number >> 8 & 0xff, number & 0xff),
        ("kb", Some(bytes)) => write!(to, "{} kB", bytes.cast_signed() / 1024),
        ("symbol", Some(address)) => write!(to, "{}", Shown(fields.symbol(address))),
        (list, Some(number)) if !list.is_empty() => {
            let named = LISTS
                .iter()
                .filter(|(name, ..)| *name == list)
                .find_map(|(_, first, names)| names.get(usize::try_from(number.checked_sub(*first)?).ok()?));
            match named {
                Some(name) => to.write_str(name),
                None => write!(to, "{value}"),
            }
        }
        _ => write!(to, "{value}"),
    }
}

impl Kernel {
    /// Hands over what an event means.
    pub(crate) fn interpret(
        &mut self,
        event: &str,
        fields: &dyn EventFields,
        moment: Moment,
        out: &mut Output<'_>,
    ) -> Result<(), Unsaid> {
        let mut result = self.drm(event, fields, moment, out);
        for meaning in meanings(event) {
            match self.mean(meaning, fields, moment, out) {
                Err(Unsaid::Unknown) => {}
                said => result = said,
            }
        }
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
                let sum = self.sums.entry_ref(name.as_str()).or_default();
                *sum = sum.saturating_add(bytes.cast_unsigned());
                say(Id::NONE, &name, at, float(*sum / 1024), out);
            }
            Meaning::Count(name) => {
                let name = text(name)?;
                let sum = self.sums.entry_ref(name.as_str()).or_default();
                *sum = sum.saturating_add(1);
                say(Id::NONE, &name, at, float(*sum), out);
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
            Meaning::Send(name, category, key) => {
                let (name, key) = (text(name)?, text(key)?);
                self.tasks.step(moment.tid, at, (Step::Moment, name.as_bytes(), category), out);
                self.tasks.step(moment.tid, at, (Step::FlowOut, key.as_bytes(), category), out);
            }
            Meaning::Receive(name, category, key) => {
                let (name, key) = (text(name)?, text(key)?);
                self.tasks.step(moment.tid, at, (Step::Moment, name.as_bytes(), category), out);
                self.tasks.step(moment.tid, at, (Step::FlowIn, key.as_bytes(), category), out);
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
                let mut event = KeyedEvent::new(Id::NONE, Tick(at), Id::Text(key.as_bytes()), text);
                event = event.with_scope(Text::from(*track));
                event.category = Text::from(category);
                out.say(&Event::Async(phase, event));
            }
        }
    }
}

/// A place with the fields of an event in it.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub(crate) enum At {
    Thread(i64),
    Track(String),
    Apart(&'static str, String),
    Process(i64),
}

fn on(place: Place, fields: &dyn EventFields, moment: Moment) -> Result<At, Unsaid> {
    Ok(match place {
        Place::Thread => At::Thread(moment.tid),
        Place::ThreadOf(tid) => At::Thread(integer(fields, tid)?),
        Place::Process(pid) => At::Process(integer(fields, pid)?),
        Place::Track(name) => At::Track(fill(name, fields, moment)?),
        Place::Apart(track, key) => At::Apart(track, fill(key, fields, moment)?),
    })
}

/// Returns whether a value is what a text says.
fn is(value: FieldValue<'_>, wanted: &str) -> bool {
    match value {
        FieldValue::Text(text) => text == wanted.as_bytes(),
        FieldValue::Unsigned(number) => wanted.parse() == Ok(number),
        FieldValue::Signed(number) => wanted.parse() == Ok(number),
    }
}

fn say(pid: Id<'_>, name: &str, at: i64, value: f64, out: &mut Output<'_>) {
    out.counter((pid, None), name.as_bytes(), at, value);
}
