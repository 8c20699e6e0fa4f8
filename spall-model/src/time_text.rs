//! Durations and points in time as people read them.

use core::fmt::{self, Write};

use crate::{Clock, Tick, Ticks, Unit, UnitName};

/// The number of nanoseconds in a second.
const SECOND: u64 = 1_000_000_000;

/// The units of durations and of sizes, each with the number of digits that a nanosecond or a byte is behind it; the
/// largest first.
const TIMES: [(u32, &str); 4] = [(9, "s"), (6, "ms"), (3, "µs"), (0, "ns")];
const SIZES: [(u32, &str); 5] = [(12, "TB"), (9, "GB"), (6, "MB"), (3, "kB"), (0, "B")];

/// Returns the largest unit that leaves a whole part of a value, else the smallest one.
fn suitable(units: &[(u32, &'static str)], leaves_a_whole: impl Fn(u64) -> bool) -> (u32, &'static str) {
    let found = units.iter().find(|(digits, _)| leaves_a_whole(10_u64.pow(*digits)));
    found.or(units.last()).copied().unwrap_or_default()
}

impl Clock {
    /// Returns the text of a duration for people, to print with `{}`: four significant digits and the unit that suits
    /// them (`12.35 ms`, `1.5 kB`), or the number of what the clock counts (`7 events`).
    #[must_use]
    pub const fn duration(&self, duration: Ticks) -> DurationText {
        DurationText::new(duration, self.unit)
    }

    /// Returns the text of a point in time for people, to print with `{}`: the time since tick 0, exact to the
    /// nanosecond (`1.204 ms`, `0:01:05.5`), or what the clock counts up to there (`7 events`).
    ///
    /// To measure from another point, such as the start of the trace, subtract it:
    /// `clock.time(Tick(0) + (at - start))`.
    #[must_use]
    pub fn time(&self, at: Tick) -> TimeText {
        TimeText::of(at, self.unit)
    }
}

/// The text of a duration, from [`Clock::duration`](crate::Clock::duration): print it with `{}`.
///
/// It has four significant digits, without zeros at the end, and the largest of `ns`, `µs`, `ms` and `s` that leaves
/// a whole part, or of `B`, `kB`, `MB`, `GB` and `TB`. Thousands of the largest unit are set apart by narrow spaces. On a
/// clock that counts other things it is their number.
///
/// ```
/// use spall_model::{Clock, Ticks};
///
/// let text = Clock::NANOSECONDS.duration(Ticks(12_345_678));
/// assert_eq!(text.to_string(), "12.35 ms");
/// assert_eq!(format!("{text:>10}"), "  12.35 ms");
/// ```
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct DurationText {
    duration: Ticks,
    unit: Unit,
}

impl DurationText {
    pub(crate) const fn new(duration: Ticks, unit: Unit) -> Self {
        Self { duration, unit }
    }

    /// Writes the duration.
    fn write(&self, text: &mut Buffer) -> fmt::Result {
        let ticks = self.duration.0.unsigned_abs();
        if self.duration.0 < 0 {
            text.write_str("-")?;
        }
        let (per_tick, units) = match self.unit {
            Unit::Nanoseconds(ns) => (ns, &TIMES[..]),
            Unit::Bytes => (1.0, &SIZES[..]),
            Unit::Count(name) => return write_count(text, ticks, &name),
        };
        #[expect(clippy::cast_precision_loss, reason = "four digits are shown")]
        let float = |number: u64| number as f64;
        let amount = float(ticks) * per_tick;
        let (digits, unit) = suitable(units, |size| amount >= float(size));
        let value = amount / float(10_u64.pow(digits));
        // Beyond, a number is too long to be read, and a unit of 1e300 ns per tick would make it 300 digits long.
        if value >= 1e15 {
            return write!(text, "{value:.3e} {unit}");
        }
        let decimals = match value {
            _ if value >= 100.0 => 1,
            _ if value >= 10.0 => 2,
            _ => 3,
        };
        let mut digits = Buffer::default();
        write!(digits, "{value:.decimals$}")?;
        let (whole, rest) = digits.as_str().split_once('.').unwrap_or((digits.as_str(), ""));
        for (index, digit) in whole.chars().enumerate() {
            if index > 0 && (whole.len() - index).is_multiple_of(3) {
                text.write_char('\u{202f}')?;
            }
            text.write_char(digit)?;
        }
        let rest = rest.trim_end_matches('0');
        write!(text, "{}{rest} {unit}", if rest.is_empty() { "" } else { "." })
    }
}

impl fmt::Display for DurationText {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mut text = Buffer::default();
        self.write(&mut text)?;
        f.pad(text.as_str())
    }
}

/// Writes a number of things. The name of one has no `s` at its end.
fn write_count(text: &mut Buffer, number: u64, name: &UnitName) -> fmt::Result {
    let name = name.as_str();
    let one = name.strip_suffix('s').filter(|_| number == 1);
    write!(text, "{number} {}", one.unwrap_or(name))
}

/// The text of a point in time, from [`Clock::time`](crate::Clock::time) or [`TimeFormat::text`]: print it with `{}`.
///
/// Times of a minute or more are hours, minutes and seconds (`0:01:05.5`), shorter ones a number with a unit
/// (`1.204 ms`). On a clock without time it is a number of what the clock counts (`7 events`).
///
/// ```
/// use spall_model::{Clock, Tick};
///
/// let text = Clock::NANOSECONDS.time(Tick(65_500_000_000));
/// assert_eq!(text.to_string(), "0:01:05.5");
/// ```
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct TimeText {
    /// Nanoseconds, or ticks of a clock without time.
    value: i64,
    format: TimeFormat,
}

impl TimeText {
    /// Returns the text of a point in time, in the unit that suits it.
    pub(crate) fn of(at: Tick, unit: Unit) -> Self {
        let value = match unit {
            Unit::Nanoseconds(1.0) => at.0,
            #[expect(
                clippy::cast_precision_loss,
                clippy::cast_possible_truncation,
                reason = "53 bits are exact enough where the unit is a float, and the cast back saturates"
            )]
            Unit::Nanoseconds(ns_per_tick) => {
                let ns = at.0 as f64 * ns_per_tick;
                (if ns < 0.0 { ns - 0.5 } else { ns + 0.5 }) as i64
            }
            Unit::Bytes | Unit::Count(_) => at.0,
        };
        TimeFormat::new(unit, value.unsigned_abs(), value).text(value)
    }
}

