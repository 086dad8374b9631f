//! One writer at a time: a directory comes in, the right to write there goes out, or who has it.

use std::fs::{File, OpenOptions, TryLockError};
use std::io::{Read, Seek, Write};
use std::path::Path;

use crate::error::Error;

/// The right to write, as long as it lives. The system takes it back however the process ends.
#[derive(Debug)]
pub(crate) struct WriterLock {
    file: File,
}

impl Drop for WriterLock {
    /// Closing the file is not enough: a process that was just started by another thread may have
    /// inherited it, and would hold the lock until it runs its own program.
    fn drop(&mut self) {
        let _closed_anyway = self.file.unlock();
    }
}

impl WriterLock {
    /// Takes the right to write the index in `dir`.
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

/// The process that has the lock, as it signed.
fn holder(file: &mut File) -> String {
    let mut signed = String::new();
    // On some systems a locked file cannot be read.
    let _unreadable = file.read_to_string(&mut signed);
    match signed.trim().parse::<u32>() {
        Ok(id) => format!("process {id}"),
        Err(_) => "another process".to_owned(),
    }
}
