//! The index on disk: a directory comes in, a snapshot that can be asked goes out.

use std::collections::BTreeMap;
use std::fs;
use std::panic::{self, AssertUnwindSafe};
use std::path::{Path, PathBuf};
use std::sync::Arc;

use chunkwright::Chunker;
use serde::{Deserialize, Serialize};
use tantivy::schema::Value as _;
use tantivy::{DocAddress, ReloadPolicy, Searcher, TantivyDocument};

use crate::analyze::Analyzer;
use crate::directory::Directory;
use crate::error::Error;
use crate::language::Language;
use crate::options::Indexing;
use crate::outline::{self, Outline};
use crate::rank::Statistics;
use crate::runs::{Runs, Stamp};
use crate::schema::{self, Fields};

/// What made an index.
const GENERATOR: &str = concat!("chunkwright ", env!("CARGO_PKG_VERSION"));

/// Indexes up to this size are checked byte by byte whenever they are opened. Larger ones are when
/// they are written to, and when `status` is asked.
const ALWAYS_CHECKED_BYTES: u64 = 256_000_000;

/// How often opening begins anew because a writer was faster.
const OPENING_ATTEMPTS: usize = 20;

/// What travels with every commit.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub(crate) struct State {
    pub(crate) generator: String,
    pub(crate) schema: u32,
    pub(crate) config_hash: String,
    pub(crate) indexing: Indexing,
    /// Where each tree is: below the directory that holds the index, or absolute.
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
        serde_json::to_string(self).expect("paths of trees were UTF-8")
    }
}

/// A hash of all that decides what an index of the same files holds.
pub(crate) fn config_hash(indexing: &Indexing) -> Result<String, Error> {
    let counter = outline::counter();
    let hash = |config| {
        let chunker = Chunker::with_shared_counter(config, Arc::clone(&counter));
        chunker.map(|chunker| chunker.config_hash().to_owned())
    };
    let [tree, parts, headless] = outline::configs(indexing).map(hash);
    let options = serde_json::to_string(indexing).expect("options are plain values");
    let all = format!("{} {options} {} {} {}", schema::VERSION, tree?, parts?, headless?);
    Ok(outline::hash(&all))
}

/// Where the parts of an index are.
#[derive(Clone, Debug)]
pub(crate) struct Place {
    /// What the user named.
    pub(crate) dir: PathBuf,
}

impl Place {
    pub(crate) fn new(dir: &Path) -> Self {
        Self { dir: dir.to_owned() }
    }

    /// The engine's own directory.
    pub(crate) fn engine(&self) -> PathBuf {
        self.dir.join("index")
    }

    /// An index that is being made in the place of another.
    pub(crate) fn fresh(&self) -> PathBuf {
        self.dir.join("index.new")
    }

    /// One that is replaced, on its way out.
    pub(crate) fn old(&self) -> PathBuf {
        self.dir.join("index.old")
    }

    /// Where the engine's files are now. While an index is replaced, the old one is aside.
    fn current(&self) -> PathBuf {
        let is_aside = !self.engine().exists() && self.old().exists();
        if is_aside { self.old() } else { self.engine() }
    }

    /// What relative paths of trees are relative to.
    pub(crate) fn base(&self) -> PathBuf {
        let real = fs::canonicalize(&self.dir).unwrap_or_else(|_| self.dir.clone());
        real.parent().map_or(real.clone(), Path::to_owned)
    }
}

/// The engine with its fields, and what the last commit says.
#[derive(Clone)]
pub(crate) struct Opened {
    pub(crate) engine: tantivy::Index,
    pub(crate) fields: Fields,
    pub(crate) state: State,
    pub(crate) analyzer: Analyzer,
}

impl Opened {
    pub(crate) fn new(engine: tantivy::Index, fields: Fields, state: State) -> Self {
        let analyzer = analyzer_in(&engine, state.indexing.language);
        Self { engine, fields, state, analyzer }
    }

    /// Text is in this language from now on.
    pub(crate) fn analyze_in(&mut self, language: Language) {
        self.analyzer = analyzer_in(&self.engine, language);
    }
}

fn analyzer_in(engine: &tantivy::Index, language: Language) -> Analyzer {
    let analyzer = Analyzer::new(language);
    engine.tokenizers().register(schema::ANALYZER, analyzer.clone());
    analyzer
}

