//! The open spans of a group by their arguments. [pairing 5](crate::rules::pairing#5)

use alloc::vec::Vec;
use core::hash::{BuildHasher as _, Hash as _, Hasher as _};

use foldhash::fast::RandomState;
use hashbrown::HashMap;

use crate::{Args, NameId, Value, open_stack::OpenStack};

/// The spans of a group that have arguments, by their names and hashes of these.
///
/// Two arguments of one hash count as equal: with 64 bits and a seed of this run that they are not is as good as impossible.
#[derive(Debug, Default)]
pub(super) struct ByArgs {
    /// The positions of spans in the stack and their rows, the innermost last. Some have been closed.
    spans: HashMap<(NameId, u64), Vec<(u32, u32)>, RandomState>,
    hasher: RandomState,
}

impl ByArgs {
    /// Adds a span that begins.
    pub(super) fn add(&mut self, name: NameId, args: Args<'_>, position: u32, row: u32) {
        if let Some(hash) = self.hash(args) {
            self.spans.entry((name, hash)).or_default().push((position, row));
        }
    }

    /// Returns the position of the innermost open span that an end with these arguments closes, and removes it from this
    /// list. Returns `None` if there is none.
    pub(super) fn take<T: Copy>(
        &mut self,
        name: NameId,
        args: Args<'_>,
        open: &OpenStack<(u32, T)>,
    ) -> Option<u32> {
        let hash = self.hash(args)?;
        let spans = self.spans.get_mut(&(name, hash))?;
        // A position that became free is given to a later span, and a row is not.
        let is_open = |(position, row)| open.get(position).is_some_and(|span| span.item.0 == row);
        core::iter::from_fn(|| spans.pop()).find(|&span| is_open(span)).map(|(position, _)| position)
    }

    /// Returns a hash of arguments, or `None` if there are none. The other fields of the event are not among them.
    fn hash(&self, args: Args<'_>) -> Option<u64> {
        let mut hasher = self.hasher.build_hasher();
        let mut n_entries = 0_u32;
        for (key, value) in args.iter() {
            n_entries += 1;
            key.raw().hash(&mut hasher);
            core::mem::discriminant(&value).hash(&mut hasher);
            match value {
                Value::Null => {}
                Value::Bool(value) => value.hash(&mut hasher),
                Value::I64(value) => value.hash(&mut hasher),
                Value::U64(value) => value.hash(&mut hasher),
                Value::F64(value) => value.to_bits().hash(&mut hasher),
                Value::Text(text) => text.raw().hash(&mut hasher),
                Value::Bytes(bytes) => bytes.hash(&mut hasher),
                Value::List(args) | Value::Map(args) => args.bytes().hash(&mut hasher),
            }
        }
        (n_entries > 0).then(|| hasher.finish())
    }
}
