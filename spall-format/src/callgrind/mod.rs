//! Costs of functions and of the calls between them, as Callgrind, Cachegrind and Xdebug write them, and converters for
//! `KCachegrind` from many other profilers. [callgrind](spall_model::rules::callgrind)
//!
//! | in the file | event |
//! |---|---|
//! | names of events | a profile of each thread, of which the first one counts |
//! | functions and their calls | shared call frames: the tree that the graph stands for, or that of the calls themselves (Xdebug) |
//! | costs | a sample for each function at its place in the tree |
//! | other headers | facts of the file |
//!
//! This module needs the feature `profiles`.
//!
//! ```
//! use spall_format::callgrind::Parser;
//! use spall_model::{Event, LendingParser as _};
//!
//! let file = b"\
//! events: Ir
//! fl=a.c
//! fn=main
//! 1 10
//! cfn=f
//! calls=2 5
//! 2 30
//! fn=f
//! 5 30
//! ";
//! let (mut frames, mut weights) = (Vec::new(), Vec::new());
//! Parser::new().lend_all(file, |event, _| match event {
//!     Event::Frame(frame) => frames.push(frame.name.to_string()),
//!     Event::Sample(sample) => weights.push(sample.weight),
//!     _ => {}
//! })?;
//! assert_eq!((frames, weights), (vec!["main".to_owned(), "f".to_owned()], vec![10.0, 30.0]));
//! # Ok::<(), spall_format::FormatError>(())
//! ```

mod costs;
mod detect;
mod exact;
mod line;
mod names;
mod output;
mod parser;
mod state;

pub use detect::is_callgrind;
pub use parser::Parser;
