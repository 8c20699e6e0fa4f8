//! Records itself: `record [FILE]` writes, loads and lays out traces on a few threads, and traces doing so.
//!
//! A profiler of one's own around [`ThreadRecorder`] is about as long as the one in this file. The file, by default
//! `record.spall`, is a spall v3 trace; the project's `testdata/record.spall` was made by this program.

use std::{
    error::Error,
    fs::File,
    io::{self, Write},
    ops::Range,
    sync::{
        Mutex,
        atomic::{AtomicU64, Ordering},
    },
    thread,
    time::Instant,
};

use spall_trace::{
    format::{
        FormatError,
        spall::{FileWriter, Header, ThreadRecorder, Version},
    },
    layout::{Fidelity, Layout, LayoutOptions, Scratch, Viewport},
    model::{Event, Limits, Text, Thread, ThreadEvent, Tick, Trace, TrackId, Written},
};

/// Where full buffers go, and the clock.
struct Profiler {
    file: Mutex<File>,
    start: Instant,
}

/// What a recorder does with the bytes of a full buffer.
type Empty<'p> = Box<dyn FnMut(&[u8]) + 'p>;

/// A recorder of one thread, whose buffer is emptied when it is full and when it is dropped.
struct Recorder<'p> {
    profiler: &'p Profiler,
    thread: ThreadRecorder<Box<[u8]>, Empty<'p>>,
}

impl Profiler {
    fn create(path: &str) -> io::Result<Self> {
        let mut file = File::create(path)?;
        file.write_all(&Header::new(Version::V3, 1.0).to_bytes())?; // a tick is a nanosecond
        Ok(Self { file: Mutex::new(file), start: Instant::now() })
    }

    fn thread(&self, tid: u32, name: &str) -> Result<Recorder<'_>, FormatError> {
        let append = |bytes: &[u8]| {
            // A profiler must not stop the program because the disk is full.
            if let Ok(mut file) = self.file.lock() {
                _ = file.write_all(bytes);
            }
        };
        let memory = vec![0; BUFFER].into_boxed_slice();
        let mut thread = ThreadRecorder::new(memory, std::process::id(), tid, Box::new(append) as _)?;
        thread.thread_name(name);
        Ok(Recorder { profiler: self, thread })
    }

    fn now(&self) -> u64 {
        u64::try_from(self.start.elapsed().as_nanos()).unwrap_or(u64::MAX)
    }
}

impl Recorder<'_> {
    /// Does `work` as a slice called `name`.
    fn slice<T>(&mut self, name: &str, args: &str, work: impl FnOnce(&mut Self) -> T) -> T {
        self.begin(name, args);
        let result = work(self);
        self.end();
        result
    }

    fn begin(&mut self, name: &str, args: &str) {
        self.thread.begin_with_args(self.profiler.now(), name, args);
    }

    fn end(&mut self) {
        self.thread.end(self.profiler.now());
    }
}

const N_WORKERS: u32 = 4;
const N_JOBS: u64 = 14;
const BUFFER: usize = 16 * 1024;

fn main() -> Result<(), Box<dyn Error>> {
    let path = std::env::args().nth(1).unwrap_or_else(|| String::from("record.spall"));
    let profiler = Profiler::create(&path)?;
    let mut main = profiler.thread(0, "main")?;
    main.thread.process_name("record");
    // Never ended: the recording stops before the program does.
    main.begin("main", "");
    let next_job = AtomicU64::new(0);
    thread::scope(|scope| {
        main.slice("start workers", "", |main| {
            for tid in 1..=N_WORKERS {
                let (profiler, next_job) = (&profiler, &next_job);
                main.slice("spawn", &format!("worker {tid}"), |_| {
                    scope.spawn(move || {
                        // A recorder can only be refused for the size of its buffer.
                        if let Ok(mut recorder) = profiler.thread(tid, &format!("worker {tid}")) {
                            worker(&mut recorder, next_job);
                        }
                    });
                });
            }
        });
        main.begin("wait for workers", "");
    });
    main.end();
    drop(main);
    println!("recorded {path}, {} bytes", std::fs::metadata(&path)?.len());
    Ok(())
}

/// Takes jobs as long as there are some.
fn worker(recorder: &mut Recorder<'_>, next_job: &AtomicU64) {
    loop {
        let job = next_job.fetch_add(1, Ordering::Relaxed);
        if job >= N_JOBS {
            return;
        }
        recorder.slice(&format!("job {job}"), "", |recorder| {
            let bytes = recorder.slice("write trace", "", |recorder| write_trace(recorder, job));
            let size = format!("{} bytes", bytes.len());
            let trace = recorder.slice("load", &size, |_| spall_trace::load(&bytes, &Limits::default()));
            let Ok(trace) = trace else { return };
            let slices = format!("{} slices", trace.slices().len());
            let layout =
                recorder.slice("lay out", &slices, |_| Layout::new(&trace, &LayoutOptions::default()));
            recorder.slice("draw", "", |recorder| draw(recorder, &trace, &layout));
        });
    }
}

/// A trace of made-up calls, as large as the number of the job wants it.
fn write_trace(recorder: &mut Recorder<'_>, job: u64) -> Vec<u8> {
    let mut file = FileWriter::new(Vec::new(), Version::V3);
    let mut random = job + 1;
    for tid in 0..3_u32 {
        recorder.slice("write thread", "", |_| {
            let mut depth = 0;
            for at in 0..(2000 + 600 * i64::try_from(job).unwrap_or(0)) {
                random =
                    random.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
                let name = ["parse", "check", "link", "emit", "fold"][(random >> 33) as usize % 5];
                let event =
                    ThreadEvent::new(Thread::new(1_u32, tid), Tick(at * 100), Text::plain(name.as_bytes()));
                let begin = depth == 0 || depth < 12 && random >> 63 == 0;
                depth = if begin { depth + 1 } else { depth - 1 };
                let written = file.write_event(&if begin { Event::Begin(event) } else { Event::End(event) });
                debug_assert!(written.is_ok_and(Written::is_in_file));
            }
        });
    }
    file.finish().unwrap_or_default()
}

/// Asks for the rectangles of every track, at closer and closer range.
fn draw(recorder: &mut Recorder<'_>, trace: &Trace<'_>, layout: &Layout) {
    let Some(Range { start, end }) = trace.bounds() else { return };
    let (mut scratch, mut rects) = (Scratch::new(), Vec::new());
    for zoom in 0..8 {
        let length = (end.0 - start.0) >> zoom;
        recorder.slice(&format!("zoom {}", 1 << zoom), "", |recorder| {
            let frame = Viewport::new(start..Tick(start.0 + length), 1920, Fidelity::Exact);
            for track in (0..).map(TrackId).take(trace.tracks().len()) {
                recorder.slice("track", "", |recorder| {
                    rects.clear();
                    let rows = layout.track_rows(track);
                    for row in rows.iter().filter_map(|row| layout.row(row)) {
                        recorder.slice("row", "", |_| row.rects(&frame, &mut scratch, &mut rects));
                    }
                });
            }
        });
    }
}
