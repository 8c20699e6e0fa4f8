//! The generator of spall streams of versions 0, 1 and 3. [spall A.1 to A.5]

use crate::Random;

/// A file that is being written. The methods append records without checking that they make sense.
///
/// ```
/// use spall_synth::spall::File;
///
/// let file = File::new(3, 1.0).buffer(1, 7).begin_v3(5, b"load", b"").end_v3(9).finish();
/// assert_eq!(file.len(), 32 + 20 + (11 + 4) + 9);
/// ```
#[derive(Debug, Clone)]
pub struct File {
    /// The bytes of the file so far.
    pub bytes: Vec<u8>,
    /// The position of the open buffer's header in version 3.
    buffer: Option<usize>,
}

impl File {
    /// Creates a file with a header, whose unit is written as it is.
    #[must_use]
    pub fn new(version: u64, unit: f64) -> Self {
        let mut bytes = Vec::new();
        bytes.extend(0x0BAD_F00D_u64.to_le_bytes());
        bytes.extend(version.to_le_bytes());
        bytes.extend(unit.to_le_bytes());
        bytes.extend(0_u64.to_le_bytes());
        Self { bytes, buffer: None }
    }

    /// Begins a buffer of version 3, which the next buffer or [`File::finish`] closes.
    pub fn buffer(mut self, pid: u32, tid: u32) -> Self {
        self.close();
        self.buffer = Some(self.bytes.len());
        self.buffer_header(0, pid, tid)
    }

    /// Appends the header of a buffer of version 3 that claims to hold `size` bytes.
    pub fn buffer_header(self, size: u32, pid: u32, tid: u32) -> Self {
        self.push(&size.to_le_bytes()).push(&tid.to_le_bytes()).push(&pid.to_le_bytes()).push(&[0; 8])
    }

    /// Appends a begin of version 0.
    pub fn begin_v0(self, pid: u32, tid: u32, time: f64, name: &[u8]) -> Self {
        self.old(3, None, pid, tid, time).push(&[byte(name)]).push(name)
    }

    /// Appends an end of version 0 or 1.
    pub fn end_v0(self, pid: u32, tid: u32, time: f64) -> Self {
        self.old(4, None, pid, tid, time)
    }

    /// Appends a complete slice of version 0.
    pub fn complete_v0(self, pid: u32, tid: u32, time: f64, duration: f64, name: &[u8]) -> Self {
        self.old(2, None, pid, tid, time).push(&duration.to_le_bytes()).push(&[byte(name)]).push(name)
    }

    /// Appends a begin of version 1.
    pub fn begin_v1(self, pid: u32, tid: u32, time: f64, name: &[u8], args: &[u8]) -> Self {
        self.old(3, Some(0), pid, tid, time).push(&[byte(name), byte(args)]).push(name).push(args)
    }

    /// Appends a begin of version 3.
    pub fn begin_v3(self, when: u64, name: &[u8], args: &[u8]) -> Self {
        self.push(&[3]).push(&when.to_le_bytes()).push(&[byte(name), byte(args)]).push(name).push(args)
    }

    /// Appends an end of version 3.
    pub fn end_v3(self, when: u64) -> Self {
        self.push(&[4]).push(&when.to_le_bytes())
    }

    /// Appends a record of version 3 with the name of the process (type 8) or of the thread (type 9).
    pub fn name_v3(self, kind: u8, name: &[u8]) -> Self {
        self.push(&[kind, byte(name)]).push(name)
    }

    /// Appends padding of versions 1 and 3 that claims to skip `size` bytes, and `bytes` behind it.
    pub fn pad(self, size: u32, bytes: &[u8]) -> Self {
        self.push(&[7]).push(&size.to_le_bytes()).push(bytes)
    }

    /// Appends any bytes.
    pub fn push(mut self, bytes: &[u8]) -> Self {
        self.bytes.extend(bytes);
        self
    }

    /// Closes the last buffer and returns the bytes of the file.
    #[must_use]
    pub fn finish(mut self) -> Vec<u8> {
        self.close();
        self.bytes
    }

