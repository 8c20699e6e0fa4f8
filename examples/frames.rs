//! A loop of frames, as a game has it, that shows itself in the terminal and keeps what led to its slowest frame.
//!
//! `frames [COUNT]` draws each sixth frame from a live trace. The memory ring has the last events, and is saved to
//! `slowest.spall` whenever a frame is slower than all before.

use std::sync::{Arc, Mutex, PoisonError};
use std::{error::Error, thread, time::Duration, time::Instant};

use spall_examples::terminal;
use spall_record::{Encoding, MemoryRing, Recorder, span};
use spall_trace::layout::LiveLayout;
use spall_trace::model::{Limits, LiveTrace};

fn main() -> Result<(), Box<dyn Error>> {
    let count = std::env::args().nth(1).map_or(Ok(600), |count| count.parse())?;
    let (last, trace) = (MemoryRing::new(16 << 20), Arc::new(Mutex::new(LiveTrace::new(&Limits::default()))));
    let session = Recorder::new().memory(&last).live(Arc::clone(&trace)).start()?;
    let (mut view, mut slowest) = (LiveLayout::new(), Duration::ZERO);
    for frame in 0..count {
        let start = Instant::now();
        {
            let _span = span!("frame", "number {frame}");
            let _span = span!("physics");
            thread::sleep(Duration::from_micros(500 + frame * frame % 1000));
        }
        if start.elapsed() > slowest {
            slowest = start.elapsed();
            last.save("slowest.spall", Encoding::Spall)?;
        }
        if frame % 6 == 0 {
            session.flush()?;
            terminal::draw(&trace.lock().unwrap_or_else(PoisonError::into_inner).commit(), &mut view)?;
        }
    }
    println!("the slowest of {count} frames took {slowest:?}: see slowest.spall");
    Ok(())
}
