//! The functions that a file refers to by numbers.

use std::{collections::HashMap, hash::RandomState};

use alloc::vec::Vec;
use spall_model::Function;

/// Functions, numbered from 0 in the order of their first use.
#[derive(Debug, Default)]
pub(super) struct FunctionTable {
    functions: Vec<Function>,
    numbers: HashMap<Function, usize, RandomState>,
}

impl FunctionTable {
    /// Returns the number of a function, and gives it one if it has none yet.
    pub(super) fn number(&mut self, function: Function) -> usize {
        *self.numbers.entry(function).or_insert_with(|| {
            self.functions.push(function);
            self.functions.len() - 1
        })
    }

    /// Returns all functions in the order of their numbers.
    pub(super) fn functions(&self) -> &[Function] {
        &self.functions
    }
}
