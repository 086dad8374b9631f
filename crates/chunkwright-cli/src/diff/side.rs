//! The two sides of a comparison: paths come in, rows with their records go out in order.

use std::io;
use std::path::Path;

use anyhow::{Context as _, Result, anyhow, bail};
use chunkwright::{Chunker, Format, Source};
use chunkwright_config::{Chunkers, Running, Settings};
use chunkwright_io::Source as Input;
use chunkwright_io::{
    Entry, Found, Provenance, Record, Records, Row, With, ordered, plain, shown, tree_name,
};

use super::Args;
use crate::chunkers;
use crate::files;
use crate::progress::Progress;
use crate::style;

/// What a plan has of each record: a model needs `embed_text`.
const WITH: With = With { embed_text: true, pieces: false };

/// Both sides, ready to be read.
pub(super) struct Sides<'a> {
    args: &'a Args,
    settings: &'a Settings,
    running: Running,
    /// The tree of both sides, unless records tell.
    tree: Option<String>,
    config_hash: Option<String>,
}

impl<'a> Sides<'a> {
    pub(super) fn open(args: &'a Args, settings: &'a Settings) -> Result<Self> {
        let stdin = Path::new("-");
        if args.old == stdin && args.new == stdin {
            bail!("standard input can be one side only");
        }
        let tree = if is_records(&args.new) { None } else { Some(tree_name(&args.new)?) };
        let running = settings.running();
        let mut sides = Self { args, settings, running, tree, config_hash: None };
        sides.config_hash = sides.common_config()?;
        Ok(sides)
    }

    /// How both sides are cut, if that is known.
    pub(super) fn config_hash(&self) -> Option<&str> {
        self.config_hash.as_deref()
    }

    /// Hands on the rows of a side with their records; tells how many files could not be read.
    pub(super) fn each(
        &self,
        side: &Path,
        sink: impl FnMut(Row, String) -> Result<()> + Send,
    ) -> Result<usize> {
        match is_records(side) {
            true => self.each_record(side, sink).map(|()| 0),
            false => self.each_chunk(side, sink),
        }
    }

    fn each_record(
        &self,
        side: &Path,
        mut sink: impl FnMut(Row, String) -> Result<()> + Send,
    ) -> Result<()> {
        let parse = |(place, line): (String, io::Result<String>)| {
            let parsed = line.map_err(|fault| anyhow!(plain(&fault)));
            let parsed = parsed.and_then(|line| Ok((Row::parse(&line)?, line)));
            parsed.with_context(|| format!("{}: {place}", shown(side)))
        };
        let weigh = |row: &Result<(Row, String)>| row.as_ref().map_or(0, |(_, line)| line.len());
        let records = Records::open(side)?.with_places();
        ordered(records, self.running.threads(), parse, weigh, |row| {
            let (row, line) = row?;
            sink(row, line)
        })
    }

    fn each_chunk(
        &self,
        side: &Path,
        mut sink: impl FnMut(Row, String) -> Result<()> + Send,
    ) -> Result<usize> {
        let found = self.find(side)?;
        let chunkers = chunkers::for_all(Chunkers::new(self.settings)?, &found.entries)?;
        let name = self.common_name()?;
        files::each(
            &found,
            &self.running,
            Progress::new(found.entries.len(), self.args.common.working.quiet, false),
            |entry, text| rows(entry, text, name.as_deref(), chunkers.of(&entry.path)),
            |rows| rows.iter().map(|(_, record)| record.len()).sum(),
            |rows, _| rows.into_iter().try_for_each(|(row, record)| sink(row, record)),
        )
    }

    fn find(&self, side: &Path) -> Result<Found> {
        self.args.common.reading.find_in(&[side.to_owned()], self.tree.as_deref())
    }

    /// The name that two single texts share, so that they are one document.
    fn common_name(&self) -> Result<Option<String>> {
        let is_text = |side: &Path| !side.is_dir() && !is_records(side);
        if !is_text(&self.args.old) || !is_text(&self.args.new) {
            return Ok(None);
        }
        let new = self.find(&self.args.new)?.entries.iter().next();
        Ok(new.map(|entry| entry.path))
    }

    /// The configuration of both sides, which must be the same where it is known.
    fn common_config(&self) -> Result<Option<String>> {
        let made = |side: &Path| -> Result<Option<Provenance>> {
            match is_records(side) {
                true => Ok(Records::open(side)?.provenance),
                false => Ok(Some(Chunkers::new(self.settings)?.provenance())),
            }
        };
        let sides = [&self.args.old, &self.args.new];
        let [old, new] = [made(sides[0])?, made(sides[1])?];
        let hash = |made: &Option<Provenance>| made.as_ref().map(|made| made.config_hash.clone());
        if let (Some(one), Some(two)) = (&old, &new)
            && one.config_hash != two.config_hash
        {
            let is_outdated = [one, two].map(Provenance::is_outdated);
            if is_outdated != [false; 2] && one.algorithms != two.algorithms {
                let outdated =
                    sides.into_iter().zip(is_outdated).find(|(_, is_outdated)| *is_outdated);
                outdated.into_iter().for_each(|(side, _)| warn_of_version(side));
                return Ok(hash(&new));
            }
            return Err(anyhow!(
                "{} and {} are cut with different options: all would be embedded again; cut both \
                 with the same options and the same version",
                shown(&self.args.old),
                shown(&self.args.new),
            ));
        }
        Ok(hash(&new).or_else(|| hash(&old)))
    }
}

/// Warns of records that an older version wrote. They are compared all the same: what an upgrade
/// leaves as it was need not be embedded again.
fn warn_of_version(side: &Path) {
    style::complain(&format!(
        "{} was written by a version that splits differently: chunks may differ although their \
         pages do not (see CHANGELOG.md)",
        shown(side)
    ));
}

/// The chunks of one file.
fn rows(
    entry: &Entry,
    text: &str,
    name: Option<&str>,
    chunker: &Chunker,
) -> Result<Vec<(Row, String)>> {
    let starts = ["{\"id\":", "{\"config_hash\":", "PAR1"];
    if entry.source == Input::Stdin && starts.iter().any(|start| text.starts_with(start)) {
        bail!("standard input is what chunk wrote; save it in a file, and name that");
    }
    let path = name.unwrap_or(&entry.path);
    let mut source = Source::new(path, text).in_tree(&entry.tree);
    if entry.source != Input::Stdin {
        source.format = Format::of_path(&entry.path);
    }
    let row = |record: Record<'_>| {
        let mut json = Vec::new();
        record.write_json(&mut json);
        let json = String::from_utf8(json)?;
        Ok((Row::parse(&json)?, json))
    };
    chunker.chunk(&source).chunks.iter().map(|chunk| row(Record::new(chunk, WITH))).collect()
}

/// Whether a side is what `chunk` wrote.
fn is_records(side: &Path) -> bool {
    Records::are_in(side) && !side.is_dir()
}
