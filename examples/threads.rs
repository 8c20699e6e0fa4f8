//! Records its own threads into a spall file, and loads the file.
//!
//! `threads OUT.spall`: each thread has a recorder with a buffer of its own, so that threads meet only when one is full.

use std::{error::Error, fs::File, io::Write, sync::Mutex, thread, time::Duration, time::Instant};

use spall_trace::format::spall::{Header, ThreadRecorder, Version};

fn main() -> Result<(), Box<dyn Error>> {
    let path = std::env::args_os().nth(1).ok_or("usage: threads OUT.spall")?;
    let (file, start) = (Mutex::new(File::create(&path)?), Instant::now());
    let now = || start.elapsed().as_micros() as u64;
    // A full disk must not stop the program that is recorded.
    let append = |bytes: &[u8]| _ = file.lock().map(|mut file| file.write_all(bytes));
    append(&Header::new(Version::V3, 1000.0).to_bytes()); // A tick is 1000 ns.
    thread::scope(|scope| {
        for tid in 1..=4 {
            scope.spawn(move || {
                let mut recorder = ThreadRecorder::new([0; 4096], 1, tid, append).expect("a large buffer");
                recorder.thread_name(format!("worker {tid}"));
                for job in 1..=5 {
                    let pause = Duration::from_millis(u64::from(tid * job));
                    recorder.slice(now, format!("job {job}"), |_| thread::sleep(pause));
                }
            });
        }
    });
    let trace = spall_trace::load_from(File::open(&path)?, &Default::default())?;
    println!("{}: {} slices of {} threads", path.display(), trace.slices().len(), trace.tracks().len());
    Ok(())
}
