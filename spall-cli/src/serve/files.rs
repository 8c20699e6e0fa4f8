//! The files of a server: those that it was started with, and others that a page has sent.

use std::{
    fs::File,
    io::{self, Cursor, Read},
    path::{Path, PathBuf},
    sync::{Arc, Mutex, PoisonError},
    time::{Duration, Instant},
};

use serde::{Deserialize, Serialize};
use spall_view::{Engine, Heights, LiveEngine, OpenError, Source, Tail};

use super::{
    engine::PageEngine,
    stream::{SoFar, Stream},
};
use crate::{
    error::{Error, Result},
    input::{Input, STDIN},
};

/// Where the bytes of a file are.
#[derive(Debug, Clone)]
enum Content {
    Path(PathBuf),
    Memory(Arc<[u8]>),
    /// A file that is being written.
    Followed(PathBuf),
    Stream(Arc<Stream>),
}

#[derive(Debug, Clone)]
struct Known {
    name: String,
    size: u64,
    content: Content,
}

/// A file as a page knows it.
#[derive(Debug, Serialize)]
pub(super) struct Listed {
    name: String,
    size: u64,
    number: usize,
}

/// What a page wants to see: files by their numbers, the nanoseconds that are added to the times of each, as text, and the value
/// of their samples.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize)]
pub(super) struct Wanted {
    files: Vec<usize>,
    offsets: Vec<Option<String>>,
    #[serde(default)]
    value: Option<String>,
    /// How many bytes of each file are read, if not all: the beginning is shown while a large file is read.
    #[serde(default)]
    most: Option<u64>,
}

/// Files by their numbers.
#[derive(Debug)]
pub(super) struct Files {
    known: Mutex<Vec<Known>>,
    /// The trace that was loaded last, for a page that is loaded again.
    last: Mutex<Option<(Wanted, Engine)>>,
}

impl Files {
    /// Returns files by their numbers. One that is followed is shown as it grows.
    pub(super) fn new(inputs: &[Input], follows: bool) -> Result<Self> {
        let known = match (inputs, follows) {
            ([input], true) => vec![Known::followed(&input.path)?],
            (_, true) => {
                return Err(Error::new(
                    "these are several files, and only one can be followed. Name one of them.",
                ));
            }
            (inputs, false) => inputs.iter().map(Known::input).collect::<Result<_>>()?,
        };
        Ok(Self { known: Mutex::new(known), last: Mutex::default() })
    }

    pub(super) fn names(&self) -> impl Iterator<Item = String> {
        self.all().into_iter().map(|known| known.name)
    }

    pub(super) fn list(&self) -> Vec<Listed> {
        let listed = |(number, Known { name, size, .. })| Listed { name, size, number };
        self.all().into_iter().enumerate().map(listed).collect()
    }

    /// Keeps a file that a page has sent, and returns its number.
    pub(super) fn add(&self, name: String, bytes: Vec<u8>) -> usize {
        let mut known = self.known.lock().unwrap_or_else(PoisonError::into_inner);
        known.push(Known::sent(name, bytes));
        known.len() - 1
    }

    fn all(&self) -> Vec<Known> {
        self.known.lock().unwrap_or_else(PoisonError::into_inner).clone()
    }

    /// Opens files of these names.
    pub(super) fn read(&self, names: &[String]) -> io::Result<Vec<(String, Box<dyn Read>)>> {
        let all = self.all();
        let named = names.iter().filter_map(|name| all.iter().rfind(|known| known.name == *name));
        named.map(|known| Ok((known.name.clone(), known.open()?))).collect()
    }

    /// Loads what a page wants to see. `tell` is told how many bytes were read, and what is being done if it is something else.
    pub(super) fn load(
        &self,
        wanted: &Wanted,
        tell: impl Fn(u64, Option<&str>) + Clone,
    ) -> std::result::Result<Engine, OpenError> {
        let all = self.all();
        let grows = wanted.files.iter().filter_map(|&number| all.get(number)).any(Known::grows);
        if wanted.most.is_some() || grows {
            return self.make(wanted, tell);
        }
        let mut last = self.last.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some((_, engine)) = last.as_ref().filter(|(known, _)| known == wanted) {
            return Ok(engine.again());
        }
        *last = None; // the last one is freed before the next one is made
        let engine = self.make(wanted, tell)?;
        let again = engine.again();
        *last = Some((wanted.clone(), engine));
        Ok(again)
    }

