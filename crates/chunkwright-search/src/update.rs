//! Updating: trees come in, and the index moves to their state in one commit, or not at all.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::{Path, PathBuf};
use std::thread;
use std::time::{Duration, Instant};

use chunkwright::Source;
use chunkwright_io::{Entry, FileError, Naming, ordered, read, walk};
use tantivy::directory::error::LockError;
use tantivy::indexer::UserOperation;
use tantivy::{IndexSettings, IndexWriter, TantivyDocument, TantivyError, Term};

use crate::directory::Directory;
use crate::documents::documents;
use crate::error::Error;
use crate::index::{self, File, Opened, Place, Snapshot, State, config_hash};
use crate::lock::WriterLock;
use crate::options::Indexing;
use crate::outline::{self, Outliner, hash};
use crate::runs::Stamp;
use crate::schema;

/// Memory for each thread that writes.
const WRITER_BYTES: usize = 64_000_000;

/// How long the engine's own lock is waited for.
const ENGINE_LOCK_WAIT: Duration = Duration::from_secs(2);

/// More threads than this write no faster.
const MOST_WRITERS: usize = 4;

/// A directory, or one file, to be indexed.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Tree {
    /// Its name; none for that of the directory.
    pub name: Option<String>,
    /// Where it is.
    pub path: PathBuf,
}

/// What to do.
#[derive(Clone, Debug)]
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

/// What was done.
#[derive(Debug, Default)]
pub struct Report {
    /// Files that were not in the index.
    pub added: usize,
    /// Files whose text has changed.
    pub changed: usize,
    /// Files that are gone.
    pub removed: usize,
    /// Files that are as they were.
    pub unchanged: usize,
    /// Files that could not be read; what the index has of them stays.
    pub errors: Vec<FileError>,
    /// Why the index was made anew, if it was.
    pub rebuilt: Option<String>,
}

impl Report {
    /// Whether the index is another one now.
    pub fn is_change(&self) -> bool {
        self.added + self.changed + self.removed > 0 || self.rebuilt.is_some()
    }
}

/// Brings the index in `dir` up to date.
///
/// # Errors
/// When another process writes, the index is damaged and shall not be rebuilt, or the system
/// refuses. Whatever happens, the index is as it was, or as it should be.
pub fn update(dir: &Path, update: &Update) -> Result<Report, Error> {
    let place = Place::new(dir);
    prepare(&place)?;
    let _lock = WriterLock::take(dir)?;
    recover(&place)?;
    match current(&place, update)? {
        Current::Ours(opened) => Run::new(place, update, *opened)?.update(),
        Current::None => fresh(&place, update, &BTreeMap::new(), None),
        Current::Unusable { trees, reason } => fresh(&place, update, &trees, Some(reason)),
    }
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
                reason: format!("{} was damaged: {reason}", file.display()),
            })
        }
        Err(Error::Foreign { reason, .. }) if update.rebuild => {
            Ok(Current::Unusable { trees: BTreeMap::new(), reason })
        }
        Err(error) => Err(error),
    }
}

/// Makes the directory; what is in it that is not ours is not touched.
fn prepare(place: &Place) -> Result<(), Error> {
    let dir = &place.dir;
    let ours = ["index", "index.new", "index.old", "writer.lock", ".gitignore"];
    if let Ok(entries) = fs::read_dir(dir) {
        let mut names = entries.flatten().map(|entry| entry.file_name());
        if let Some(name) = names.find(|name| !ours.iter().any(|own| name == own)) {
            let reason = format!("it has {}", name.display());
            return Err(Error::Foreign { dir: dir.clone(), reason });
        }
    }
    fs::create_dir_all(dir).map_err(Error::io(dir))?;
    let ignore = dir.join(".gitignore");
    if !ignore.exists() {
        fs::write(&ignore, "*\n").map_err(Error::io(&ignore))?;
    }
    Ok(())
}

/// Ends what a run that was killed while it replaced an index had begun.
fn recover(place: &Place) -> Result<(), Error> {
    let (engine, old) = (place.engine(), place.old());
    if old.exists() && !engine.exists() {
        fs::rename(&old, &engine).map_err(Error::io(&old))?;
    }
    for leftover in [place.old(), place.fresh()] {
        if leftover.exists() {
            fs::remove_dir_all(&leftover).map_err(Error::io(&leftover))?;
        }
    }
    Ok(())
}

