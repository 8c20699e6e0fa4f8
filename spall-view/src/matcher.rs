//! What a pattern looks for.

use alloc::sync::Arc;
use core::{fmt, ops::Range};

use spall_trace::model::{Clock, Ticks};
use spall_trace::{Sought, ignoring_case};

/// Tells whether a text is looked for.
type IsWanted = Arc<dyn Fn(&str) -> bool + Send + Sync>;

/// What a pattern looks for: [`matcher`].
#[derive(Clone)]
pub struct Matcher {
    /// The pattern without the durations.
    text: String,
    matches: IsWanted,
    category: Option<IsWanted>,
    path: Option<IsWanted>,
    durations: Vec<Bound>,
}

/// A bound of durations, such as `< 20 ms`.
#[derive(Debug, Clone, Copy, PartialEq)]
struct Bound {
    /// Whether durations below the bound are wanted, and those above, and whether the bound itself is.
    below: bool,
    above: bool,
    equal: bool,
    value: f64,
    /// The nanoseconds of the unit; `None` for ticks.
    unit: Option<f64>,
}

impl fmt::Debug for Matcher {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Matcher")
            .field("text", &self.text)
            .field("durations", &self.durations)
            .finish_non_exhaustive()
    }
}

/// Returns what a pattern looks for: a text, and terms beside it. All have to fit.
///
/// A name or an argument fits the text if it contains it, whether in upper or in lower case. What stands between slashes is a
/// regular expression. Without a text, everything fits.
///
/// Terms stand behind the text:
///
/// - `dur >= 10 ms, dur < 20 ms`: slices, and nothing else, that take so long. The units are those of time from `ns` to `min`; a
///   number without one counts ticks.
/// - `cat:x`: slices, instants and flows that have a category that fits `x`.
/// - `track:x`: what is on a track, or is a track or a process, whose path fits `x`. The path is the title of the process, for a
///   track with a slash and its own title behind it: `track:"GPU Process/"`.
///
/// What fits `x` is said as in the text, so that `cat:/^io$/` is one category; quotation marks stand around an `x` with spaces. Terms
/// with a colon may also stand before the text. A regular expression finds what looks like a term: `/cat:x/`.
///
/// # Errors
///
/// Says what is wrong with a regular expression.
pub fn matcher(pattern: &str) -> Result<Matcher, String> {
    let Pattern { text, mut terms, durations } = Pattern::split(pattern);
    let matches = text_matcher(text)?;
    let said =
        core::iter::once(text).chain(terms.iter().map(|term| term.all)).filter(|part| !part.is_empty());
    let text = said.collect::<Vec<_>>().join(" ");
    let paths: Vec<Term<'_>> = terms.extract_if(.., |term| term.is_path).collect();
    Ok(Matcher { text, matches, category: all_of(&terms)?, path: all_of(&paths)?, durations })
}

/// Returns what tells whether a text fits: it contains what is wanted, or what is wanted is a regular expression.
fn text_matcher(wanted: &str) -> Result<IsWanted, String> {
    let expression = wanted.strip_prefix('/').and_then(|rest| rest.strip_suffix('/'));
    let Some(expression) = expression.filter(|expression| !expression.is_empty()) else {
        return Ok(Arc::new(ignoring_case(wanted)));
    };
    let built = regex_lite::RegexBuilder::new(expression).case_insensitive(true).build();
    let expression = built.map_err(|error| error.to_string())?;
    Ok(Arc::new(move |text: &str| expression.is_match(text)))
}

