//! Arguments that were built before.
//!
//! A place in a program that records an event gives it the same arguments again and again, and the file has the same bytes for
//! them. In a trace of a browser four of five arguments are of that kind.

use alloc::{vec, vec::Vec};
use core::hash::BuildHasher as _;

use foldhash::fast::RandomState;
use spall_model::{Args, ArgsBuilder};

use super::args::Source;
use crate::protobuf::Wire;

/// The arguments that were made of fields of track events, as many as there are slots. A field has one slot, which it takes
/// from another field.
#[derive(Debug, Clone, Default)]
pub(super) struct KnownArgs {
    slots: Vec<Known>,
    hasher: RandomState,
}

/// The arguments of a field.
#[derive(Debug, Clone, Default)]
struct Known {
    key: Key,
    /// The value of the field, and behind it the arguments.
    bytes: Vec<u8>,
    value_len: usize,
}

/// What the arguments of a value depend on beside the value.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
struct Key {
    /// The number of the field; 0 in a slot that is free.
    number: u32,
    is_varint: bool,
    /// The sequence whose interned entries the value refers to, and their version.
    sequence: u32,
    version: u64,
}

/// The number of slots is two to the power of this.
const SLOT_BITS: u32 = 9;

/// The largest size in bytes of a value with its arguments that is kept.
const MAX_KEPT: usize = 1 << 10;

impl KnownArgs {
    /// Adds the arguments that a field of a track event has.
    pub(super) fn add(
        &mut self,
        source: &Source<'_>,
        (number, value): (u32, Wire<'_>),
        args: &mut ArgsBuilder<'static>,
    ) {
        let varint;
        let (bytes, is_varint) = match value {
            Wire::Bytes(bytes) => (bytes, false),
            Wire::Varint(number) => {
                varint = number.to_le_bytes();
                (&varint[..], true)
            }
            _ => return source.argument(number, value, args),
        };
        let (sequence, version) = (source.sequence.id, source.sequence.interned.version());
        let key = Key { number, is_varint, sequence, version };
        if self.slots.is_empty() {
            self.slots = vec![Known::default(); 1 << SLOT_BITS];
        }
        let hash = self.hasher.hash_one((number, sequence, bytes));
        #[allow(clippy::cast_possible_truncation, reason = "the number has as many bits as a slot")]
        let slot = (hash >> (u64::BITS - SLOT_BITS)) as usize;
        let Some(known) = self.slots.get_mut(slot) else {
            return source.argument(number, value, args);
        };
        let format = args.args().format();
        if let Some((value, built)) = known.bytes.split_at_checked(known.value_len)
            && known.key == key
            && value == bytes
        {
            args.extend(Args::new(built, format));
            return;
        }
        let start = args.args().bytes().len();
        source.is_missing.set(false);
        source.argument(number, value, args);
        let built = args.args().bytes().get(start..).unwrap_or_default();
        // What an entry says that is not there yet is not known. Arguments that are too long are not whole.
        if !source.is_missing.get() && !source.is_too_long(args) && bytes.len() + built.len() <= MAX_KEPT {
            known.bytes.clear();
            known.bytes.extend_from_slice(bytes);
            known.bytes.extend_from_slice(built);
            (known.key, known.value_len) = (key, bytes.len());
        }
    }
}