/// Opens the engine's directory.
pub(crate) fn open(dir: &Path) -> Result<Opened, Error> {
    guard(dir, || {
        let meta = dir.join("meta.json");
        if !meta.exists() {
            return Err(missing(dir));
        }
        if !meta.is_file() {
            return Err(Error::Damaged { file: meta, reason: "it is not a file".to_owned() });
        }
        let directory = Directory::open(dir).map_err(Error::engine(dir))?;
        let engine = tantivy::Index::open(directory).map_err(Error::engine(dir))?;
        let payload = engine.load_metas().map_err(Error::engine(dir))?.payload;
        let state = state(dir, &meta, payload.as_deref())?;
        let (expected, fields) = schema::schema();
        if engine.schema() != expected {
            let reason = "its fields are not those that were written".to_owned();
            return Err(Error::Damaged { file: meta, reason });
        }
        Ok(Opened::new(engine, fields, state))
    })
}

/// What the engine keeps of its last commit.
fn commit(meta: &Path) -> Option<Vec<u8>> {
    meta.is_file().then(|| fs::read(meta).ok()).flatten()
}

fn missing(dir: &Path) -> Error {
    let is_empty = fs::read_dir(dir).map_or(true, |mut entries| entries.next().is_none());
    let user_dir = dir.parent().unwrap_or(dir).to_owned();
    if is_empty {
        return Error::Missing { dir: user_dir };
    }
    Error::Damaged { file: dir.join("meta.json"), reason: "it is missing".to_owned() }
}

/// What the commit says, if it was ours.
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
    let payload = payload.ok_or_else(|| foreign("its last commit says nothing of chunkwright"))?;
    let version: Version = serde_json::from_str(payload)
        .map_err(|_| foreign("its last commit says nothing of chunkwright"))?;
    if !version.generator.starts_with("chunkwright ") {
        return Err(foreign(&format!("{} made it", version.generator)));
    }
    if version.schema != schema::VERSION {
        let dir = dir.parent().unwrap_or(dir).to_owned();
        return Err(Error::OtherVersion { dir, generator: version.generator });
    }
    serde_json::from_str(payload)
        .map_err(|error| Error::Damaged { file: meta.to_owned(), reason: error.to_string() })
}

/// Checks every byte of an index, and names the first file that is damaged.
pub(crate) fn check(dir: &Path, engine: &tantivy::Index) -> Result<(), Error> {
    guard(dir, || {
        let damaged = engine.validate_checksum().map_err(Error::engine(dir))?;
        match damaged.into_iter().min() {
            None => Ok(()),
            Some(file) => Err(Error::Damaged {
                file: dir.join(file),
                reason: "its checksum is wrong".to_owned(),
            }),
        }
    })
}

/// The bytes of all files in a directory.
pub(crate) fn bytes_in(dir: &Path) -> u64 {
    let entries = fs::read_dir(dir).into_iter().flatten().flatten();
    entries.filter_map(|entry| entry.metadata().ok()).map(|found| found.len()).sum()
}

/// Runs something on an index. The engine panics on some damage; that is told like any other.
pub(crate) fn guard<T>(dir: &Path, work: impl FnOnce() -> Result<T, Error>) -> Result<T, Error> {
    panic::catch_unwind(AssertUnwindSafe(work)).unwrap_or_else(|panic| {
        let said = panic.downcast_ref::<String>().map(String::as_str);
        let said = said.or_else(|| panic.downcast_ref::<&str>().copied()).unwrap_or("no reason");
        let reason = format!("reading it failed: {}", said.lines().next().unwrap_or_default());
        Err(Error::Damaged { file: dir.to_owned(), reason })
    })
}

/// An index as it was at one moment. Writers do not disturb it.
pub struct Snapshot {
    pub(crate) place: Place,
    pub(crate) searcher: Searcher,
    pub(crate) fields: Fields,
    pub(crate) state: State,
    pub(crate) analyzer: Analyzer,
    pub(crate) statistics: Statistics,
}

/// A file in an index.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct File {
    pub(crate) tree: String,
    pub(crate) path: String,
    pub(crate) stamp: Stamp,
    pub(crate) address: DocAddress,
    /// How many nodes and parts it has.
    pub(crate) nodes: usize,
    pub(crate) parts: usize,
    pub(crate) tokens: usize,
}

impl File {
    pub(crate) fn id(&self) -> String {
        format!("{}:{}", self.tree, self.path)
    }
}

/// The text of a file and its structure.
#[derive(Clone, Debug)]
pub(crate) struct Page {
    pub(crate) text: String,
    pub(crate) outline: Outline,
}

