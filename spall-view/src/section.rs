//! A section of a trace, as a user names it: a range of time, threads, processes, tracks, categories and names.

use alloc::collections::BTreeSet;
use core::ops::Range;

use serde::Deserialize;
use spall_trace::Sought as _;
use spall_trace::model::{Clock, Key, NameId, Tick, Trace, TraceView, TrackId, TrackKind, Unit};

use crate::matcher;

/// A section of a trace, in words. Texts are those of [`matcher`]: a part of a name, or a regular expression between slashes. Of
/// several texts of one kind one has to fit; all kinds that are given have to.
///
/// ```
/// use spall_trace::model::TraceView;
/// use spall_view::Section;
///
/// let data = br#"[{"ph":"X","name":"frame","pid":1,"tid":1,"ts":0,"dur":10},
///                 {"ph":"X","name":"draw","pid":1,"tid":1,"ts":2,"dur":4}]"#;
/// let section = Section { from: Some("3 us".into()), names: vec!["dra".into()], ..Section::default() };
/// let part = section.of(spall_trace::load(data).unwrap()).unwrap();
/// assert_eq!((part.n_slices(), part.bounds().unwrap().start.0), (1, 3000));
///
/// let section = Section { threads: vec!["main".into()], ..Section::default() };
/// let error = section.of(part).unwrap_err();
/// assert_eq!(error.to_string(), "no thread fits \"main\". It has: Thread 1.");
/// ```
#[derive(Debug, Clone, PartialEq, Eq, Default, Deserialize)]
#[serde(default)]
pub struct Section {
    /// Where it starts: a time as it is printed, such as `1.5 ms` or `0:01:05.5`, a number of nanoseconds or of what else the clock
    /// counts, or with a `+` such a time since the start of the trace.
    pub from: Option<String>,
    /// Where it ends, as `from`.
    pub to: Option<String>,
    /// Threads, by name or by id, with the tracks below them.
    pub threads: Vec<String>,
    /// Processes, by name or by id.
    pub processes: Vec<String>,
    /// Tracks of any kind, by name.
    pub tracks: Vec<String>,
    /// Categories, each in full.
    pub categories: Vec<String>,
    /// Names of slices and instants.
    pub names: Vec<String>,
}

/// The reason why a trace has no such section.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub enum SectionError {
    /// A text is no time.
    Time(String),
    /// The end is not behind the start.
    Empty(String, String),
    /// A regular expression is not valid, and why.
    Pattern(String, String),
    /// Nothing of a kind fits a text, and the names that are closest to it.
    NoFit(&'static str, String, Vec<String>),
    /// Each text fits something, but nothing fits all of them. The times are those at which the trace starts and ends.
    Nothing(String, String),
}

impl core::fmt::Display for SectionError {
    fn fmt(&self, f: &mut core::fmt::Formatter<'_>) -> core::fmt::Result {
        match self {
            Self::Time(text) => {
                write!(
                    f,
                    "\"{text}\" is no time. Give one such as 1.5ms, 0:01:05.5 or +2s, which is since the start."
                )
            }
            Self::Empty(from, to) => {
                write!(f, "a range from {from} to {to} is empty. Give an end behind the start.")
            }
            Self::Pattern(text, error) => write!(f, "{text}: {error}."),
            Self::NoFit(kind, text, closest) => {
                write!(f, "no {kind} fits \"{text}\". ")?;
                match closest.len() {
                    0 => f.write_str("It has none."),
                    MAX_NAMED => write!(f, "The closest: {}.", closest.join(", ")),
                    _ => write!(f, "It has: {}.", closest.join(", ")),
                }
            }
            Self::Nothing(start, end) => {
                write!(f, "nothing is in this part of the trace, which lasts from {start} to {end}.")
            }
        }
    }
}

impl core::error::Error for SectionError {}

/// The number of names that are said where none fits.
const MAX_NAMED: usize = 8;

/// The number of names that are compared with one that does not fit, and the characters that are compared of each.
const MAX_COMPARED: usize = 20_000;
const MAX_CHARS: usize = 48;

impl Section {
    /// Returns whether it is all of a trace.
    #[must_use]
    pub fn is_all(&self) -> bool {
        *self == Self::default()
    }

    /// Returns whether names or categories are chosen, so that the functions of samples have to be slices.
    #[must_use]
    pub fn is_by_name(&self) -> bool {
        !(self.names.is_empty() && self.categories.is_empty())
    }

