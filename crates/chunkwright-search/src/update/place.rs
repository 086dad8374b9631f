//! The directory of an index before and after a run: made, mended, and an index in it replaced.

use std::collections::BTreeMap;
use std::fs;
use std::path::PathBuf;

use tantivy::IndexSettings;

use crate::directory::Directory;
use crate::error::Error;
use crate::index::{Opened, Place, State};
use crate::options::Indexing;
use crate::schema;

/// Makes the directory; what is in it that is not ours is not touched.
pub(super) fn prepare(place: &Place) -> Result<(), Error> {
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
pub(super) fn recover(place: &Place) -> Result<(), Error> {
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

/// Makes an index without files beside the one that is there.
pub(super) fn create(
    place: &Place,
    indexing: Indexing,
    trees: BTreeMap<String, PathBuf>,
) -> Result<Opened, Error> {
    let dir = place.fresh();
    fs::create_dir_all(&dir).map_err(Error::io(&dir))?;
    let (schema, fields) = schema::schema();
    let directory = Directory::open(&dir).map_err(Error::engine(&dir))?;
    let engine = tantivy::Index::create(directory, schema, IndexSettings::default())
        .map_err(Error::engine(&dir))?;
    let state = State { trees, ..State::new(&indexing)? };
    Ok(Opened::new(engine, fields, state))
}

/// Puts the index that was made beside the old one in its place.
pub(super) fn replace(place: &Place) -> Result<(), Error> {
    let (fresh, engine, old) = (place.fresh(), place.engine(), place.old());
    if engine.exists() {
        fs::rename(&engine, &old).map_err(Error::io(&engine))?;
    }
    fs::rename(&fresh, &engine).map_err(Error::io(&fresh))?;
    if old.exists() {
        fs::remove_dir_all(&old).map_err(Error::io(&old))?;
    }
    Ok(())
}
