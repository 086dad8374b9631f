//! Updating: trees come in, and the index moves to their state in one commit, or not at all.

mod changes;
mod place;
mod run;
mod scope;
mod writer;

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use chunkwright_config::Indexing;
use chunkwright_io::{FileError, MAX_FILE_BYTES, shown};
use serde::{Serialize, Serializer};

use crate::error::Error;
use crate::index::{self, File, Opened, Place, Snapshot};
use crate::lock::WriterLock;
use changes::Changes;
use run::Run;
use scope::Scopes;

/// A directory, or one file, to be indexed.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Tree {
    /// Its name; none for that of the directory.
    pub name: Option<String>,
    /// Where it is.
    pub path: PathBuf,
}

/// What to do. [`Update::of`] makes one, and its fields may be changed.
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
    /// What to index.
    pub trees: Vec<Tree>,
    /// Whether other trees leave the index.
    pub only_these: bool,
    /// How; none keeps what the index has.
    pub indexing: Option<Indexing>,
    /// Whether to make the index anew, even from a damaged one.
    pub rebuild: bool,
    /// How many files to work on at once.
    pub jobs: usize,
    /// Larger files are refused.
    pub max_file_bytes: u64,
}

impl Tree {
    /// The tree of a directory, or of one file, named after its directory.
    pub fn at(path: impl Into<PathBuf>) -> Self {
        Self { name: None, path: path.into() }
    }

    /// The same with another name.
    #[must_use]
    pub fn named(mut self, name: impl Into<String>) -> Self {
        self.name = Some(name.into());
        self
    }
}

impl Update {
    /// Indexes these trees, and leaves all others as they are, with one thread.
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

/// What was done.
#[derive(Debug, Default, Serialize)]
#[non_exhaustive]
pub struct Report {
    /// Files that were not in the index.
    pub added: usize,
    /// Files whose text has changed.
    pub changed: usize,
    /// Files that are gone.
    pub removed: usize,
    /// Files that are as they were.
    pub unchanged: usize,
    /// Why the index was made anew, if it was.
    pub rebuilt: Option<String>,
    /// Files that could not be read; what the index has of them stays.
    #[serde(serialize_with = "messages")]
    pub errors: Vec<FileError>,
    /// Directories without any file to read.
    #[serde(skip)]
    pub empty: Vec<PathBuf>,
}

fn messages<S: Serializer>(errors: &[FileError], serializer: S) -> Result<S::Ok, S::Error> {
    serializer.collect_seq(errors.iter().map(ToString::to_string))
}

impl Report {
    /// Whether the index is another one now.
    pub fn is_change(&self) -> bool {
        self.added + self.changed + self.removed > 0 || self.rebuilt.is_some()
    }
}

/// One more file is done.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Step {
    /// How many files there are to do in all.
    pub files: usize,
    /// How large this one was.
    pub bytes: usize,
}

/// What is told of each file.
pub type Watch<'w> = &'w mut (dyn FnMut(Step) + Send);

/// Brings the index in `dir` up to date.
///
/// # Errors
/// When another process writes, the index is damaged and shall not be rebuilt, or the system
/// refuses. Whatever happens, the index is as it was, or as it should be.
pub fn update(dir: &Path, update: &Update) -> Result<Report, Error> {
    update_watched(dir, update, &mut |_| {})
}

/// The same as [`update`], with a call after each file that had to be read.
///
/// # Errors
/// Those of [`update`].
pub fn update_watched(dir: &Path, update: &Update, watch: Watch<'_>) -> Result<Report, Error> {
    let place = Place::new(dir);
    place::prepare(&place)?;
    let _lock = WriterLock::take(dir)?;
    place::recover(&place)?;
    match current(&place, update)? {
        Current::Ours(opened) => Run::over(place, update, *opened).finish(watch),
        Current::None => anew(&place, update, BTreeMap::new(), watch),
        Current::Unusable { trees, reason } => {
            let report = anew(&place, update, trees, watch)?;
            Ok(Report { rebuilt: Some(reason), ..report })
        }
    }
}

/// What an update of one tree would do, judged without reading a file. A tree that is not at hand is
/// as it was.
pub(crate) fn pending(
    snapshot: &Snapshot,
    name: &str,
    root: &Path,
    known: Vec<File>,
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

/// Makes an index beside the old one, if there is one, and puts it in its place.
fn anew(
    place: &Place,
    update: &Update,
    trees: BTreeMap<String, PathBuf>,
    watch: Watch<'_>,
) -> Result<Report, Error> {
    let indexing = update.indexing.clone().unwrap_or_default();
    let empty = place::create(place, indexing, trees).inspect_err(|_| place::clear(place))?;
    let done = Run::anew(place.clone(), update, empty).finish(watch);
    let done = done.and_then(|report| place::replace(place).map(|()| report));
    if done.is_err() {
        place::clear(place);
    }
    done
}

/// What is there before an update.
enum Current {
    None,
    Ours(Box<Opened>),
    Unusable { trees: BTreeMap<String, PathBuf>, reason: String },
}

fn current(place: &Place, update: &Update) -> Result<Current, Error> {
    let found = index::open(&place.engine())
        .and_then(|opened| index::check(&place.engine(), &opened.engine).map(|()| opened));
    match found {
        Ok(opened) if update.rebuild => Ok(Current::Unusable {
            trees: opened.state.trees,
            reason: "as was asked for".to_owned(),
        }),
        Ok(opened) => Ok(Current::Ours(Box::new(opened))),
        Err(Error::Missing { .. }) => Ok(Current::None),
        Err(Error::OtherVersion { generator, .. }) => Ok(Current::Unusable {
            trees: BTreeMap::new(),
            reason: format!("{generator} made it otherwise"),
        }),
        Err(Error::Damaged { file, reason }) if update.rebuild => {
            let trees = index::open(&place.engine()).map(|opened| opened.state.trees);
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
