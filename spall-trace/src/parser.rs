//! One parser for every format.

use spall_model::{Chunk, Parser};

use crate::{Error, Format};

/// The parser of any format, chosen by [`Format`].
#[derive(Debug, Clone)]
#[allow(clippy::large_enum_variant, reason = "one lives as long as a file is read")]
pub(crate) enum AnyParser {
    Spall(spall_format::spall::Parser),
    Heph(spall_format::heph::Parser),
    Json(spall_json::JsonParser),
}

impl AnyParser {
    /// The parser of a format, if there is one.
    pub(crate) fn new(format: Format) -> Option<Self> {
        Some(match format {
            Format::Spall { .. } => Self::Spall(spall_format::spall::Parser::new()),
            Format::Heph => Self::Heph(spall_format::heph::Parser::new()),
            Format::TraceEventJson | Format::CpuProfile => Self::Json(spall_json::JsonParser::new()),
            _ => return None,
        })
    }
}

impl Parser for AnyParser {
    type Error = Error;

    #[inline]
    fn parse<'a>(&mut self, data: &'a [u8], eof: bool) -> Result<Chunk<'a>, Error> {
        match self {
            Self::Spall(parser) => parser.parse(data, eof).map_err(Error::Binary),
            Self::Heph(parser) => parser.parse(data, eof).map_err(Error::Binary),
            Self::Json(parser) => parser.parse(data, eof).map_err(Error::Json),
        }
    }
}