impl Snapshot {
    /// Opens the index in a directory.
    ///
    /// # Errors
    /// When there is none, or it is damaged, foreign, or of another version.
    pub fn open(dir: &Path) -> Result<Self, Error> {
        let place = Place::new(dir);
        let meta = place.engine().join("meta.json");
        for _ in 0..OPENING_ATTEMPTS {
            let before = commit(&meta);
            match Self::open_once(&place) {
                // A writer may have replaced files while they were looked at.
                Err(_) if commit(&meta) != before => {}
                opened => return opened,
            }
        }
        Self::open_once(&place)
    }

    fn open_once(place: &Place) -> Result<Self, Error> {
        let dir = place.current();
        let opened = open(&dir)?;
        if bytes_in(&dir) <= ALWAYS_CHECKED_BYTES {
            check(&dir, &opened.engine)?;
        }
        Self::of(place.clone(), opened)
    }

    /// Checks every byte of the index.
    ///
    /// # Errors
    /// When a file is damaged.
    pub fn check(&self) -> Result<(), Error> {
        check(&self.place.engine(), self.searcher.index())
    }

    pub(crate) fn of(place: Place, opened: Opened) -> Result<Self, Error> {
        let dir = place.engine();
        let Opened { engine, fields, state, analyzer } = opened;
        let (searcher, statistics) = guard(&dir, || {
            let reader = engine.reader_builder().reload_policy(ReloadPolicy::Manual).try_into();
            let reader: tantivy::IndexReader = reader.map_err(Error::engine(&dir))?;
            let searcher = reader.searcher();
            for reader in searcher.segment_readers() {
                let columns = Runs::open(reader).map_err(Error::engine(&dir))?;
                if columns.ordinal.num_vals() != reader.max_doc() {
                    let reason = "it counts other documents than there are".to_owned();
                    return Err(Error::Damaged { file: dir.join("meta.json"), reason });
                }
            }
            let statistics = Statistics::of(&searcher, &fields).map_err(Error::engine(&dir))?;
            Ok((searcher, statistics))
        })?;
        Ok(Self { place, searcher, fields, state, analyzer, statistics })
    }

    /// How it was made.
    pub fn indexing(&self) -> &Indexing {
        &self.state.indexing
    }

    /// Whether files would be indexed otherwise today, with the same options.
    pub fn is_outdated(&self) -> bool {
        config_hash(&self.state.indexing).is_ok_and(|hash| hash != self.state.config_hash)
    }

    /// The trees, and where each is.
    pub fn trees(&self) -> BTreeMap<String, PathBuf> {
        let base = self.place.base();
        let trees = self.state.trees.iter();
        trees.map(|(name, root)| (name.clone(), base.join(root))).collect()
    }

    /// All files, in order.
    pub(crate) fn files(&self) -> Result<Vec<File>, Error> {
        let dir = self.place.engine();
        let mut files = Vec::new();
        guard(&dir, || {
            for (segment_ord, reader) in (0..).zip(self.searcher.segment_readers()) {
                let runs = Runs::open(reader).map_err(Error::engine(&dir))?;
                for run in runs.iter() {
                    let (tree, path) = runs.name(run.start).map_err(Error::engine(&dir))?;
                    let nodes = runs.subtree_end.get_val(run.start) as usize;
                    files.push(File {
                        tree,
                        path,
                        stamp: runs.stamp(run.start),
                        address: DocAddress { segment_ord, doc_id: run.start },
                        nodes,
                        parts: run.len() - nodes.min(run.len()),
                        tokens: runs.tree_tokens.get_val(run.start) as usize,
                    });
                }
            }
            Ok(())
        })?;
        files.sort_by(|one, other| (&one.tree, &one.path).cmp(&(&other.tree, &other.path)));
        Ok(files)
    }

    /// The text and the structure of a file whose first node is here.
    pub(crate) fn page(&self, address: DocAddress) -> Result<Page, Error> {
        let dir = self.place.engine();
        guard(&dir, || {
            let kept: TantivyDocument = self.searcher.doc(address).map_err(Error::engine(&dir))?;
            let text = |field| kept.get_first(field).and_then(|value| value.as_str());
            let damaged = |reason: &str| Error::Damaged {
                file: dir.clone(),
                reason: format!("a file has {reason}"),
            };
            let source = text(self.fields.source).ok_or_else(|| damaged("no text"))?;
            let outline = text(self.fields.outline).ok_or_else(|| damaged("no outline"))?;
            let outline = serde_json::from_str(outline).map_err(|e| damaged(&e.to_string()))?;
            Ok(Page { text: source.to_owned(), outline })
        })
    }
}
