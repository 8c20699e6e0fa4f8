//! The arguments of a trace's events, undecoded.

use alloc::vec::Vec;

use crate::{
    Args, ArgsFormat,
    store::{Arena, Entry},
};

/// A row of an [`ArgsTable`]; 0 is no arguments.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub(crate) struct ArgsId(u32);

impl ArgsId {
    pub(crate) const NONE: Self = Self(0);
}

#[derive(Debug, Clone, Default)]
pub(crate) struct ArgsTable<'a> {
    rows: Vec<Row<'a>>,
    arena: Arena,
    formats: Vec<&'static ArgsFormat>,
}

#[derive(Debug, Clone, Copy)]
struct Row<'a> {
    bytes: Entry<'a>,
    format: u32,
    /// Arguments that come on top of these: those of a slice's end.
    then: ArgsId,
}

impl<'a> ArgsTable<'a> {
    /// Keeps `args`, whose bytes `keep` copies or borrows. [`ArgsId::NONE`] for none, and once 2³² − 2 are kept.
    #[inline]
    fn add(&mut self, args: Args<'_>, keep: impl FnOnce(&mut Arena) -> Entry<'a>) -> ArgsId {
        if args.is_none() {
            return ArgsId::NONE;
        }
        let Ok(index) = u32::try_from(self.rows.len() + 1) else { return ArgsId::NONE };
        let format = match self.formats.iter().position(|&known| core::ptr::eq(known, args.format())) {
            Some(format) => format,
            None => {
                self.formats.push(args.format());
                self.formats.len() - 1
            }
        };
        let format = u32::try_from(format).unwrap_or(u32::MAX);
        self.rows.push(Row { bytes: keep(&mut self.arena), format, then: ArgsId::NONE });
        ArgsId(index)
    }

    #[inline]
    pub(crate) fn add_borrowed(&mut self, args: Args<'a>) -> ArgsId {
        self.add(args, |_| Entry::Input(args.bytes()))
    }

    pub(crate) fn add_copied(&mut self, args: Args<'_>) -> ArgsId {
        self.add(args, |arena| arena.copy(args.bytes()))
    }

    /// Puts the arguments `then` on top of `first`; the row to keep for both.
    pub(crate) fn join(&mut self, first: ArgsId, then: ArgsId) -> ArgsId {
        match self.row_mut(first) {
            Some(row) => {
                row.then = then;
                first
            }
            None => then,
        }
    }

    fn row_mut(&mut self, id: ArgsId) -> Option<&mut Row<'a>> {
        self.rows.get_mut((id.0 as usize).checked_sub(1)?)
    }

    /// The arguments of a row, and those on top of them.
    pub(crate) fn get(&self, id: ArgsId) -> (Args<'_>, Args<'_>) {
        let (first, then) = self.row(id);
        (first, self.row(then).0)
    }

    fn row(&self, id: ArgsId) -> (Args<'_>, ArgsId) {
        let row = || {
            let index = (id.0 as usize).checked_sub(1)?;
            let row = self.rows.get(index)?;
            let format = self.formats.get(row.format as usize)?;
            Some((Args::new(self.arena.get(row.bytes), format), row.then))
        };
        row().unwrap_or_default()
    }

    pub(crate) fn into_owned(self) -> ArgsTable<'static> {
        let Self { rows, mut arena, formats } = self;
        let rows = rows.into_iter().map(|row| Row { bytes: arena.own(row.bytes), ..row }).collect();
        ArgsTable { rows, arena, formats }
    }

    pub(crate) fn shrink_to_fit(&mut self) {
        self.arena.shrink_to_fit();
        self.rows.shrink_to_fit();
    }
}
