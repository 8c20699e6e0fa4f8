//! The parser, which reads a profile when all of it is there.

use spall_model::{
    ByteRange, Clock, DiagnosticKind, Event, Id, LendingParser, MetaEvent, Progress, ReadOnce, Receiver,
    Text, Value,
};

use super::samples::{PROCESS, Samples};
use super::schema::{self, Head, field};
use super::tables::Tables;
use super::value_type::{value_type, value_types};
use crate::protobuf::{Fields, Message as _, Packed, Wire, repeated, scalars};
use crate::{FormatError, FormatErrorKind};

/// A parser of profiles of pprof. A profile is one record, which is read at the end of the input: its texts come last.
/// [profiles 3](spall_model::rules::profiles#3)
///
/// # Damage
/// | diagnostic | fault | effect |
/// |---|---|---|
/// | `DamagedRecord` | a profile that cannot be read to its end | what came before is kept |
/// | `DamagedRecord` | a sample that is damaged, or without one value for each type | left out |
/// | `UnknownEntry` | a sample at a location that the profile does not have | left out |
/// | `NegativeWeight` | a sample with a negative value | that value is left out |
/// | `SampleCount` | a sample with more values than a file of this size may have | the first one is kept |
/// | `StackLimit` | a stack for which there are too many different ones in a file of this size | its innermost functions are left out |
/// | `StackLimit` | a location of more than 256 functions inlined into one another | the outermost ones are left out |
/// | `TimeOutOfRange` | values of a thread whose sum is beyond 63 bits | the samples behind them are at the last time |
///
/// # Memory
/// The parser keeps the tables of the profile while it reads it, and the stacks of samples as a tree.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Parser {
    state: ReadOnce<FormatError>,
}

impl Parser {
    /// Creates a parser at the start of a profile.
    #[must_use]
    pub fn new() -> Self {
        Self::default()
    }
}

impl LendingParser for Parser {
    type Error = FormatError;

    /// # Errors
    /// This returns [`FormatErrorKind::BadMagic`] for a profile without a type of value.
    fn lend(
        &mut self,
        data: &[u8],
        eof: bool,
        to: &mut impl for<'e> Receiver<'e>,
    ) -> Result<Progress, FormatError> {
        self.state.read(data, eof, || read(data, to))
    }
}

/// Reads a profile.
fn read(data: &[u8], to: &mut dyn for<'e> Receiver<'e>) -> Result<(), FormatError> {
    if repeated(data, field::SAMPLE_TYPE).next().is_none() {
        return Err(FormatError::new(FormatErrorKind::BadMagic, 0));
    }
    let tables = Tables::read(data);
    let (head, damage) = Head::read(data);
    let types = repeated(data, field::SAMPLE_TYPE).map(schema::ValueType::of);
    let types = value_types(&tables, types, tables.string(head.default_sample_type));
    let of_file = ByteRange::new(0, data.len() as u64);
    if let Some(default) = types.default_type() {
        let epoch_ns = Clock::believable_epoch_ns(head.time_nanos);
        if epoch_ns.is_none() && head.time_nanos != 0 {
            to.receive(&Event::Diagnostic(DiagnosticKind::BadEpoch), of_file);
        }
        to.receive(&Event::Clock(Clock::new(default.unit).with_epoch_ns(epoch_ns)), of_file);
    }
    if !tables.program.is_empty() {
        to.receive(&Event::ProcessName(Id::Number(PROCESS), Text::plain(tables.program)), of_file);
    }
    facts(data, &head, &tables, |key, value| {
        to.receive(&Event::Meta(MetaEvent::new(Text::from(key), value)), of_file);
    });
    let mut samples = Samples::new(&tables, &types);
    let mut fields = Fields::new(data);
    let position = |fields: &Fields<'_>| (data.len() - fields.rest().len()) as u64;
    let mut start = 0;
    while let Some(Ok((number, value))) = fields.next() {
        let end = position(&fields);
        let bytes = ByteRange::new(start, end);
        match (number, value) {
            (field::SAMPLE, Wire::Bytes(sample)) => samples.add(sample, bytes, to),
            (field::LOCATION, Wire::Bytes(location)) if !Tables::is_whole(location) => {
                to.receive(&Event::Diagnostic(DiagnosticKind::StackLimit), bytes);
            }
            _ => {}
        }
        start = end;
    }
    if damage.is_err() {
        let rest = ByteRange::new(start, data.len() as u64);
        to.receive(&Event::Diagnostic(DiagnosticKind::DamagedRecord), rest);
    }
    Ok(())
}

/// Calls `say` for each fact about the profile. [profiles 3.3](spall_model::rules::profiles#3.3)
fn facts(data: &[u8], head: &Head<'_>, tables: &Tables<'_>, mut say: impl FnMut(&str, Value<'_>)) {
    let texts = [
        ("default_sample_type", head.default_sample_type),
        ("drop_frames", head.drop_frames),
        ("keep_frames", head.keep_frames),
        ("doc_url", head.doc_url),
    ];
    let comments = scalars(data, field::COMMENT, Packed::Varint).map(|comment| ("comment", comment));
    for (key, number) in texts.into_iter().chain(comments) {
        let text = tables.string(number);
        if !text.is_empty() {
            say(key, Value::Text(Text::plain(text)));
        }
    }
    if let Some(of) = head.period_type {
        let name = value_type(tables, schema::ValueType::of(of)).name;
        if !name.is_empty() {
            say("period_type", Value::Text(Text::from(&*name)));
        }
    }
    let time = if Clock::believable_epoch_ns(head.time_nanos).is_some() { 0 } else { head.time_nanos };
    let numbers = [("period", head.period), ("duration_nanos", head.duration_nanos), ("time_nanos", time)];
    for (key, number) in numbers {
        if number != 0 {
            say(key, Value::I64(number));
        }
    }
}
