//! The arguments of a trace's events, undecoded.

use alloc::vec::Vec;

use crate::{Args, ArgsFormat, store::Store};

/// A row of an [`ArgsTable`]; 0 is no arguments.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub(crate) struct ArgsId(u32);

impl ArgsId {
    pub(crate) const NONE: Self = Self(0);
}

#[derive(Debug, Clone, Default)]
pub(crate) struct ArgsTable<'a> {
    store: Store<'a>,
    rows: Vec<Row>,
    formats: Vec<&'static ArgsFormat>,
}

#[derive(Debug, Clone, Copy)]
struct Row {
    format: u32,
    /// Arguments that come on top of these: those of a slice's end.
    then: ArgsId,
}

impl<'a> ArgsTable<'a> {
    /// Keeps `args`; `push` copies or borrows their bytes. [`ArgsId::NONE`] for none, and once 2³² − 2 are kept.
    #[inline]
    fn add(&mut self, args: Args<'_>, push: impl FnOnce(&mut Store<'a>)) -> ArgsId {
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
        push(&mut self.store);
        self.rows.push(Row { format: u32::try_from(format).unwrap_or(u32::MAX), then: ArgsId::NONE });
        ArgsId(index)
    }

    #[inline]
    pub(crate) fn add_borrowed(&mut self, args: Args<'a>) -> ArgsId {
        self.add(args, |store| store.push_borrowed(args.bytes()))
    }

    pub(crate) fn add_copied(&mut self, args: Args<'_>) -> ArgsId {
        self.add(args, |store| store.push_copied(args.bytes()))
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

    fn row_mut(&mut self, id: ArgsId) -> Option<&mut Row> {
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
            Some((Args::new(self.store.get(index), format), row.then))
        };
        row().unwrap_or_default()
    }

    pub(crate) fn into_owned(self) -> ArgsTable<'static> {
        ArgsTable { store: self.store.into_owned(), rows: self.rows, formats: self.formats }
    }

    pub(crate) fn shrink_to_fit(&mut self) {
        self.store.shrink_to_fit();
        self.rows.shrink_to_fit();
    }
}
