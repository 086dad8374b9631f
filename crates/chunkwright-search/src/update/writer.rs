//! A tantivy writer that is opened on the first change and committed once.

use std::path::Path;
use std::thread;
use std::time::{Duration, Instant};

use tantivy::directory::error::LockError;
use tantivy::indexer::UserOperation;
use tantivy::{IndexWriter, TantivyDocument, TantivyError, Term};

use crate::error::Error;
use crate::index::{Opened, State};

/// Memory for each writer thread.
const THREAD_BYTES: usize = 64_000_000;

/// Maximum time to wait for tantivy's own lock.
const ENGINE_LOCK_WAIT: Duration = Duration::from_secs(2);

/// A writer that is opened on the first change.
pub(super) struct LazyWriter<'a> {
    opened: &'a Opened,
    /// The directory of the tantivy index.
    dir: &'a Path,
    threads: usize,
    open: Option<IndexWriter>,
}

impl<'a> LazyWriter<'a> {
    pub(super) fn new(opened: &'a Opened, dir: &'a Path, threads: usize) -> Self {
        Self { opened, dir, threads, open: None }
    }

    /// Removes all files from the index.
    pub(super) fn clear(&mut self) -> Result<(), Error> {
        let dir = self.dir;
        self.get()?.delete_all_documents().map(|_| ()).map_err(Error::engine(dir))
    }

    /// Removes a file from the index.
    pub(super) fn remove(&mut self, id: &str) -> Result<(), Error> {
        let file = self.file(id);
        self.get()?.delete_term(file);
        Ok(())
    }

    /// Adds a file to the index, and removes its previous version.
    pub(super) fn put(
        &mut self,
        id: &str,
        documents: Vec<TantivyDocument>,
        is_known: bool,
    ) -> Result<(), Error> {
        let delete = is_known.then(|| UserOperation::Delete(self.file(id)));
        let adds = documents.into_iter().map(UserOperation::Add);
        let operations: Vec<_> = delete.into_iter().chain(adds).collect();
        let done = self.get()?.run(operations);
        done.map(|_| ()).map_err(|error| self.cause(error))
    }

    /// Returns the cause of an error. If a tantivy thread has failed, only the commit reports why.
    fn cause(&mut self, error: TantivyError) -> Error {
        let told = match (&error, &mut self.open) {
            (TantivyError::ErrorInThread(_), Some(writer)) => writer.prepare_commit().err(),
            _ => None,
        };
        Error::engine(self.dir)(told.unwrap_or(error))
    }

    /// Commits all changes. If there are none, commits only if the state has changed.
    pub(super) fn commit(mut self, state: &State) -> Result<(), Error> {
        if *state != self.opened.state {
            self.get()?;
        }
        let Some(mut writer) = self.open else { return Ok(()) };
        let engine = Error::engine(self.dir);
        let mut commit = writer.prepare_commit().map_err(&engine)?;
        commit.set_payload(&state.to_json());
        commit.commit().map_err(&engine)?;
        // Everything is committed. Segments that fail to merge now are merged by a later update.
        let _later = writer.wait_merging_threads();
        Ok(())
    }

    fn file(&self, id: &str) -> Term {
        Term::from_field_text(self.opened.fields.doc, id)
    }

    fn get(&mut self) -> Result<&mut IndexWriter, Error> {
        match &mut self.open {
            Some(writer) => Ok(writer),
            open => Ok(open.insert(opened(&self.opened.engine, self.dir, self.threads)?)),
        }
    }
}

/// Removes the files of a failed run.
pub(super) fn tidy(engine: &tantivy::Index, dir: &Path) {
    // If this fails, the next run removes them.
    let _later = opened(engine, dir, 1);
}

/// Opens a writer, and removes the files of a killed run: tantivy would reuse their names.
fn opened(engine: &tantivy::Index, dir: &Path, threads: usize) -> Result<IndexWriter, Error> {
    let writer = waited_for(engine, threads).map_err(Error::engine(dir))?;
    writer.garbage_collect_files().wait().map_err(Error::engine(dir))?;
    Ok(writer)
}

/// Waits for tantivy's own lock. This process holds [`WriterLock`](crate::lock::WriterLock), but a
/// child that another thread has just forked may hold tantivy's lock until it calls `exec`.
fn waited_for(engine: &tantivy::Index, threads: usize) -> tantivy::Result<IndexWriter> {
    let until = Instant::now() + ENGINE_LOCK_WAIT;
    loop {
        match engine.writer_with_num_threads(threads, threads * THREAD_BYTES) {
            Err(TantivyError::LockFailure(LockError::LockBusy, _)) if Instant::now() < until => {
                thread::sleep(ENGINE_LOCK_WAIT / 100);
            }
            opened => return opened,
        }
    }
}