    /// Returns an engine of what a page wants to see, if that is a trace that grows. What is shown beside another one, or of
    /// another value of its samples, has to be loaded as it is by now.
    pub(super) fn follow(&self, wanted: &Wanted) -> Option<io::Result<PageEngine>> {
        let Wanted { files, offsets, value: None, most: None } = wanted else { return None };
        let ([number], true) = (files.as_slice(), offsets.iter().all(Option::is_none)) else { return None };
        let known = self.all().into_iter().nth(*number)?;
        let source = match known.content {
            Content::Followed(path) => Tail::open(path).map(|file| Box::new(file) as Box<dyn Read + Send>),
            Content::Stream(stream) => Ok(Box::new(stream.reader()) as Box<dyn Read + Send>),
            Content::Path(_) | Content::Memory(_) => return None,
        };
        Some(source.map(|source| PageEngine::growing(LiveEngine::live(&known.name, Heights::PAGE), source)))
    }

    fn make(
        &self,
        wanted: &Wanted,
        tell: impl Fn(u64, Option<&str>) + Clone,
    ) -> std::result::Result<Engine, OpenError> {
        let all = self.all();
        let chosen: Vec<_> = wanted.files.iter().filter_map(|&number| all.get(number)).collect();
        let size: u64 = chosen.iter().map(|known| known.size).sum();
        let mut before = 0;
        let mut sources = Vec::new();
        for (known, offset) in chosen.into_iter().zip(wanted.offsets.iter().chain(std::iter::repeat(&None))) {
            let read = known.open().unwrap_or_else(|error| Box::new(Failing(Some(error))));
            let read: Box<dyn Read> = Box::new(read.take(wanted.most.unwrap_or(u64::MAX)));
            let read = Counted { read, at: before, size, tell: tell.clone(), told: Instant::now() };
            let offset = offset.as_ref().and_then(|offset| offset.parse().ok());
            sources.push(Source { name: known.name.clone(), read, offset });
            before += known.size;
        }
        let opened = spall_view::open(sources)?;
        tell(size, Some("Laying out …"));
        Ok(Engine::new(opened, wanted.value.as_deref(), Heights::PAGE))
    }
}

impl Known {
    /// A file that the program was started with.
    fn input(input: &Input) -> Result<Self> {
        let path = &input.path;
        if path.as_os_str() == "-" {
            let mut bytes = Vec::new();
            let read = io::stdin().lock().read_to_end(&mut bytes);
            read.map_err(|error| Error::reading(path, &error))?;
            return Ok(Self::sent(STDIN.into(), bytes));
        }
        let file = File::open(path).and_then(|file| file.metadata());
        let size = file.map_err(|error| Error::reading(path, &error))?.len();
        Ok(Self { name: name_of(path), size, content: Content::Path(path.clone()) })
    }

    /// A file that is being written, or a pipe. Nobody knows how large it will be.
    fn followed(path: &Path) -> Result<Self> {
        let failed = |error| Error::reading(path, &error);
        if path.as_os_str() == "-" {
            let stream = Stream::of(|| Ok(io::stdin())).map_err(failed)?;
            return Ok(Self { name: STDIN.into(), size: 0, content: Content::Stream(stream) });
        }
        let content = match path.metadata().map_err(failed)?.is_file() {
            true => {
                File::open(path).map_err(failed)?;
                Content::Followed(path.to_owned())
            }
            false => {
                let path = path.to_owned();
                Content::Stream(Stream::of(|| File::open(path)).map_err(failed)?)
            }
        };
        Ok(Self { name: name_of(path), size: 0, content })
    }

    fn sent(name: String, bytes: Vec<u8>) -> Self {
        Self { name, size: bytes.len() as u64, content: Content::Memory(bytes.into()) }
    }

    fn grows(&self) -> bool {
        matches!(self.content, Content::Followed(_) | Content::Stream(_))
    }

    fn open(&self) -> io::Result<Box<dyn Read>> {
        Ok(match &self.content {
            Content::Path(path) | Content::Followed(path) => Box::new(File::open(path)?),
            Content::Stream(stream) => Box::new(SoFar(stream.reader())),
            Content::Memory(bytes) => Box::new(Cursor::new(bytes.clone())),
        })
    }
}

/// Returns the name of a file without its folder.
fn name_of(path: &Path) -> String {
    path.file_name().unwrap_or_default().to_string_lossy().into_owned()
}

/// A file that cannot be opened.
struct Failing(Option<io::Error>);

impl Read for Failing {
    fn read(&mut self, _: &mut [u8]) -> io::Result<usize> {
        self.0.take().map_or(Ok(0), Err)
    }
}

/// A file of which it is told how far it was read.
struct Counted<F> {
    read: Box<dyn Read>,
    /// How many bytes of all files were read.
    at: u64,
    size: u64,
    tell: F,
    told: Instant,
}

impl<F: Fn(u64, Option<&str>)> Read for Counted<F> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        let n_bytes = self.read.read(buffer)?;
        self.at += n_bytes as u64;
        if self.told.elapsed() > Duration::from_millis(50) {
            self.told = Instant::now();
            (self.tell)(self.at, (self.at >= self.size).then_some("Laying out …"));
        }
        Ok(n_bytes)
    }
}
