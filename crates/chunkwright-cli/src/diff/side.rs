//! Reads the two sides of a comparison, as chunks of files or as records.

use std::io;
use std::path::{Path, PathBuf};

use anyhow::{Context as _, Result, anyhow, bail};
use chunkwright::{Chunker, Format, Source};
use chunkwright_config::{Chunkers, Processing, Settings};
use chunkwright_io::{Entry, Layout, Location, Place, Records, ordered, plain, shown};
use chunkwright_records::{Provenance, Record, Row, With};

use super::Args;
use super::git::CommitPath;
use crate::files;
use crate::progress::Progress;
use crate::style;

/// Fields of the records in a plan. An embedding model needs `embed_text`.
const WITH: With = With { embed_text: true, pieces: false };

/// Both sides, ready to be read.
pub(super) struct Sides<'a> {
    args: &'a Args,
    settings: &'a Settings,
    processing: Processing,
    /// The commit that the old side was read from.
    commit: Option<CommitPath>,
    pub(super) old: PathBuf,
    pub(super) new: PathBuf,
    /// The tree and path of the new side, which apply to the old side too. `None` for records.
    place: Option<Place>,
    config_hash: Option<String>,
}

impl<'a> Sides<'a> {
    pub(super) fn open(args: &'a Args, settings: &'a Settings) -> Result<Self> {
        let commit = args.git.as_ref().map(|reference| CommitPath::read(reference, &args.old));
        let commit = commit.transpose()?;
        let old = commit.as_ref().map_or(&args.old, |commit| &commit.path).clone();
        let new = args.new.as_ref().unwrap_or(&args.old).clone();
        let stdin = Path::new("-");
        if old == stdin && new == stdin {
            bail!("only one side can be standard input; pass a file or directory for the other");
        }
        let place = || args.common.reading.place(&new, settings);
        let place = if is_records(&new) { None } else { Some(place()?) };
        let (processing, config_hash) = (settings.processing(), None);
        let mut sides = Self { args, settings, processing, commit, old, new, place, config_hash };
        sides.config_hash = sides.common_config()?;
        Ok(sides)
    }

    /// Returns the hash of the configuration of both sides, if it is known.
    pub(super) fn config_hash(&self) -> Option<&str> {
        self.config_hash.as_deref()
    }

    /// Passes the rows of a side to `sink`, with their records in JSON if the plan needs them.
    /// Returns the number of files that could not be read.
    pub(super) fn each(
        &self,
        side: &Path,
        sink: impl FnMut(Row, Option<String>) -> Result<()> + Send,
    ) -> Result<usize> {
        match is_records(side) {
            true => self.each_record(side, sink).map(|()| 0),
            false => self.each_chunk(side, sink),
        }
    }

    /// Returns whether the plan contains records of a side.
    fn is_in_plan(&self, side: &Path) -> bool {
        self.args.json && side == self.new
    }

    fn each_record(
        &self,
        side: &Path,
        mut sink: impl FnMut(Row, Option<String>) -> Result<()> + Send,
    ) -> Result<()> {
        let parse = |(place, line): (String, io::Result<String>)| {
            let parsed = line.map_err(|fault| anyhow!(plain(&fault)));
            let wrong = |error| anyhow!("{error}; recreate the file with `chunkwright chunk`");
            let parsed = parsed.and_then(|line| Ok((Row::parse(&line).map_err(wrong)?, line)));
            parsed.with_context(|| format!("{}: {place}", shown(side)))
        };
        let weigh = |row: &Result<(Row, String)>| row.as_ref().map_or(0, |(_, line)| line.len());
        let records = Records::open(side)?.with_places();
        ordered(records, self.processing.threads(), parse, weigh, |row| {
            let (row, line) = row?;
            sink(row, self.is_in_plan(side).then_some(line))
        })
    }

    fn each_chunk(
        &self,
        side: &Path,
        mut sink: impl FnMut(Row, Option<String>) -> Result<()> + Send,
    ) -> Result<usize> {
        let reading = &self.args.common.reading;
        let (found, paths) = match &self.place {
            Some(place) if side != self.new => {
                (reading.find_in(side, &place.tree, self.settings)?, self.paths_of_old(place))
            }
            _ => (reading.find(&[side.to_owned()], self.settings)?, Paths::Own),
        };
        let mut chunkers = Chunkers::new(self.settings)?;
        chunkers.add(found.entries.iter().map(|entry| paths.of(&entry)))?;
        if !self.args.common.working.quiet {
            let empty: Vec<_> = found.empty.iter().map(|directory| self.name(directory)).collect();
            files::warn_of_empty(&empty);
        }
        files::each_named(
            &found,
            &|path| self.name(path),
            &self.processing,
            Progress::new(found.entries.len(), self.args.common.working.quiet, false),
            |entry, text| {
                let path = paths.of(entry);
                let source = self.source(entry, text, &path);
                rows(entry, &source, chunkers.of(&path), self.is_in_plan(side))
            },
            |rows| rows.iter().map(bytes).sum(),
            |rows, _| rows.into_iter().try_for_each(|(row, json)| sink(row, json)),
        )
    }

