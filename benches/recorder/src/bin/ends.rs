//! How many spans are left of a process that ends, with `spall-record` and with other recorders.
//!
//! Each process records 1000 spans on a thread that it joins, and 1000 on its first thread, and ends at once, or waits for a
//! signal that comes a second later. All recorders write a file; `puffin` writes none. `ends [ROUNDS]` prints the median of the
//! rounds, and the bytes of a file that was finished.

use std::fs::File;
use std::io::{BufRead, BufReader, BufWriter, Write};
use std::mem::forget;
use std::path::Path;
use std::process::{Command, Stdio, abort, exit};
use std::thread;
use std::time::Duration;

use tracing_subscriber::layer::SubscriberExt;
use tracing_subscriber::util::SubscriberInitExt;

const RECORDERS: [&str; 7] = [
    "spall-record",
    "spall-record, JSON",
    "tracing, spall-record",
    "tracing, tracing-chrome",
    "tracing, tracing-flame",
    "fastrace",
    "minitrace",
];
const ENDS: [&str; 6] = ["finish", "panic", "exit", "abort", "INT", "KILL"];
const N: usize = 1000;

fn main() {
    let args: Vec<String> = std::env::args().collect();
    if let [_, recorder, end, path] = &args[..] {
        return child(recorder, end, Path::new(path));
    }
    let rounds = args.get(1).and_then(|rounds| rounds.parse().ok()).unwrap_or(3);
    print!("{:26}", "spans of 2000 after");
    ENDS.iter().for_each(|end| print!("{end:>8}"));
    println!("{:>10}", "bytes");
    for recorder in RECORDERS {
        print!("{recorder:26}");
        let mut bytes = 0;
        for end in ENDS {
            let mut kept: Vec<usize> = (0..rounds).map(|_| run(recorder, end, &mut bytes)).collect();
            kept.sort_unstable();
            print!("{:8}", kept[rounds / 2]);
            std::io::stdout().flush().expect("an output");
        }
        println!("{bytes:10}");
    }
}

/// Runs a process, and returns the number of spans in its file.
fn run(recorder: &str, end: &str, bytes: &mut u64) -> usize {
    let ending = if recorder == "spall-record" { "spall" } else { "json" };
    let path = std::env::temp_dir().join(format!("ends-{}.{ending}", std::process::id()));
    let _ = std::fs::remove_file(&path);
    let mut command = Command::new(std::env::current_exe().expect("a path"));
    command.args([recorder, end]).arg(&path).stdout(Stdio::piped()).stderr(Stdio::null());
    let mut child = command.spawn().expect("a process");
    if let "INT" | "KILL" = end {
        let mut line = String::new();
        BufReader::new(child.stdout.take().expect("a pipe")).read_line(&mut line).expect("a line");
        thread::sleep(Duration::from_secs(1));
        let id = child.id().to_string();
        Command::new("kill").args(["-s", end, &id]).status().expect("kill");
    }
    child.wait().expect("an end");
    let data = std::fs::read(&path).unwrap_or_default();
    if end == "finish" {
        *bytes = data.len() as u64;
    }
    let kept = match recorder {
        "fastrace" | "minitrace" | "tracing, tracing-flame" => {
            String::from_utf8_lossy(&data).matches("nine char").count()
        }
        _ => match spall_trace::load(&data) {
            Ok(trace) => trace.slices().len(),
            Err(_) => 0,
        },
    };
    let _ = std::fs::remove_file(&path);
    kept
}

/// Records with a recorder, and ends.
fn child(recorder: &str, end: &str, path: &Path) {
    match recorder {
        "tracing, spall-record" => {
            let session = spall_record::to_file(path).expect("a file");
            tracing_subscriber::registry().with(spall_record::TracingLayer::new()).init();
            record(end, session, of_tracing);
        }
        "tracing, tracing-chrome" => {
            let (layer, guard) = tracing_chrome::ChromeLayerBuilder::new().file(path).build();
            tracing_subscriber::registry().with(layer).init();
            record(end, guard, of_tracing);
        }
        "tracing, tracing-flame" => {
            let (layer, guard) = tracing_flame::FlameLayer::with_file(path).expect("a file");
            tracing_subscriber::registry().with(layer).init();
            record(end, guard, of_tracing);
        }
        "fastrace" => {
            struct Flush;
            impl Drop for Flush {
                fn drop(&mut self) {
                    fastrace::flush();
                }
            }
            fastrace::set_reporter(ToFile(file(path)), fastrace::collector::Config::default());
            record(end, Flush, || {
                let root = fastrace::Span::root("root", fastrace::collector::SpanContext::random());
                let _parent = root.set_local_parent();
                for _ in 0..N {
                    let _span = fastrace::local::LocalSpan::enter_with_local_parent("nine char");
                }
            });
        }
        "minitrace" => {
            struct Flush;
            impl Drop for Flush {
                fn drop(&mut self) {
                    minitrace::flush();
                }
            }
            minitrace::set_reporter(ToFile(file(path)), minitrace::collector::Config::default());
            record(end, Flush, || {
                let root = minitrace::Span::root("root", minitrace::collector::SpanContext::random());
                let _parent = root.set_local_parent();
                for _ in 0..N {
                    let _span = minitrace::local::LocalSpan::enter_with_local_parent("nine char");
                }
            });
        }
        _ => record(end, spall_record::to_file(path).expect("a file"), || {
            for _ in 0..N {
                let _span = spall_record::span!("nine char");
            }
        }),
    }
}

fn of_tracing() {
    for _ in 0..N {
        let _span = tracing::info_span!("nine char").entered();
    }
}

/// Records on two threads, and ends while `guard` holds what finishes the file.
fn record(end: &str, guard: impl Sized, work: impl Fn() + Send + Sync + Copy + 'static) {
    thread::spawn(work).join().expect("no panic");
    work();
    println!("ready");
    match end {
        "finish" => drop(guard),
        "panic" => panic!("for the table"),
        "exit" => {
            forget(guard);
            exit(1)
        }
        "abort" => abort(),
        _ => loop {
            thread::park();
        },
    }
}

fn file(path: &Path) -> BufWriter<File> {
    BufWriter::new(File::create(path).expect("a file"))
}

/// A reporter that writes a line for each span, and flushes, as the one to the console does.
struct ToFile(BufWriter<File>);

impl fastrace::collector::Reporter for ToFile {
    fn report(&mut self, spans: Vec<fastrace::collector::SpanRecord>) {
        for span in spans {
            writeln!(self.0, "{span:?}").expect("a disk");
        }
        self.0.flush().expect("a disk");
    }
}

impl minitrace::collector::Reporter for ToFile {
    fn report(&mut self, spans: &[minitrace::collector::SpanRecord]) {
        for span in spans {
            writeln!(self.0, "{span:?}").expect("a disk");
        }
        self.0.flush().expect("a disk");
    }
}