    /// Appends the part that all records of versions 0 and 1 begin with.
    fn old(self, kind: u8, category: Option<u8>, pid: u32, tid: u32, time: f64) -> Self {
        let file = self.push(&[kind]).push(category.as_slice());
        file.push(&pid.to_le_bytes()).push(&tid.to_le_bytes()).push(&time.to_le_bytes())
    }

    /// Writes the size of the open buffer into its header.
    fn close(&mut self) {
        if let Some(start) = self.buffer.take() {
            let [a, b, c, d, ..] = (self.bytes.len() - start - 20).to_le_bytes();
            for (at, byte) in [a, b, c, d].into_iter().enumerate() {
                if let Some(into) = self.bytes.get_mut(start + at) {
                    *into = byte;
                }
            }
        }
    }
}

/// Returns the lower 8 bits of the length of a text, which is all that the file stores.
fn byte(text: &[u8]) -> u8 {
    let [length, ..] = text.len().to_le_bytes();
    length
}

/// The shape of a generated trace. A number below its least value counts as the least value.
#[derive(Debug, Clone)]
pub struct Shape {
    /// The version, which is 0 (the published layout), 1 or 3.
    pub version: u64,
    /// The number of slices in all. Each is a begin and an end, but in version 0 every fourth is a complete record.
    pub slices: usize,
    /// The number of threads, at least 1. Each process has four of them.
    pub threads: u32,
    /// The greatest number of slices inside each other, at least 1.
    pub depth: usize,
    /// The number of different names, at least 1. They have 5 to 44 bytes.
    pub names: usize,
    /// Whether every second slice has arguments, in versions 1 and 3.
    pub args: bool,
    /// The number of records of a thread in one buffer of version 3, at least 1. Threads take turns.
    pub records_per_buffer: usize,
    /// The seed of the random numbers. The same shape with the same seed gives the same bytes.
    pub seed: u64,
}

impl Default for Shape {
    fn default() -> Self {
        Self {
            version: 3,
            slices: 1000,
            threads: 4,
            depth: 8,
            names: 50,
            args: true,
            records_per_buffer: 100,
            seed: 1,
        }
    }
}

/// Returns a valid trace. Times grow by 1 to 1000 ticks from record to record of a thread, and every slice is closed.
#[must_use]
pub fn trace(shape: &Shape) -> Vec<u8> {
    let mut random = Random(shape.seed);
    let names: Vec<Vec<u8>> = (0..shape.names.max(1)).map(|index| name(index, &mut random)).collect();
    let mut file = File::new(shape.version, 1.0);
    let mut threads = vec![Thread { time: 0, open: 0 }; shape.threads.max(1) as usize];
    let mut left = shape.slices;
    while left > 0 || threads.iter().any(|thread| thread.open > 0) {
        for (tid, thread) in (0_u32..).zip(&mut threads) {
            let pid = tid / 4;
            if left == 0 && thread.open == 0 {
                continue;
            }
            if shape.version == 3 {
                file = file.buffer(pid, tid);
                if thread.time == 0 {
                    file = file.name_v3(9, format!("thread {tid}").as_bytes());
                }
            }
            for _ in 0..shape.records_per_buffer.max(1) {
                thread.time += 1 + below(&mut random, 1000);
                let begins = left > 0
                    && thread.open < shape.depth.max(1)
                    && (thread.open == 0 || below(&mut random, 2) == 0);
                if begins {
                    left -= 1;
                    let index = index(&mut random, names.len());
                    let name = names.get(index).map_or(&b""[..], Vec::as_slice);
                    let args = if shape.args && left.is_multiple_of(2) { &b"size=1024"[..] } else { b"" };
                    let closed = shape.version == 0 && left.is_multiple_of(4);
                    match shape.version {
                        0 if closed => {
                            let duration = 1 + below(&mut random, 1000);
                            file = file.complete_v0(pid, tid, thread.time as f64, duration as f64, name);
                            thread.time += duration;
                        }
                        0 => {
                            file = file.begin_v0(pid, tid, thread.time as f64, name);
                        }
                        1 => {
                            file = file.begin_v1(pid, tid, thread.time as f64, name, args);
                        }
                        _ => {
                            file = file.begin_v3(thread.time, name, args);
                        }
                    }
                    thread.open += usize::from(!closed);
                } else if thread.open > 0 {
                    thread.open -= 1;
                    if shape.version == 3 {
                        file = file.end_v3(thread.time);
                    } else {
                        file = file.end_v0(pid, tid, thread.time as f64);
                    }
                }
            }
        }
    }
    file.finish()
}