/// Makes an index beside the old one, if there is one, and puts it in its place.
fn fresh(
    place: &Place,
    update: &Update,
    trees: &BTreeMap<String, PathBuf>,
    reason: Option<String>,
) -> Result<Report, Error> {
    let dir = place.fresh();
    fs::create_dir_all(&dir).map_err(Error::io(&dir))?;
    let (schema, fields) = schema::schema();
    let directory = Directory::open(&dir).map_err(Error::engine(&dir))?;
    let engine = tantivy::Index::create(directory, schema, IndexSettings::default())
        .map_err(Error::engine(&dir))?;
    let mut state = State::new(&update.indexing.clone().unwrap_or_default())?;
    state.trees.clone_from(trees);
    let analyzer = crate::analyze::Analyzer::new(state.indexing.language);
    engine.tokenizers().register(schema::ANALYZER, analyzer.clone());
    let opened = Opened { engine, fields, state, analyzer };
    let mut run = Run::new(place.clone(), update, opened)?;
    run.dir.clone_from(&dir);
    run.anew = true;
    let mut report = run.update()?;
    let (engine, old) = (place.engine(), place.old());
    if engine.exists() {
        fs::rename(&engine, &old).map_err(Error::io(&engine))?;
    }
    fs::rename(&dir, &engine).map_err(Error::io(&dir))?;
    if old.exists() {
        fs::remove_dir_all(&old).map_err(Error::io(&old))?;
    }
    report.rebuilt = reason;
    Ok(report)
}

/// One update of one index.
struct Run<'a> {
    place: Place,
    /// Where the engine writes.
    dir: PathBuf,
    update: &'a Update,
    opened: Opened,
    /// Whether all files are new to the index.
    anew: bool,
}

/// A tree that is being indexed.
struct Scope {
    tree: String,
    root: PathBuf,
    entries: Vec<Entry>,
    /// Whether files that are not there are gone.
    is_whole: bool,
}

/// What became of a file.
enum Done {
    Unchanged,
    New { id: String, bytes: usize, documents: Vec<TantivyDocument>, is_known: bool },
    Failed(FileError),
}

impl<'a> Run<'a> {
    fn new(place: Place, update: &'a Update, opened: Opened) -> Result<Self, Error> {
        Ok(Self { dir: place.engine(), place, update, opened, anew: false })
    }

    fn update(mut self) -> Result<Report, Error> {
        let mut report = Report::default();
        let indexing = self.update.indexing.clone();
        let indexing = indexing.unwrap_or_else(|| self.opened.state.indexing.clone());
        let wanted = config_hash(&indexing)?;
        if wanted != self.opened.state.config_hash {
            report.rebuilt = Some(self.mismatch(&indexing));
            self.anew = true;
            self.opened.analyzer = crate::analyze::Analyzer::new(indexing.language);
            let tokenizers = self.opened.engine.tokenizers();
            tokenizers.register(schema::ANALYZER, self.opened.analyzer.clone());
        }
        let mut state = State::new(&indexing)?;
        let scopes = self.scopes(&mut state, &mut report)?;
        let known = self.known()?;
        let gone = self.gone(&scopes, &known, &state, &report);
        let tasks = self.tasks(&scopes, &known, &mut report);
        let is_same = tasks.is_empty() && gone.is_empty() && state == self.opened.state;
        if is_same && !self.anew {
            return Ok(report);
        }
        let outliner = Outliner::new(&indexing, &outline::counter())?;
        self.write(&state, &outliner, tasks, &gone, &mut report)?;
        Ok(report)
    }

    fn mismatch(&self, indexing: &Indexing) -> String {
        match self.opened.state.indexing == *indexing {
            true => format!("{} made it otherwise", self.opened.state.generator),
            false => "its options were others".to_owned(),
        }
    }

    /// What is to be looked at, and where trees are from now on.
    fn scopes(&self, state: &mut State, report: &mut Report) -> Result<Vec<Scope>, Error> {
        let base = self.place.base();
        let mut scopes: Vec<Scope> = Vec::new();
        for tree in &self.update.trees {
            let Some(scope) = scope(tree, report)? else { continue };
            let indexed = self.opened.state.trees.get(&scope.tree).map(|root| base.join(root));
            let earlier = scopes.iter().find(|other| other.tree == scope.tree);
            let rival = earlier.map(|other| other.root.clone()).or(indexed);
            if let Some(rival) = rival.filter(|rival| *rival != scope.root && rival.exists()) {
                let (tree, given) = (scope.tree, tree.path.clone());
                return Err(Error::TreeClash { tree, indexed: rival, given });
            }
            let root = scope.root.strip_prefix(&base).unwrap_or(&scope.root).to_owned();
            state.trees.insert(scope.tree.clone(), root);
            scopes.push(scope);
        }
        if !self.update.only_these {
            self.others(state, &mut scopes, report)?;
        }
        Ok(scopes)
    }

