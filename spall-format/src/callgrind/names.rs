//! Names that a file gives once, with a number. [callgrind 2.3](spall_model::rules::callgrind#2.3)

use foldhash::fast::RandomState;
use hashbrown::HashMap;
use spall_model::{NameId, Names};

use super::line::number;

/// The names of one kind by their numbers.
#[derive(Debug, Default)]
pub(super) struct Table {
    by_number: HashMap<u64, NameId, RandomState>,
}

impl Table {
    /// Reads a name: `(NUMBER) NAME` gives it a number, and `(NUMBER)` stands for one that has it. A number that was not given is
    /// the name itself.
    pub(super) fn read(&mut self, text: &[u8], texts: &mut Names) -> NameId {
        let Some((number, name)) = numbered(text) else { return texts.intern_bytes(text) };
        if name.is_empty() {
            return self.by_number.get(&number).copied().unwrap_or_else(|| texts.intern_bytes(text));
        }
        let name = texts.intern_bytes(name);
        self.by_number.insert(number, name);
        name
    }
}

/// Splits a name from its number.
fn numbered(text: &[u8]) -> Option<(u64, &[u8])> {
    let inside = text.strip_prefix(b"(")?;
    let end = inside.iter().position(|byte| !byte.is_ascii_digit())?;
    let (digits, rest) = inside.split_at_checked(end)?;
    Some((number(digits)?, rest.strip_prefix(b")")?.trim_ascii_start()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_name_is_known_by_its_number() {
        let (mut table, mut texts) = (Table::default(), Names::default());
        let lines = ["(1) a b", "(2)", "(1)", "(x) a", "(anonymous namespace)::f", "(12x) f", "(1) c", "(1)"];
        let names = lines.map(|line| table.read(line.as_bytes(), &mut texts));
        let read = names.map(|name| texts.bytes(name));
        let expected = ["a b", "(2)", "a b", "(x) a", "(anonymous namespace)::f", "(12x) f", "c", "c"];
        assert_eq!(read, expected.map(str::as_bytes));
    }
}
