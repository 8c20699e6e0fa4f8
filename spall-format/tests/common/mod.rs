//! What several tests of parsers share.
#![allow(dead_code, clippy::allow_attributes, clippy::std_instead_of_alloc, reason = "each test uses a part")]

use core::fmt::Debug;
use spall_model::{ByteRange, Event, LendingParser, Parser, Progress};

/// An event with the bytes of the file that it comes from.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) struct Item<'a> {
    pub(crate) event: Event<'a>,
    pub(crate) bytes: ByteRange,
}

/// Returns the events of a file, and the error at the end if there is one.
pub(crate) fn items<'a, P: Parser>(
    parser: P,
    data: &'a [u8],
) -> std::vec::IntoIter<Result<Item<'a>, P::Error>> {
    let mut items = Vec::new();
    let result = parser.parse_all(data, |&event, bytes| items.push(Ok(Item { event, bytes })));
    items.extend(result.err().map(Err));
    items.into_iter()
}

/// An event as text, with the bytes that it comes from, or what ended reading.
pub(crate) type Step<E> = Result<(String, ByteRange), E>;

/// Returns the events of `data` as `text` describes them. The parser sees `start..next(start, end)` and then more and
/// more.
///
/// This checks what every call of a parser promises.
pub(crate) fn in_pieces<P>(
    mut parser: P,
    data: &[u8],
    next: impl Fn(usize, usize) -> usize,
    text: impl Fn(&Event<'_>) -> String,
) -> Vec<Step<P::Error>>
where
    P: LendingParser<Error: Debug + PartialEq + Clone>,
{
    let (mut start, mut end) = (0, 0);
    let mut steps = Vec::new();
    loop {
        let eof = end == data.len();
        let before = steps.len();
        let mut see = |event: &Event<'_>, bytes: ByteRange| steps.push(Ok((text(event), bytes)));
        let progress = parser.lend(&data[start..end], eof, &mut see);
        let nothing = &mut |event: &Event<'_>, _: ByteRange| panic!("{event:?} behind the end");
        match progress {
            Ok(Progress::Read(length)) => {
                start += length;
                assert!(start <= end);
            }
            Ok(Progress::NeedMore(more)) => {
                assert!(more > 0 && !eof && steps.len() == before);
                end = next(start, end).clamp(end + 1, data.len());
            }
            Ok(Progress::End) => {
                assert_eq!(parser.lend(b"", true, nothing), Ok(Progress::End));
                return steps;
            }
            Err(error) => {
                assert_eq!(parser.lend(b"", true, nothing), Err(error.clone()));
                steps.push(Err(error));
                return steps;
            }
        }
    }
}

/// Returns the sizes of the buffers of a whole file of spall version 3, without their headers of 20 bytes.
pub(crate) fn spall_buffers(data: &[u8]) -> Vec<usize> {
    let (mut sizes, mut rest) = (Vec::new(), &data[32..]);
    while let Some(size) = rest.first_chunk().map(|size| u32::from_le_bytes(*size) as usize) {
        sizes.push(size);
        rest = &rest[20 + size..];
    }
    sizes
}
