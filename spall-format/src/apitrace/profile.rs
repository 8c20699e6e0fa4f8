//! The reader of the text that a replay prints, which has real times of calls. [apitrace
//! C.5](crate::rules::apitrace#C.5)

use core::str::FromStr;

use spall_model::{ByteRange, Clock, Event, Id, Parsed, Text, Thread, ThreadEvent, ThreadRole, Tick, Ticks};

/// The measurements of one call by `apitrace replay --pcpu --pgpu --ppd --pmem`.
///
/// Times are in nanoseconds from a start that the text does not give. A value that was not measured is 0.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub struct CallProfile<'a> {
    /// The number of the call in the recording: [`Call::number`](super::Call::number).
    pub number: u64,
    /// The start and the duration of the work of the graphics processor, in nanoseconds. Only draw calls have it.
    pub gpu: Measurement,
    /// The start and the duration of the call on the processor, in nanoseconds.
    pub cpu: Measurement,
    /// The virtual memory before the call and its growth, in bytes.
    pub virtual_memory: Measurement,
    /// The resident memory before the call and its growth, in bytes.
    pub resident_memory: Measurement,
    /// The number of pixels that the call drew, or `None` if it was not measured.
    pub pixels: Option<u64>,
    /// The number of the shader program in use, or 0 if there was none.
    pub program: u64,
    /// The name of the function.
    pub name: &'a [u8],
}

/// A start value and the amount that follows it: a time and a duration, or a memory size and its growth.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
#[non_exhaustive]
pub struct Measurement {
    /// The time at which the call began, or the size of the memory before the call.
    pub start: i64,
    /// The duration of the call, or the growth of the memory, which may be negative.
    pub amount: i64,
}

/// One line of the text that a replay prints.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub enum ProfileLine<'a> {
    /// The measurements of a call.
    Call(CallProfile<'a>),
    /// The end of a frame.
    FrameEnd,
    /// The time at which the graphics processor finished a frame, in nanoseconds.
    RenderingFinished(i64),
}

/// Returns an iterator over the lines of `text`, which a replay printed.
///
/// Lines of another form are skipped, such as the output of the replayed program or an incomplete line of a call.
///
/// ```
/// use spall_format::apitrace::{ProfileLine, profile_lines};
///
/// let text = b"Rendered 1 frames\ncall 58 71935102 52 14776120 54774454 0 0 0 0 -1 0 glDrawArrays\nframe_end\n";
/// let lines: Vec<_> = profile_lines(text).collect();
/// let ProfileLine::Call(call) = lines[0] else { panic!() };
/// assert_eq!((call.number, call.gpu.amount, call.cpu.start), (58, 52, 14_776_120));
/// assert_eq!((call.pixels, call.name), (None, &b"glDrawArrays"[..]));
/// assert_eq!(lines[1], ProfileLine::FrameEnd);
/// ```
pub fn profile_lines(text: &[u8]) -> impl Iterator<Item = ProfileLine<'_>> {
    text.split(|&byte| byte == b'\n').filter_map(parse_line)
}

/// Returns an iterator over the times of calls in `text`, as slices on two threads, `cpu` and `gpu`, in nanoseconds.
///
/// The slices of a thread may overlap partially, because a processor may begin a call before the previous one is done.
/// The first events are the clock and the roles of the threads.
///
/// ```
/// use spall_format::apitrace::profile_events;
/// use spall_model::Event;
///
/// let text = b"call 1 0 0 4 5 0 0 0 0 -1 0 glFlush\n";
/// let Event::Complete(flush, duration) = profile_events(text).last().unwrap().event else { panic!() };
/// assert!(flush.name.is(b"glFlush"));
/// assert_eq!((flush.at.0, duration.0), (4, 5));
/// ```
pub fn profile_events(text: &[u8]) -> impl Iterator<Item = Parsed<'_>> {
    let mut offset = 0_u64;
    let slices = text.split_inclusive(|&byte| byte == b'\n').flat_map(move |bytes| {
        let start = offset;
        offset += u64::try_from(bytes.len()).unwrap_or(u64::MAX);
        let bytes_of = ByteRange::new(start, offset);
        let slices = match parse_line(bytes) {
            Some(ProfileLine::Call(call)) => {
                [slice(b"cpu", call.cpu, call.name), slice(b"gpu", call.gpu, call.name)]
            }
            _ => [None, None],
        };
        slices.into_iter().flatten().map(move |event| Parsed { consumed: 0, event, bytes: bytes_of })
    });
    let header = [
        Event::Clock(Clock::NANOSECONDS),
        Event::ThreadRole(thread(b"cpu"), ThreadRole::Cpu),
        Event::ThreadRole(thread(b"gpu"), ThreadRole::Gpu),
    ];
    let header = header.map(|event| Parsed { consumed: 0, event, bytes: ByteRange::default() });
    header.into_iter().chain(slices)
}

