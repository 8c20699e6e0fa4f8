//! Computations that a program may do step by step.

/// A computation that may take long, such as the sums of a call tree. It is done at once or step by step.
///
/// [`Job::run`] does it at once. A viewer calls [`Job::step`] between two frames, so that it stays alive meanwhile, and
/// drops a job to cancel it. A job that is kept for later frames fits in a `Box<dyn Job<Output = …>>`.
///
/// ```
/// use spall_model::{CallTreeBuilder, Function, InvertedTree, Job, NameId, Ticks};
/// let mut builder = CallTreeBuilder::new();
/// let mut call = None;
/// for name in 0..100 {
///     call = Some(builder.child(call, Function::named(NameId(name % 3))));
///     builder.add_time(call, Ticks(1));
/// }
/// let tree = builder.finish();
///
/// let mut job = InvertedTree::bottom_up(&tree);
/// let inverted = loop {
///     // Here the viewer draws a frame and looks whether the user wants something else.
///     if let Some(inverted) = job.step(30) {
///         break inverted;
///     }
/// };
/// assert_eq!(inverted.nodes(), InvertedTree::bottom_up(&tree).run().nodes());
/// ```
#[must_use = "a job does nothing before it is run"]
pub trait Job {
    /// The result of the computation.
    type Output;

    /// Does a part of the computation, and returns the result once there is nothing left to do.
    ///
    /// `work` bounds the part. It is a number of elements, such as the slices that are looked at. After the result was
    /// returned, further steps return nothing of use.
    fn step(&mut self, work: usize) -> Option<Self::Output>;

    /// Does all that is left of the computation, and returns the result.
    fn run(mut self) -> Self::Output
    where
        Self: Sized,
    {
        loop {
            if let Some(output) = self.step(usize::MAX) {
                return output;
            }
        }
    }
}
