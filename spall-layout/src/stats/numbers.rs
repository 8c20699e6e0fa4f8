//! The numbers of what slices are put together by.

use alloc::vec::Vec;

use foldhash::fast::RandomState;
use hashbrown::HashMap;
use spall_model::{Function, NameId, SliceId, TraceView};

use crate::slice_tree::FunctionOf;

/// What slices are put together by.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Hash)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize), serde(rename_all = "camelCase"))]
pub enum By {
    /// Their names.
    #[default]
    Name,
    /// Their functions: those of one name that samples found are told apart by their places in the source.
    Function,
}

impl By {
    /// Returns what a slice counts for, or `None` if the trace has no such slice.
    pub(super) fn of(self, trace: &impl TraceView, slice: SliceId) -> Option<Function> {
        match self {
            Self::Name => trace.slice_name_id(slice).map(Function::named),
            Self::Function => trace.function_of(slice),
        }
    }
}

/// The functions of a trace, so that a tree is one of names or of functions.
#[derive(Debug, Clone)]
pub(super) struct Functions<'l, T> {
    pub(super) trace: &'l T,
    pub(super) by: By,
}

impl<T: TraceView> FunctionOf for Functions<'_, T> {
    fn function_of(&mut self, slice: SliceId) -> Option<Function> {
        self.by.of(self.trace, slice)
    }
}

/// Numbers functions. Those that are only a name have the number of the name, and others come behind.
#[derive(Debug, Clone)]
pub(super) struct Numbers {
    n_names: usize,
    placed: Vec<Function>,
    of_placed: HashMap<Function, u32, RandomState>,
}

impl Numbers {
    pub(super) fn new(n_names: usize) -> Self {
        Self { n_names, placed: Vec::new(), of_placed: HashMap::default() }
    }

    /// Returns the number of a function, and gives it one if it has none.
    pub(super) fn number(&mut self, function: Function) -> u32 {
        if function.source.is_none() {
            return function.name.0;
        }
        let Self { n_names, placed, of_placed } = self;
        *of_placed.entry(function).or_insert_with(|| {
            placed.push(function);
            spall_model::index32(*n_names + placed.len() - 1)
        })
    }

    /// Returns the number of a function that has one.
    pub(super) fn find(&self, function: Function) -> Option<usize> {
        match function.source {
            None => Some(function.name.index()),
            Some(_) => self.of_placed.get(&function).map(|&number| number as usize),
        }
    }

    /// Returns all functions in the order of their numbers.
    pub(super) fn functions(&self) -> impl Iterator<Item = Function> {
        let names = (0..).map(NameId).take(self.n_names);
        names.map(Function::named).chain(self.placed.iter().copied())
    }
}