/// Returns a slice, or `None` if nothing was measured.
fn slice<'a>(processor: &'static [u8], measured: Measurement, name: &'a [u8]) -> Option<Event<'a>> {
    let slice = ThreadEvent::new(thread(processor), Tick(measured.start), Text::plain(name));
    (measured != Measurement::default()).then_some(Event::Complete(slice, Ticks(measured.amount)))
}

/// Returns the thread that stands for a processor.
fn thread(processor: &'static [u8]) -> Thread<'static> {
    Thread { pid: Id::Number(0), tid: Id::Text(processor) }
}

/// Reads a line, or returns `None` if it has another form.
fn parse_line(line: &[u8]) -> Option<ProfileLine<'_>> {
    let mut fields = line.trim_ascii().split(|&byte| byte == b' ');
    match fields.next()? {
        b"call" => parse_call(fields).map(ProfileLine::Call),
        b"frame_end" => Some(ProfileLine::FrameEnd),
        b"rendering_finished" => number(fields.next()).map(ProfileLine::RenderingFinished),
        _ => None,
    }
}

/// Reads the columns of a call's line, in the order in which the replay prints them.
fn parse_call<'a>(mut fields: impl Iterator<Item = &'a [u8]>) -> Option<CallProfile<'a>> {
    let call_number = number(fields.next())?;
    let mut measured = || Some(Measurement { start: number(fields.next())?, amount: number(fields.next())? });
    let (gpu, cpu, virtual_memory, resident_memory) = (measured()?, measured()?, measured()?, measured()?);
    // -1 stands for a number that was not measured.
    let pixels: i64 = number(fields.next())?;
    Some(CallProfile {
        number: call_number,
        gpu,
        cpu,
        virtual_memory,
        resident_memory,
        pixels: u64::try_from(pixels).ok(),
        program: number(fields.next())?,
        name: fields.next()?,
    })
}

fn number<N: FromStr>(field: Option<&[u8]>) -> Option<N> {
    core::str::from_utf8(field?).ok()?.parse().ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn c5_lines_of_others_and_cut_ones_are_passed_over() {
        let text = b"# call no gpu_start\ncall 1 2 3\ncall x 0 0 0 0 0 0 0 0 0 0 f\nframe_end\r\nrendering_finished 7";
        assert!(profile_lines(text).eq([ProfileLine::FrameEnd, ProfileLine::RenderingFinished(7)]));
    }

    #[test]
    fn c5_times_become_slices_of_two_processors() {
        let text = b"call 1 0 0 4 5 0 0 0 0 -1 0 glFlush\n\ncall 2 6 7 8 9 0 0 0 0 1 0 glClear\n";
        let slices = profile_events(text).filter_map(|parsed| match parsed.event {
            Event::Complete(slice, duration) => {
                Some((slice.thread.tid, slice.at.0, duration.0, parsed.bytes.start))
            }
            _ => None,
        });
        let (cpu, gpu) = (Id::Text(b"cpu"), Id::Text(b"gpu"));
        assert!(slices.eq([(cpu, 4, 5, 0), (cpu, 8, 9, 37), (gpu, 6, 7, 37)]));
    }

    #[test]
    fn c5_every_column_has_its_place() {
        let Some(ProfileLine::Call(call)) = profile_lines(b"call 1 2 3 4 5 6 7 8 9 10 11 glClear").next()
        else {
            panic!("a call")
        };
        let measured = |start, amount| Measurement { start, amount };
        assert_eq!((call.number, call.gpu, call.cpu), (1, measured(2, 3), measured(4, 5)));
        assert_eq!((call.virtual_memory, call.resident_memory), (measured(6, 7), measured(8, 9)));
        assert_eq!((call.pixels, call.program, call.name), (Some(10), 11, &b"glClear"[..]));
    }
}
