//! Records its own threads into a spall file, and loads the file.
//!
//! `threads OUT.spall`: a span is begun by `span!` and ends where its guard is dropped.

use std::{error::Error, thread, time::Duration};

use spall_record::span;

fn main() -> Result<(), Box<dyn Error>> {
    let path = std::env::args_os().nth(1).ok_or("usage: threads OUT.spall")?;
    let session = spall_record::to_file(&path)?;
    thread::scope(|scope| {
        for worker in 1..=4 {
            scope.spawn(move || {
                spall_record::set_thread_name(format!("worker {worker}"));
                for job in 1..=5 {
                    let _span = span!("job", "number {job}");
                    thread::sleep(Duration::from_millis(worker * job));
                }
            });
        }
    });
    session.finish()?;
    let trace = spall_trace::load_file(&path)?;
    println!("{}: {} slices of {} threads", path.display(), trace.slices().len(), trace.tracks().len());
    Ok(())
}
