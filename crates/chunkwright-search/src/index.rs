//! Opens the index on disk, and checks that it is intact.

use std::collections::BTreeMap;
use std::fs;
use std::panic::{self, AssertUnwindSafe};
use std::path::{Path, PathBuf};
use std::time::SystemTime;

use chunkwright_config::{Indexing, Language};
use serde::{Deserialize, Serialize};
use tantivy::{DocAddress, ReloadPolicy, Searcher};

use crate::analyze::Analyzer;
use crate::directory::{Directory, FileAccess};
use crate::error::Error;
use crate::outline;
use crate::rank::Statistics;
use crate::runs::{Runs, Stamp};
use crate::schema::{self, IndexFields};

/// The program and version that is recorded in an index.
const GENERATOR: &str = concat!("chunkwright ", env!("CARGO_PKG_VERSION"));

/// Maximum size of an index whose checksums are verified each time it is opened, and which
/// [`Snapshot::load`] reads into memory. The checksums of a larger index are verified by updates and
/// by [`Snapshot::check`].
const ALWAYS_CHECKED_BYTES: u64 = 256_000_000;

/// Maximum number of attempts to open an index that a writer replaces at the same time.
const OPENING_ATTEMPTS: usize = 20;

/// The metadata of a commit.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub(crate) struct State {
    pub(crate) generator: String,
    pub(crate) schema: u32,
    pub(crate) config_hash: String,
    pub(crate) indexing: Indexing,
    /// The directory of each tree, relative to the parent of the index directory if it is below it.
    pub(crate) trees: BTreeMap<String, PathBuf>,
}

impl State {
    pub(crate) fn new(indexing: &Indexing) -> Result<Self, Error> {
        Ok(Self {
            generator: GENERATOR.to_owned(),
            schema: schema::VERSION,
            config_hash: config_hash(indexing)?,
            indexing: indexing.clone(),
            trees: BTreeMap::new(),
        })
    }

    pub(crate) fn to_json(&self) -> String {
        serde_json::to_string(self).expect("tree paths are valid UTF-8")
    }
}

/// Returns a hash of everything but the files that determines the contents of an index.
pub(crate) fn config_hash(indexing: &Indexing) -> Result<String, Error> {
    let counter = outline::counter();
    let [tree, parts, headless] = outline::configs(indexing).map(|one| one.hash(counter.name()));
    let options = serde_json::to_string(indexing).expect("options serialize to JSON");
    let all = format!("{} {options} {} {} {}", schema::VERSION, tree?, parts?, headless?);
    Ok(outline::hash(&all))
}

/// The paths of an index.
#[derive(Clone, Debug)]
pub(crate) struct IndexPaths {
    /// The directory given by the user.
    pub(crate) dir: PathBuf,
}

impl IndexPaths {
    pub(crate) fn new(dir: &Path) -> Self {
        Self { dir: dir.to_owned() }
    }

    /// Returns the directory of the tantivy index.
    pub(crate) fn engine(&self) -> PathBuf {
        self.dir.join("index")
    }

    /// Returns the directory where a replacement for the index is built.
    pub(crate) fn fresh(&self) -> PathBuf {
        self.dir.join("index.new")
    }

    /// Returns the directory that a replaced index is moved to before it is deleted.
    pub(crate) fn old(&self) -> PathBuf {
        self.dir.join("index.old")
    }

    /// Returns the current directory of the tantivy index, which is elsewhere during a replacement.
    fn current(&self) -> PathBuf {
        let is_aside = !self.engine().exists() && self.old().exists();
        if is_aside { self.old() } else { self.engine() }
    }

    /// Returns the directory that relative tree paths start from.
    pub(crate) fn base(&self) -> PathBuf {
        let real = fs::canonicalize(&self.dir).unwrap_or_else(|_| self.dir.clone());
        real.parent().map_or(real.clone(), Path::to_owned)
    }
}

