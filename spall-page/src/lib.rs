#![doc = include_str!("../README.md")]

extern crate alloc;

use alloc::{collections::BTreeMap, fmt};
use std::{
    io::{self, Read, Write},
    sync::LazyLock,
};

use base64::{Engine as _, engine::general_purpose::STANDARD, write::EncoderWriter};
use flate2::{Compression, bufread::GzEncoder};

/// A file of the page.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct File {
    /// Its path from where the page is.
    pub path: &'static str,
    /// Its content.
    pub bytes: &'static [u8],
}

include!(concat!(env!("OUT_DIR"), "/files.rs"));

/// The page that has no trace in itself, if the engine was built.
static EMPTY: LazyLock<Option<String>> = LazyLock::new(|| BUILT.map(|(glue, wasm)| empty_page(glue, wasm)));

/// How many bytes of files a page of its own has at most, as they are in it. Browsers do not open larger ones.
pub const MAX_SAVED: u64 = 500_000_000;

/// How many bytes of a file one element of the page has: browsers refuse very long texts.
const PIECE: u64 = 24 << 20;

/// Why a page of its own cannot be written.
#[derive(Debug)]
#[non_exhaustive]
pub enum SaveError {
    /// This build does not contain the engine.
    NotBuilt,
    /// The files have more than [`MAX_SAVED`] bytes.
    TooLarge,
    /// A file could not be read, or the page not written.
    Io(io::Error),
}

impl fmt::Display for SaveError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::NotBuilt => f.write_str(
                "this program was built without the WebAssembly of the viewer, which such a page contains; run \
                 `cargo web --build` in the repository, and build it again",
            ),
            Self::TooLarge => {
                f.write_str("the page would have more than 500 MB, which browsers do not open; `spall open` shows files of any size")
            }
            Self::Io(error) => error.fmt(f),
        }
    }
}

impl core::error::Error for SaveError {
    fn source(&self) -> Option<&(dyn core::error::Error + 'static)> {
        match self {
            Self::Io(error) => Some(error),
            _ => None,
        }
    }
}

impl From<io::Error> for SaveError {
    fn from(error: io::Error) -> Self {
        Self::Io(error)
    }
}

/// Returns the file of the page that has a path.
#[must_use]
pub fn file(path: &str) -> Option<&'static File> {
    FILES.iter().find(|file| file.path == path)
}

/// Returns what a file is to a browser, by the end of its name.
#[must_use]
pub fn media_type(path: &str) -> &'static str {
    match path.rsplit('.').next() {
        Some("html") => "text/html; charset=utf-8",
        Some("js") => "text/javascript; charset=utf-8",
        Some("css") => "text/css; charset=utf-8",
        Some("json") => "application/json",
        Some("wasm") => "application/wasm",
        _ => "application/octet-stream",
    }
}

/// Returns the script that shows a trace in a cell of a notebook: a module for anywidget.
#[must_use]
pub fn widget() -> String {
    let modules = modules(&[]);
    let urls = text("urls.js");
    format!(
        "{urls}\nconst {{ render }} = await import(urls({modules}, blob)('widget.js'));\nexport default {{ render }};\n"
    )
}

/// Returns the page that has no trace in itself, for an engine that `wasm-bindgen` has made: its module and its WebAssembly. What
/// [`save`] writes begins with it.
#[must_use]
pub fn empty_page(glue: &str, wasm: &[u8]) -> String {
    let mut packed = Vec::new();
    // To read from memory cannot fail.
    _ = GzEncoder::new(wasm, Compression::best()).read_to_end(&mut packed);
    let parts = [
        ("{{modules}}", modules(&[("pkg/spall_web.js", glue)])),
        ("{{wasm}}", STANDARD.encode(packed)),
        ("{{url}}", text("urls.js").to_owned()),
    ];
    // Each part is put in once, so what it has in itself is no place for another one.
    let mut page = String::new();
    let mut rest = text("saved.html");
    for (place, part) in parts {
        let Some((before, after)) = rest.split_once(place) else { continue };
        page = page + before + &part;
        rest = after;
    }
    page + rest
}

/// Returns whether this build contains the engine, which [`save`] needs.
#[must_use]
pub const fn can_save() -> bool {
    BUILT.is_some()
}

/// Writes a page that has files in itself and shows them as a place says, which is an object of JSON: the `Place` of `spall-view`.
///
/// # Errors
///
/// If this build does not contain the engine, the files are too large for a page, or reading or writing fails.
pub fn save<R: Read>(
    out: &mut impl Write,
    place: &str,
    files: impl IntoIterator<Item = (String, R)>,
) -> Result<(), SaveError> {
    let empty = EMPTY.as_deref().ok_or(SaveError::NotBuilt)?;
    out.write_all(empty.as_bytes())?;
    writeln!(out, "<script id=\"place\" type=\"application/json\">{}</script>", escaped(place))?;
    let mut size = 0;
    for (number, (name, mut file)) in files.into_iter().enumerate() {
        let mut head = Vec::new();
        file.by_ref().take(4).read_to_end(&mut head)?;
        let is_packed = head.starts_with(&[0x1f, 0x8b]) || head.starts_with(&[0x28, 0xb5, 0x2f, 0xfd]);
        let all = io::Cursor::new(head).chain(file);
        let mut content: Box<dyn Read> = match is_packed {
            true => Box::new(all),
            false => Box::new(GzEncoder::new(io::BufReader::new(all), Compression::default())),
        };
        let name = name.replace('&', "&amp;").replace('"', "&quot;");
        let gzip = if is_packed { "" } else { " data-gzip" };
        loop {
            write!(
                out,
                "<script type=\"application/octet-stream\" data-file=\"{number}\" data-name=\"{name}\"{gzip}>"
            )?;
            let n_bytes = {
                let mut encoder = EncoderWriter::new(&mut *out, &STANDARD);
                let n_bytes = io::copy(&mut content.by_ref().take(PIECE), &mut encoder)?;
                encoder.finish()?;
                n_bytes
            };
            out.write_all(b"</script>\n")?;
            size += n_bytes;
            if size > MAX_SAVED {
                return Err(SaveError::TooLarge);
            }
            if n_bytes < PIECE {
                break;
            }
        }
    }
    Ok(())
}

/// The modules of the page and some others, as an object of texts by their names.
fn modules(others: &[(&str, &str)]) -> String {
    let own = FILES.iter().filter(|file| file.path.ends_with(".js")).map(|file| (file.path, text(file.path)));
    let all: BTreeMap<_, _> = own.chain(others.iter().copied()).collect();
    // Nothing in the table fails to serialise.
    escaped(&serde_json::to_string(&all).unwrap_or_default())
}

/// JSON in which nothing ends the element that it is in.
fn escaped(json: &str) -> String {
    json.replace('<', "\\u003c")
}

fn text(path: &str) -> &'static str {
    file(path).and_then(|file| str::from_utf8(file.bytes).ok()).unwrap_or_default()
}
