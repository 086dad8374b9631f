//! Keeps an index open, and follows its commits.

use std::fs;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError, TryLockError};
use std::time::{Duration, Instant, SystemTime};

use crate::error::Error;
use crate::index::{IndexPaths, Snapshot};

/// Minimum time between two attempts to open an index that cannot be read.
const RETRY: Duration = Duration::from_secs(1);

/// An index that stays open and follows its commits, for a process that answers many queries.
///
/// If the index is deleted or damaged, the last good snapshot keeps answering, and
/// [`LiveIndex::fault`] returns the reason.
///
/// ```
/// use chunkwright_search::{LiveIndex, Request, Tree, Update, update};
///
/// # let dir = tempfile::tempdir()?;
/// # let (docs, dir) = (dir.path().join("docs"), dir.path().join("index"));
/// # std::fs::create_dir(&docs)?;
/// let index = LiveIndex::at(&dir);
/// assert!(index.snapshot().is_err());
///
/// std::fs::write(docs.join("tea.md"), "# Tea\n\nBoil water.\n")?;
/// update(&dir, &Update::of(vec![Tree::at(&docs)]))?;
/// let snapshot = index.snapshot().expect("there is an index now");
/// assert_eq!(snapshot.search("water", &Request::default())?.results.len(), 1);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub struct LiveIndex {
    /// Returns the directory of the index.
    find: Box<dyn Fn() -> PathBuf + Send + Sync>,
    state: Mutex<LiveState>,
    /// Held while the index is opened, so that only one thread does so.
    opening: Mutex<()>,
}

/// The last snapshot, and the commit that it shows.
#[derive(Default)]
struct LiveState {
    snapshot: Option<Arc<Snapshot>>,
    /// The directory that the snapshot was read from.
    dir: Option<PathBuf>,
    commit: Option<CommitStamp>,
    fault: Option<LoadFailure>,
}

/// The reason why the present index cannot be read.
struct LoadFailure {
    error: Arc<Error>,
    commit: Option<CommitStamp>,
    seen: Instant,
}

/// Size and time of the metadata file, which every commit replaces.
#[derive(Clone, Copy, PartialEq, Eq)]
struct CommitStamp {
    bytes: u64,
    modified: Option<SystemTime>,
    #[cfg(unix)]
    inode: u64,
}

impl LiveIndex {
    /// Returns the index in a directory, which need not exist yet.
    pub fn at(dir: impl Into<PathBuf>) -> Self {
        let dir = dir.into();
        Self::found_by(move || dir.clone())
    }

    /// Returns the index in a directory that `find` returns. It is called again until there is an
    /// index.
    pub fn found_by(find: impl Fn() -> PathBuf + Send + Sync + 'static) -> Self {
        Self { find: Box::new(find), state: Mutex::default(), opening: Mutex::default() }
    }

    /// Returns a snapshot of the last commit, or of the last one that could be read.
    ///
    /// While another thread opens a new commit, the previous snapshot is returned.
    ///
    /// # Errors
    /// Fails like [`Snapshot::open`] if no commit could be read so far.
    pub fn snapshot(&self) -> Result<Arc<Snapshot>, Arc<Error>> {
        let dir = self.dir();
        if let Some(known) = self.state().known(commit(&dir)) {
            return known;
        }
        let opening = match self.opening.try_lock() {
            Err(TryLockError::WouldBlock) => {
                if let Some(snapshot) = &self.state().snapshot {
                    return Ok(Arc::clone(snapshot));
                }
                self.opening.lock().unwrap_or_else(PoisonError::into_inner)
            }
            Err(TryLockError::Poisoned(poisoned)) => poisoned.into_inner(),
            Ok(opening) => opening,
        };
        // Another thread may have opened it while this one waited.
        let commit = commit(&dir);
        if let Some(known) = self.state().known(commit) {
            return known;
        }
        let opened = Snapshot::load(&dir);
        let answer = self.state().record(opened, dir, commit);
        drop(opening);
        answer
    }

    /// Returns why the present index cannot be read, if so.
    pub fn fault(&self) -> Option<Arc<Error>> {
        let _ = self.snapshot();
        self.state().fault.as_ref().map(|fault| Arc::clone(&fault.error))
    }

    fn state(&self) -> MutexGuard<'_, LiveState> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn dir(&self) -> PathBuf {
        let known = self.state().dir.clone();
        known.unwrap_or_else(|| (self.find)())
    }
}

fn commit(dir: &Path) -> Option<CommitStamp> {
    let meta = fs::metadata(IndexPaths::new(dir).engine().join("meta.json")).ok()?;
    Some(CommitStamp {
        bytes: meta.len(),
        modified: meta.modified().ok(),
        #[cfg(unix)]
        inode: std::os::unix::fs::MetadataExt::ino(&meta),
    })
}

impl LiveState {
    /// Returns what is known about a commit, or `None` if it must be opened.
    fn known(&self, commit: Option<CommitStamp>) -> Option<Result<Arc<Snapshot>, Arc<Error>>> {
        if let Some(fault) = &self.fault {
            let is_due = fault.seen.elapsed() >= RETRY;
            return (fault.commit == commit && !is_due).then(|| self.last_good(&fault.error));
        }
        let snapshot = self.snapshot.as_ref().filter(|_| commit.is_some())?;
        (self.commit == commit).then(|| Ok(Arc::clone(snapshot)))
    }

    fn record(
        &mut self,
        opened: Result<Snapshot, Error>,
        dir: PathBuf,
        commit: Option<CommitStamp>,
    ) -> Result<Arc<Snapshot>, Arc<Error>> {
        match opened {
            Ok(snapshot) => {
                let snapshot = Arc::new(snapshot);
                let kept = Some(Arc::clone(&snapshot));
                *self = Self { snapshot: kept, dir: Some(dir), commit, fault: None };
                Ok(snapshot)
            }
            Err(error) => {
                let error = Arc::new(error);
                let seen = Instant::now();
                self.fault = Some(LoadFailure { error: Arc::clone(&error), commit, seen });
                self.last_good(&error)
            }
        }
    }

    fn last_good(&self, error: &Arc<Error>) -> Result<Arc<Snapshot>, Arc<Error>> {
        self.snapshot.clone().ok_or_else(|| Arc::clone(error))
    }
}