/// Returns what tells whether a text fits all terms; `None` if there are none.
fn all_of(terms: &[Term<'_>]) -> Result<Option<IsWanted>, String> {
    let all: Vec<IsWanted> = terms.iter().map(|term| text_matcher(term.wanted)).collect::<Result<_, _>>()?;
    Ok((!all.is_empty())
        .then(|| -> IsWanted { Arc::new(move |text: &str| all.iter().all(|fits| fits(text))) }))
}

impl Matcher {
    /// Returns the pattern without the durations.
    #[must_use]
    pub fn text(&self) -> &str {
        &self.text
    }

    /// Returns whether it says anything but a text.
    pub(crate) fn has_terms(&self) -> bool {
        !self.durations.is_empty() || self.category.is_some() || self.path.is_some()
    }

    /// Returns whether it finds what has neither a duration nor a category.
    pub(crate) fn finds_others(&self) -> bool {
        self.durations.is_empty() && self.category.is_none()
    }

    /// Returns what looks for the same, whatever it takes.
    #[must_use]
    pub(crate) fn without_durations(&self) -> Self {
        Self { durations: Vec::new(), ..self.clone() }
    }

    /// Returns the durations that are looked for, on a clock; `None` if all are.
    pub(crate) fn durations_of(&self, clock: &Clock) -> Option<Range<Ticks>> {
        let (mut least, mut end) = (0, i64::MAX);
        for &Bound { below, above, equal, value, unit } in &self.durations {
            let per_tick = clock.ns_per_tick();
            // What counts no time has no duration in milliseconds.
            let Some(at) = unit.map_or(Some(value), |unit| Some(value * unit / per_tick?)) else {
                return Some(Ticks::ZERO..Ticks::ZERO);
            };
            // What is written with decimals may be a little beside a tick.
            let whole = at.round();
            let at = if (at - whole).abs() <= 1e-6 * whole.max(1.0) { whole } else { at };
            #[expect(clippy::cast_possible_truncation, reason = "saturates")]
            let (up, down) = (at.ceil() as i64, at.floor() as i64);
            if !below {
                least = least.max(if equal { up } else { down.saturating_add(1) });
            }
            if !above {
                end = end.min(if equal { down.saturating_add(1) } else { up });
            }
        }
        (!self.durations.is_empty()).then(|| Ticks(least)..Ticks(end.max(least)))
    }
}

impl Sought for Matcher {
    fn matches(&self, text: &str) -> bool {
        (self.matches)(text)
    }

    fn durations(&self, clock: &Clock) -> Option<Range<Ticks>> {
        self.durations_of(clock)
    }

    fn category(&self) -> Option<&dyn Fn(&str) -> bool> {
        self.category.as_deref().map(|fits| fits as &dyn Fn(&str) -> bool)
    }

    fn path(&self) -> Option<&dyn Fn(&str) -> bool> {
        self.path.as_deref().map(|fits| fits as &dyn Fn(&str) -> bool)
    }
}

/// The units of durations in a pattern, with their nanoseconds.
const UNITS: [(&str, f64); 6] =
    [("ns", 1.0), ("us", 1e3), ("µs", 1e3), ("ms", 1e6), ("s", 1e9), ("min", 6e10)];

/// A pattern in its parts.
struct Pattern<'p> {
    text: &'p str,
    terms: Vec<Term<'p>>,
    durations: Vec<Bound>,
}

/// What categories or paths have to fit.
struct Term<'p> {
    /// The term as it was written.
    all: &'p str,
    is_path: bool,
    wanted: &'p str,
}

impl<'p> Pattern<'p> {
    /// Takes the terms off both ends of a pattern.
    fn split(pattern: &'p str) -> Self {
        const TERM: &str = r#"((?i:(cat|category|track)):("[^"]*"|/[^/]+/|[^\s,"]+))"#;
        let bound = r"(?:^|[\s,]+)(?i:dur|duration)\s*(<=|>=|<|>|=)\s*([0-9]+(?:\.[0-9]+)?)\s*(ns|us|µs|ms|s|min|ticks?)?\s*,?\s*$";
        let built = [bound, &format!(r"(?:^|[\s,]+){TERM}\s*,?\s*$"), &format!(r"^{TERM}(?:[\s,]+|$)")];
        let built = built.map(|expression| regex_lite::Regex::new(expression).ok());
        let [bound, behind, before] = &built;
        let captured =
            |expression: &Option<regex_lite::Regex>, text: &'p str| expression.as_ref()?.captures(text);
        let pattern = pattern.trim();
        let mut split = Self { text: pattern, terms: Vec::new(), durations: Vec::new() };
        loop {
            let rest = split.text;
            if let Some(found) = captured(bound, rest) {
                let Some(bound) = Bound::of(&found) else { break };
                split.durations.push(bound);
                split.text = found.get(0).and_then(|all| rest.get(..all.start())).unwrap_or_default();
            } else if let Some(found) = captured(behind, rest) {
                split.terms.extend(Term::of(&found));
                split.text = found.get(0).and_then(|all| rest.get(..all.start())).unwrap_or_default();
            } else if let Some(found) = captured(before, rest) {
                split.terms.extend(Term::of(&found));
                split.text = found.get(0).and_then(|all| rest.get(all.end()..)).unwrap_or_default();
            } else {
                break;
            }
            split.text = split.text.trim();
        }
        // What looks like a term is a part of a regular expression.
        let is_open = split.text.starts_with('/') && !is_expression(split.text);
        if is_open && is_expression(pattern) {
            return Self { text: pattern, terms: Vec::new(), durations: Vec::new() };
        }
        split
    }
}

fn is_expression(text: &str) -> bool {
    text.len() > 1 && text.starts_with('/') && text.ends_with('/')
}

impl<'p> Term<'p> {
    fn of(found: &regex_lite::Captures<'p>) -> Option<Self> {
        let [all, kind, wanted] = [1, 2, 3].map(|group| found.get(group).map(|group| group.as_str()));
        let is_path = kind?.eq_ignore_ascii_case("track");
        Some(Self { all: all?, is_path, wanted: wanted?.trim_matches('"') })
    }
}

impl Bound {
    fn of(found: &regex_lite::Captures<'_>) -> Option<Self> {
        let [sign, value, unit] = [1, 2, 3].map(|group| found.get(group).map_or("", |group| group.as_str()));
        Some(Self {
            below: sign.starts_with('<'),
            above: sign.starts_with('>'),
            equal: sign.ends_with('='),
            value: value.parse().ok()?,
            unit: UNITS.iter().find(|(name, _)| *name == unit).map(|&(_, ns)| ns),
        })
    }
}