/// An open tantivy index with the metadata of its last commit.
#[derive(Clone)]
pub(crate) struct Opened {
    pub(crate) engine: tantivy::Index,
    pub(crate) fields: IndexFields,
    pub(crate) state: State,
    pub(crate) analyzer: Analyzer,
}

impl Opened {
    pub(crate) fn new(engine: tantivy::Index, fields: IndexFields, state: State) -> Self {
        let analyzer = analyzer_in(&engine, state.indexing.language);
        Self { engine, fields, state, analyzer }
    }

    /// Changes the language of the analyzer.
    pub(crate) fn analyze_in(&mut self, language: Language) {
        self.analyzer = analyzer_in(&self.engine, language);
    }
}

fn analyzer_in(engine: &tantivy::Index, language: Language) -> Analyzer {
    let analyzer = Analyzer::new(language);
    engine.tokenizers().register(schema::ANALYZER, analyzer.clone());
    analyzer
}

/// Opens the tantivy index in `dir`.
pub(crate) fn open(dir: &Path, access: FileAccess) -> Result<Opened, Error> {
    guard(dir, || {
        let meta = dir.join("meta.json");
        if !meta.exists() {
            return Err(missing(dir));
        }
        if !meta.is_file() {
            return Err(Error::Damaged { file: meta, reason: "not a regular file".to_owned() });
        }
        let directory = Directory::open(dir, access).map_err(Error::engine(dir))?;
        let engine = tantivy::Index::open(directory).map_err(Error::engine(dir))?;
        let payload = engine.load_metas().map_err(Error::engine(dir))?.payload;
        let state = state(dir, &meta, payload.as_deref())?;
        let (expected, fields) = schema::schema();
        if engine.schema() != expected {
            let reason = "unexpected schema".to_owned();
            return Err(Error::Damaged { file: meta, reason });
        }
        Ok(Opened::new(engine, fields, state))
    })
}

/// Reads the metadata file of the last commit.
fn commit(meta: &Path) -> Option<Vec<u8>> {
    meta.is_file().then(|| fs::read(meta).ok()).flatten()
}

fn missing(dir: &Path) -> Error {
    let is_empty = fs::read_dir(dir).map_or(true, |mut entries| entries.next().is_none());
    let user_dir = dir.parent().unwrap_or(dir).to_owned();
    if is_empty {
        return Error::Missing { dir: user_dir };
    }
    Error::Damaged { file: dir.join("meta.json"), reason: "the file is missing".to_owned() }
}

/// Parses the metadata of a commit, and checks that this version can read the index.
fn state(dir: &Path, meta: &Path, payload: Option<&str>) -> Result<State, Error> {
    #[derive(Deserialize)]
    struct Version {
        generator: String,
        schema: u32,
    }
    let foreign = |reason: &str| Error::Foreign {
        dir: dir.parent().unwrap_or(dir).to_owned(),
        reason: format!("{reason} (a rebuild replaces it)"),
    };
    let unnamed = || foreign("its metadata does not name chunkwright");
    let payload = payload.ok_or_else(unnamed)?;
    let version: Version = serde_json::from_str(payload).map_err(|_| unnamed())?;
    if !version.generator.starts_with("chunkwright ") {
        return Err(foreign(&format!("built by {}", version.generator)));
    }
    if version.schema != schema::VERSION {
        let dir = dir.parent().unwrap_or(dir).to_owned();
        return Err(Error::OtherVersion { dir, generator: version.generator });
    }
    serde_json::from_str(payload)
        .map_err(|error| Error::Damaged { file: meta.to_owned(), reason: error.to_string() })
}

/// Verifies the checksums of all files, and reports the first damaged one by name.
pub(crate) fn check(dir: &Path, engine: &tantivy::Index) -> Result<(), Error> {
    guard(dir, || {
        let damaged = engine.validate_checksum().map_err(Error::engine(dir))?;
        match damaged.into_iter().min() {
            None => Ok(()),
            Some(file) => {
                Err(Error::Damaged { file: dir.join(file), reason: "checksum mismatch".to_owned() })
            }
        }
    })
}

