//! Draws a trace in the terminal while it is being written.
//!
//! `live FILE` draws the file each time it has grown, until it is interrupted; `live --once FILE` draws it once. Slices
//! that are still open reach to the latest time.

use std::{error::Error, fs::File, io::Read, thread, time::Duration};

use spall_examples::terminal;
use spall_trace::TraceParser;
use spall_trace::layout::LiveLayout;
use spall_trace::model::{Limits, LiveTrace, Receiver};

fn main() -> Result<(), Box<dyn Error>> {
    let mut arguments = std::env::args_os().skip(1).peekable();
    let once = arguments.next_if(|argument| argument == "--once").is_some();
    let mut file = File::open(arguments.next().ok_or("usage: live [--once] FILE")?)?;
    let (mut data, mut parser) = (Vec::new(), None);
    let (mut trace, mut live) = (LiveTrace::new(&Limits::default()), LiveLayout::new());
    loop {
        let has_grown = file.read_to_end(&mut data)? > 0;
        // The first bytes of a file may not yet tell its format.
        parser = parser.or_else(|| {
            spall_trace::detect(&data).map(|format| TraceParser::new(format, &Limits::default()))
        });
        if let Some(parser) = parser.as_mut().filter(|_| has_grown) {
            let consumed = parser.read(&data, false, |event, bytes| trace.receive(event, bytes))?;
            // An event of which only a part was read yet comes again with the next bytes.
            data.drain(..consumed);
            terminal::draw(&trace.commit(), &mut live)?;
        }
        match &parser {
            Some(_) if once => return Ok(()),
            // No parser knows these bytes. The error says what they seem to be.
            None if once => return spall_trace::load(&data).map(drop).map_err(Into::into),
            _ => thread::sleep(Duration::from_millis(100)),
        }
    }
}
