//! The strongly connected components of a graph: functions that call each other in a circle.

use alloc::{vec, vec::Vec};

use super::{Calls, at};
use crate::index32;

/// The components of a graph. Their numbers go down along calls: a component calls only those with smaller numbers.
#[derive(Debug, Default)]
pub(super) struct Components {
    /// The component of each function.
    pub(super) of: Vec<u32>,
    /// The functions by component.
    functions: Vec<u32>,
    /// Where the functions of each component begin, and the end of the last ones.
    first: Vec<usize>,
}

/// The component of a function that has none yet.
const NONE: u32 = u32::MAX;

impl Components {
    /// Finds the components by Tarjan's algorithm, without recursion.
    pub(super) fn new(calls: &Calls) -> Self {
        let n_functions = calls.n_functions();
        let mut search = Search {
            calls,
            found: vec![0; n_functions],
            lowest: vec![0; n_functions],
            n_found: 0,
            open: Vec::new(),
            path: Vec::new(),
            components: Self { of: vec![NONE; n_functions], functions: Vec::new(), first: vec![0] },
        };
        for function in 0..index32(n_functions) {
            if at(&search.found, function) == 0 {
                search.from(function);
            }
        }
        search.components
    }

    /// Returns the number of components.
    pub(super) fn len(&self) -> usize {
        self.first.len().saturating_sub(1)
    }

    /// Returns the functions of a component.
    pub(super) fn functions(&self, component: u32) -> &[u32] {
        let component = component as usize;
        let range = self.first.get(component).zip(self.first.get(component + 1));
        range.and_then(|(&first, &end)| self.functions.get(first..end)).unwrap_or_default()
    }
}

/// A search through the graph, depth first.
struct Search<'g> {
    calls: &'g Calls,
    /// When each function was found, counted from 1; 0 for one that was not.
    found: Vec<u32>,
    /// When the first function was found that each one is known to lead back to.
    lowest: Vec<u32>,
    n_found: u32,
    /// The functions that were found and have no component yet.
    open: Vec<u32>,
    /// The functions on the way to the one that is looked at, each with the number of its calls that were followed.
    path: Vec<(u32, usize)>,
    components: Components,
}

impl Search<'_> {
    fn from(&mut self, start: u32) {
        self.find(start);
        while let Some(&mut (function, ref mut followed)) = self.path.last_mut() {
            let next = self.calls.of(function).get(*followed).copied();
            *followed += 1;
            match next.map(|call| self.calls.callee(call)) {
                Some(callee) if at(&self.found, callee) == 0 => self.find(callee),
                Some(callee) if at(&self.components.of, callee) == NONE => {
                    self.lower(function, at(&self.found, callee));
                }
                Some(_) => {}
                None => self.leave(function),
            }
        }
    }

    fn find(&mut self, function: u32) {
        self.n_found += 1;
        for times in [&mut self.found, &mut self.lowest] {
            if let Some(time) = times.get_mut(function as usize) {
                *time = self.n_found;
            }
        }
        self.open.push(function);
        self.path.push((function, 0));
    }

    fn lower(&mut self, function: u32, to: u32) {
        if let Some(lowest) = self.lowest.get_mut(function as usize) {
            *lowest = to.min(*lowest);
        }
    }

    /// Goes back to the caller. If a function leads to none before it, those that were found since are its component.
    fn leave(&mut self, function: u32) {
        self.path.pop();
        let lowest = at(&self.lowest, function);
        if let Some(&(caller, _)) = self.path.last() {
            self.lower(caller, lowest);
        }
        if lowest != at(&self.found, function) {
            return;
        }
        let Components { of, functions, first } = &mut self.components;
        let component = index32(first.len() - 1);
        while let Some(member) = self.open.pop() {
            if let Some(of) = of.get_mut(member as usize) {
                *of = component;
            }
            functions.push(member);
            if member == function {
                break;
            }
        }
        first.push(functions.len());
    }
}
