//! Ensures that only one process writes to an index at a time.

use std::fs::{File, OpenOptions, TryLockError};
use std::io::{Read, Seek, Write};
use std::path::Path;

use crate::error::Error;

/// An exclusive lock on an index. The operating system releases it if the process is killed.
#[derive(Debug)]
pub(crate) struct WriterLock {
    file: File,
}

impl Drop for WriterLock {
    /// Unlocks explicitly: a child process that another thread has just forked inherits the open
    /// file, and would keep the lock until it calls `exec`.
    fn drop(&mut self) {
        let _closed_anyway = self.file.unlock();
    }
}

impl WriterLock {
    /// Locks the index in `dir`.
    pub(crate) fn take(dir: &Path) -> Result<Self, Error> {
        let path = dir.join("writer.lock");
        let open =
            OpenOptions::new().read(true).write(true).create(true).truncate(false).open(&path);
        let mut file = open.map_err(Error::io(&path))?;
        match file.try_lock() {
            Ok(()) => {}
            Err(TryLockError::WouldBlock) => {
                return Err(Error::Busy { dir: dir.to_owned(), holder: holder(&mut file) });
            }
            Err(TryLockError::Error(fault)) => return Err(Error::io(&path)(fault)),
        }
        let sign = |file: &mut File| {
            file.set_len(0)?;
            file.rewind()?;
            writeln!(file, "{}", std::process::id())?;
            file.flush()
        };
        sign(&mut file).map_err(Error::io(&path))?;
        Ok(Self { file })
    }
}

/// Returns the process that holds the lock, from the id it wrote to the file.
fn holder(file: &mut File) -> String {
    let mut signed = String::new();
    // Windows does not let other processes read a locked file.
    let _unreadable = file.read_to_string(&mut signed);
    match signed.trim().parse::<u32>() {
        Ok(id) => format!("process {id}"),
        Err(_) => "another process".to_owned(),
    }
}
