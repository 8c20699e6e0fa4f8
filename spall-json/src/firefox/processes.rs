//! The processes of a document, of which several may have one id. [profiles 2.5](crate::rules::profiles#2.5)

use alloc::{collections::BTreeMap, format, string::String};

use spall_model::{Id, Text};

/// An id of a process that has an order: its number, or its text.
type Pid<'a> = (i64, &'a [u8]);

/// The processes so far.
#[derive(Debug, Default)]
pub(super) struct Processes<'a> {
    /// The number of each process among those of its id, by its id and its name.
    numbers: BTreeMap<(Pid<'a>, &'a [u8]), u32>,
    /// The number of processes that have an id.
    of_id: BTreeMap<Pid<'a>, u32>,
}

impl<'a> Processes<'a> {
    /// Returns the id of a process in the trace if it is not that in the file, because an earlier process with another name
    /// has that.
    pub(super) fn other_id(&mut self, pid: Id<'a>, name: Text<'a>) -> Option<String> {
        if name.is_empty() {
            return None;
        }
        let key = match pid {
            Id::Number(number) => (number, &b""[..]),
            Id::Text(text) => (0, text),
        };
        let number = *self.numbers.entry((key, name.raw())).or_insert_with(|| {
            let n_before = self.of_id.entry(key).or_default();
            core::mem::replace(n_before, n_before.saturating_add(1))
        });
        (number > 0).then(|| format!("{pid}.{number}"))
    }
}