/// Durations as a pattern says them, exact to the tick.
pub(crate) fn pattern_of(durations: &Range<Ticks>, clock: &Clock) -> String {
    let text = |Ticks(ticks): Ticks| {
        let ns = clock.ns_per_tick().filter(|ns| ns.fract() == 0.0).map(|ns| ticks as f64 * ns);
        let Some(ns) = ns.filter(|&ns| ns < (1_u64 << 53) as f64) else { return format!("{ticks} ticks") };
        let (unit, size) = [("s", 1e9), ("ms", 1e6), ("µs", 1e3)]
            .into_iter()
            .find(|&(_, size)| ns >= size)
            .unwrap_or(("ns", 1.0));
        format!("{} {unit}", ns / size)
    };
    format!("dur >= {}, dur < {}", text(durations.start), text(durations.end))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn durations(pattern: &str) -> (String, Option<Range<i64>>) {
        let matches = matcher(pattern).unwrap_or_else(|error| panic!("{error}"));
        let range = matches.durations_of(&Clock::NANOSECONDS);
        (matches.text, range.map(|range| range.start.0..range.end.0))
    }

    #[test]
    fn durations_follow_a_pattern() {
        let max = i64::MAX;
        for (pattern, text, range) in [
            ("draw", "draw", None),
            ("draw dur > 10ms", "draw", Some(10_000_001..max)),
            ("draw dur>=10 ms, dur<20ms", "draw", Some(10_000_000..20_000_000)),
            ("dur <= 1.5 us", "", Some(0..1501)),
            ("/^a b$/ duration = 0.3ms", "/^a b$/", Some(300_000..300_001)),
            ("a, dur > 7, dur < 9 ticks,", "a", Some(8..9)),
            ("dur > 9 dur < 5", "", Some(10..10)),
            ("introdur > 5", "introdur > 5", None),
            ("dur > 5 apples", "dur > 5 apples", None),
            ("dur > 5 ms draw", "dur > 5 ms draw", None),
        ] {
            assert_eq!(durations(pattern), (text.to_owned(), range), "{pattern}");
        }
    }

    #[test]
    fn terms_stand_on_both_sides_of_a_text() {
        for (pattern, text, category, path) in [
            ("draw cat:io", "draw cat:io", ["audio", "gpu"], None),
            ("cat:/^io$/ draw", "draw cat:/^io$/", ["IO", "audio"], None),
            (
                "/^a b$/ track:\"GPU Process\"",
                "/^a b$/ track:\"GPU Process\"",
                ["", ""],
                Some(["GPU Process/x", "GPU"]),
            ),
            (
                "track:gpu category:a, cat:b dur > 5",
                "cat:b category:a track:gpu",
                ["ab", "a"],
                Some(["a GPU", "a"]),
            ),
            ("track:a/b", "track:a/b", ["", ""], Some(["A/B", "a"])),
        ] {
            let found = matcher(pattern).unwrap_or_else(|error| panic!("{error}"));
            assert_eq!(found.text(), text);
            let fits = |of: Option<&dyn Fn(&str) -> bool>, texts: [&str; 2]| of.map(|of| texts.map(of));
            let is_category = category[0] != category[1];
            assert_eq!(fits(found.category(), category), is_category.then_some([true, false]), "{pattern}");
            assert_eq!(
                path.and_then(|path| fits(found.path(), path)),
                path.map(|_| [true, false]),
                "{pattern}"
            );
            assert_eq!(found.path().is_some(), path.is_some());
        }
        for (pattern, text) in
            [("/cat:x/", "a cat:x"), ("/a cat:x/", "a cat:x"), ("a cat: x", "a cat: x"), ("xcat:y", "xcat:y")]
        {
            let found = matcher(pattern).unwrap_or_else(|error| panic!("{error}"));
            assert!(!found.has_terms() && found.matches(text), "{pattern}");
        }
        assert!(matcher("a cat:/(/").is_err());
    }

    #[test]
    fn durations_are_written_exactly() {
        for (start, end) in [(0, 1), (1, 999), (1000, 1_234_567), (1_000_000_001, 9_007_199_254_740_991)] {
            let pattern = pattern_of(&(Ticks(start)..Ticks(end)), &Clock::NANOSECONDS);
            assert_eq!(durations(&pattern), (String::new(), Some(start..end)), "{pattern}");
        }
        let pattern = pattern_of(&(Ticks(10_000_000)..Ticks(20_500_000)), &Clock::NANOSECONDS);
        assert_eq!(pattern, "dur >= 10 ms, dur < 20.5 ms");
    }

    #[test]
    fn what_counts_no_time_has_durations_in_ticks() {
        let clock = Clock::new(spall_trace::model::Unit::Bytes);
        let of = |pattern: &str| matcher(pattern).ok().and_then(|matches| matches.durations_of(&clock));
        assert_eq!(of("dur > 5"), Some(Ticks(6)..Ticks(i64::MAX)));
        assert!(of("dur > 5 ms").is_some_and(|range| range.is_empty()));
    }
}
