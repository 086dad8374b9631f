//! Evaluates the ignore files of a directory and of its parents.
//!
//! The `ignore` crate matches the globs. Its walker is not used because it opens anything named
//! `.gitignore`, and would block forever on a FIFO of that name.

use std::fs;
use std::iter;
use std::path::Path;
use std::rc::Rc;

use ignore::Match;
use ignore::gitignore::{Gitignore, GitignoreBuilder};

/// The ignore files of a directory and of its parents.
///
/// Results depend only on the files of the tree: a user's global rules and `.git/info/exclude` do
/// not apply.
pub(crate) struct IgnoreRules {
    /// Rules of `.gitignore`.
    git: Gitignore,
    /// Rules of `.ignore`, which take precedence.
    plain: Gitignore,
    /// Whether a repository starts here. `.gitignore` files of its parents do not apply inside.
    repository: bool,
    above: Chain,
}

/// The rules that apply somewhere, if any. Directories without ignore files add no link.
pub(crate) type Chain = Option<Rc<IgnoreRules>>;

/// Returns the rules that `directory` inherits from its parents, up to the root of its repository,
/// as in git. Outside a repository, there are none.
pub(crate) fn above(directory: &Path) -> Chain {
    let repository = directory.ancestors().find(|parent| is_repository(parent))?;
    between(repository, directory, None)
}

/// Returns the rules that `directory` inherits, where `above` are those that its ancestor `top`
/// inherits.
pub(crate) fn between(top: &Path, directory: &Path, above: Chain) -> Chain {
    let parents = directory.ancestors().skip(1);
    let parents: Vec<_> = parents.take_while(|parent| parent.starts_with(top)).collect();
    parents.into_iter().rev().fold(above, |above, parent| enter(parent, above))
}

/// Returns the rules that apply inside `directory`, where `above` are those that it inherits.
pub(crate) fn enter(directory: &Path, above: Chain) -> Chain {
    let git = matcher(directory, ".gitignore");
    let plain = matcher(directory, ".ignore");
    let repository = is_repository(directory);
    if git.is_empty() && plain.is_empty() && !repository {
        return above;
    }
    Some(Rc::new(IgnoreRules { git, plain, repository, above }))
}

/// Returns whether the rules of its directory ignore `path`.
pub(crate) fn ignored(rules: &Chain, path: &Path, is_directory: bool) -> bool {
    let plain = levels(rules).find_map(|level| verdict(&level.plain, path, is_directory));
    let git =
        || levels_of_repository(rules).find_map(|level| verdict(&level.git, path, is_directory));
    plain.or_else(git).unwrap_or(false)
}

/// Returns the rules from the innermost directory to the outermost.
fn levels(rules: &Chain) -> impl Iterator<Item = &IgnoreRules> {
    iter::successors(rules.as_deref(), |level| level.above.as_deref())
}

fn levels_of_repository(rules: &Chain) -> impl Iterator<Item = &IgnoreRules> {
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

/// Reads the rules of one ignore file.
///
/// A file that is missing or cannot be read has none, and a line that is not a valid glob matches
/// nothing, as in git.
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
