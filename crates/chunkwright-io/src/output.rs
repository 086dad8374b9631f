//! Writes files completely or not at all.

use std::fs::{self, File, Metadata, OpenOptions};
use std::io::{self, BufWriter, Write};
use std::path::{Path, PathBuf, is_separator};

use tempfile::NamedTempFile;

use crate::error::OutputError;

/// Size of the write buffer in bytes.
const WRITE_BUFFER: usize = 1 << 16;

/// Prefix and suffix of the names of temporary files.
const TEMPORARY: (&str, &str) = (".chunkwright-", ".tmp");

/// Maximum length of a chain of links, as on Linux.
const MAX_LINKS: usize = 40;

/// A file that is replaced only when its new content is complete.
///
/// The content goes to a temporary file in the same directory, which [`Output::finish`] renames.
/// An output that is dropped before that removes the temporary file and leaves the old one as it
/// is. A path that exists but is not a regular file (`/dev/null`, a FIFO) is written directly.
///
/// The errors of [`Write`] have the kind of the system's error and the message of [`OutputError`].
///
/// ```
/// use std::io::Write;
///
/// use chunkwright_io::Output;
///
/// let folder = tempfile::tempdir()?;
/// let path = folder.path().join("chunks.jsonl");
/// let mut output = Output::create(&path)?;
/// output.write_all(b"{}\n")?;
/// assert!(!path.exists());
/// output.finish()?;
/// assert_eq!(std::fs::read_to_string(&path)?, "{}\n");
/// # Ok::<(), std::io::Error>(())
/// ```
#[derive(Debug)]
pub struct Output {
    /// The path as the user wrote it.
    path: PathBuf,
    sink: Sink,
}

#[derive(Debug)]
enum Sink {
    Direct(BufWriter<File>),
    Beside { file: BufWriter<NamedTempFile>, target: PathBuf },
}

impl Output {
    /// Prepares to write to `path`, or to its target if it is a link.
    ///
    /// # Errors
    ///
    /// Fails if `path` is a directory or not writable, or if no temporary file can be created in
    /// its directory.
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

    /// Returns the path of the temporary file, if there is one.
    pub fn temporary(&self) -> Option<&Path> {
        match &self.sink {
            Sink::Direct(_) => None,
            Sink::Beside { file, .. } => Some(file.get_ref().path()),
        }
    }

    /// Flushes the content to disk, and then replaces the file.
    ///
    /// # Errors
    ///
    /// Fails if the last bytes cannot be written or the old file cannot be replaced.
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

/// Creates a temporary file with the owner and permissions of the regular file at `path`.
fn replace(path: &Path, old: &Metadata) -> Result<Sink, OutputError> {
    // A rename would replace even a read-only file, so check that it can be written.
    drop(open(path)?);
    let sink = beside(path)?;
    if let Sink::Beside { file, .. } = &sink {
        let like = make_like(file.get_ref().as_file(), old);
        like.map_err(|fault| OutputError::Create { path: path.to_owned(), fault })?;
    }
    Ok(sink)
}

/// Creates a temporary file in the directory of `path`, or of its target if it is a link.
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

/// Replaces a file atomically: readers see the old content or the new, never a mixture.
///
/// # Errors
/// Fails if its directory cannot be written.
pub fn write_whole(path: &Path, content: &[u8]) -> io::Result<()> {
    let mut file = temporary(path.parent().unwrap_or(Path::new(".")))?;
    file.write_all(content)?;
    file.as_file().sync_data()?;
    file.persist(path)?;
    Ok(())
}

/// Creates a temporary file with the default permissions. `tempfile` alone would make it readable
/// by its owner only.
fn temporary(parent: &Path) -> io::Result<NamedTempFile> {
    let (prefix, suffix) = TEMPORARY;
    let mut builder = tempfile::Builder::new();
    builder.prefix(prefix).suffix(suffix);
    #[cfg(unix)]
    builder.permissions(std::os::unix::fs::PermissionsExt::from_mode(0o666));
    builder.tempfile_in(parent)
}

/// Returns whether a file is named like a temporary file, as a killed process leaves behind.
pub fn is_temporary(name: &str) -> bool {
    let (prefix, suffix) = TEMPORARY;
    name.starts_with(prefix) && name.ends_with(suffix)
}

/// Follows a chain of links. The target of the last one need not exist.
fn resolve(path: &Path) -> io::Result<PathBuf> {
    let mut path = path.to_owned();
    for _ in 0..MAX_LINKS {
        match fs::read_link(&path) {
            Ok(target) => path = path.parent().unwrap_or(Path::new("")).join(target),
            Err(_) => return Ok(path),
        }
    }
    Err(io::Error::other(format!("more than {MAX_LINKS} levels of symbolic links")))
}

/// Copies the owner and permissions of the old file to a new one.
fn make_like(file: &File, old: &Metadata) -> io::Result<()> {
    #[cfg(unix)]
    {
        use std::os::unix::fs::MetadataExt;
        let new = file.metadata()?;
        if (new.uid(), new.gid()) != (old.uid(), old.gid()) {
            // Only root can change the owner. For other users, the new file is their own.
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
