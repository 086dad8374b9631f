//! Brings an index up to date with its trees, in one commit or not at all.

mod changes;
mod indexer;
mod place;
mod scope;
mod writer;

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use chunkwright_config::Indexing;
use chunkwright_io::{FileError, MAX_FILE_BYTES, shown};
use serde::{Serialize, Serializer};

use crate::directory::FileAccess;
use crate::error::Error;
use crate::index::{self, IndexPaths, IndexedFile, Opened, Snapshot};
use crate::lock::WriterLock;
use changes::Changes;
use indexer::Indexer;
use scope::Scopes;

/// A directory or a single file to index.
///
/// ```
/// use chunkwright_search::Tree;
///
/// let tree = Tree::at("../wiki/content").named("wiki");
/// assert_eq!(tree.name.as_deref(), Some("wiki"));
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Tree {
    /// The name of the tree. By default, the name of the directory.
    pub name: Option<String>,
    /// The directory or file.
    pub path: PathBuf,
}

/// Options of an update. Create them with [`Update::of`], then set fields.
///
/// ```no_run
/// use chunkwright_search::{Tree, Update, update};
///
/// let mut wanted = Update::of(vec![Tree::at("docs")]);
/// wanted.jobs = 4;
/// let report = update("index".as_ref(), &wanted)?;
/// println!("{} new files", report.added);
/// # Ok::<(), chunkwright_search::Error>(())
/// ```
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct Update {
    /// The trees to index.
    pub trees: Vec<Tree>,
    /// Whether to remove all other trees from the index.
    pub only_these: bool,
    /// Indexing options. By default, those of the existing index.
    pub indexing: Option<Indexing>,
    /// Whether to rebuild the index from scratch, even if it is damaged.
    pub rebuild: bool,
    /// Number of files to process in parallel.
    pub jobs: usize,
    /// Maximum file size. Larger files are reported as errors.
    pub max_file_bytes: u64,
}

impl Tree {
    /// Returns a tree for a directory, or for a single file, named after the directory.
    pub fn at(path: impl Into<PathBuf>) -> Self {
        Self { name: None, path: path.into() }
    }

    /// Sets the name.
    #[must_use]
    pub fn named(mut self, name: impl Into<String>) -> Self {
        self.name = Some(name.into());
        self
    }
}

impl Update {
    /// Returns the default options: index these trees on one thread, and keep all others.
    pub fn of(trees: Vec<Tree>) -> Self {
        Self {
            trees,
            only_these: false,
            indexing: None,
            rebuild: false,
            jobs: 1,
            max_file_bytes: MAX_FILE_BYTES,
        }
    }
}

/// The changes that an update made.
#[derive(Debug, Default, Serialize)]
#[non_exhaustive]
pub struct Report {
    /// The number of new files.
    pub added: usize,
    /// The number of files whose text has changed.
    pub changed: usize,
    /// The number of files that were removed from the index.
    pub removed: usize,
    /// The number of unchanged files.
    pub unchanged: usize,
    /// The reason for a rebuild, if there was one.
    pub rebuilt: Option<String>,
    /// The files that could not be read. The index keeps their previous contents.
    #[serde(serialize_with = "messages")]
    pub errors: Vec<FileError>,
    /// The directories without any file to index.
    #[serde(skip)]
    pub empty: Vec<PathBuf>,
}

fn messages<S: Serializer>(errors: &[FileError], serializer: S) -> Result<S::Ok, S::Error> {
    serializer.collect_seq(errors.iter().map(ToString::to_string))
}

impl Report {
    /// Returns whether the update changed the index.
    pub fn is_change(&self) -> bool {
        self.added + self.changed + self.removed > 0 || self.rebuilt.is_some()
    }
}

/// Progress of an update: one more file is processed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Step {
    /// The total number of files to process.
    pub files: usize,
    /// The size of this file.
    pub bytes: usize,
}

/// A progress callback, called after each file.
pub(crate) type OnStep<'w> = &'w mut (dyn FnMut(Step) + Send);