    /// Trees that stay in the index. If it is made anew, they are read again.
    fn others(
        &self,
        state: &mut State,
        scopes: &mut Vec<Scope>,
        report: &mut Report,
    ) -> Result<(), Error> {
        let base = self.place.base();
        for (name, root) in &self.opened.state.trees {
            if state.trees.contains_key(name) {
                continue;
            }
            if self.anew {
                let tree = Tree { name: Some(name.clone()), path: base.join(root) };
                scopes.extend(scope(&tree, report)?);
            }
            state.trees.insert(name.clone(), root.clone());
        }
        Ok(())
    }

    /// The files in the index, by their ids.
    fn known(&self) -> Result<BTreeMap<String, File>, Error> {
        if self.anew {
            return Ok(BTreeMap::new());
        }
        let files = self.snapshot()?.files()?;
        Ok(files.into_iter().map(|file| (file.id(), file)).collect())
    }

    fn snapshot(&self) -> Result<Snapshot, Error> {
        let Opened { engine, fields, state, analyzer } = &self.opened;
        let opened = Opened {
            engine: engine.clone(),
            fields: *fields,
            state: state.clone(),
            analyzer: analyzer.clone(),
        };
        Snapshot::of(self.place.clone(), opened)
    }

    /// Files that are in the index, but not on the disk any more.
    fn gone(
        &self,
        scopes: &[Scope],
        known: &BTreeMap<String, File>,
        state: &State,
        report: &Report,
    ) -> Vec<String> {
        let present: BTreeSet<String> =
            scopes.iter().flat_map(|scope| &scope.entries).map(id).collect();
        let unreadable = |scope: &Scope, path: &str| {
            let file = scope.root.join(path);
            report.errors.iter().any(|error| {
                fs::canonicalize(&error.path).is_ok_and(|real| file.starts_with(real))
                    || file.ends_with(&error.path)
            })
        };
        let is_gone = |file: &File| {
            let whole = scopes.iter().find(|scope| scope.tree == file.tree && scope.is_whole);
            match whole {
                Some(scope) => !present.contains(&file.id()) && !unreadable(scope, &file.path),
                None => !state.trees.contains_key(&file.tree),
            }
        };
        known.values().filter(|file| is_gone(file)).map(File::id).collect()
    }

    /// Files that may have changed, with what the index has of them.
    fn tasks<'s>(
        &self,
        scopes: &'s [Scope],
        known: &BTreeMap<String, File>,
        report: &mut Report,
    ) -> Vec<Task<'s>> {
        let mut tasks = Vec::new();
        for entry in scopes.iter().flat_map(|scope| &scope.entries) {
            let chunkwright_io::Source::File(path) = &entry.source else { continue };
            let stamp = fs::metadata(path).ok().map(|found| Stamp::of(&found));
            let file = known.get(&id(entry));
            match (file, stamp) {
                (Some(file), Some(stamp)) if file.stamp == stamp => report.unchanged += 1,
                (file, stamp) => tasks.push(Task { entry, file: file.cloned(), stamp }),
            }
        }
        tasks
    }

    /// Writes everything in one commit; nothing, if no text has changed.
    fn write(
        &self,
        state: &State,
        outliner: &Outliner,
        tasks: Vec<Task<'_>>,
        gone: &[String],
        report: &mut Report,
    ) -> Result<(), Error> {
        let dir = &self.dir;
        let snapshot = self.snapshot()?;
        let mut writer = LazyWriter { run: self, writers: self.writers(tasks.len()), open: None };
        if self.anew {
            let writer = writer.get()?;
            writer.delete_all_documents().map_err(Error::engine(dir))?;
        }
        for id in gone {
            let term = Term::from_field_text(self.opened.fields.doc, id);
            writer.get()?.delete_term(term);
            report.removed += 1;
        }
        let work = |task: Task<'_>| self.work(&task, outliner, &snapshot);
        let weigh = |done: &Result<Done, Error>| match done {
            Ok(Done::New { bytes, .. }) => *bytes,
            _ => 0,
        };
        ordered(tasks, self.update.jobs, work, weigh, |done| {
            match done? {
                Done::Unchanged => report.unchanged += 1,
                Done::Failed(error) => report.errors.push(error),
                Done::New { id, documents, is_known, .. } => {
                    let count = if is_known { &mut report.changed } else { &mut report.added };
                    *count += 1;
                    let term = Term::from_field_text(self.opened.fields.doc, &id);
                    let delete = is_known.then_some(UserOperation::Delete(term));
                    let adds = documents.into_iter().map(UserOperation::Add);
                    let operations: Vec<_> = delete.into_iter().chain(adds).collect();
                    writer.get()?.run(operations).map_err(Error::engine(dir))?;
                }
            }
            Ok::<(), Error>(())
        })?;
        if *state != self.opened.state {
            writer.get()?;
        }
        writer.commit(state)
    }

    /// Opens a writer, and removes what a run that was killed has left: the engine would give new
    /// files the same names.
    fn writer(&self, writers: usize) -> Result<IndexWriter, Error> {
        let writer = self.waited_writer(writers)?;
        writer.garbage_collect_files().wait().map_err(Error::engine(&self.dir))?;
        Ok(writer)
    }

    /// We hold the lock that counts; the engine's own may still be held for a moment by a process
    /// that was just started and inherited it.
    fn waited_writer(&self, writers: usize) -> Result<IndexWriter, Error> {
        let until = Instant::now() + ENGINE_LOCK_WAIT;
        loop {
            let engine = &self.opened.engine;
            match engine.writer_with_num_threads(writers, writers * WRITER_BYTES) {
                Err(TantivyError::LockFailure(LockError::LockBusy, _))
                    if Instant::now() < until =>
                {
                    thread::sleep(ENGINE_LOCK_WAIT / 100);
                }
                opened => return opened.map_err(Error::engine(&self.dir)),
            }
        }
    }

    fn writers(&self, files: usize) -> usize {
        self.update.jobs.min(MOST_WRITERS).min(files / 50).max(1)
    }

    fn work(
        &self,
        task: &Task<'_>,
        outliner: &Outliner,
        snapshot: &Snapshot,
    ) -> Result<Done, Error> {
        let text = match read(task.entry, self.update.max_file_bytes) {
            Ok(text) => text,
            Err(error) => return Ok(Done::Failed(error)),
        };
        if let Some(file) = &task.file
            && snapshot.page(file.address)?.outline.hash == hash(&text)
        {
            return Ok(Done::Unchanged);
        }
        let source = Source::new(&task.entry.path, &text).in_tree(&task.entry.tree);
        let (outline, about) = outliner.outline(&source);
        let stamp = task.stamp.unwrap_or(Stamp { bytes: text.len() as u64, modified: 0 });
        let documents = documents(&self.opened.fields, &source, &outline, &about, stamp);
        let (id, is_known) = (id(task.entry), task.file.is_some());
        Ok(Done::New { id, bytes: text.len(), documents, is_known })
    }
}

