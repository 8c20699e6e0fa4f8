//! The functions of a file, what they cost, and what their calls cost.

use alloc::vec::Vec;

use spall_model::{Interner, NameId, index32};

/// A function: it is the same one if all of this is. [callgrind 2.4](spall_model::rules::callgrind#2.4)
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub(super) struct Function {
    pub(super) object: NameId,
    pub(super) file: NameId,
    pub(super) name: NameId,
}

/// The costs of something, one for each event. Those that are missing at the end are 0.
#[derive(Debug, Default)]
pub(super) struct Sums(Vec<i64>);

impl Sums {
    /// Adds costs. Returns whether 63 bits hold all sums.
    pub(super) fn add(&mut self, costs: &[i64]) -> bool {
        if self.0.len() < costs.len() {
            self.0.reserve_exact(costs.len() - self.0.len());
            self.0.resize(costs.len(), 0);
        }
        let mut fits = true;
        for (sum, &cost) in self.0.iter_mut().zip(costs) {
            fits &= sum.checked_add(cost).is_some();
            *sum = sum.saturating_add(cost);
        }
        fits
    }

    /// Returns the cost of an event.
    pub(super) fn get(&self, event: usize) -> i64 {
        self.0.get(event).copied().unwrap_or(0)
    }
}

/// All costs of a file.
#[derive(Debug, Default)]
pub(super) struct Costs {
    pub(super) functions: Interner<Function>,
    /// The first line of each function, counted from 1; 0 if none is known.
    lines: Vec<u32>,
    /// The functions of each thread that have a block of lines, and what these cost.
    blocks: Interner<(u32, u32)>,
    of_blocks: Vec<Row>,
    /// The callers, by their blocks, and the functions that they call, and what these calls cost.
    calls: Interner<(u32, u32)>,
    of_calls: Vec<Row>,
}

/// The costs of a block, or of calls.
#[derive(Debug)]
pub(super) struct Row {
    pub(super) sums: Sums,
    /// Where the file has it first.
    pub(super) at: u64,
}

impl Costs {
    /// Returns the number of the block of a function, which begins at the position `at` if it is new.
    pub(super) fn block(&mut self, thread: u32, function: u32, at: u64) -> u32 {
        numbered(&mut self.blocks, &mut self.of_blocks, (thread, function), at)
    }

    /// Returns the number of the calls of a function by a block.
    pub(super) fn call(&mut self, block: u32, function: u32, at: u64) -> u32 {
        numbered(&mut self.calls, &mut self.of_calls, (block, function), at)
    }

    /// Adds costs to a block. Returns whether 63 bits hold the sums.
    pub(super) fn add_to_block(&mut self, block: u32, costs: &[i64]) -> bool {
        self.of_blocks.get_mut(block as usize).is_none_or(|row| row.sums.add(costs))
    }

    /// Adds costs to calls. Returns whether 63 bits hold the sums.
    pub(super) fn add_to_call(&mut self, call: u32, costs: &[i64]) -> bool {
        self.of_calls.get_mut(call as usize).is_none_or(|row| row.sums.add(costs))
    }

    /// Says that a function has costs at a line of its own file.
    pub(super) fn add_line(&mut self, function: u32, line: u64) {
        let function = function as usize;
        if self.lines.len() <= function {
            self.lines.resize(function + 1, 0);
        }
        if let (Some(first), Ok(line @ 1..)) = (self.lines.get_mut(function), u32::try_from(line))
            && (*first == 0 || line < *first)
        {
            *first = line;
        }
    }

    /// Returns the first line of a function, counted from 1; 0 if none is known.
    pub(super) fn line(&self, function: u32) -> u32 {
        self.lines.get(function as usize).copied().unwrap_or(0)
    }

    /// Returns the number of blocks.
    pub(super) fn n_blocks(&self) -> u32 {
        index32(self.of_blocks.len())
    }

    /// Returns the thread and the function of a block, and its costs.
    pub(super) fn get_block(&self, block: u32) -> Option<(u32, u32, &Row)> {
        get(&self.blocks, &self.of_blocks, block)
    }

    /// Returns the number of pairs of functions that call each other.
    pub(super) fn n_calls(&self) -> u32 {
        index32(self.of_calls.len())
    }

    /// Returns the block of the caller and the callee of calls, and their costs.
    pub(super) fn get_call(&self, call: u32) -> Option<(u32, u32, &Row)> {
        get(&self.calls, &self.of_calls, call)
    }

    /// Returns the block of a function in a thread.
    pub(super) fn find_block(&self, thread: u32, function: u32) -> Option<u32> {
        self.blocks.find(&(thread, function))
    }

    /// Returns a function by its number.
    pub(super) fn function(&self, function: u32) -> Option<Function> {
        self.functions.keys().get(function as usize).copied()
    }
}

/// Returns the number of a key, with a row that is added if it is new.
fn numbered(keys: &mut Interner<(u32, u32)>, rows: &mut Vec<Row>, key: (u32, u32), at: u64) -> u32 {
    let number = keys.add(key);
    if number as usize == rows.len() {
        rows.push(Row { sums: Sums::default(), at });
    }
    number
}

/// Returns a row with its key.
fn get<'c>(keys: &Interner<(u32, u32)>, rows: &'c [Row], number: u32) -> Option<(u32, u32, &'c Row)> {
    let number = number as usize;
    keys.keys().get(number).zip(rows.get(number)).map(|(&(a, b), row)| (a, b, row))
}