/// The time of a thread's last record, and the number of its open slices.
#[derive(Debug, Clone, Copy)]
struct Thread {
    time: u64,
    open: usize,
}

fn name(number: usize, random: &mut Random) -> Vec<u8> {
    let mut name = format!("fn_{number:02}").into_bytes();
    let length = name.len() + index(random, 40);
    name.resize_with(length, || {
        b"abcdefghijklmnopqrstuvwxyz_::<>".get(index(random, 31)).copied().unwrap_or(b'_')
    });
    name
}

/// Returns a number below `end`. Its bits are mixed, so that the files are those of the records of speed.
fn below(random: &mut Random, end: u64) -> u64 {
    random.bits();
    ((random.0 ^ (random.0 >> 33)).wrapping_mul(0xff51_afd7_ed55_8ccd) >> 32).checked_rem(end).unwrap_or(0)
}

fn index(random: &mut Random, end: usize) -> usize {
    usize::try_from(below(random, end as u64)).unwrap_or(0)
}

/// Returns damaged and extreme files with one fault each, and a name for each fault.
///
/// A parser must finish with each of them, in time and memory in proportion to the size of the file. [spall A.8]
#[must_use]
pub fn attacks() -> Vec<(&'static str, Vec<u8>)> {
    let v3 = || File::new(3, 1.0);
    let slice = |file: File| file.begin_v3(1, b"a", b"").end_v3(2);
    let v1_with = |kind: u8| File::new(1, 1.0).begin_v1(1, 1, 1.0, b"a", b"").push(&[kind; 40]).finish();
    let unit = |unit: f64| slice(File::new(3, unit).buffer(1, 1)).finish();
    let unit_v1 = |unit: f64| File::new(1, unit).begin_v1(1, 1, 1.0, b"a", b"").end_v0(1, 1, 2.0).finish();
    let time = |time: f64| File::new(1, 1.0).begin_v1(1, 1, time, b"a", b"").end_v0(1, 1, time).finish();
    vec![
        ("empty", Vec::new()),
        ("magic only", v3().bytes.get(..8).unwrap_or_default().to_vec()),
        ("header cut", v3().bytes.get(..31).unwrap_or_default().to_vec()),
        ("header only", v3().bytes),
        ("version 2", File::new(2, 1.0).bytes),
        ("version 4", File::new(4, 1.0).bytes),
        ("version max", File::new(u64::MAX, 1.0).bytes),
        ("big endian", v3().bytes.iter().take(8).rev().chain(v3().bytes.iter().skip(8)).copied().collect()),
        ("auto trace", [&0xABAD_F00D_u64.to_le_bytes(), v3().bytes.get(8..).unwrap_or_default()].concat()),
        ("not spall", b"{\"traceEvents\":[]}".to_vec()),
        ("unit zero", unit(0.0)),
        ("unit negative", unit(-1.0)),
        ("unit nan", unit(f64::NAN)),
        ("unit infinite", unit(f64::INFINITY)),
        ("unit subnormal", unit(f64::from_bits(1))),
        ("unit max", unit(f64::MAX)),
        ("v1 unit zero", unit_v1(0.0)),
        ("v1 unit nan", unit_v1(f64::NAN)),
        ("v1 unit max", unit_v1(f64::MAX)),
        ("v1 time nan", time(f64::NAN)),
        ("v1 time infinite", time(f64::INFINITY)),
        ("v1 time max", time(f64::MIN)),
        ("v1 unknown type", v1_with(5)),
        ("v1 type 0", v1_with(0)),
        ("v0 nan length", File::new(0, 1.0).complete_v0(1, 1, 1.0, f64::NAN, b"a").finish()),
        ("v0 infinite length", File::new(0, 1.0).complete_v0(1, 1, 1.0, f64::INFINITY, b"a").finish()),
        ("v0 negative length", File::new(0, 1.0).complete_v0(1, 1, 5.0, -3.0, b"a").finish()),
        (
            "v0 infinity minus infinity",
            File::new(0, 1.0).complete_v0(1, 1, f64::NEG_INFINITY, f64::INFINITY, b"a").finish(),
        ),
        ("v0 first draft", draft(0, 1, 25)),
        ("v0 second draft", draft(2, 3, 32)),
        ("v0 pad skip", File::new(0, 1.0).begin_v0(1, 1, 1.0, b"a").pad(4, &[0; 4]).finish()),
        (
            "v1 pad over the end",
            File::new(1, 1.0).begin_v1(1, 1, 1.0, b"a", b"").pad(u32::MAX, &[0; 9]).finish(),
        ),
        ("time max", v3().buffer(1, 1).begin_v3(u64::MAX, b"a", b"").end_v3(u64::MAX).finish()),
        (
            "time travel",
            v3().buffer(1, 1).begin_v3(9, b"a", b"").end_v3(3).begin_v3(1, b"b", b"").end_v3(2).finish(),
        ),
        ("buffer larger than the file", slice(v3().buffer_header(u32::MAX, 1, 1)).bytes),
        ("buffer header cut", v3().buffer(1, 1).push(&[]).finish().get(..51).unwrap_or_default().to_vec()),
        ("event over the buffer end", slice(slice(v3().buffer_header(15, 1, 1)).buffer(1, 2)).finish()),
        ("type over the buffer end", slice(slice(v3().buffer_header(13, 1, 1)).buffer(1, 2)).finish()),
        (
            "name over the buffer end",
            slice(v3().buffer_header(4, 1, 1).name_v3(9, b"xyz").buffer(1, 2)).finish(),
        ),
        ("pad over the buffer end", slice(slice(v3().buffer(1, 1)).pad(u32::MAX, b"").buffer(1, 2)).finish()),
        ("pad to the buffer end", slice(slice(v3().buffer(1, 1)).pad(3, b"xyz").buffer(1, 2)).finish()),
        ("pad over the file end", v3().buffer_header(u32::MAX, 1, 1).pad(u32::MAX - 5, b"xyz").bytes),
        ("unknown type", slice(slice(v3().buffer(1, 1)).push(&[5; 30]).buffer(1, 2)).finish()),
        ("unknown type in a cut buffer", slice(v3().buffer_header(u32::MAX, 1, 1)).push(&[0; 30]).bytes),
        ("type 0", v3().buffer(1, 1).push(&[0; 64]).finish()),
        ("type 255", v3().buffer(1, 1).push(&[255; 64]).finish()),
        ("empty buffers", (0..1000).fold(v3(), |file, _| file.buffer(1, 1)).finish()),
    ]
}

