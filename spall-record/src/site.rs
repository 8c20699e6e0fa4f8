//! Places in the program that record, and their numbers.

use alloc::vec::Vec;
use core::sync::atomic::{AtomicU32, Ordering};
use std::sync::{Mutex, PoisonError};

/// A name that a macro records, with the number that stands for it in the rings of threads.
///
/// The macros make a `static` of it. A text cannot go through an atomic word, so the first use of a site puts it into a
/// table and gives it a number.
#[derive(Debug)]
pub struct Site {
    name: &'static str,
    category: &'static str,
    /// 0 until the site is used.
    number: AtomicU32,
}

/// The name and category of a site.
#[derive(Debug, Clone, Copy)]
pub(crate) struct SiteText {
    pub(crate) name: &'static str,
    pub(crate) category: &'static str,
}

/// The sites by number. Numbers count from 1 and are never given again.
static SITES: Mutex<Vec<SiteText>> = Mutex::new(Vec::new());

impl Site {
    /// Returns a site that records `name`.
    #[must_use]
    pub const fn new(name: &'static str) -> Self {
        Self { name, category: "", number: AtomicU32::new(0) }
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
        let mut sites = SITES.lock().unwrap_or_else(PoisonError::into_inner);
        // Another thread may have been faster.
        let mut number = self.number.load(Ordering::Relaxed);
        if number == 0 {
            sites.push(SiteText { name: self.name, category: self.category });
            number = u32::try_from(sites.len()).unwrap_or(0);
            self.number.store(number, Ordering::Relaxed);
        }
        number
    }
}

/// Puts a site into the table that is no `static` of its own, and returns its number.
#[cfg(feature = "tracing")]
pub(crate) fn register(name: &'static str, category: &'static str) -> u32 {
    let mut sites = SITES.lock().unwrap_or_else(PoisonError::into_inner);
    sites.push(SiteText { name, category });
    u32::try_from(sites.len()).unwrap_or(0)
}

/// A copy of the table, which is taken again when a number is not in it.
#[derive(Debug, Default)]
pub(crate) struct SiteTable(Vec<SiteText>);

impl SiteTable {
    /// Returns the texts of a site. They are empty for the number 0, which stands for no site.
    #[inline]
    pub(crate) fn get(&mut self, number: u32) -> &SiteText {
        const NONE: SiteText = SiteText { name: "", category: "" };
        let Some(index) = number.checked_sub(1).and_then(|index| usize::try_from(index).ok()) else {
            return &NONE;
        };
        if index >= self.0.len() {
            self.update();
        }
        self.0.get(index).unwrap_or(&NONE)
    }

    fn update(&mut self) {
        self.0.clone_from(&SITES.lock().unwrap_or_else(PoisonError::into_inner));
    }
}
