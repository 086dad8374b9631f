//! The output file: bytes come in, and a whole file goes out or none.

use std::fs::{self, File, Metadata, OpenOptions};
use std::io::{self, BufWriter, Write};
use std::path::{Path, PathBuf, is_separator};

use tempfile::NamedTempFile;

use crate::error::OutputError;

/// Bytes that are written at once.
pub const WRITE_BUFFER: usize = 1 << 16;

/// How names of temporary files begin and end.
const TEMPORARY: (&str, &str) = (".chunkwright-", ".tmp");

/// Links that lead to links are a loop when there are more than this, as for the system.
const MAX_LINKS: usize = 40;

/// Where `-o FILE` goes. Writing goes to a temporary file beside it, which takes its place in
/// [`Output::finish`]; dropped before that, it vanishes and the old file stays. What exists but is
/// not a regular file (`/dev/null`, a FIFO) is written directly.
///
/// The errors of [`Write`] have the kind the system gave and the message of [`OutputError`].
#[derive(Debug)]
pub struct Output {
    /// As the user wrote it.
    path: PathBuf,
    sink: Sink,
}

#[derive(Debug)]
enum Sink {
    Direct(BufWriter<File>),
    Beside { file: BufWriter<NamedTempFile>, target: PathBuf },
}

impl Output {
    /// Prepares to write to `path`, or if that is a link, to what it leads to.
    ///
    /// # Errors
    ///
    /// When `path` is a directory, may not be written, or no temporary file can be made beside it.
    pub fn create(path: &Path) -> Result<Self, OutputError> {
        let sink = match fs::metadata(path) {
            Ok(found) if found.is_dir() => Err(directory(path)),
            Ok(found) if found.is_file() => replace(path, &found),
            Ok(_) => open(path).map(|file| Sink::Direct(buffered(file))),
            Err(fault) if fault.kind() == io::ErrorKind::NotFound => beside(path),
            Err(fault) => Err(OutputError::Open { path: path.to_owned(), fault }),
        };
        Ok(Self { path: path.to_owned(), sink: sink? })
    }

    /// The temporary file, if there is one.
    pub fn temporary(&self) -> Option<&Path> {
        match &self.sink {
            Sink::Direct(_) => None,
            Sink::Beside { file, .. } => Some(file.get_ref().path()),
        }
    }

    /// Makes what was written the content of the file: on the disk first, then in its place.
    ///
    /// # Errors
    ///
    /// When the last bytes cannot be written or the old file cannot be replaced.
    pub fn finish(self) -> Result<(), OutputError> {
        let done = match self.sink {
            Sink::Direct(mut file) => file.flush(),
            Sink::Beside { file, target } => put(file, &target),
        };
        done.map_err(|fault| OutputError::Write { path: self.path, fault })
    }

    fn named(&self, fault: io::Error) -> io::Error {
        OutputError::Write { path: self.path.clone(), fault }.into()
    }
}

impl Write for Output {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        let written = match &mut self.sink {
            Sink::Direct(file) => file.write(bytes),
            Sink::Beside { file, .. } => file.write(bytes),
        };
        written.map_err(|fault| self.named(fault))
    }

    fn flush(&mut self) -> io::Result<()> {
        let flushed = match &mut self.sink {
            Sink::Direct(file) => file.flush(),
            Sink::Beside { file, .. } => file.flush(),
        };
        flushed.map_err(|fault| self.named(fault))
    }
}

fn buffered<W: Write>(file: W) -> BufWriter<W> {
    BufWriter::with_capacity(WRITE_BUFFER, file)
}

fn directory(path: &Path) -> OutputError {
    OutputError::Directory { path: path.to_owned() }
}

fn open(path: &Path) -> Result<File, OutputError> {
    let opened = OpenOptions::new().write(true).open(path);
    opened.map_err(|fault| OutputError::Open { path: path.to_owned(), fault })
}

/// A temporary file that is to replace the regular file at `path`, with its owner and permissions.
fn replace(path: &Path, old: &Metadata) -> Result<Sink, OutputError> {
    // A file that may not be written is not replaced either, though the directory would allow it.
    drop(open(path)?);
    let sink = beside(path)?;
    if let Sink::Beside { file, .. } = &sink {
        let like = make_like(file.get_ref().as_file(), old);
        like.map_err(|fault| OutputError::Create { path: path.to_owned(), fault })?;
    }
    Ok(sink)
}

/// A temporary file beside what `path` leads to.
fn beside(path: &Path) -> Result<Sink, OutputError> {
    let failed = |fault| OutputError::Create { path: path.to_owned(), fault };
    let target = resolve(path).map_err(failed)?;
    if target.to_string_lossy().ends_with(is_separator) {
        return Err(directory(path));
    }
    let (Some(parent), Some(name)) = (target.parent(), target.file_name()) else {
        return Err(directory(path));
    };
    let parent = Path::new(".").join(parent);
    let file = temporary(&parent).map_err(failed)?;
    Ok(Sink::Beside { file: buffered(file), target: parent.join(name) })
}

/// Replaces a file atomically: a reader sees the old content or the new, never a mixture.
///
/// # Errors
/// When its directory cannot be written.
pub fn write_whole(path: &Path, content: &[u8]) -> io::Result<()> {
    let mut file = temporary(path.parent().unwrap_or(Path::new(".")))?;
    file.write_all(content)?;
    file.as_file().sync_data()?;
    file.persist(path)?;
    Ok(())
}

/// A temporary file with the permissions of any new file, rather than those of a secret one.
fn temporary(parent: &Path) -> io::Result<NamedTempFile> {
    let (prefix, suffix) = TEMPORARY;
    let mut builder = tempfile::Builder::new();
    builder.prefix(prefix).suffix(suffix);
    #[cfg(unix)]
    builder.permissions(std::os::unix::fs::PermissionsExt::from_mode(0o666));
    builder.tempfile_in(parent)
}

/// Whether a file has the name of a temporary one, which a killed run has left behind.
pub fn is_temporary(name: &str) -> bool {
    let (prefix, suffix) = TEMPORARY;
    name.starts_with(prefix) && name.ends_with(suffix)
}

/// Follows links as long as there are any. What the last one leads to need not exist.
fn resolve(path: &Path) -> io::Result<PathBuf> {
    let mut path = path.to_owned();
    for _ in 0..MAX_LINKS {
        match fs::read_link(&path) {
            Ok(target) => path = path.parent().unwrap_or(Path::new("")).join(target),
            Err(_) => return Ok(path),
        }
    }
    Err(io::Error::other(format!("more than {MAX_LINKS} links, one leading to another")))
}

/// Gives a new file the owner and permissions of an old one.
fn make_like(file: &File, old: &Metadata) -> io::Result<()> {
    #[cfg(unix)]
    {
        use std::os::unix::fs::MetadataExt;
        let new = file.metadata()?;
        if (new.uid(), new.gid()) != (old.uid(), old.gid()) {
            // Only root may give a file away; for others it becomes their own.
            let _refused = std::os::unix::fs::fchown(file, Some(old.uid()), Some(old.gid()));
        }
    }
    file.set_permissions(old.permissions())
}

fn put(file: BufWriter<NamedTempFile>, target: &Path) -> io::Result<()> {
    let file = file.into_inner().map_err(|failed| failed.into_error())?;
    file.as_file().sync_all()?;
    file.persist(target).map_err(|failed| failed.error)?;
    Ok(())
}
