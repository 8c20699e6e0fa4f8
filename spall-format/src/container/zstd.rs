//! Zstandard. \[apitrace C.1\]

use ruzstd::decoding::errors::{FrameDecoderError, ReadFrameHeaderError};
use ruzstd::decoding::{BlockDecodingStrategy, FrameDecoder};

use super::{Output, STEP, Stop};

/// Decodes all frames and steps over skippable ones, among them the index of a seekable file.
///
/// Of a frame that is cut off, what the decoder still holds back, up to its window, is lost.
pub(super) fn unpack(data: &[u8], output: &mut Output) -> Result<(), Stop> {
    let mut decoder = FrameDecoder::new();
    let mut rest = data;
    let position = |rest: &[u8]| data.len() - rest.len();
    while !rest.is_empty() {
        let start = position(rest);
        match decoder.reset(&mut rest) {
            Ok(()) => {}
            Err(FrameDecoderError::ReadFrameHeaderError(ReadFrameHeaderError::SkipFrame {
                length, ..
            })) => {
                let length = usize::try_from(length).unwrap_or(usize::MAX);
                rest = rest.get(length..).ok_or(Stop::Cut { from: start })?;
                continue;
            }
            Err(_) if rest.is_empty() => return Err(Stop::Cut { from: start }),
            Err(_) => return Err(Stop::Bad { from: start }),
        }
        while !decoder.is_finished() {
            let before = position(rest);
            let decoded = decoder.decode_blocks(&mut rest, BlockDecodingStrategy::UptoBytes(STEP));
            if !output.has_room(decoder.can_collect()) {
                return Err(Stop::Full { at: position(rest) });
            }
            output.bytes.extend(decoder.collect().unwrap_or_default());
            if decoded.is_err() {
                return Err(if rest.is_empty() {
                    Stop::Cut { from: before }
                } else {
                    Stop::Bad { from: before }
                });
            }
        }
        if !output.has_room(decoder.can_collect()) {
            return Err(Stop::Full { at: position(rest) });
        }
        output.bytes.extend(decoder.collect().unwrap_or_default());
    }
    Ok(())
}
