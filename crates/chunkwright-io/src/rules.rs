//! Ignore files: directories come in, from the outermost to the one being read; whether a path
//! below them is to be left out goes out.
//!
//! The globs are matched by the `ignore` crate. Its walker is not used because it opens whatever
//! is called `.gitignore`, and would wait forever on a FIFO of that name.

use std::fs;
use std::iter;
use std::path::Path;
use std::rc::Rc;

use ignore::Match;
use ignore::gitignore::{Gitignore, GitignoreBuilder};

/// The ignore files of a directory, and of those above it. Results depend on the tree only:
/// neither a user's global rules nor `.git/info/exclude` count.
pub(crate) struct Rules {
    /// From `.gitignore`.
    git: Gitignore,
    /// From `.ignore`, which has the last word.
    plain: Gitignore,
    /// Whether a repository starts here: `.gitignore` files above it do not count below.
    repository: bool,
    above: Chain,
}

/// The rules that hold somewhere, if there are any. Directories without ignore files add none.
pub(crate) type Chain = Option<Rc<Rules>>;

/// The rules that hold for `directory` from above: those of its parents as far up as the
/// repository it lies in, as git does; none outside a repository.
pub(crate) fn above(directory: &Path) -> Chain {
    let repository = directory.ancestors().find(|parent| is_repository(parent))?;
    between(repository, directory, None)
}

/// The rules that hold for `directory` from above, where `above` holds for its parent `top`.
pub(crate) fn between(top: &Path, directory: &Path, above: Chain) -> Chain {
    let parents = directory.ancestors().skip(1);
    let parents: Vec<_> = parents.take_while(|parent| parent.starts_with(top)).collect();
    parents.into_iter().rev().fold(above, |above, parent| enter(parent, above))
}

/// The rules inside `directory`, where `above` holds for it from above.
pub(crate) fn enter(directory: &Path, above: Chain) -> Chain {
    let git = matcher(directory, ".gitignore");
    let plain = matcher(directory, ".ignore");
    let repository = is_repository(directory);
    if git.is_empty() && plain.is_empty() && !repository {
        return above;
    }
    Some(Rc::new(Rules { git, plain, repository, above }))
}

/// Whether `path`, in the directory for which `rules` hold, is to be left out.
pub(crate) fn ignored(rules: &Chain, path: &Path, is_directory: bool) -> bool {
    let plain = levels(rules).find_map(|level| verdict(&level.plain, path, is_directory));
    let git =
        || levels_of_repository(rules).find_map(|level| verdict(&level.git, path, is_directory));
    plain.or_else(git).unwrap_or(false)
}

/// From the innermost directory to the outermost.
fn levels(rules: &Chain) -> impl Iterator<Item = &Rules> {
    iter::successors(rules.as_deref(), |level| level.above.as_deref())
}

fn levels_of_repository(rules: &Chain) -> impl Iterator<Item = &Rules> {
    iter::successors(rules.as_deref(), |level| level.above.as_deref().filter(|_| !level.repository))
}

fn verdict(rules: &Gitignore, path: &Path, is_directory: bool) -> Option<bool> {
    match rules.matched(path, is_directory) {
        Match::None => None,
        Match::Ignore(_) => Some(true),
        Match::Whitelist(_) => Some(false),
    }
}

fn is_repository(directory: &Path) -> bool {
    directory.join(".git").exists()
}

/// The rules of one ignore file. One that is missing or cannot be read has none, and a line that
/// is no glob matches nothing, as with git.
fn matcher(directory: &Path, name: &str) -> Gitignore {
    let file = directory.join(name);
    if !file.is_file() {
        return Gitignore::empty();
    }
    let bytes = fs::read(file).unwrap_or_default();
    let mut builder = GitignoreBuilder::new(directory);
    for line in String::from_utf8_lossy(&bytes).trim_start_matches('\u{feff}').lines() {
        let _no_glob = builder.add_line(None, line);
    }
    builder.build().unwrap_or_else(|_| Gitignore::empty())
}