/// Returns a file of the days before version 0 was published, when records had other types and the header another
/// length.
fn draft(begin: u8, end: u8, header: usize) -> Vec<u8> {
    let mut file = File::new(0, 1.0);
    file.bytes.truncate(header);
    let record =
        |file: File, kind: u8| file.push(&[kind, 2, 0, 0, 0, 1, 0, 0, 0]).push(&1.5_f64.to_le_bytes());
    (0..4).fold(file, |file, _| record(record(file, begin).push(b"\x03foo"), end)).finish()
}

/// Returns a file with `count` ends that close nothing.
#[must_use]
pub fn end_flood(count: usize) -> Vec<u8> {
    (0..count).fold(File::new(3, 1.0).buffer(1, 1), |file, _| file.end_v3(5)).finish()
}

/// Returns a file with `count` slices inside each other, none of which is closed.
#[must_use]
pub fn nested_begins(count: u64) -> Vec<u8> {
    (0..count).fold(File::new(3, 1.0).buffer(1, 1), |file, when| file.begin_v3(when, b"", b"")).finish()
}

/// Returns a file with one slice on each of `count` threads, each of a process of its own.
#[must_use]
pub fn many_threads(count: u32) -> Vec<u8> {
    let slice =
        |file: File, id: u32| file.buffer(id, id).begin_v3(u64::from(id), b"", b"").end_v3(u64::from(id) + 1);
    (0..count).fold(File::new(3, 1.0), slice).finish()
}
