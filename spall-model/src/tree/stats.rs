//! The sums of each function over all its callers.

use alloc::vec::Vec;
use core::cmp::Reverse;

use foldhash::fast::RandomState;
use hashbrown::HashMap;

use crate::{Function, Ticks, tree::depth_first::TreeStep};

use super::CallTree;

/// The sums over all calls of a function by any caller. They saturate.
#[derive(Debug, Clone, Copy, PartialEq)]
#[non_exhaustive]
pub struct FunctionStats {
    /// The function that is called.
    pub function: Function,
    /// The number of slices that are calls of the function.
    pub count: u64,
    /// The number of those slices that do not have the measure of the tree, so that its times do not contain them.
    pub unmeasured: u64,
    /// The number of samples that found the function innermost.
    pub hits: u64,
    /// The sum of the weights of those samples.
    pub weight: f64,
    /// The total time in ticks: that of its calls, callees included. Of calls inside one another only the outermost
    /// counts.
    pub total: Ticks,
    /// The self time in ticks: that of its calls without the time of their callees.
    pub self_time: Ticks,
}

impl CallTree {
    /// Returns the sums of each function of the tree, the largest self time first and then by function. This takes
    /// O(n log n) for n nodes.
    ///
    /// ```
    /// use spall_model::{CallTreeBuilder, Function, NameId, Ticks};
    /// let [f, g] = [NameId(1), NameId(2)].map(Function::named);
    /// let mut builder = CallTreeBuilder::new();
    /// // f calls g, and g calls f.
    /// let mut caller = None;
    /// for (function, time) in [(f, 1), (g, 5), (f, 3)] {
    ///     let call = builder.child(caller, function);
    ///     builder.add_time(Some(call), Ticks(time));
    ///     caller = Some(call);
    /// }
    /// let functions = builder.finish().functions();
    /// let times: Vec<_> = functions.iter().map(|stats| (stats.function, stats.self_time.0, stats.total.0)).collect();
    /// assert_eq!(times, [(g, 5, 8), (f, 4, 9)]);
    /// ```
    #[must_use]
    #[allow(clippy::indexing_slicing, reason = "functions are numbered by this function")]
    pub fn functions(&self) -> Vec<FunctionStats> {
        let mut stats: Vec<FunctionStats> = Vec::new();
        let mut numbers = HashMap::<Function, usize, RandomState>::default();
        let mut numbers_of_nodes = Vec::with_capacity(self.nodes.len());
        for node in &self.nodes {
            let number = *numbers.entry(node.function).or_insert(stats.len());
            if number == stats.len() {
                let (total, self_time) = (Ticks::ZERO, Ticks::ZERO);
                let function = node.function;
                let (count, unmeasured, hits, weight) = (0, 0, 0, 0.0);
                stats.push(FunctionStats { function, count, unmeasured, hits, weight, total, self_time });
            }
            let sums = &mut stats[number];
            sums.count = sums.count.saturating_add(node.count);
            sums.unmeasured = sums.unmeasured.saturating_add(node.unmeasured);
            sums.hits = sums.hits.saturating_add(node.hits);
            sums.weight += node.weight;
            sums.self_time += node.self_time;
            numbers_of_nodes.push(number);
        }
        // The number of open nodes of each function. A search for a caller of the same function from each node would
        // take time in proportion to the depth.
        let mut n_open = alloc::vec![0_u32; stats.len()];
        self.depth_first(|step| match step {
            TreeStep::Enter(id) => {
                let number = numbers_of_nodes[id.index()];
                if n_open[number] == 0 {
                    stats[number].total += self.nodes[id.index()].total;
                }
                n_open[number] += 1;
            }
            TreeStep::Leave(id) => n_open[numbers_of_nodes[id.index()]] -= 1,
        });
        stats.sort_unstable_by_key(|stats| (Reverse(stats.self_time), stats.function));
        stats
    }
}
