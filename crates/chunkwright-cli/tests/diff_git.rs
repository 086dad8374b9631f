//! `diff --git`, each test in its own repository.

#![allow(clippy::unwrap_used, reason = "a failed test should panic")]
// The tests use links, and names that are not UTF-8.
#![cfg(unix)]

use std::ffi::OsStr;
use std::fs;
use std::os::unix::ffi::OsStrExt;
use std::os::unix::fs::symlink;
use std::path::{Path, PathBuf};
use std::process::{Command, Output, Stdio};

use serde_json::Value;
use tempfile::TempDir;

const TEA: &str = "# Tea\n\nBoil water.\n\n## Green\n\nWait a bit.\n";

/// A repository in a temporary directory.
struct Repository {
    folder: TempDir,
}

impl Repository {
    /// Creates a repository and commits these files.
    fn new(files: &[(&str, &str)]) -> Self {
        let repository = Self { folder: TempDir::new().unwrap() };
        repository.git(&["init", "--quiet", "--initial-branch", "main"]);
        repository.write(files);
        repository.commit();
        repository
    }

    fn write(&self, files: &[(&str, &str)]) {
        for (path, text) in files {
            let path = self.path(path);
            fs::create_dir_all(path.parent().unwrap()).unwrap();
            fs::write(path, text).unwrap();
        }
    }

    fn path(&self, path: &str) -> PathBuf {
        self.folder.path().join(path)
    }

    fn commit(&self) {
        self.git(&["add", "--all", "--force"]);
        self.git(&["commit", "--quiet", "--allow-empty", "--message", "Change pages"]);
    }

    fn git(&self, arguments: &[&str]) -> String {
        let mut git = Command::new("git");
        git.args(arguments).current_dir(self.folder.path()).stdin(Stdio::null());
        for role in ["AUTHOR", "COMMITTER"] {
            git.env(format!("GIT_{role}_NAME"), "Test").env(format!("GIT_{role}_EMAIL"), "t@t.org");
        }
        git.env("GIT_CONFIG_GLOBAL", "/dev/null").env("GIT_CONFIG_NOSYSTEM", "1");
        let output = git.output().unwrap();
        assert!(output.status.success(), "{arguments:?}: {}", stderr(&output));
        String::from_utf8(output.stdout).unwrap()
    }

    /// Runs `diff` in a directory of the repository; every heading is a chunk.
    fn run_in(&self, directory: &str, arguments: &[&str]) -> Output {
        command(&self.path(directory)).args(arguments).output().unwrap()
    }

    fn plan(&self, arguments: &[&str]) -> Value {
        let output = self.run_in("", &[arguments, &["--json"]].concat());
        assert_eq!((output.status.code(), stderr(&output)), (Some(0), String::new()));
        serde_json::from_slice(&output.stdout).unwrap()
    }

    /// Returns the error of a run that prints nothing else.
    fn refused(&self, arguments: &[&str]) -> String {
        let output = self.run_in("", arguments);
        assert_eq!((output.status.code(), &*output.stdout), (Some(2), &b""[..]), "{arguments:?}");
        stderr(&output)
    }
}

fn command(folder: &Path) -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_chunkwright"));
    command.args(["diff", "--strategy", "tree"]).current_dir(folder).stdin(Stdio::null());
    command
}

fn stderr(output: &Output) -> String {
    String::from_utf8(output.stderr.clone()).unwrap()
}

fn ids(list: &Value) -> Vec<&str> {
    let id = |one| Value::as_str(Value::get(one, "id").unwrap_or(one)).unwrap();
    list.as_array().unwrap().iter().map(id).collect()
}

#[test]
fn compares_a_directory_with_a_commit() {
    let repository = Repository::new(&[
        ("my docs/tea.md", TEA),
        ("my docs/gone.md", "# Gone\n\nAway.\n"),
        ("my docs/same.md", "# Same\n\nHere.\n"),
        ("other.md", "# Other\n\nPage.\n"),
    ]);
    fs::remove_file(repository.path("my docs/gone.md")).unwrap();
    let new = TEA.replace("Wait a bit", "Wait long");
    repository.write(&[("my docs/tea.md", &new), ("my docs/new.md", "# New\n\nPage.\n")]);
    let status = repository.git(&["status", "--porcelain", "--ignored"]);

    let plan = repository.plan(&["--git", "HEAD", "my docs"]);
    assert_eq!(ids(&plan["upsert"]), ["my docs:new.md#new", "my docs:tea.md#green"]);
    assert_eq!(ids(&plan["delete"]), ["my docs:gone.md#gone"]);
    assert_eq!(plan["summary"]["unchanged"], 2);

    // Same result as with two directories, however the path is written.
    fs::create_dir(repository.path("checkout")).unwrap();
    repository.git(&["--work-tree", "checkout", "checkout", "HEAD", "--", "my docs"]);
    assert_eq!(repository.plan(&["checkout/my docs", "my docs"]), plan);
    fs::remove_dir_all(repository.path("checkout")).unwrap();
    repository.git(&["reset", "--quiet"]);
    let inside = repository.run_in("my docs", &["--git", "main", ".", "--json"]);
    assert_eq!(serde_json::from_slice::<Value>(&inside.stdout).unwrap(), plan);
    assert_eq!(repository.git(&["status", "--porcelain", "--ignored"]), status);
}

