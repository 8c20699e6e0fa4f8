//! What programs print in the form of Android's atrace. [ftrace 3](crate::rules::ftrace#3)

use spall_model::{AsyncPhase, DiagnosticKind, Event, Id, KeyedEvent, Text, Tick};

use super::event_fields::At;
use super::fields::number;
use super::kernel::Kernel;
use super::output::{Counters, Output, Shown, signed_float};
use super::tasks::Step;

/// Why a printed text has no meaning.
enum Fault {
    /// A part of it is missing, or is no number.
    Damaged,
    /// No event has this letter.
    UnknownVerb,
    /// It has another form.
    OtherText,
}

/// Returns whether a text begins as those do that this module reads.
pub(crate) fn begins_as_mark(text: &[u8]) -> bool {
    matches!(text, [b'B' | b'E' | b'C' | b'S' | b'F' | b'G' | b'H' | b'I' | b'N', b'|', ..] | [b'E'])
}

impl Kernel {
    /// Hands over what a thread has printed.
    pub(crate) fn print(&mut self, text: &[u8], tid: i64, at: i64, out: &mut Output<'_>) {
        let end = text.iter().rposition(|byte| !matches!(byte, b'\n' | 0)).map_or(0, |last| last + 1);
        let text = text.get(..end).unwrap_or_default();
        match self.mark(text, tid, at, out) {
            Ok(()) => {}
            Err(Fault::Damaged) => out.report(DiagnosticKind::DamagedEvent),
            Err(Fault::UnknownVerb) => out.report(DiagnosticKind::UnknownEvent),
            Err(Fault::OtherText) => out.report(DiagnosticKind::NotRead),
        }
    }

    /// Hands over that Android has killed a process, as `PID,REASON,OOM_SCORE_ADJ`.
    #[cold]
    fn killed(&mut self, text: &[u8], at: i64, out: &mut Output<'_>) {
        let mut parts = text.split(|&byte| byte == b',').map(number);
        let Some(pid) = parts.next().flatten() else { return };
        self.step(&At::Process(pid), at, (Step::Instant, "mem.lmk", ""), out);
        if let Some(score) = parts.nth(1).flatten() {
            out.counter((Id::Number(pid), None), b"oom_score_adj", at, signed_float(score));
        }
    }

    fn mark(&mut self, text: &[u8], tid: i64, at: i64, out: &mut Output<'_>) -> Result<(), Fault> {
        let (&verb, rest) = text.split_first().ok_or(Fault::OtherText)?;
        let rest = match rest {
            [b'|', rest @ ..] => rest,
            [] if verb == b'E' => rest,
            [] if begins_as_mark(&[verb, b'|']) => return Err(Fault::Damaged),
            _ => return Err(Fault::OtherText),
        };
        if verb == b'E' {
            self.tasks.step(tid, at, (Step::End, b"", ""), out);
            return Ok(());
        }
        if !begins_as_mark(text) {
            return Err(if verb.is_ascii_uppercase() { Fault::UnknownVerb } else { Fault::OtherText });
        }
        let bar = memchr::memchr(b'|', rest).unwrap_or(rest.len());
        let (process, behind) = rest.split_at_checked(bar).unwrap_or_default();
        let behind = behind.get(1..).unwrap_or_default();
        let process = number(process).ok_or(Fault::Damaged)?;
        if tid != 0 {
            self.tasks.place_unknown(tid, if process == 0 { tid } else { process }, out);
        }
        if verb == b'B' {
            if let Some(killed) = behind.strip_prefix(b"lmk,") {
                self.killed(killed, at, out);
            }
            let name = if behind.is_empty() { self.no_name.as_bytes() } else { behind };
            self.tasks.step(tid, at, (Step::Begin, name, ""), out);
            return Ok(());
        }
        let mut parts = behind.split(|&byte| byte == b'|');
        let mut part = || parts.next().filter(|part| !part.is_empty()).ok_or(Fault::Damaged);
        let cookie = |part| number(part).ok_or(Fault::Damaged);
        let span = |cookie: i64, name, track| {
            let event = KeyedEvent::new(process, Tick(at), cookie, Text::plain(name));
            let mut event = event.with_scope(Text::plain(track));
            event.local = true;
            event
        };
        let (phase, event) = match verb {
            b'I' => {
                let name = part()?;
                self.tasks.step(tid, at, (Step::Instant, name, ""), out);
                return Ok(());
            }
            b'C' => {
                let (name, value) = (part()?, part()?);
                let value =
                    number(value).map(signed_float).or_else(|| decimal(value)).ok_or(Fault::Damaged)?;
                // How Android's killer of processes says which one it has killed.
                if name == b"kill_one_process" {
                    #[allow(clippy::cast_possible_truncation, reason = "the id of a process is whole")]
                    self.step(&At::Process(value as i64), at, (Step::Instant, "mem.lmk", ""), out);
                }
                Counters { name: &mut self.name, at, out }.say(
                    Id::Number(process),
                    format_args!("{}", Shown(name)),
                    value,
                );
                return Ok(());
            }
            b'S' | b'F' => {
                let (name, cookie) = (part()?, cookie(part()?)?);
                let phase = if verb == b'S' { AsyncPhase::Start } else { AsyncPhase::Finish };
                (phase, span(cookie, name, b""))
            }
            b'N' => {
                let (track, name) = (part()?, part()?);
                (AsyncPhase::Instant, span(0, name, track))
            }
            b'G' => {
                let (track, name, cookie) = (part()?, part()?, cookie(part()?)?);
                (AsyncPhase::Begin, span(cookie, name, track))
            }
            _ => {
                // The name is left out in newer files.
                let (track, third) = (part()?, part()?);
                (AsyncPhase::End, span(cookie(part().unwrap_or(third))?, b"", track))
            }
        };
        out.say(&Event::Async(phase, event));
        Ok(())
    }
}

/// Returns a number with a fraction.
fn decimal(text: &[u8]) -> Option<f64> {
    let is_decimal = text.iter().all(|byte| byte.is_ascii_digit() || matches!(byte, b'.' | b'-'));
    let number = core::str::from_utf8(text).ok().filter(|_| is_decimal)?.parse();
    number.ok().filter(|number: &f64| number.is_finite())
}