/// Brings the index in `dir` up to date, and creates it if it does not exist.
///
/// Only files whose size or modification time has changed are read. All changes are written in one
/// commit.
///
/// ```
/// use chunkwright_search::{Tree, Update, update};
///
/// # let dir = tempfile::tempdir()?;
/// # let (docs, index) = (dir.path().join("docs"), dir.path().join("index"));
/// # std::fs::create_dir(&docs)?;
/// std::fs::write(docs.join("tea.md"), "# Tea\n\nBoil water.\n")?;
/// let trees = Update::of(vec![Tree::at(&docs)]);
/// assert_eq!(update(&index, &trees)?.added, 1);
/// assert_eq!(update(&index, &trees)?.unchanged, 1);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
///
/// # Errors
/// Fails if another process is writing to the index, if the index is damaged and
/// [`Update::rebuild`] is not set, or on an I/O error. A failed update leaves the index unchanged.
pub fn update(dir: &Path, update: &Update) -> Result<Report, Error> {
    update_watched(dir, update, &mut |_| {})
}

/// Like [`update`], with a callback after each file that was read.
///
/// # Errors
/// Fails like [`update`].
pub fn update_watched(
    dir: &Path,
    update: &Update,
    on_step: &mut (dyn FnMut(Step) + Send),
) -> Result<Report, Error> {
    let place = IndexPaths::new(dir);
    place::prepare(&place)?;
    let _lock = WriterLock::take(dir)?;
    place::recover(&place)?;
    match current(&place, update)? {
        Current::Ours(opened) => Indexer::over(place, update, *opened).finish(on_step),
        Current::None => rebuild(&place, update, BTreeMap::new(), on_step),
        Current::Unusable { trees, reason } => {
            let report = rebuild(&place, update, trees, on_step)?;
            Ok(Report { rebuilt: Some(reason), ..report })
        }
    }
}

/// Returns what an update of one tree would do, judged without reading any file. A tree whose
/// directory does not exist counts as unchanged.
pub(crate) fn pending(
    snapshot: &Snapshot,
    name: &str,
    root: &Path,
    known: Vec<IndexedFile>,
) -> Result<Report, Error> {
    if !root.is_dir() {
        return Ok(Report { unchanged: known.len(), ..Report::default() });
    }
    let mut update = Update::of(vec![Tree::at(root).named(name)]);
    update.only_these = true;
    let format = snapshot.indexing().input_format;
    let scopes = Scopes::find(&update, format, &snapshot.place.base(), &BTreeMap::new(), false)?;
    let changes = Changes::between(&scopes, known);
    let changed = changes.tasks.iter().filter(|task| task.file.is_some()).count();
    Ok(Report {
        added: changes.tasks.len() - changed,
        changed,
        removed: changes.gone.len(),
        unchanged: changes.unchanged,
        ..Report::default()
    })
}

/// Builds a new index next to the existing one, if any, and replaces it.
fn rebuild(
    place: &IndexPaths,
    update: &Update,
    trees: BTreeMap<String, PathBuf>,
    on_step: OnStep<'_>,
) -> Result<Report, Error> {
    let indexing = update.indexing.clone().unwrap_or_default();
    let empty = place::create(place, indexing, trees).inspect_err(|_| place::clear(place))?;
    let done = Indexer::rebuilding(place.clone(), update, empty).finish(on_step);
    let done = done.and_then(|report| place::replace(place).map(|()| report));
    if done.is_err() {
        place::clear(place);
    }
    done
}

/// The state of the index before an update.
enum Current {
    None,
    Ours(Box<Opened>),
    Unusable { trees: BTreeMap<String, PathBuf>, reason: String },
}

fn current(place: &IndexPaths, update: &Update) -> Result<Current, Error> {
    let found = index::open(&place.engine(), FileAccess::Mapped)
        .and_then(|opened| index::check(&place.engine(), &opened.engine).map(|()| opened));
    match found {
        Ok(opened) if update.rebuild => {
            Ok(Current::Unusable { trees: opened.state.trees, reason: "requested".to_owned() })
        }
        Ok(opened) => Ok(Current::Ours(Box::new(opened))),
        Err(Error::Missing { .. }) => Ok(Current::None),
        Err(Error::OtherVersion { generator, .. }) => Ok(Current::Unusable {
            trees: BTreeMap::new(),
            reason: format!("built by {generator}, which uses a different format"),
        }),
        Err(Error::Damaged { file, reason }) if update.rebuild => {
            let trees =
                index::open(&place.engine(), FileAccess::Mapped).map(|opened| opened.state.trees);
            Ok(Current::Unusable {
                trees: trees.unwrap_or_default(),
                reason: format!("{} was damaged: {reason}", shown(&file)),
            })
        }
        Err(Error::Foreign { reason, .. }) if update.rebuild => {
            Ok(Current::Unusable { trees: BTreeMap::new(), reason })
        }
        Err(error) => Err(error),
    }
}
