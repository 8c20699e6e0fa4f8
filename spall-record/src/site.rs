//! Places in the program that record, and their numbers.

use alloc::vec::Vec;
use core::sync::atomic::{AtomicU32, Ordering};
use std::sync::Mutex;

use spall_model::SourceLocation;

use crate::lock::lock;

/// A name that a macro records, with the number that stands for it in the rings of threads.
///
/// The macros make a `static` of it. A text cannot go through an atomic word, so the first use of a site puts it into a
/// table and gives it a number.
#[derive(Debug)]
pub struct Site {
    name: &'static str,
    /// Returns the path of an item in the function.
    item: fn() -> &'static str,
    file: &'static str,
    line: u32,
    keys: &'static [&'static str],
    /// 0 until the site is used.
    number: AtomicU32,
}

/// What is known of a site.
#[derive(Debug, Clone, Copy)]
pub(crate) struct SiteText {
    pub(crate) name: &'static str,
    #[cfg_attr(
        not(any(feature = "json", feature = "live")),
        expect(dead_code, reason = "spall has no categories")
    )]
    pub(crate) category: &'static str,
    /// The keys of arguments that are recorded as values.
    pub(crate) keys: &'static [&'static str],
    function: &'static str,
    /// Empty if the place is not known.
    file: &'static str,
    line: u32,
}

impl SiteText {
    /// Returns the place in the source, or `None` if it is not known.
    pub(crate) fn location(&self) -> Option<SourceLocation<'static>> {
        let location = SourceLocation::new(self.name, self.function, self.file, self.line);
        (!self.file.is_empty()).then_some(location)
    }
}

/// The sites by number. Numbers count from 1 and are never given again.
static SITES: Mutex<Vec<SiteText>> = Mutex::new(Vec::new());

/// The length of the table.
static N_SITES: AtomicU32 = AtomicU32::new(0);

impl Site {
    /// Returns a site that records `name`, and is no place in the program's source.
    pub(crate) const fn new(name: &'static str) -> Self {
        Self::at(name, &[], || "", "", 0)
    }

    /// Returns a site that records `name` at a place in the source. `item` returns the path of an item that is in the `static`
    /// of the site or in a function there.
    #[doc(hidden)]
    #[must_use]
    pub const fn at(
        name: &'static str,
        keys: &'static [&'static str],
        item: fn() -> &'static str,
        file: &'static str,
        line: u32,
    ) -> Self {
        Self { name, keys, item, file, line, number: AtomicU32::new(0) }
    }

    /// Returns the keys of arguments that are recorded as values.
    pub(crate) const fn keys(&self) -> &'static [&'static str] {
        self.keys
    }

    /// Returns the number of the site.
    #[inline]
    pub(crate) fn number(&self) -> u32 {
        match self.number.load(Ordering::Relaxed) {
            0 => self.register(),
            number => number,
        }
    }

    fn register(&self) -> u32 {
        let mut sites = lock(&SITES);
        // Another thread may have been faster.
        let mut number = self.number.load(Ordering::Relaxed);
        if number == 0 {
            let function = function_around((self.item)());
            let Self { name, keys, file, line, .. } = *self;
            number = add(&mut sites, SiteText { name, category: "", keys, function, file, line });
            self.number.store(number, Ordering::Relaxed);
        }
        number
    }
}

/// Puts a site into the table that is no `static` of its own, and returns its number.
#[cfg(feature = "tracing")]
pub(crate) fn register(
    name: &'static str,
    category: &'static str,
    file: Option<&'static str>,
    line: Option<u32>,
) -> u32 {
    let (file, line) = (file.unwrap_or_default(), line.unwrap_or(0));
    let mut sites = lock(&SITES);
    add(&mut sites, SiteText { name, category, keys: &[], function: "", file, line })
}

fn add(sites: &mut Vec<SiteText>, text: SiteText) -> u32 {
    sites.push(text);
    let number = u32::try_from(sites.len()).unwrap_or(0);
    N_SITES.store(number, Ordering::Release);
    number
}

/// Returns the path of the function around a path that ends in the function `here`, the closure that returns it, and the
/// `static` of a site.
fn function_around(item: &'static str) -> &'static str {
    let around = |path: &'static str| path.rsplit_once("::").map_or("", |(around, _)| around);
    let path = around(item);
    let path = path.strip_suffix("::{{closure}}").unwrap_or(path);
    path.strip_suffix("::SITE").unwrap_or(path)
}

/// Returns the number of sites that were used.
pub(crate) fn count() -> u32 {
    N_SITES.load(Ordering::Acquire)
}

/// A copy of the table, which is taken again when a number is not in it.
#[derive(Debug, Default)]
pub(crate) struct SiteTable(Vec<SiteText>);

impl SiteTable {
    /// Returns the texts of a site. They are empty for the number 0, which stands for no site.
    #[inline]
    pub(crate) fn get(&mut self, number: u32) -> &SiteText {
        const NONE: SiteText =
            SiteText { name: "", category: "", keys: &[], function: "", file: "", line: 0 };
        let Some(index) = number.checked_sub(1).and_then(|index| usize::try_from(index).ok()) else {
            return &NONE;
        };
        if index >= self.0.len() {
            self.update();
        }
        self.0.get(index).unwrap_or(&NONE)
    }

    fn update(&mut self) {
        self.0.clone_from(&lock(&SITES));
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_copy_of_the_table_is_taken_again_for_the_number_behind_its_last() {
        let number = Site::new("a site").number();
        let mut before = SiteTable(lock(&SITES).iter().copied().take(number as usize - 1).collect());
        assert_eq!(before.get(number).name, "a site");
    }
}