/// Returns the total size of the files in a directory.
pub(crate) fn bytes_in(dir: &Path) -> u64 {
    let entries = fs::read_dir(dir).into_iter().flatten().flatten();
    entries.filter_map(|entry| entry.metadata().ok()).map(|found| found.len()).sum()
}

/// Runs `work`, and reports a panic as damage: tantivy panics on some damaged files.
pub(crate) fn guard<T>(dir: &Path, work: impl FnOnce() -> Result<T, Error>) -> Result<T, Error> {
    panic::catch_unwind(AssertUnwindSafe(work)).unwrap_or_else(|panic| {
        let said = panic.downcast_ref::<String>().map(String::as_str);
        let said = said.or_else(|| panic.downcast_ref::<&str>().copied()).unwrap_or("no reason");
        let reason = format!("cannot be read: {}", said.lines().next().unwrap_or_default());
        Err(Error::Damaged { file: dir.to_owned(), reason })
    })
}

/// A read-only view of an index at one moment. Later updates do not change it.
///
/// ```
/// use chunkwright_search::{Request, Snapshot, Tree, Update, update};
///
/// # let dir = tempfile::tempdir()?;
/// # let (docs, index) = (dir.path().join("docs"), dir.path().join("index"));
/// # std::fs::create_dir(&docs)?;
/// # std::fs::write(docs.join("tea.md"), "# Tea\n\nBoil water.\n")?;
/// update(&index, &Update::of(vec![Tree::at(&docs)]))?;
///
/// let snapshot = Snapshot::open(&index)?;
/// let answer = snapshot.search("water", &Request::default())?;
/// let node = snapshot.get(&answer.results[0].id, false)?;
/// assert_eq!(node.text, "# Tea\n\nBoil water.");
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub struct Snapshot {
    pub(crate) place: IndexPaths,
    pub(crate) searcher: Searcher,
    pub(crate) fields: IndexFields,
    pub(crate) state: State,
    pub(crate) analyzer: Analyzer,
    pub(crate) statistics: Statistics,
    /// The time of the last commit, if the file system reports it.
    pub(crate) committed: Option<SystemTime>,
}

/// A file in an index.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct IndexedFile {
    pub(crate) tree: String,
    pub(crate) path: String,
    pub(crate) stamp: Stamp,
    pub(crate) address: DocAddress,
    pub(crate) nodes: usize,
    pub(crate) parts: usize,
    pub(crate) tokens: usize,
}

impl IndexedFile {
    pub(crate) fn id(&self) -> String {
        format!("{}:{}", self.tree, self.path)
    }
}

impl Snapshot {
    /// Opens the index in a directory.
    ///
    /// # Errors
    /// Fails if the directory contains no index, or one that is damaged, was built by another
    /// program, or has a format that this version cannot read.
    pub fn open(dir: &Path) -> Result<Self, Error> {
        Self::open_with(dir, FileAccess::Mapped)
    }

    /// Opens the index in a directory, and reads it into memory.
    ///
    /// Use this in a process that keeps an index open for long: nothing that happens to the files
    /// affects the snapshot. An index of more than 256 MB is not read into memory, so truncating
    /// one of its files may end the process. chunkwright itself never changes a file of an index.
    ///
    /// # Errors
    /// Fails like [`Snapshot::open`].
    pub fn load(dir: &Path) -> Result<Self, Error> {
        Self::open_with(dir, FileAccess::Loaded)
    }

    fn open_with(dir: &Path, access: FileAccess) -> Result<Self, Error> {
        let place = IndexPaths::new(dir);
        let meta = place.engine().join("meta.json");
        for _ in 0..OPENING_ATTEMPTS {
            let before = commit(&meta);
            match Self::open_once(&place, access) {
                // A writer may have replaced files that were being opened.
                Err(_) if commit(&meta) != before => {}
                opened => return opened,
            }
        }
        Self::open_once(&place, access)
    }

