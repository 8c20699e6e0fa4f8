//! The containers of apitrace recordings, and streams that come in pieces.
#![cfg(feature = "alloc")]

use crate::common;
use spall_format::apitrace::Parser;
use spall_format::container::{Container, Decompressed, decompress, decompress_as};
use spall_format::{FormatError, FormatErrorKind};
use spall_model::{DiagnosticKind, Event, LendingParser, Limits, Progress};
use spall_synth::apitrace::{game, kitchen_sink, snappy, snappy_block};
use spall_synth::gzip::zip;

fn unpack(data: &[u8]) -> Decompressed<'_> {
    decompress(data, &Limits::default()).unwrap()
}

#[test]
fn c1_snappy_blocks_of_any_size_are_the_same_stream() {
    let stream = game(2000);
    for block in [1, 7, 100, 65_536, 1 << 20] {
        let unpacked = unpack(&snappy(&stream, block)).stream.into_owned();
        assert!(unpacked == stream, "{block}");
    }
}

#[test]
fn c1_a_cut_snappy_file_gives_what_is_there() {
    let stream = game(60);
    let packed = snappy(&stream, 300);
    let ends: Vec<usize> = (0..=stream.len().div_ceil(300))
        .map(|blocks| snappy(&stream[..(blocks * 300).min(stream.len())], 300).len())
        .collect();
    let mut least = 0;
    for length in 2..=packed.len() {
        let unpacked = unpack(&packed[..length]);
        assert!(stream.starts_with(&unpacked.stream), "cut at {length}");
        assert!(unpacked.stream.len() >= least, "cut at {length}");
        least = unpacked.stream.len();
        assert_eq!(unpacked.damage.is_none(), ends.contains(&length), "cut at {length}");
    }
}

#[test]
fn c1_a_flipped_bit_keeps_the_blocks_before_it() {
    let stream = game(60);
    let packed = snappy(&stream, 300);
    for position in 2..packed.len() {
        let mut flipped = packed.clone();
        flipped[position] ^= 0x10;
        let unpacked = decompress(&flipped, &Limits::default()).unwrap();
        let blocks_before =
            (0..).find(|n| snappy(&stream[..((n + 1) * 300).min(stream.len())], 300).len() > position);
        assert!(unpacked.stream.starts_with(&stream[..blocks_before.unwrap_or(0) * 300]), "{position}");
    }
}

#[test]
fn c1_an_empty_block_ends_the_data() {
    let stream = game(10);
    let packed = [snappy(&stream, 1 << 20), vec![0; 4], snappy_block(&stream)].concat();
    let unpacked = unpack(&packed);
    assert_eq!(unpacked.stream, stream);
    assert_eq!(unpacked.damage.unwrap().kind, DiagnosticKind::Junk);
}

#[test]
fn c6_the_output_has_a_limit_and_the_error_says_it() {
    let mut limits = Limits::default();
    limits.max_decompressed_bytes = 3 << 20;
    let zeros = snappy(&vec![0; 4 << 20], 1 << 20);
    let error = decompress(&zeros, &limits).unwrap_err();
    assert_eq!(error.kind(), FormatErrorKind::OutputLimit { max_mib: 3 });
    assert!(error.to_string().contains("over the limit of 3 MiB"), "{error}");
    limits.max_decompressed_bytes = 4 << 20;
    assert_eq!(decompress(&zeros, &limits).unwrap().stream.len(), 4 << 20);
}

#[test]
fn c1_containers_are_told_by_their_first_bytes() {
    assert_eq!(Container::detect(b"at"), Some(Container::Snappy));
    assert_eq!(Container::detect(b"\x1f\x8b\x08"), Some(Container::Gzip));
    assert_eq!(Container::detect(b"\x28\xb5\x2f\xfd"), Some(Container::Zstd));
    let limits = Limits::default();
    assert_eq!(*decompress(b"\x05", &limits).unwrap().stream, [5]);
    for other in [&b""[..], b"a", b"\x28\xb5", b"PK", b"\x8b"] {
        assert_eq!(Container::detect(other), None);
        let brotli = decompress_as(Some(Container::Brotli), other, &limits);
        assert_eq!(decompress(other, &limits), brotli);
    }
}

