//! A tantivy directory that can be read without write permission, or loaded into memory.

use std::collections::HashMap;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, PoisonError};
use std::{fs, io};

use chunkwright_io::write_whole;
use tantivy::directory::error::{DeleteError, LockError, OpenReadError, OpenWriteError};
use tantivy::directory::{
    DirectoryLock, FileHandle, Lock, MmapDirectory, OwnedBytes, WatchCallback, WatchHandle,
    WritePtr,
};

/// The files of an index.
///
/// Tantivy readers take a lock, so that no writer deletes files they are opening. If the lock file
/// cannot be created because the directory is read-only, there is no writer, and no lock is needed.
#[derive(Clone, Debug)]
pub(crate) struct Directory {
    files: MmapDirectory,
    dir: PathBuf,
    /// The files read so far, if they are read into memory.
    loaded: Option<Arc<Mutex<HashMap<PathBuf, OwnedBytes>>>>,
}

/// How the files of an index are read.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum FileAccess {
    /// Maps files into memory: quick to open, but the process dies if a mapped file is truncated.
    Mapped,
    /// Reads whole files into memory. What happens to them later has no effect.
    Loaded,
}

impl Directory {
    pub(crate) fn open(dir: &Path, access: FileAccess) -> tantivy::Result<Self> {
        let loaded = (access == FileAccess::Loaded).then(Arc::default);
        Ok(Self { files: MmapDirectory::open(dir)?, dir: dir.to_owned(), loaded })
    }
}

impl tantivy::Directory for Directory {
    fn acquire_lock(&self, lock: &Lock) -> Result<DirectoryLock, LockError> {
        match self.files.acquire_lock(lock) {
            Err(LockError::IoError(fault)) if lock.is_blocking && is_read_only(&fault) => {
                Ok(DirectoryLock::from(Box::new(())))
            }
            locked => locked,
        }
    }

    fn get_file_handle(&self, path: &Path) -> Result<Arc<dyn FileHandle>, OpenReadError> {
        let Some(loaded) = &self.loaded else { return self.files.get_file_handle(path) };
        let mut loaded = loaded.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(bytes) = loaded.get(path) {
            return Ok(Arc::new(bytes.clone()));
        }
        let bytes = fs::read(self.dir.join(path)).map_err(|fault| match fault.kind() {
            io::ErrorKind::NotFound => OpenReadError::FileDoesNotExist(path.to_owned()),
            _ => OpenReadError::wrap_io_error(fault, path.to_owned()),
        })?;
        let bytes = OwnedBytes::new(bytes);
        loaded.insert(path.to_owned(), bytes.clone());
        Ok(Arc::new(bytes))
    }

    fn delete(&self, path: &Path) -> Result<(), DeleteError> {
        self.files.delete(path)
    }

    fn exists(&self, path: &Path) -> Result<bool, OpenReadError> {
        self.files.exists(path)
    }

    fn open_write(&self, path: &Path) -> Result<WritePtr, OpenWriteError> {
        self.files.open_write(path)
    }

    fn atomic_read(&self, path: &Path) -> Result<Vec<u8>, OpenReadError> {
        self.files.atomic_read(path)
    }

    fn atomic_write(&self, path: &Path, data: &[u8]) -> io::Result<()> {
        // Tantivy would create a file that only its owner can read.
        write_whole(&self.dir.join(path), data)
    }

    fn sync_directory(&self) -> io::Result<()> {
        self.files.sync_directory()
    }

    fn watch(&self, callback: WatchCallback) -> tantivy::Result<WatchHandle> {
        self.files.watch(callback)
    }
}

fn is_read_only(fault: &io::Error) -> bool {
    matches!(fault.kind(), io::ErrorKind::PermissionDenied | io::ErrorKind::ReadOnlyFilesystem)
}