/// The unit and the number of decimals in which points in time are written.
///
/// Times that are read together, such as the labels of a ruler, should share one format: the unit of the largest
/// and as many decimals as tell them apart.
///
/// ```
/// use spall_model::{TimeFormat, Unit};
///
/// let format = TimeFormat::new(Unit::Nanoseconds(1.0), 2_000_000, 500_000);
/// assert_eq!(format.text(1_000_000).to_string(), "1.0 ms");
/// assert_eq!(format.text(1_500_000).to_string(), "1.5 ms");
/// assert_eq!(TimeFormat::new(Unit::EVENTS, 900, 100).text(500).to_string(), "500 events");
/// ```
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct TimeFormat {
    unit: TextUnit,
    decimals: u32,
}

/// The unit in which a [`TimeFormat`] writes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum TextUnit {
    /// A number of things with this name.
    Count(UnitName),
    /// Ten to this power of nanoseconds or bytes, and its name.
    Power(u32, &'static str),
    /// Hours, minutes and seconds.
    Clock,
}

impl TimeFormat {
    /// Returns the format for values of which the largest has the magnitude `most` and all are multiples of `step`, both in
    /// nanoseconds, or in bytes, or in what the unit counts.
    #[must_use]
    pub fn new(unit: Unit, most: u64, step: i64) -> Self {
        let units = match unit {
            Unit::Nanoseconds(_) => &TIMES[..],
            Unit::Bytes => &SIZES[..],
            Unit::Count(name) => return Self { unit: TextUnit::Count(name), decimals: 0 },
        };
        // The last digits of a value that are zero in every multiple of the step.
        let zeros = (0..18).take_while(|&zeros| step % 10_i64.pow(zeros + 1) == 0).count();
        let decimals = |digits: u32| digits.saturating_sub(zeros.try_into().unwrap_or(digits));
        if matches!(unit, Unit::Nanoseconds(_)) && most >= 60 * SECOND {
            return Self { unit: TextUnit::Clock, decimals: decimals(9) };
        }
        let (digits, name) = suitable(units, |size| most >= size);
        Self { unit: TextUnit::Power(digits, name), decimals: decimals(digits) }
    }

    /// Returns the text of a value in nanoseconds, in bytes, or in what the unit counts.
    #[must_use]
    pub const fn text(self, value: i64) -> TimeText {
        TimeText { value, format: self }
    }

    /// Writes the decimals that the format keeps of a fraction with `digits` digits, cut off and not rounded.
    fn write_fraction(self, text: &mut Buffer, fraction: u64, digits: u32) -> fmt::Result {
        if self.decimals == 0 {
            return Ok(());
        }
        let width = self.decimals as usize;
        write!(text, ".{:0width$}", fraction / 10_u64.pow(digits.saturating_sub(self.decimals)))
    }

    /// Writes a number of nanoseconds or ticks.
    fn write(self, text: &mut Buffer, value: i64) -> fmt::Result {
        if value < 0 {
            text.write_str("-")?;
        }
        let value = value.unsigned_abs();
        let (digits, symbol) = match self.unit {
            TextUnit::Count(name) => return write_count(text, value, &name),
            TextUnit::Clock => {
                let seconds = value / SECOND;
                let (hours, minutes) = (seconds / 3600, seconds / 60 % 60);
                write!(text, "{hours}:{minutes:02}:{:02}", seconds % 60)?;
                return self.write_fraction(text, value % SECOND, 9);
            }
            TextUnit::Power(digits, name) => (digits, name),
        };
        let one = 10_u64.pow(digits);
        write!(text, "{}", value / one)?;
        self.write_fraction(text, value % one, digits)?;
        write!(text, " {symbol}")
    }
}