    /// Returns the paths of the old side. Two files are compared as versions of one document, and
    /// two directories as versions of one directory, under the path of the new side.
    fn paths_of_old(&self, new: &Place) -> Paths {
        let sides = [&*self.old, &*self.new];
        match sides.map(|side| (side.is_dir(), is_records(side))) {
            [(true, _), (true, _)] => Paths::Below(new.path.clone()),
            [(false, false), (false, false)] => Paths::One(new.path.clone()),
            _ => Paths::Own,
        }
    }

    /// Returns a text under its path in the comparison. Standard input has no extension, so it takes
    /// the format of the file that it is compared with.
    fn source<'s>(&self, entry: &'s Entry, text: &'s str, path: &'s str) -> Source<'s> {
        let mut source = entry.with_text(text);
        source.path = path;
        if let (Location::Stdin, None) = (&entry.location, self.processing.input_format) {
            source.format = Format::of_path(path);
        }
        source
    }

    /// Returns the name of a file for messages.
    fn name(&self, path: &Path) -> PathBuf {
        match &self.commit {
            Some(commit) if path.starts_with(&commit.path) => commit.shown(path),
            _ => path.to_owned(),
        }
    }

    /// Returns the hash of the configuration of both sides.
    ///
    /// # Errors
    /// When the sides are known to have different configurations.
    fn common_config(&self) -> Result<Option<String>> {
        let made = |side: &Path| -> Result<Option<Provenance>> {
            match is_records(side) {
                true => Ok(Records::open(side)?.provenance),
                false => Ok(Some(Chunkers::new(self.settings)?.provenance())),
            }
        };
        let sides = [&self.old, &self.new];
        let [old, new] = [made(sides[0])?, made(sides[1])?];
        let hash = |made: &Option<Provenance>| made.as_ref().map(|made| made.config_hash.clone());
        if let (Some(one), Some(two)) = (&old, &new)
            && one.config_hash != two.config_hash
        {
            let is_outdated = [one, two].map(Provenance::is_outdated);
            if is_outdated != [false; 2] && one.algorithms != two.algorithms {
                let outdated =
                    sides.into_iter().zip(is_outdated).find(|(_, is_outdated)| *is_outdated);
                outdated.into_iter().for_each(|(side, _)| warn_of_version(&self.name(side)));
                return Ok(hash(&new));
            }
            return Err(anyhow!(
                "{} and {} were split with different options, so every chunk would differ; split \
                 both with the same options and the same version",
                shown(&self.name(&self.old)),
                shown(&self.new),
            ));
        }
        Ok(hash(&new).or_else(|| hash(&old)))
    }
}

/// Warns of records from an older version. They are compared anyway: chunks that the upgrade did not
/// change need not be embedded again.
fn warn_of_version(side: &Path) {
    style::warn(&format!(
        "{} was written by a version that splits differently; chunks can differ even if their pages \
         do not (see CHANGELOG.md)",
        shown(side)
    ));
}

/// The paths of one side's texts in their tree.
enum Paths {
    /// Unchanged.
    Own,
    /// Below this directory, or the root if empty.
    Below(String),
    /// This path, for a single text.
    One(String),
}

impl Paths {
    fn of(&self, entry: &Entry) -> String {
        match self {
            Self::Below(directory) if !directory.is_empty() => {
                format!("{directory}/{}", entry.path)
            }
            Self::One(path) => path.clone(),
            Self::Own | Self::Below(_) => entry.path.clone(),
        }
    }
}

/// Returns the chunks of one file.
fn rows(
    entry: &Entry,
    source: &Source<'_>,
    chunker: &Chunker,
    with_json: bool,
) -> Result<Vec<(Row, Option<String>)>> {
    let starts = ["{\"id\":", "{\"config_hash\":", "PAR1"];
    if entry.location == Location::Stdin
        && starts.iter().any(|start| source.text.starts_with(start))
    {
        bail!(
            "standard input contains output of `chunk`; save it as a .jsonl, .json or .parquet file, \
             and pass that file"
        );
    }
    let row = |record: Record<'_>| {
        let mut json = Vec::new();
        if with_json {
            record.write_json(&mut json);
        }
        let json = with_json.then(|| String::from_utf8(json)).transpose()?;
        Ok((Row::of(&record), json))
    };
    chunker.chunk_source(source).chunks.iter().map(|chunk| row(Record::new(chunk, WITH))).collect()
}

/// Estimates the memory of a row.
fn bytes((row, json): &(Row, Option<String>)) -> usize {
    size_of::<Row>() + row.id().len() + json.as_ref().map_or(0, String::len)
}

/// Returns whether a side is output of `chunk`.
fn is_records(side: &Path) -> bool {
    Layout::of_path(side).is_some() && !side.is_dir()
}
