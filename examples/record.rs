//! Records itself: `record [FILE]` writes, loads and lays out traces on a few threads, and traces doing so.
//!
//! The file, by default `record.spall`, is a spall v3 trace; the project's `spall-page/page/record.spall` was made by this
//! program.

use std::{
    error::Error,
    ops::Range,
    sync::atomic::{AtomicU64, Ordering},
    thread,
};

use spall_record::span;
use spall_trace::{
    format::spall::{FileWriter, Version},
    layout::{Layout, Viewport},
    model::{Event, Text, Thread, ThreadEvent, Tick, Trace, TraceView, TrackId, Written},
};

const N_WORKERS: u32 = 4;
const N_JOBS: u64 = 14;

fn main() -> Result<(), Box<dyn Error>> {
    let path = std::env::args().nth(1).unwrap_or_else(|| String::from("record.spall"));
    let session = spall_record::to_file(&path)?;
    // Never ended: the recording stops before the program does.
    let _main = span!("main");
    let next_job = AtomicU64::new(0);
    thread::scope(|scope| {
        for worker_id in 1..=N_WORKERS {
            let _span = span!("spawn", "worker {worker_id}");
            let next_job = &next_job;
            scope.spawn(move || worker(next_job, worker_id));
        }
        let _span = span!("wait for workers");
    });
    session.finish()?;
    println!("recorded {path}, {} bytes", std::fs::metadata(&path)?.len());
    Ok(())
}

/// Takes jobs as long as there are some.
fn worker(next_job: &AtomicU64, id: u32) {
    spall_record::set_thread_name(format!("worker {id}"));
    loop {
        let job = next_job.fetch_add(1, Ordering::Relaxed);
        if job >= N_JOBS {
            return;
        }
        let _span = span!("job", "number {job}");
        let bytes = write_trace(job);
        let trace = {
            let _span = span!("load", "{} bytes", bytes.len());
            spall_trace::load(&bytes)
        };
        let Ok(trace) = trace else { return };
        let layout = {
            let _span = span!("lay out", "{} slices", trace.slices().len());
            Layout::new(&trace)
        };
        draw(&trace, &layout);
    }
}

/// A trace of made-up calls, as large as the number of the job wants it.
fn write_trace(job: u64) -> Vec<u8> {
    let _span = span!("write trace");
    let mut file = FileWriter::new(Vec::new(), Version::V3);
    let mut random = job + 1;
    for tid in 0..3_u32 {
        let _span = span!("write thread");
        let mut depth = 0;
        for at in 0..(2000 + 600 * i64::try_from(job).unwrap_or(0)) {
            random = random.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
            let name = ["parse", "check", "link", "emit", "fold"][(random >> 33) as usize % 5];
            let event =
                ThreadEvent::new(Thread::new(1_u32, tid), Tick(at * 100), Text::plain(name.as_bytes()));
            let begin = depth == 0 || depth < 12 && random >> 63 == 0;
            depth = if begin { depth + 1 } else { depth - 1 };
            let written = file.write_event(&if begin { Event::Begin(event) } else { Event::End(event) });
            debug_assert!(written.is_ok_and(Written::is_in_file));
        }
    }
    file.finish().unwrap_or_default()
}

/// Asks for the rectangles of every track, at closer and closer range.
fn draw(trace: &Trace, layout: &Layout) {
    let _span = span!("draw");
    let Some(Range { start, end }) = trace.bounds() else { return };
    let mut rects = Vec::new();
    for zoom in 0..8 {
        let _span = span!("zoom", "{} times", 1 << zoom);
        let length = (end.0 - start.0) >> zoom;
        let frame = Viewport::new(start..Tick(start.0 + length), 1920);
        for track in (0..).map(TrackId).take(trace.tracks().len()) {
            let _span = span!("track");
            rects.clear();
            let rows = layout.track_rows(track);
            for row in rows.iter().filter_map(|row| layout.row(row)) {
                let _span = span!("row");
                row.rects(&frame, &mut rects);
            }
        }
    }
}