#[test]
fn compares_a_file_with_a_tag() {
    let repository = Repository::new(&[("docs/tea.md", TEA)]);
    repository.git(&["tag", "v1"]);
    repository.write(&[("docs/tea.md", &TEA.replace("Boil", "Heat"))]);
    repository.commit();
    let plan = repository.plan(&["--git", "v1", "docs/tea.md", "--root", "docs"]);
    assert_eq!(ids(&plan["upsert"]), ["docs:tea.md#tea"]);
    let plan = repository.plan(&["--git", "HEAD", "docs/tea.md"]);
    assert_eq!((ids(&plan["upsert"]).len(), &plan["summary"]["unchanged"]), (0, &2.into()));
}

#[test]
fn follows_the_trees_and_overrides_of_the_configuration() {
    let config = "[trees.site]\npath = 'docs'\n[[override]]\npaths = ['blog/**']\nmdx = 'on'\n";
    let repository = Repository::new(&[("chunkwright.toml", config), ("docs/blog/a.md", TEA)]);
    repository.write(&[("docs/blog/a.md", &TEA.replace("Boil", "Heat"))]);
    let plan = repository.plan(&["--git", "HEAD", "docs/blog"]);
    assert_eq!(ids(&plan["upsert"]), ["site:blog/a.md#tea"]);
}

#[test]
fn respects_ignore_files_of_the_commit_and_follows_links() {
    let repository = Repository::new(&[
        (".gitignore", "drafts/\n"),
        ("docs/.ignore", "old.md\n"),
        ("docs/a.md", TEA),
        ("docs/old.md", TEA),
        ("docs/drafts/b.md", TEA),
        ("docs/.hidden.md", TEA),
        ("docs/LICENSE", "# License\n\nText.\n"),
    ]);
    symlink("LICENSE", repository.path("docs/license.md")).unwrap();
    repository.commit();
    let plan = repository.plan(&["--git", "HEAD", "docs"]);
    assert_eq!(plan["summary"]["unchanged"], 3, "{plan}");
    let changed = ["added", "changed", "moved", "updated", "removed"];
    assert!(changed.iter().all(|kind| plan["summary"][kind] == 0), "{plan}");
}

#[test]
fn names_files_that_cannot_be_read_as_git_does() {
    let repository = Repository::new(&[("docs/a.md", TEA)]);
    fs::write(repository.path("docs/latin.md"), b"caf\xe9\n").unwrap();
    let odd = repository.path("docs").join(OsStr::from_bytes(b"odd\xff.md"));
    fs::write(&odd, TEA).unwrap();
    repository.commit();
    fs::remove_file(odd).unwrap();
    assert_eq!(
        repository.refused(&["--git", "HEAD", "docs"]),
        "error: cannot read HEAD:docs/odd\u{fffd}.md: file name is not UTF-8\n\
         error: cannot read HEAD:docs/latin.md: invalid UTF-8 at byte 3 (convert it to UTF-8)\n\
         error: 2 files could not be read\n"
    );
}

#[test]
fn reports_which_part_of_the_comparison_is_missing() {
    let repository = Repository::new(&[("docs/a.md", TEA)]);
    repository.write(&[("new/b.md", TEA)]);
    let said = repository.refused(&["--git", "v9", "docs"]);
    assert!(said.contains("--git v9: unknown commit, branch or tag; `git log"), "{said}");
    let said = repository.refused(&["--git=--help", "docs"]);
    assert!(said.contains("--git --help: unknown commit, branch or tag"), "{said}");
    let said = repository.refused(&["--git", "HEAD", "new"]);
    assert!(said.contains("--git HEAD: new is not in this commit; `git log"), "{said}");
    let said = repository.refused(&["--git", "HEAD", "gone"]);
    assert_eq!(said, "error: cannot read gone: no such file or directory\n");
    let said = repository.refused(&["--git", "HEAD", "-"]);
    assert!(said.contains("cannot compare standard input with `--git`"), "{said}");

    let without_git = command(repository.folder.path())
        .args(["--git", "HEAD", "docs"])
        .env("PATH", "")
        .output()
        .unwrap();
    assert_eq!(without_git.status.code(), Some(2));
    let said = stderr(&without_git);
    assert!(said.contains("git was not found; install it, or compare two directories"), "{said}");

    fs::remove_dir_all(repository.path(".git")).unwrap();
    let said = repository.refused(&["--git", "HEAD", "docs"]);
    assert!(said.contains("docs is not in a git repository; compare two"), "{said}");
}

#[test]
fn ignores_git_dir_inside_a_hook() {
    let repository = Repository::new(&[("docs/a.md", TEA)]);
    let output = command(repository.folder.path())
        .args(["--git", "HEAD", "docs"])
        .env("GIT_DIR", "elsewhere")
        .output()
        .unwrap();
    assert_eq!((output.status.code(), stderr(&output)), (Some(0), String::new()));
}
