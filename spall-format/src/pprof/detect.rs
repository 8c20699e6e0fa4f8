//! Recognises a profile, which has no magic number.

use super::schema::{ValueType, field, inner};
use crate::protobuf::{Fields, Message as _, Packed, Wire, repeated, scalars};

/// The number of fields that prove a profile whose end is not there.
const ENOUGH: usize = 64;

/// Returns whether data is a profile: a message with types of value, whose texts the table of texts has, and whose fields all
/// are what they are in a profile. [profiles 3.1](spall_model::rules::profiles#3.1)
///
/// If the end of the data is not that of the file, the table may be missing; many well-formed fields do then.
#[must_use]
pub fn is_profile(data: &[u8]) -> bool {
    let mut fields = Fields::new(data);
    let n_types = repeated(data, field::SAMPLE_TYPE).count();
    let (mut n_fields, mut n_strings) = (0, 0);
    loop {
        let (number, value) = match fields.next() {
            None => break,
            Some(Ok(field)) => field,
            Some(Err(_)) => return n_types > 0 && n_fields >= ENOUGH,
        };
        let fits = match (number, value) {
            (field::SAMPLE, Wire::Bytes(sample)) => {
                is_message(sample, inner::LABEL)
                    && scalars(sample, inner::VALUE, Packed::Varint).count() == n_types
            }
            (field::STRING, Wire::Bytes(text)) => {
                n_strings += 1;
                n_strings > 1 || text.is_empty()
            }
            (field::SAMPLE_TYPE | field::PERIOD_TYPE, Wire::Bytes(of)) => is_message(of, 2),
            (field::MAPPING, Wire::Bytes(mapping)) => is_message(mapping, 10),
            (field::LOCATION | field::FUNCTION, Wire::Bytes(message)) => is_message(message, 5),
            (field::COMMENT, Wire::Bytes(_)) => true,
            (number, value) => {
                number > field::STRING && number <= field::LAST && matches!(value, Wire::Varint(_))
            }
        };
        if !fits {
            return false;
        }
        n_fields += 1;
    }
    let has = |number: u64| number > 0 && number < n_strings;
    let mut types = repeated(data, field::SAMPLE_TYPE).map(ValueType::of);
    n_types > 0 && types.all(|of| has(of.kind) && (of.unit == 0 || has(of.unit)))
}

/// Returns whether bytes are a message whose fields have numbers up to `last`.
fn is_message(bytes: &[u8], last: u32) -> bool {
    Fields::new(bytes).all(|field| matches!(field, Ok((number, _)) if number <= last))
}
