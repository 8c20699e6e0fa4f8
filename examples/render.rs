//! Draws a trace.
fn main() {}
