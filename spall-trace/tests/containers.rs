//! Every format is read from every container.

use std::io::Read;

use spall_synth::{apitrace, auto, cpu_profile, gzip, heph, json, spall as synth};
use spall_trace::{
    Error, Format, Loader, detect, load, load_from,
    model::{
        ByteRange, DiagnosticKind, Event, Limits, Parser, Progress, Receiver, Text, Thread, ThreadEvent,
        Tick, Ticks, Trace, TraceBuilder, TraceView,
    },
};

/// Returns a file of each format, without a container.
fn files() -> Vec<(Format, Vec<u8>)> {
    let profile = cpu_profile::Profile::random(20, 5, 50, 1).to_json(cpu_profile::Form::Document);
    vec![
        (
            Format::Spall { version: 3 },
            synth::trace(&synth::Shape { slices: 300, ..synth::Shape::default() }),
        ),
        (Format::SpallAuto, auto::sample()),
        (Format::Heph, heph::trace(50, 3, 2, true)),
        (Format::TraceEventJson, json::motley(200, json::Layout::Compact).into_bytes()),
        (Format::CpuProfile, profile.into_bytes()),
        (Format::Apitrace, apitrace::game(40)),
    ]
}

/// Returns a Zstandard file of blocks that are not compressed.
fn zstd(data: &[u8]) -> Vec<u8> {
    // A single segment with the size of the content in 4 bytes.
    let mut frame = vec![0x28, 0xb5, 0x2f, 0xfd, 0xa0];
    frame.extend(u32::try_from(data.len()).unwrap().to_le_bytes());
    let mut blocks = data.chunks(1 << 16).peekable();
    while let Some(block) = blocks.next() {
        let header = u32::try_from(block.len()).unwrap() << 3 | u32::from(blocks.peek().is_none());
        frame.extend(&header.to_le_bytes()[..3]);
        frame.extend(block);
    }
    frame
}

/// Returns a brotli stream of blocks that are not compressed.
fn brotli(data: &[u8]) -> Vec<u8> {
    // A window of 16 MiB (1111 in 4 bits, first bit set) starts the stream; each block is a header of 20 bits or more,
    // padded to a byte: not the last, 4 nibbles of length, the length less one, not compressed.
    let (mut stream, mut bits, mut n_bits) = (Vec::new(), 0b1111_u32, 4);
    for block in data.chunks(1 << 16) {
        let length = u32::try_from(block.len() - 1).unwrap();
        bits |= (length << 3 | 1 << 19) << n_bits;
        n_bits += 20;
        while n_bits > 0 {
            stream.push(bits.to_le_bytes()[0]);
            bits >>= 8;
            n_bits = if n_bits > 8 { n_bits - 8 } else { 0 };
        }
        bits = 0;
        stream.extend(block);
    }
    // The last block is empty.
    stream.push(3);
    stream
}

type Pack = fn(&[u8]) -> Vec<u8>;

/// Returns the containers whose features are on.
fn containers() -> Vec<(&'static str, Pack)> {
    let mut containers: Vec<(&'static str, Pack)> = vec![("snappy", |data| apitrace::snappy(data, 1000))];
    if cfg!(feature = "gzip") {
        containers.push(("gzip", gzip::member));
    }
    if cfg!(feature = "zstd") {
        containers.push(("zstd", zstd));
    }
    if cfg!(feature = "brotli") {
        containers.push(("brotli", brotli));
    }
    containers
}

/// Returns everything of a trace as text, without the places where its strings are stored.
fn show(trace: &Trace) -> String {
    let names: Vec<_> = trace.slices().names().iter().map(|&name| trace.name(name).into_owned()).collect();
    let (slices, tracks) = (trace.slices(), trace.tracks());
    let facts = (trace.clock(), trace.bounds(), slices.starts(), slices.ends(), slices.flags(), names);
    format!("{facts:?} {tracks:?} {:?} {:?}", trace.samples(), trace.diagnostics())
}

#[test]
fn every_format_is_read_from_every_container() {
    for (format, file) in files() {
        assert_eq!(detect(&file), Some(format));
        let expected = show(&load(&file).unwrap());
        assert_eq!(show(&load_from(&file[..]).unwrap()), expected, "{format}");
        for (name, pack) in containers() {
            let packed = pack(&file);
            assert_eq!(detect(&packed), Some(format), "{format} in {name}");
            let load_known = |data| Loader::new().with_format(format).load(data).unwrap();
            assert_eq!(show(&load(&packed).unwrap()), expected, "{format} in {name}");
            assert_eq!(show(&load_known(&packed)), expected, "{format} in {name}, known");
            assert_eq!(show(&load_from(&packed[..]).unwrap()), expected, "{format} in {name}, pieces");
            let mut builder = TraceBuilder::new(&Limits::default());
            Loader::new().read_events(&packed, |event, bytes| builder.receive(event, bytes)).unwrap();
            assert_eq!(show(&builder.finish()), expected, "{format} in {name}, events");
        }
    }
}

#[test]
fn a_cut_container_gives_the_events_before_the_cut() {
    let file = synth::trace(&synth::Shape { slices: 300, ..synth::Shape::default() });
    // The Zstandard decoder holds back one window, which is more than this file.
    for (name, pack) in containers().into_iter().filter(|&(name, _)| name != "zstd") {
        let packed = pack(&file);
        let trace = load(&packed[..packed.len() - packed.len() / 4]).unwrap();
        assert!(trace.diagnostics().count(DiagnosticKind::Truncated) > 0, "{name}");
        assert!(!trace.slices().is_empty(), "{name}");
    }
}

#[test]
fn a_container_of_which_nothing_can_be_read_is_an_error() {
    for data in [&b"at"[..], b"at\x08", b"\x1f\x8b\x08", b"\x28\xb5\x2f\xfd"] {
        assert!(load(data).is_err(), "{data:x?}");
        assert!(load_from(data).is_err(), "{data:x?}");
    }
    if cfg!(feature = "gzip") {
        let error = load(b"\x1f\x8b\x08").unwrap_err();
        assert!(matches!(error, Error::Container { kind: DiagnosticKind::Truncated, offset: 0 }), "{error}");
    }
}

/// A source that returns a few bytes at a time.
struct Drops<'a>(&'a [u8]);

