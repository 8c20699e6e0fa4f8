//! A file that is read while a program writes it.

use std::{
    fs::{File, Metadata},
    io::{self, ErrorKind, Read},
    path::PathBuf,
};

/// A file that is read while a program writes it: the source of a [`LiveEngine`](crate::LiveEngine).
///
/// Where the file ends for now, reading fails with [`ErrorKind::WouldBlock`]; later there may be more. A file that was cut, or
/// that another one has taken the place of, is an error of another kind, and a sentence: everything that it had was read. What
/// is no file on a disk, such as a named pipe, is waited for, and has an end.
///
/// ```
/// use spall_view::{Heights, LiveEngine, Tail};
/// # let path = std::env::temp_dir().join(format!("tail-{}.folded", std::process::id()));
/// # std::fs::write(&path, "a;b 1\n")?;
/// let mut file = Tail::open(&path)?;
/// let mut engine = LiveEngine::live("a.folded", Heights::PAGE);
/// let has_more = engine.feed_from(&mut file, || true);
/// engine.grow();
/// assert!(!has_more && !engine.about().growth.unwrap().ended);
/// # std::fs::remove_file(&path)?;
/// # Ok::<(), std::io::Error>(())
/// ```
#[derive(Debug)]
pub struct Tail {
    path: PathBuf,
    file: File,
    /// How many bytes were read.
    at: u64,
}

impl Tail {
    /// Opens a file. It is read from its start.
    ///
    /// # Errors
    ///
    /// This returns the error of the system if the file cannot be opened.
    pub fn open(path: impl Into<PathBuf>) -> io::Result<Self> {
        let path = path.into();
        Ok(Self { file: File::open(&path)?, path, at: 0 })
    }

    /// Says what has become of a file that has no more bytes.
    fn at_end(&self) -> io::Result<usize> {
        let (path, at, now) = (self.path.display(), self.at, self.file.metadata()?);
        if !now.is_file() {
            return Ok(0);
        }
        if now.len() < at {
            let left = now.len();
            let sentence = format!("{path} was cut: {at} bytes were read, and {left} are left");
            return Err(io::Error::other(sentence));
        }
        // A file that has only lost its name can still be written.
        match self.path.metadata() {
            Ok(named) if !is_same(&named, &now) => Err(io::Error::other(format!(
                "another file has taken the place of {path}, of which {at} bytes were read"
            ))),
            _ => Err(ErrorKind::WouldBlock.into()),
        }
    }
}

impl Read for Tail {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        match self.file.read(buffer)? {
            0 if !buffer.is_empty() => self.at_end(),
            n_bytes => {
                self.at += n_bytes as u64;
                Ok(n_bytes)
            }
        }
    }
}

/// Whether two files are one. Where the system does not tell, a file that was made at another time is another one.
fn is_same(one: &Metadata, other: &Metadata) -> bool {
    #[cfg(unix)]
    {
        use std::os::unix::fs::MetadataExt as _;
        (one.dev(), one.ino()) == (other.dev(), other.ino())
    }
    #[cfg(not(unix))]
    {
        !matches!((one.created(), other.created()), (Ok(one), Ok(other)) if one != other)
    }
}
