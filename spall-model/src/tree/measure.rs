//! What a call tree adds up.

use crate::{CallTree, CallTreeBuilder, Clock, ThreadMeasure, Ticks, TreeNode, Unit, UnitName};

/// What a call tree adds up. [tree 6](crate::rules::tree#6)
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default)]
pub enum Measure {
    /// The time by the clock of the trace, in ticks.
    #[default]
    WallTime,
    /// The time in which the thread was running, in ticks. Not all slices have it.
    #[doc(alias("CPU time"))]
    ThreadTime,
    /// The instructions that the thread executed. Not all slices have them.
    Instructions,
    /// The number of slices.
    Count,
    /// The weights of the samples that found a function innermost. A sample without a weight counts as one.
    Samples,
}

impl Measure {
    /// Every measure, in the order in which they are offered for choice.
    pub const ALL: [Self; 5] =
        [Self::WallTime, Self::ThreadTime, Self::Instructions, Self::Count, Self::Samples];

    /// Returns the name, such as `thread-time`.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::WallTime => "wall-time",
            Self::ThreadTime => "thread-time",
            Self::Instructions => "instructions",
            Self::Count => "count",
            Self::Samples => "samples",
        }
    }

    /// Returns the measure with this name.
    #[must_use]
    pub fn of_name(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|measure| measure.name() == name)
    }

    /// Returns the counter of the thread that measures it, or `None` if it is not measured by one.
    #[must_use]
    pub const fn of_thread(self) -> Option<ThreadMeasure> {
        match self {
            Self::ThreadTime => Some(ThreadMeasure::Time),
            Self::Instructions => Some(ThreadMeasure::Instructions),
            Self::WallTime | Self::Count | Self::Samples => None,
        }
    }

    /// Returns the clock by which sums of the measure are shown: that of the trace for times, and a count for the others.
    #[must_use]
    pub fn clock(self, of_trace: Clock) -> Clock {
        let counted = match self {
            Self::WallTime | Self::ThreadTime => return of_trace,
            Self::Instructions => "instructions",
            Self::Count => "calls",
            Self::Samples => "samples",
        };
        Clock { unit: Unit::Count(UnitName::new(counted)), ..of_trace }
    }
}

impl CallTree {
    /// Returns whether the tree has anything of the measure that it adds up. Times may be zero, numbers of something are not.
    #[must_use]
    pub fn has(&self, measure: Measure) -> bool {
        match measure {
            Measure::WallTime => !self.nodes.is_empty(),
            Measure::ThreadTime | Measure::Instructions => {
                self.nodes.iter().any(|node| node.unmeasured < node.count)
            }
            Measure::Count | Measure::Samples => self.total() != Ticks::ZERO,
        }
    }

    /// Returns the same tree with other self times, which `self_time` returns. Nothing is unattributed in it.
    ///
    /// ```
    /// use spall_model::{CallTreeBuilder, Function, NameId, Ticks};
    /// let mut builder = CallTreeBuilder::new();
    /// let root = builder.child(None, Function::named(NameId(1)));
    /// builder.add_slice(root, Ticks(30));
    /// let counts = builder.finish().with_self_times(|node| Ticks(node.count as i64));
    /// assert_eq!(counts.total(), Ticks(1));
    /// ```
    #[must_use]
    pub fn with_self_times(&self, self_time: impl Fn(&TreeNode) -> Ticks) -> Self {
        let mut builder = CallTreeBuilder::new();
        for node in &self.nodes {
            let id = builder.child(node.parent, node.function);
            builder.add(Some(id), &TreeNode { self_time: self_time(node), ..*node });
        }
        builder.finish()
    }

    /// Returns two trees with times in the finer of the units of their clocks, and the clock of that unit, so that the trees
    /// can be compared. Returns `None` if the clocks count different things. [tree 5](crate::rules::tree#5)
    ///
    /// The clocks are those of [`Measure::clock`].
    ///
    /// ```
    /// use spall_model::{CallTree, CallTreeBuilder, Clock, Function, NameId, Ticks, Unit, UnitName};
    /// let mut builder = CallTreeBuilder::new();
    /// let root = builder.child(None, Function::named(NameId(1)));
    /// builder.add_time(Some(root), Ticks(30));
    /// let tree = builder.finish();
    /// let [nanos, micros] = [1.0, 1000.0].map(|ns| Clock::new(Unit::Nanoseconds(ns)));
    /// let (trees, clock) = CallTree::in_one_unit([tree.clone(), tree.clone()], [micros, nanos]).unwrap();
    /// assert_eq!((trees.map(|tree| tree.total()), clock), ([Ticks(30_000), Ticks(30)], nanos));
    /// let calls = Clock::new(Unit::Count(UnitName::new("calls")));
    /// assert_eq!(CallTree::in_one_unit([tree.clone(), tree], [nanos, calls]), None);
    /// ```
    #[must_use]
    pub fn in_one_unit(trees: [Self; 2], clocks: [Clock; 2]) -> Option<([Self; 2], Clock)> {
        let [before, after] = clocks;
        let (units, clock) = match (before.ns_per_tick(), after.ns_per_tick()) {
            (Some(of_before), Some(of_after)) => {
                ([of_before, of_after], if of_before <= of_after { before } else { after })
            }
            _ if before.unit == after.unit => return Some((trees, before)),
            _ => return None,
        };
        let finer = units[0].min(units[1]);
        let [of_before, of_after] = units.map(|unit| unit / finer);
        let [before, after] = trees;
        Some(([before.scaled(of_before), after.scaled(of_after)], clock))
    }

    /// Returns the same tree with self times that are `factor` times as large, rounded.
    fn scaled(self, factor: f64) -> Self {
        if factor == 1.0 {
            return self;
        }
        #[allow(clippy::cast_precision_loss, clippy::cast_possible_truncation, reason = "the cast saturates")]
        self.with_self_times(|node| {
            let time = node.self_time.0 as f64 * factor;
            // No time is negative, so this rounds to the nearest tick.
            Ticks((time + 0.5) as i64)
        })
    }
}