impl Read for Drops<'_> {
    fn read(&mut self, buffer: &mut [u8]) -> std::io::Result<usize> {
        let length = buffer.len().min(7);
        self.0.read(&mut buffer[..length])
    }
}

#[test]
fn a_source_may_return_a_few_bytes_at_a_time() {
    for (format, file) in files() {
        let expected = show(&load(&file).unwrap());
        assert_eq!(show(&load_from(Drops(&file)).unwrap()), expected, "{format}");
    }
}

/// Reads a file in which every line is the name of a slice of one tick.
#[derive(Default)]
struct Lines(u64);

impl Parser for Lines {
    type Error = core::convert::Infallible;

    fn read<'a>(
        &mut self,
        data: &'a [u8],
        eof: bool,
        to: &mut impl Receiver<'a>,
    ) -> Result<Progress, Self::Error> {
        let (name, consumed) = match data.iter().position(|&byte| byte == b'\n') {
            Some(end) => (&data[..end], end + 1),
            None if !eof => return Ok(Progress::NeedMore(1)),
            None if data.is_empty() => return Ok(Progress::End),
            None => (data, data.len()),
        };
        let start = self.0;
        self.0 += consumed as u64;
        let at = Tick(start.try_into().unwrap());
        let slice = ThreadEvent::new(Thread::new(1, 1), at, Text::plain(name));
        to.receive(&Event::Complete(slice, Ticks(1)), ByteRange::new(start, self.0));
        Ok(Progress::Read(consumed))
    }
}

#[test]
fn a_parser_of_ones_own_reads_memory_streams_and_compressed_files() {
    // The first letters are those of a container that only apitrace uses.
    let text = b"at first\nthen";
    let packed = gzip::member(text);
    for data in [&text[..], &packed] {
        let whole = Loader::new().load_with(Lines::default(), data).unwrap();
        let pieces = Loader::new().load_from_with(Lines::default(), data).unwrap();
        for trace in [whole, pieces] {
            let names: Vec<_> = trace.slices().names().iter().map(|&name| trace.name(name)).collect();
            assert_eq!(names, ["at first", "then"]);
            assert_eq!(trace.slices().starts(), [Tick(0), Tick(9)]);
        }
    }
}

/// Text in UTF-16 is the same text, in either order of bytes. [profiles 6.1]
#[test]
fn text_in_utf_16_is_read_like_text_in_utf_8() {
    let utf16 = |text: &str, bytes: fn(u16) -> [u8; 2]| -> Vec<u8> {
        "\u{feff}".encode_utf16().chain(text.encode_utf16()).flat_map(bytes).collect()
    };
    for text in ["a;\u{e9};\u{1f980} 3\nb 4\n", "[{\"ph\":\"X\",\"name\":\"\u{1f980}\",\"ts\":1,\"dur\":2}]"]
    {
        let expected = load(text.as_bytes()).unwrap();
        for bytes in [u16::to_le_bytes as fn(u16) -> [u8; 2], u16::to_be_bytes] {
            let data = utf16(text, bytes);
            assert!(load(&data).unwrap() == expected, "{text}");
            assert!(load_from(&data[..]).unwrap() == expected, "{text}");
        }
    }
    // Half a character at the end, and one that is half of a pair.
    let mut data = utf16("m;a 3\nb 4\n", u16::to_le_bytes);
    data.extend([0x3d, 0xd8, 0x61]);
    let trace = load(&data).unwrap();
    assert_eq!(trace.samples().len(), 2);
    assert_eq!(trace.diagnostics().count(DiagnosticKind::Truncated), 1);
}