impl fmt::Display for TimeText {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mut text = Buffer::default();
        self.format.write(&mut text, self.value)?;
        f.pad(text.as_str())
    }
}

/// A text of at most 64 bytes on the stack, so that it can be padded without an allocator. The longest text is a
/// point in time with hours and nine decimals, which takes less than 40.
struct Buffer {
    bytes: [u8; 64],
    len: usize,
}

impl Default for Buffer {
    fn default() -> Self {
        Self { bytes: [0; 64], len: 0 }
    }
}

impl Buffer {
    fn as_str(&self) -> &str {
        self.bytes.get(..self.len).and_then(|bytes| core::str::from_utf8(bytes).ok()).unwrap_or_default()
    }
}

impl Write for Buffer {
    fn write_str(&mut self, text: &str) -> fmt::Result {
        let end = self.len + text.len();
        self.bytes.get_mut(self.len..end).ok_or(fmt::Error)?.copy_from_slice(text.as_bytes());
        self.len = end;
        Ok(())
    }
}

#[cfg(all(test, feature = "alloc"))]
mod tests {
    use alloc::{format, string::ToString};

    use super::*;

    #[test]
    fn durations_have_the_unit_that_suits_them() {
        let ns = |ticks| Clock::NANOSECONDS.duration(Ticks(ticks)).to_string();
        assert_eq!(
            [ns(0), ns(999), ns(1000), ns(1234), ns(12_345_678), ns(123_456_789), ns(7_200_000_000_000)],
            ["0 ns", "999 ns", "1 µs", "1.234 µs", "12.35 ms", "123.5 ms", "7\u{202f}200 s"]
        );
        assert_eq!([ns(-1500), ns(i64::MIN)], ["-1.5 µs", "-9\u{202f}223\u{202f}372\u{202f}036.9 s"]);
        let of = |unit, ticks| Clock::new(unit).duration(Ticks(ticks)).to_string();
        assert_eq!(of(Unit::Nanoseconds(0.25), 3), "0.75 ns");
        assert_eq!(of(Unit::Nanoseconds(f64::MAX), i64::MAX), "inf s");
        assert_eq!(of(Unit::Nanoseconds(1e300), 1), "1.000e291 s");
        assert_eq!(of(Unit::Nanoseconds(f64::MIN_POSITIVE), 1), "0 ns");
        assert_eq!((of(Unit::EVENTS, 1), of(Unit::EVENTS, -7)), ("1 event".into(), "-7 events".into()));
        let samples = Unit::Count(UnitName::new("samples"));
        assert_eq!((of(samples, 1), of(samples, 3)), ("1 sample".into(), "3 samples".into()));
        let bytes = |ticks| of(Unit::Bytes, ticks);
        assert_eq!([bytes(999), bytes(1500), bytes(5 << 20)], ["999 B", "1.5 kB", "5.243 MB"]);
        assert_eq!([bytes(0), bytes(-1), bytes(i64::MAX)], ["0 B", "-1 B", "9\u{202f}223\u{202f}372 TB"]);
        assert_eq!(format!("[{:>8}]", Clock::NANOSECONDS.duration(Ticks(5))), "[    5 ns]");
    }

    #[test]
    fn points_in_time_are_exact() {
        let at = |ticks| Clock::NANOSECONDS.time(Tick(ticks)).to_string();
        assert_eq!([at(0), at(7), at(-1500), at(1_204_000)], ["0 ns", "7 ns", "-1.5 µs", "1.204 ms"]);
        assert_eq!([at(65_500_000_000), at(60_000_000_000)], ["0:01:05.5", "0:01:00"]);
        assert_eq!(at(i64::MIN), "-2562047:47:16.854775808");
        let of = |unit, ticks| Clock::new(unit).time(Tick(ticks)).to_string();
        assert_eq!([of(Unit::EVENTS, 500), of(Unit::EVENTS, 1)], ["500 events", "1 event"]);
        assert_eq!(
            [of(Unit::Bytes, 0), of(Unit::Bytes, 1500), of(Unit::Bytes, -7)],
            ["0 B", "1.5 kB", "-7 B"]
        );
        assert_eq!(of(Unit::Bytes, i64::MIN), "-9223372.036854775808 TB");
        let name = UnitName::new("a name without an end, which is cut");
        assert_eq!(of(Unit::Count(name), i64::MIN), "-9223372036854775808 a name without an end,");
        assert_eq!(Clock::new(Unit::Nanoseconds(0.25)).time(Tick(-6)).to_string(), "-2 ns");
        assert_eq!(Clock::new(Unit::Nanoseconds(1e300)).time(Tick(1)).to_string(), at(i64::MAX));
    }
}