    fn open_once(place: &IndexPaths, access: FileAccess) -> Result<Self, Error> {
        let dir = place.current();
        let is_small = bytes_in(&dir) <= ALWAYS_CHECKED_BYTES;
        let opened = open(&dir, if is_small { access } else { FileAccess::Mapped })?;
        if is_small {
            check(&dir, &opened.engine)?;
        }
        Self::of(place.clone(), opened)
    }

    /// Verifies the checksums of all files of the index.
    ///
    /// # Errors
    /// Fails if a file is damaged.
    pub fn check(&self) -> Result<(), Error> {
        check(&self.place.engine(), self.searcher.index())
    }

    pub(crate) fn of(place: IndexPaths, opened: Opened) -> Result<Self, Error> {
        let dir = place.engine();
        let Opened { engine, fields, state, analyzer } = opened;
        let (searcher, statistics) = guard(&dir, || {
            let reader = engine.reader_builder().reload_policy(ReloadPolicy::Manual).try_into();
            let reader: tantivy::IndexReader = reader.map_err(Error::engine(&dir))?;
            let searcher = reader.searcher();
            for reader in searcher.segment_readers() {
                let columns = Runs::open(reader).map_err(Error::engine(&dir))?;
                if columns.ordinal.num_vals() != reader.max_doc() {
                    let reason = "unexpected number of documents".to_owned();
                    return Err(Error::Damaged { file: dir.join("meta.json"), reason });
                }
            }
            let statistics = Statistics::of(&searcher, &fields).map_err(Error::engine(&dir))?;
            Ok((searcher, statistics))
        })?;
        let committed = fs::metadata(dir.join("meta.json")).and_then(|meta| meta.modified()).ok();
        Ok(Self { place, searcher, fields, state, analyzer, statistics, committed })
    }

    /// Returns the time of the commit that the snapshot shows, if the file system reports it.
    pub fn committed(&self) -> Option<SystemTime> {
        self.committed
    }

    /// Returns the options that the index was built with.
    pub fn indexing(&self) -> &Indexing {
        &self.state.indexing
    }

    /// Returns whether this version would index the same files differently with the same options.
    pub fn is_outdated(&self) -> bool {
        config_hash(&self.state.indexing).is_ok_and(|hash| hash != self.state.config_hash)
    }

    /// Returns the name and directory of each tree.
    pub fn trees(&self) -> BTreeMap<String, PathBuf> {
        let base = self.place.base();
        let trees = self.state.trees.iter();
        trees.map(|(name, root)| (name.clone(), base.join(root))).collect()
    }

    /// Returns all files, sorted by tree and path.
    pub(crate) fn files(&self) -> Result<Vec<IndexedFile>, Error> {
        let dir = self.place.engine();
        let mut files = Vec::new();
        guard(&dir, || {
            for (segment_ord, reader) in (0..).zip(self.searcher.segment_readers()) {
                let runs = Runs::open(reader).map_err(Error::engine(&dir))?;
                for run in runs.iter() {
                    let (tree, path) = runs.name(run.start).map_err(Error::engine(&dir))?;
                    let nodes = runs.subtree_end.get_val(run.start) as usize;
                    files.push(IndexedFile {
                        tree,
                        path,
                        stamp: runs.stamp(run.start),
                        address: DocAddress { segment_ord, doc_id: run.start },
                        nodes,
                        parts: run.len() - nodes.min(run.len()),
                        tokens: runs.subtree_tokens.get_val(run.start) as usize,
                    });
                }
            }
            Ok(())
        })?;
        files.sort_by(|one, other| (&one.tree, &one.path).cmp(&(&other.tree, &other.path)));
        Ok(files)
    }
}
