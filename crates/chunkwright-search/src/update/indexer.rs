//! Carries out an update: reads changed files, and writes them to the index.

use std::path::PathBuf;

use chunkwright_config::Indexing;
use chunkwright_io::{FileError, ordered, read};
use tantivy::TantivyDocument;

use super::changes::{Changes, Task};
use super::scope::Scopes;
use super::writer::{self, LazyWriter};
use super::{OnStep, Report, Step, Update};
use crate::documents::documents;
use crate::error::Error;
use crate::index::{IndexPaths, Opened, Snapshot, State};
use crate::outline::{self, Outliner, hash};
use crate::runs::Stamp;

/// Maximum number of writer threads. More are not faster.
const MOST_WRITERS: usize = 4;

/// An update of an index, ready to be carried out.
pub(super) struct Indexer<'a> {
    place: IndexPaths,
    /// The directory of the tantivy index to write.
    dir: PathBuf,
    update: &'a Update,
    opened: Opened,
    /// Whether all files are indexed again.
    rebuild: bool,
}

/// The outcome of processing a file.
enum Processed {
    Unchanged { bytes: usize },
    New { id: String, bytes: usize, documents: Vec<TantivyDocument>, is_known: bool },
    Failed(FileError),
}

impl Processed {
    /// Returns the size of the file.
    fn bytes(&self) -> usize {
        match self {
            Self::Unchanged { bytes } | Self::New { bytes, .. } => *bytes,
            Self::Failed(_) => 0,
        }
    }
}

impl<'a> Indexer<'a> {
    /// Prepares an update of the existing index.
    pub(super) fn over(place: IndexPaths, update: &'a Update, opened: Opened) -> Self {
        Self { dir: place.engine(), place, update, opened, rebuild: false }
    }

    /// Prepares an update of an empty index next to the existing one.
    pub(super) fn rebuilding(place: IndexPaths, update: &'a Update, empty: Opened) -> Self {
        Self { dir: place.fresh(), place, update, opened: empty, rebuild: true }
    }

    /// Performs the update.
    pub(super) fn finish(mut self, on_step: OnStep<'_>) -> Result<Report, Error> {
        let indexing = self.update.indexing.clone();
        let indexing = indexing.unwrap_or_else(|| self.opened.state.indexing.clone());
        let mut state = State::new(&indexing)?;
        let mut report = Report::default();
        if state.config_hash != self.opened.state.config_hash {
            report.rebuilt = Some(self.mismatch(&indexing));
            self.rebuild = true;
            self.opened.analyze_in(indexing.language);
        }
        let (base, indexed) = (self.place.base(), &self.opened.state.trees);
        let scopes =
            Scopes::find(self.update, indexing.input_format, &base, indexed, self.rebuild)?;
        state.trees.clone_from(&scopes.trees);
        let snapshot = Snapshot::of(self.place.clone(), self.opened.clone())?;
        let known = if self.rebuild { Vec::new() } else { snapshot.files()? };
        let changes = Changes::between(&scopes, known);
        report.unchanged = changes.unchanged;
        let is_same = changes.tasks.is_empty() && changes.gone.is_empty();
        if self.rebuild || !is_same || state != self.opened.state {
            self.write(&state, &snapshot, changes, &mut report, on_step)
                .inspect_err(|_| writer::tidy(&self.opened.engine, &self.dir))?;
        }
        report.errors.splice(0..0, scopes.errors);
        report.empty = scopes.empty;
        Ok(report)
    }

    fn mismatch(&self, indexing: &Indexing) -> String {
        match self.opened.state.indexing == *indexing {
            true => format!("built by {}, which indexes differently", self.opened.state.generator),
            false => "the indexing options have changed".to_owned(),
        }
    }

    /// Writes all changes in one commit, or nothing if no text has changed.
    fn write(
        &self,
        state: &State,
        snapshot: &Snapshot,
        changes: Changes<'_>,
        report: &mut Report,
        on_step: OnStep<'_>,
    ) -> Result<(), Error> {
        let outliner = Outliner::new(&state.indexing, &outline::counter())?;
        let threads = self.update.jobs.min(MOST_WRITERS).min(changes.tasks.len() / 50).max(1);
        let mut writer = LazyWriter::new(&self.opened, &self.dir, threads);
        if self.rebuild {
            writer.clear()?;
        }
        for id in &changes.gone {
            writer.remove(id)?;
            report.removed += 1;
        }
        let work = |task: Task<'_>| self.work(&task, &outliner, snapshot);
        let weigh = |done: &Result<Processed, Error>| match done {
            Ok(Processed::New { bytes, .. }) => *bytes,
            _ => 0,
        };
        let files = changes.tasks.len();
        ordered(changes.tasks, self.update.jobs, work, weigh, |done| {
            let done = done?;
            let bytes = done.bytes();
            match done {
                Processed::Unchanged { .. } => report.unchanged += 1,
                Processed::Failed(error) => report.errors.push(error),
                Processed::New { id, documents, is_known, .. } => {
                    let count = if is_known { &mut report.changed } else { &mut report.added };
                    *count += 1;
                    writer.put(&id, documents, is_known)?;
                }
            }
            on_step(Step { files, bytes });
            Ok::<(), Error>(())
        })?;
        writer.commit(state)
    }

    /// Reads a file, and converts it to documents if its text has changed.
    fn work(
        &self,
        task: &Task<'_>,
        outliner: &Outliner,
        snapshot: &Snapshot,
    ) -> Result<Processed, Error> {
        let text = match read(task.entry, self.update.max_file_bytes) {
            Ok(text) => text,
            Err(error) => return Ok(Processed::Failed(error)),
        };
        if let Some(file) = &task.file
            && snapshot.page(file.address)?.outline.hash == hash(&text)
        {
            return Ok(Processed::Unchanged { bytes: text.len() });
        }
        let source = task.entry.with_text(&text);
        let (outline, about) = outliner.outline(&source);
        let stamp = task.stamp.unwrap_or(Stamp { bytes: text.len() as u64, modified: 0 });
        let documents =
            documents(&self.opened.fields, &self.opened.analyzer, &source, &outline, &about, stamp);
        let (id, is_known) = (task.id(), task.file.is_some());
        Ok(Processed::New { id, bytes: text.len(), documents, is_known })
    }
}
