//! The parser of the text that a replay prints, which has real times of calls. [apitrace
//! C.5](crate::rules::apitrace#C.5)

use core::convert::Infallible;
use core::str::FromStr;

use spall_model::{
    ByteRange, Clock, Event, Id, Progress, Receiver, Text, Thread, ThreadEvent, ThreadRole, Tick, Ticks,
};

/// A parser of the text that `apitrace replay --pcpu --pgpu` prints.
///
/// Each line of a call becomes a slice on the thread `cpu` and one on the thread `gpu`, in nanoseconds from a start that
/// the text does not give. A time that was not measured yields no slice; only draw calls have times of the graphics
/// processor. The slices of a thread may overlap partially, because a processor may begin a call before the previous
/// one is done.
///
/// The first events are the clock and the roles of the threads. Lines of another form are skipped, such as the output of
/// the replayed program or an incomplete line of a call. Nothing in the text is an error.
///
/// ```
/// use spall_format::apitrace::ReplayParser;
/// use spall_model::{Event, Parser};
///
/// let text = b"Rendered 1 frames\ncall 58 71935102 52 14776120 54774454 0 0 0 0 -1 0 glDrawArrays\nframe_end\n";
/// let mut slices = Vec::new();
/// ReplayParser::new().parse_all(text, |event, _| {
///     if let Event::Complete(slice, duration) = event {
///         slices.push((slice.thread.tid.to_string(), slice.at.0, duration.0));
///     }
/// })?;
/// assert_eq!(slices, [("cpu".to_owned(), 14_776_120, 54_774_454), ("gpu".to_owned(), 71_935_102, 52)]);
/// # Ok::<(), core::convert::Infallible>(())
/// ```
#[derive(Debug, Clone, Default)]
pub struct ReplayParser {
    offset: u64,
    has_begun: bool,
}

impl ReplayParser {
    /// Creates a parser at the start of a text.
    #[must_use]
    pub const fn new() -> Self {
        Self { offset: 0, has_begun: false }
    }
}

impl spall_model::Parser for ReplayParser {
    type Error = Infallible;

    fn read<'a>(
        &mut self,
        data: &'a [u8],
        eof: bool,
        to: &mut impl Receiver<'a>,
    ) -> Result<Progress, Infallible> {
        let length = match data.iter().position(|&byte| byte == b'\n') {
            Some(end) => end + 1,
            None if eof => data.len(),
            // Asking for as many bytes as there are of a line keeps the total work linear in its length.
            None => return Ok(Progress::NeedMore(data.len().max(1))),
        };
        if !core::mem::replace(&mut self.has_begun, true) {
            to.receive(&Event::Clock(Clock::NANOSECONDS), ByteRange::default());
            to.receive(&Event::ThreadRole(thread(b"cpu"), ThreadRole::Cpu), ByteRange::default());
            to.receive(&Event::ThreadRole(thread(b"gpu"), ThreadRole::Gpu), ByteRange::default());
        }
        if length == 0 {
            return Ok(Progress::End);
        }
        let start = self.offset;
        self.offset = start.saturating_add(u64::try_from(length).unwrap_or(u64::MAX));
        if let Some((name, times)) = data.get(..length).and_then(read_call) {
            for (processor, start_ns, duration_ns) in times {
                if (start_ns, duration_ns) != (0, 0) {
                    let slice = ThreadEvent::new(thread(processor), Tick(start_ns), Text::plain(name));
                    let event = Event::Complete(slice, Ticks(duration_ns));
                    to.receive(&event, ByteRange::new(start, self.offset));
                }
            }
        }
        Ok(Progress::Read(length))
    }
}

/// The start and the duration of a call on a processor, in nanoseconds. Both are 0 if they were not measured.
type Measured = (&'static [u8], i64, i64);

/// Reads a line of a call, and returns the name of its function and its times. Returns `None` for a line of another form.
fn read_call(line: &[u8]) -> Option<(&[u8], [Measured; 2])> {
    let mut fields = line.trim_ascii().split(|&byte| byte == b' ');
    fields.next().filter(|&kind| kind == b"call")?;
    // The call, times, sizes of the memory, pixels, and the shader program.
    let mut columns = [0; 11];
    for column in &mut columns {
        *column = i64::from_str(core::str::from_utf8(fields.next()?).ok()?).ok()?;
    }
    let [_, gpu_start, gpu_duration, cpu_start, cpu_duration, ..] = columns;
    Some((fields.next()?, [(b"cpu", cpu_start, cpu_duration), (b"gpu", gpu_start, gpu_duration)]))
}

/// Returns the thread that stands for a processor.
fn thread(processor: &'static [u8]) -> Thread<'static> {
    Thread { pid: Id::Number(0), tid: Id::Text(processor) }
}

#[cfg(test)]
mod tests {
    use alloc::vec::Vec;

    use spall_model::Parser as _;

    use super::*;

    /// Thread, start, duration and first byte of each slice.
    fn slices(text: &[u8]) -> Vec<(&[u8], i64, i64, u64)> {
        let mut found = Vec::new();
        let each = |event: &Event<'_>, bytes: ByteRange| {
            let Event::Complete(slice, duration) = event else { return };
            let processor: &[u8] = if slice.thread.tid == Id::Text(b"cpu") { b"cpu" } else { b"gpu" };
            found.push((processor, slice.at.0, duration.0, bytes.start));
        };
        ReplayParser::new().parse_all(text, each).unwrap();
        found
    }

    #[test]
    fn c5_lines_of_others_and_cut_ones_are_skipped() {
        let text = b"# call no gpu_start\ncall 1 2 3\ncall x 0 0 0 0 0 0 0 0 0 0 f\nframe_end\r\nrendering_finished 7";
        assert_eq!(slices(text), []);
        let mut n_events = 0;
        ReplayParser::new().parse_all(b"", |_, _| n_events += 1).unwrap();
        assert_eq!(n_events, 3, "the clock and two threads");
    }

    #[test]
    fn c5_times_become_slices_of_two_processors() {
        let text = b"call 1 0 0 4 5 0 0 0 0 -1 0 glFlush\n\ncall 2 6 7 8 9 1 2 3 4 1 0 glClear";
        assert_eq!(slices(text), [(&b"cpu"[..], 4, 5, 0), (b"cpu", 8, 9, 37), (b"gpu", 6, 7, 37)]);
    }

    #[test]
    fn c5_a_line_may_arrive_in_pieces() {
        let mut see = |event: &Event<'_>, _: ByteRange| assert!(!matches!(event, Event::Complete(..)));
        let mut parser = ReplayParser::new();
        assert_eq!(parser.read(b"call 1 0 0 4", false, &mut see), Ok(Progress::NeedMore(12)));
        assert_eq!(parser.read(b"call 1 0 0 4\n", false, &mut see), Ok(Progress::Read(13)));
        assert_eq!(parser.read(b"", true, &mut see), Ok(Progress::End));
    }
}
