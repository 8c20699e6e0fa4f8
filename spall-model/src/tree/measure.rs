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
    /// The number of samples that found a function innermost.
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
}