/// A file to look at.
struct Task<'s> {
    entry: &'s Entry,
    file: Option<File>,
    stamp: Option<Stamp>,
}

/// A writer that is opened when there is something to write.
struct LazyWriter<'a> {
    run: &'a Run<'a>,
    writers: usize,
    open: Option<IndexWriter>,
}

impl LazyWriter<'_> {
    fn get(&mut self) -> Result<&mut IndexWriter, Error> {
        let Self { run, writers, open } = self;
        match open {
            Some(writer) => Ok(writer),
            None => Ok(open.insert(run.writer(*writers)?)),
        }
    }

    fn commit(self, state: &State) -> Result<(), Error> {
        let Some(mut writer) = self.open else { return Ok(()) };
        let engine = Error::engine(&self.run.dir);
        let mut commit = writer.prepare_commit().map_err(&engine)?;
        commit.set_payload(&state.to_json());
        commit.commit().map_err(&engine)?;
        writer.wait_merging_threads().map_err(&engine)
    }
}

fn id(entry: &Entry) -> String {
    format!("{}:{}", entry.tree, entry.path)
}

/// Finds the files of a tree. A path that cannot be read is told, and nothing of it leaves the
/// index.
fn scope(tree: &Tree, report: &mut Report) -> Result<Option<Scope>, Error> {
    let failed =
        |fault: std::io::Error| FileError { path: tree.path.clone(), reason: fault.into() };
    let real = match fs::canonicalize(&tree.path) {
        Ok(real) => real,
        Err(fault) => {
            report.errors.push(failed(fault));
            return Ok(None);
        }
    };
    let is_whole = real.is_dir();
    let parent = || real.parent().map_or(real.clone(), Path::to_owned);
    let root = if is_whole { real.clone() } else { parent() };
    let given = if is_whole { tree.path.file_name() } else { None };
    let name = given.or(root.file_name()).map(|name| name.to_string_lossy().into_owned());
    let name = tree.name.clone().or(name).unwrap_or_else(|| "docs".to_owned());
    let naming = Naming { tree: Some(name.clone()), stdin_path: None };
    let found = walk(std::slice::from_ref(&tree.path), &naming)?;
    report.errors.extend(found.errors);
    Ok(Some(Scope { tree: name, root, entries: found.entries.iter().collect(), is_whole }))
}
