//! Creates and recovers the directory of an index, and replaces the index in it.

use std::collections::BTreeMap;
use std::fs;
use std::io;
use std::path::{Path, PathBuf};

use chunkwright_config::Indexing;
use chunkwright_io::{is_temporary, shown};
use tantivy::IndexSettings;

use crate::directory::{Directory, FileAccess};
use crate::error::Error;
use crate::index::{IndexPaths, Opened, State};
use crate::schema;

/// Creates the directory. Refuses one that contains foreign files.
pub(super) fn prepare(place: &IndexPaths) -> Result<(), Error> {
    let dir = &place.dir;
    let ours = ["index", "index.new", "index.old", "writer.lock", ".gitignore"];
    if let Ok(entries) = fs::read_dir(dir) {
        let mut names = entries.flatten().map(|entry| entry.file_name());
        if let Some(name) = names.find(|name| !ours.iter().any(|own| name == own)) {
            let reason = format!("it contains {}", shown(name.as_ref()));
            return Err(Error::Foreign { dir: dir.clone(), reason });
        }
    }
    if is_there(dir) && !dir.is_dir() {
        let reason = "not a directory".to_owned();
        return Err(Error::Foreign { dir: dir.clone(), reason });
    }
    fs::create_dir_all(dir).map_err(Error::io(dir))?;
    let ignore = dir.join(".gitignore");
    // A run that was killed may have left an empty file.
    if fs::symlink_metadata(&ignore).map_or(0, |found| found.len()) == 0 {
        fs::write(&ignore, "*\n").map_err(Error::io(&ignore))?;
    }
    Ok(())
}

/// Completes a replacement that was interrupted, and removes leftover files.
pub(super) fn recover(place: &IndexPaths) -> Result<(), Error> {
    let (engine, old) = (place.engine(), place.old());
    if old.exists() && !engine.exists() {
        fs::rename(&old, &engine).map_err(Error::io(&old))?;
    }
    for leftover in [place.old(), place.fresh()] {
        if is_there(&leftover) {
            remove(&leftover).map_err(Error::io(&leftover))?;
        }
    }
    let files = fs::read_dir(&engine).into_iter().flatten().flatten();
    for file in files.filter(|file| file.file_name().to_str().is_some_and(is_temporary)) {
        fs::remove_file(file.path()).map_err(Error::io(&file.path()))?;
    }
    Ok(())
}

/// Removes an incomplete new index.
pub(super) fn clear(place: &IndexPaths) {
    // If this fails, the next run removes it.
    let _later = remove(&place.fresh());
}

/// Creates an empty index next to the existing one.
pub(super) fn create(
    place: &IndexPaths,
    indexing: Indexing,
    trees: BTreeMap<String, PathBuf>,
) -> Result<Opened, Error> {
    let dir = place.fresh();
    fs::create_dir_all(&dir).map_err(Error::io(&dir))?;
    let (schema, fields) = schema::schema();
    let directory = Directory::open(&dir, FileAccess::Mapped).map_err(Error::engine(&dir))?;
    let engine = tantivy::Index::create(directory, schema, IndexSettings::default())
        .map_err(Error::engine(&dir))?;
    let state = State { trees, ..State::new(&indexing)? };
    Ok(Opened::new(engine, fields, state))
}

/// Replaces the existing index by the new one.
pub(super) fn replace(place: &IndexPaths) -> Result<(), Error> {
    let (fresh, engine, old) = (place.fresh(), place.engine(), place.old());
    if is_there(&engine) {
        fs::rename(&engine, &old).map_err(Error::io(&engine))?;
    }
    if let Err(fault) = fs::rename(&fresh, &engine) {
        // If this fails too, the next run restores it. Until then, readers use it where it is.
        let _later = fs::rename(&old, &engine);
        return Err(Error::io(&fresh)(fault));
    }
    // If this fails, the next run removes it.
    let _later = remove(&old);
    Ok(())
}

fn is_there(path: &Path) -> bool {
    fs::symlink_metadata(path).is_ok()
}

/// Removes a directory with its contents, or a file.
fn remove(path: &Path) -> io::Result<()> {
    match fs::symlink_metadata(path)?.is_dir() {
        true => fs::remove_dir_all(path),
        false => fs::remove_file(path),
    }
}