    /// Returns the section of a trace, which is a [part](Trace::part) of it.
    ///
    /// # Errors
    /// This returns an error if a text is not valid, if one fits nothing, or if nothing is in the section.
    pub fn of(&self, trace: Trace) -> Result<Trace, SectionError> {
        let range = self.range(&trace)?;
        let tracks = self.fitting_tracks(&trace)?;
        let names =
            fitting(&trace, "name", &self.names, names_of(&trace), |name, text| Ok(matches(name)?(text)))?;
        let in_category = |category: &str, text: &str| Ok(parts(text).any(|part| part == category));
        let of_trace = categories_of(&trace);
        let categories = fitting(&trace, "category", &self.categories, of_trace, in_category)?;
        let (start, end) = times(&trace);
        let part = trace.part(
            range,
            |track| tracks.get(track.index()) == Some(&true),
            |name, category| is_among(&names, name) && is_among(&categories, category),
        );
        let is_empty = part.n_slices() == 0
            && part.instants().is_empty()
            && part.counters().is_empty()
            && part.states().is_empty()
            && part.samples().is_empty();
        if is_empty { Err(SectionError::Nothing(start, end)) } else { Ok(part) }
    }

    /// Returns the range of time.
    ///
    /// # Errors
    /// This returns an error if a text is no time, or if the range is empty.
    pub fn range(&self, trace: &impl TraceView) -> Result<Range<Tick>, SectionError> {
        let start = trace.bounds().unwrap_or_default().start;
        let at = |text: &Option<String>, none: Tick| match text {
            Some(text) => time(text, &trace.clock(), start).ok_or_else(|| SectionError::Time(text.clone())),
            None => Ok(none),
        };
        let range = at(&self.from, Tick::MIN)?..at(&self.to, Tick::MAX)?;
        if range.is_empty() {
            let text = |at| trace.clock().time(at).to_string();
            return Err(SectionError::Empty(text(range.start), text(range.end)));
        }
        Ok(range)
    }

    /// Returns which tracks of a trace are in the section, by their numbers.
    ///
    /// # Errors
    /// This returns an error if a text fits no thread, process or track.
    pub fn fitting_tracks(&self, trace: &Trace) -> Result<Vec<bool>, SectionError> {
        let is_thread = |track: TrackId| {
            matches!(trace.track_info(track).map(|info| info.kind), Some(TrackKind::Thread { .. }))
        };
        let threads = || trace.track_ids().filter(|&track| is_thread(track));
        let thread_id = |track: TrackId| trace.track_info(track)?.kind.tid();
        let of_thread = choose(trace, "thread", &self.threads, threads, |track| {
            (thread_id(track), trace.track_title(track).into_owned())
        })?;
        let processes = || trace.processes().iter().map(|process| process.id);
        let of_process = choose(trace, "process", &self.processes, processes, |process| {
            (trace.process_key(process), trace.process_title(process).into_owned())
        })?;
        let of_track = choose(
            trace,
            "track",
            &self.tracks,
            || trace.track_ids(),
            |track| (None, trace.track_title(track).into_owned()),
        )?;
        let chosen = trace.tracks().iter().map(|track| {
            let mut with_above =
                core::iter::successors(Some(track.id), |track| trace.track_info(*track)?.parent);
            let in_thread =
                of_thread.as_ref().is_none_or(|threads| with_above.any(|track| threads.contains(&track)));
            let in_process =
                |processes: &BTreeSet<_>| track.process.is_some_and(|process| processes.contains(&process));
            in_thread
                && of_process.as_ref().is_none_or(in_process)
                && of_track.as_ref().is_none_or(|tracks| tracks.contains(&track.id))
        });
        Ok(chosen.collect())
    }
}

/// Returns those of some kind that one of the texts fits, or `None` if there are no texts. A text that is an id means that id alone.
fn choose<T: Copy + Ord, I: Iterator<Item = T>>(
    trace: &Trace,
    kind: &'static str,
    texts: &[String],
    all: impl Fn() -> I,
    names: impl Fn(T) -> (Option<Key>, String),
) -> Result<Option<BTreeSet<T>>, SectionError> {
    let mut chosen = BTreeSet::new();
    for text in texts {
        let has_id = |one: &T| names(*one).0.is_some_and(|id| trace.key_text(id) == *text);
        let mut found: Vec<T> = all().filter(has_id).collect();
        if found.is_empty() {
            let is_match = matches(text)?;
            found.extend(all().filter(|one| is_match(&names(*one).1)));
        }
        if found.is_empty() {
            return Err(no_fit(kind, text, all().map(|one| names(one).1).collect()));
        }
        chosen.extend(found);
    }
    Ok((!texts.is_empty()).then_some(chosen))
}

