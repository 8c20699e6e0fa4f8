//! The Zstandard decoder. [apitrace C.1](crate::rules::apitrace#C.1)

use ruzstd::decoding::errors::{FrameDecoderError, ReadFrameHeaderError};
use ruzstd::decoding::{BlockDecodingStrategy, FrameDecoder};

use super::{DecodeFailure, Output, STEP};

/// Decodes all frames and skips skippable ones, such as the index of a seekable file.
///
/// Of a frame that is cut off, the last bytes are lost: the decoder holds back up to one window.
pub(super) fn decode(data: &[u8], output: &mut Output) -> Result<(), DecodeFailure> {
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
                rest = rest.get(length..).ok_or(DecodeFailure::Truncated { from: start })?;
                continue;
            }
            // A header that is cut off uses up the input, whatever the decoder's error is.
            Err(_) if rest.is_empty() => return Err(DecodeFailure::Truncated { from: start }),
            Err(_) => return Err(DecodeFailure::Invalid { from: start }),
        }
        while !decoder.is_finished() {
            let before = position(rest);
            let decoded = decoder.decode_blocks(&mut rest, BlockDecodingStrategy::UptoBytes(STEP));
            // Before the decoder copies its bytes out of the window: that copy may be as large as the window.
            output.reserve(decoder.can_collect(), position(rest))?;
            output.push(&decoder.collect().unwrap_or_default(), position(rest))?;
            if decoded.is_err() {
                return Err(if rest.is_empty() {
                    DecodeFailure::Truncated { from: before }
                } else {
                    DecodeFailure::Invalid { from: before }
                });
            }
        }
    }
    Ok(())
}
