//! The header of the file. [spall A.0](crate::rules::spall#A.0) [spall A.1](crate::rules::spall#A.1)

use spall_model::{ByteRange, Clock, DiagnosticKind, Event, Progress, Receiver, Unit};
use zerocopy::FromBytes;

use super::{Parser, State};
use crate::spall::Version;
use crate::spall::wire::{FileHeader, usable_ns_per_tick};
use crate::spall::{auto, probe};
use crate::{FormatError, FormatErrorKind};

impl Parser {
    /// Reads the header of the file, which becomes the clock.
    pub(super) fn read_header(
        &mut self,
        unit: Option<f64>,
        data: &[u8],
        eof: bool,
        to: &mut dyn Receiver<'_>,
    ) -> Result<Progress, FormatError> {
        let Ok((header, _)) = FileHeader::ref_from_prefix(data) else {
            if eof {
                return self.place.fail(cut_header(data));
            }
            return Ok(Progress::NeedMore(size_of::<FileHeader>().saturating_sub(data.len())));
        };
        let checked = check_magic(header.magic.get()).and_then(|()| check_version(header.version.get()));
        let version = match checked {
            Ok(version) => version,
            Err(error) => return self.place.fail(error),
        };
        let tick = header.timestamp_unit.get();
        let ns_per_tick = if version == Version::V3 { tick } else { tick * 1000.0 };
        let ns_per_tick = unit.or_else(|| usable_ns_per_tick(ns_per_tick));
        self.version = Some(version);
        self.state = match version {
            Version::V3 => State::V3,
            Version::V1 => State::V1,
            Version::V0 => State::Probe { first_draft: probe::may_be_first_draft(header) },
        };
        self.ns_per_tick = ns_per_tick.unwrap_or(1.0);
        let unit = Unit::Nanoseconds(if version == Version::V3 { self.ns_per_tick } else { 1.0 });
        self.clock = Clock::new(unit);
        let progress = self.place.hand_over(size_of::<FileHeader>(), &Event::Clock(self.clock), to);
        if ns_per_tick.is_none() {
            to.receive(&Event::Diagnostic(DiagnosticKind::BadTimeUnit), ByteRange::new(16, 24));
        }
        Ok(progress)
    }
}

/// Returns what is wrong with a file that is too short for a header. A wrong magic number or version says more than the
/// cut. [spall A.1](crate::rules::spall#A.1)
fn cut_header(data: &[u8]) -> FormatError {
    let (magic, version) = data.split_at_checked(8).unwrap_or((data, b""));
    let checked = match magic.first_chunk() {
        Some(magic) => check_magic(u64::from_le_bytes(*magic)),
        None if FileHeader::MAGIC.to_le_bytes().starts_with(magic) => Ok(()),
        None => Err(FormatError::new(FormatErrorKind::BadMagic, 0)),
    };
    let checked = checked.and_then(|()| match version.first_chunk() {
        Some(version) => check_version(u64::from_le_bytes(*version)).map(|_| ()),
        None => Ok(()),
    });
    let needed = u32::try_from(size_of::<FileHeader>().saturating_sub(data.len())).unwrap_or(u32::MAX);
    checked.err().unwrap_or(FormatError::new(FormatErrorKind::UnexpectedEof { needed }, data.len() as u64))
}

/// Checks that a file is a manual stream. [spall A.0](crate::rules::spall#A.0)
fn check_magic(magic: u64) -> Result<(), FormatError> {
    let kind = match magic {
        FileHeader::MAGIC => return Ok(()),
        auto::Header::MAGIC => FormatErrorKind::AutoTrace,
        _ if magic.swap_bytes() == FileHeader::MAGIC => FormatErrorKind::BigEndian,
        _ => FormatErrorKind::BadMagic,
    };
    Err(FormatError::new(kind, 0))
}

/// Checks that a version is supported. [spall A.1](crate::rules::spall#A.1) [spall A.4](crate::rules::spall#A.4)
fn check_version(number: u64) -> Result<Version, FormatError> {
    const FIELD: u64 = 8;
    Version::from_number(number).ok_or_else(|| {
        let kind = match number {
            2 => FormatErrorKind::UnreleasedVersion,
            _ => FormatErrorKind::UnsupportedVersion { version: u32::try_from(number).unwrap_or(u32::MAX) },
        };
        FormatError::new(kind, FIELD)
    })
}