/// Returns which names of a trace one of the texts fits, or nothing if there are no texts. `of` are the names among which each text has
/// to fit one.
fn fitting(
    trace: &Trace,
    kind: &'static str,
    texts: &[String],
    of: BTreeSet<NameId>,
    fits: impl Fn(&str, &str) -> Result<bool, SectionError>,
) -> Result<Vec<bool>, SectionError> {
    let mut chosen = vec![false; if texts.is_empty() { 0 } else { trace.names().len() }];
    for text in texts {
        let mut is_found = false;
        for &id in &of {
            if fits(text, &trace.name(id))? {
                is_found = true;
                if let Some(chosen) = chosen.get_mut(id.index()) {
                    *chosen = true;
                }
            }
        }
        if !is_found {
            let names = of.iter().map(|&id| trace.name(id).into_owned());
            let names = match kind {
                "category" => {
                    names.flat_map(|text| parts(&text).map(str::to_owned).collect::<Vec<_>>()).collect()
                }
                _ => names.collect(),
            };
            return Err(no_fit(kind, text, names));
        }
    }
    Ok(chosen)
}

fn matches(text: &str) -> Result<impl Fn(&str) -> bool, SectionError> {
    let wrong = |why: String| SectionError::Pattern(text.into(), why);
    let found = matcher(text).map_err(wrong)?;
    if found.has_terms() {
        return Err(wrong("a section has no terms such as durations beside a text".into()));
    }
    Ok(move |name: &str| found.matches(name))
}

/// The categories of a text with commas between them.
fn parts(text: &str) -> impl Iterator<Item = &str> {
    text.split(',').map(str::trim).filter(|part| !part.is_empty())
}

fn is_among(chosen: &[bool], name: NameId) -> bool {
    chosen.is_empty() || chosen.get(name.index()) == Some(&true)
}

fn names_of(trace: &Trace) -> BTreeSet<NameId> {
    let of_instants = trace.instants().iter().map(|instant| instant.name);
    trace.slices().names().iter().copied().chain(of_instants).collect()
}

fn categories_of(trace: &Trace) -> BTreeSet<NameId> {
    let of_instants = trace.instants().iter().map(|instant| instant.category);
    trace.slices().categories().iter().copied().chain(of_instants).collect()
}

fn times(trace: &Trace) -> (String, String) {
    let bounds = trace.bounds().unwrap_or_default();
    let text = |at| trace.clock().time(at).to_string();
    (text(bounds.start), text(bounds.end))
}

/// Returns the error with the names that are closest to a text.
fn no_fit(kind: &'static str, text: &str, names: BTreeSet<String>) -> SectionError {
    SectionError::NoFit(kind, text.into(), closest(text, names))
}

/// Returns the names that are closest to a text, the closest first: those that take the fewest letters to be changed.
pub fn closest(text: &str, names: impl IntoIterator<Item = String>) -> Vec<String> {
    let letters = |text: &str| text.to_lowercase().chars().take(MAX_CHARS).collect::<Vec<_>>();
    let wanted = letters(text);
    let all = names.into_iter().filter(|name| !name.is_empty()).take(MAX_COMPARED);
    let mut ranked: Vec<_> = all.map(|name| (distance(&wanted, &letters(&name)), name)).collect();
    ranked.sort();
    ranked.into_iter().take(MAX_NAMED).map(|(_, name)| name).collect()
}

/// Returns how many letters have to be added, removed or replaced to make one text of the other.
#[expect(clippy::indexing_slicing, reason = "the row has a place more than the other text has letters")]
fn distance(one: &[char], other: &[char]) -> usize {
    let mut row: Vec<usize> = (0..=other.len()).collect();
    for (at, a) in one.iter().enumerate() {
        let mut diagonal = core::mem::replace(&mut row[0], at + 1);
        for (b, column) in other.iter().zip(1..) {
            let replaced = diagonal + usize::from(a != b);
            diagonal = row[column];
            row[column] = replaced.min(diagonal + 1).min(row[column - 1] + 1);
        }
    }
    row[other.len()]
}

/// Reads a point in time. With a `+` it is since the start of the trace.
fn time(text: &str, clock: &Clock, start: Tick) -> Option<Tick> {
    let text: String = text.chars().filter(|c| !c.is_whitespace()).collect();
    match text.strip_prefix('+') {
        Some(text) => Some(start + (ticks(text, clock)? - Tick(0))),
        None => ticks(&text, clock),
    }
}