#[cfg(feature = "gzip")]
#[test]
fn c1_a_gzip_head_may_have_more_fields() {
    let content = game(3);
    let member = spall_synth::gzip::member(&content);
    let (head, rest) = member.split_at(10);
    // An extra field of 3 bytes, a name, a comment, a checksum of the head: each alone, and all.
    let fields = [(4, &b"\x03\0abc"[..]), (8, b"name\0"), (16, b"\0"), (2, b"\xff\xff")];
    for flags in [4, 8, 16, 2, 4 | 8 | 16 | 2] {
        let fields = fields.iter().filter(|(flag, _)| flags & flag != 0).flat_map(|&(_, bytes)| bytes);
        let mut file: Vec<u8> = head.iter().chain(fields).chain(rest).copied().collect();
        file[3] = flags;
        let unpacked = unpack(&file);
        assert_eq!((&*unpacked.stream, unpacked.damage), (&content[..], None), "{flags}");
    }
}

#[cfg(feature = "gzip")]
#[test]
fn c1_a_wrong_checksum_is_said_and_takes_nothing_away() {
    use spall_synth::gzip;
    let content = game(3);
    let (front, back) = content.split_at(100);
    let members = [gzip::member(front), gzip::member(back)];
    let file = members.concat();
    let unpacked = unpack(&file);
    assert_eq!((&*unpacked.stream, unpacked.damage), (&content[..], None));
    for (start, end) in [(0, members[0].len()), (members[0].len(), file.len())] {
        for at in end - 8..end {
            let mut file = file.clone();
            file[at] ^= 1;
            let unpacked = unpack(&file);
            let damage = unpacked.damage.expect("a diagnostic");
            assert_eq!((damage.kind, damage.bytes.start), (DiagnosticKind::BadChecksum, start as u64));
            assert_eq!(&*unpacked.stream, content);
        }
    }
    for missing in 1..=8 {
        let unpacked = unpack(&file[..file.len() - missing]);
        assert_eq!((&*unpacked.stream, unpacked.damage), (&content[..], None));
    }
}

/// Returns all events as text, and the error that ended them, of a stream that comes in pieces.
fn read_in_pieces(stream: &[u8], size: usize) -> Vec<common::Step<FormatError>> {
    common::in_pieces(Parser::new(), stream, |_, end| end + size, |event| format!("{event:?}"))
}

#[test]
fn the_stream_is_needed_to_its_end() {
    let stream = game(30);
    let mut parser = Parser::new();
    loop {
        match parser.lend(&stream, true, &mut |_: &Event<'_>, _| ()).unwrap() {
            Progress::End => return,
            progress => assert_eq!(progress, Progress::Read(0)),
        }
    }
}

#[test]
fn pieces_of_any_size_make_the_same_events() {
    let mut groups = game(30);
    groups.truncate(groups.len() - 3);
    for stream in [kitchen_sink(6).bytes(), kitchen_sink(2).bytes(), &game(30), &groups] {
        let whole = read_in_pieces(stream, stream.len());
        for size in [1, 2, 3, 7, 64, 1000] {
            assert!(read_in_pieces(stream, size) == whole, "pieces of {size}");
        }
        for position in (0..stream.len()).step_by(5) {
            let mut flipped = stream.to_vec();
            flipped[position] ^= 0x41;
            let (pieces, whole) = (read_in_pieces(&flipped, 1), read_in_pieces(&flipped, stream.len()));
            // Without `assert_eq!`, which would print all events.
            assert!(pieces == whole, "at {position}");
        }
    }
}

#[test]
fn c1_the_only_file_of_a_zip_archive_is_its_content() {
    let folder: (&str, &[u8]) = ("traces/", b"");
    let of_macos: (&str, &[u8]) = ("__MACOSX/._trace", b"junk");
    for name in ["traces/trace", "traces/trace.z"] {
        let archive = zip(&[folder, (name, b"content"), of_macos]);
        assert_eq!(Container::detect(&archive), Some(Container::Zip));
        let opened = decompress_as(Some(Container::Zip), &archive, &Limits::default()).unwrap();
        assert_eq!((&*opened.stream, opened.damage), (&b"content"[..], None), "{name}");
        // A cut archive has what is there, and says that it is cut.
        for length in 4..archive.len() {
            let cut = decompress_as(Some(Container::Zip), &archive[..length], &Limits::default()).unwrap();
            assert!(b"content".starts_with(&cut.stream), "{name} cut at {length}");
            assert_eq!(cut.damage.unwrap().kind, DiagnosticKind::Truncated, "{name} cut at {length}");
        }
    }
    let several = zip(&[("a", b"1"), ("b", b"2")]);
    let error = decompress_as(Some(Container::Zip), &several, &Limits::default()).unwrap_err();
    assert_eq!(error.kind(), FormatErrorKind::SeveralFiles);
    let mut wrong = zip(&[("a", b"content")]);
    wrong[35] ^= 1;
    let opened = decompress_as(Some(Container::Zip), &wrong, &Limits::default()).unwrap();
    assert_eq!(opened.damage.unwrap().kind, DiagnosticKind::BadChecksum);
}
