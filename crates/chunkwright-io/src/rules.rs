//! Reads the ignore files of directories, and decides which paths they ignore.
//!
//! The `ignore` crate matches the globs. [`directory`](crate::directory) says why its walker is not
//! used.

use std::fs;
use std::path::Path;

use ignore::Match;
use ignore::gitignore::{Gitignore, GitignoreBuilder};

/// The ignore files of one directory.
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
}

impl IgnoreRules {
    pub(crate) fn of(directory: &Path) -> Self {
        Self {
            git: matcher(directory, ".gitignore"),
            plain: matcher(directory, ".ignore"),
            repository: is_repository(directory),
        }
    }
}

/// Returns the rules of the parents of `directory`, the outermost first. They start at the
/// repository that contains `root`, as in git. Outside a repository, they start at `root`.
pub(crate) fn above(root: &Path, directory: &Path) -> Vec<IgnoreRules> {
    let top = root.ancestors().find(|parent| is_repository(parent)).unwrap_or(root);
    let parents = directory.ancestors().skip(1).take_while(|parent| parent.starts_with(top));
    let mut levels: Vec<_> = parents.map(IgnoreRules::of).collect();
    levels.reverse();
    levels
}

/// Returns whether `levels`, the rules of all parents of `path`, ignore it.
pub(crate) fn ignored(levels: &[IgnoreRules], path: &Path, is_directory: bool) -> bool {
    let repository = levels.iter().rposition(|level| level.repository).unwrap_or(0);
    let plain = levels.iter().map(|level| &level.plain).rev();
    let git = levels[repository..].iter().map(|level| &level.git).rev();
    plain.chain(git).find_map(|rules| verdict(rules, path, is_directory)).unwrap_or(false)
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