/// Reads a time since tick 0.
fn ticks(text: &str, clock: &Clock) -> Option<Tick> {
    let (sign, text) = text.strip_prefix('-').map_or((1, text), |text| (-1, text));
    let digits = text.find(|c: char| !(c.is_ascii_digit() || matches!(c, '.' | ':'))).unwrap_or(text.len());
    let (number, unit) = text.split_at(digits);
    let per_tick = match clock.unit {
        Unit::Nanoseconds(ns) => Some(ns),
        _ => None,
    };
    let value = match number.split(':').collect::<Vec<_>>()[..] {
        [number] => decimal(number, power(unit, clock.unit)?)?,
        [minutes, seconds] if unit.is_empty() && per_tick.is_some() => clock_time(0, minutes, seconds)?,
        [hours, minutes, seconds] if unit.is_empty() && per_tick.is_some() => {
            clock_time(hours.parse().ok()?, minutes, seconds)?
        }
        _ => return None,
    };
    let value = i64::try_from(sign * value).ok()?;
    match per_tick {
        Some(ns) if ns != 1.0 => {
            #[expect(
                clippy::cast_possible_truncation,
                clippy::cast_precision_loss,
                reason = "the cast saturates"
            )]
            let ticks = (value as f64 / ns).round() as i64;
            Some(Tick(ticks))
        }
        _ => Some(Tick(value)),
    }
}

/// Returns the power of ten by which a number with a unit is multiplied.
fn power(unit: &str, of_clock: Unit) -> Option<u32> {
    const TIMES: [(&str, u32); 6] = [("ns", 0), ("us", 3), ("µs", 3), ("μs", 3), ("ms", 6), ("s", 9)];
    const SIZES: [(&str, u32); 5] = [("B", 0), ("kB", 3), ("MB", 6), ("GB", 9), ("TB", 12)];
    let find = |units: &[(&str, u32)]| units.iter().find(|(name, _)| *name == unit).map(|(_, power)| *power);
    match of_clock {
        _ if unit.is_empty() => Some(0),
        Unit::Nanoseconds(_) => find(&TIMES),
        Unit::Bytes => find(&SIZES),
        _ => of_clock.counted().filter(|name| name.starts_with(unit)).map(|_| 0),
    }
}

/// Returns a number times a power of ten, without its further digits.
fn decimal(number: &str, power: u32) -> Option<i128> {
    let (whole, rest) = number.split_once('.').unwrap_or((number, ""));
    if whole.len() > 20 || rest.contains('.') || (whole.is_empty() && rest.is_empty()) {
        return None;
    }
    let fraction: String = rest.chars().chain(core::iter::repeat('0')).take(power as usize).collect();
    let parse = |digits: &str| if digits.is_empty() { Some(0) } else { digits.parse::<i128>().ok() };
    Some(parse(whole)? * 10_i128.pow(power) + parse(&fraction)?)
}

fn clock_time(hours: u32, minutes: &str, seconds: &str) -> Option<i128> {
    const MINUTE: i128 = 60_000_000_000;
    let minutes: u32 = minutes.parse().ok()?;
    Some((i128::from(hours) * 60 + i128::from(minutes)) * MINUTE + decimal(seconds, 9)?)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// What is printed is read again.
    #[test]
    fn a_time_is_read_as_it_is_printed() {
        let clock = Clock::NANOSECONDS;
        for ticks in [
            0,
            7,
            1500,
            1_204_000,
            999_999_999,
            65_500_000_000,
            1_700_000_000_123_456_789,
            -1500,
            -65_500_000_000,
        ] {
            let text = clock.time(Tick(ticks)).to_string();
            assert_eq!(time(&text, &clock, Tick(0)), Some(Tick(ticks)), "{text}");
        }
        assert_eq!(time("+1.5us", &clock, Tick(100)), Some(Tick(1600)));
        assert_eq!(time("250", &clock, Tick(100)), Some(Tick(250)));
        assert_eq!(time("7 events", &Clock::new(Unit::EVENTS), Tick(0)), Some(Tick(7)));
        assert_eq!(time("1us", &Clock::new(Unit::Nanoseconds(0.25)), Tick(0)), Some(Tick(4000)));
        for wrong in ["", "ms", "1.2.3", "1 parsec", "1:2:3:4", "7 events", "+"] {
            assert_eq!(time(wrong, &clock, Tick(0)), None, "{wrong}");
        }
    }

    #[test]
    fn the_closest_names_are_said() {
        let names = ["main", "worker 1", "worker 2", "render"].map(str::to_owned);
        assert_eq!(closest("wroker 1", names)[..2], ["worker 1", "worker 2"]);
    }
}
