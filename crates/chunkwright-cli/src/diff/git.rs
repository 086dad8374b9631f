//! Reads a file or directory as it is in a git commit, for `diff --git`.
//!
//! The `git` command lists and reads the files, which are written to a temporary directory with the
//! layout of the repository. From there they are compared like any old version, and `.gitignore`
//! files apply as they do on disk. Nothing is written to the repository, and no filter that it
//! configures is run.

use std::ffi::OsStr;
use std::fs::{self, File};
use std::io::{self, BufRead, BufReader, Read, Write};
use std::path::{Component, Path, PathBuf};
use std::process::{Child, Command, Stdio};

use anyhow::{Context as _, Result, anyhow, bail};
use chunkwright_io::{is_readable, plain, shown};
use tempfile::TempDir;

use crate::interrupt;
use crate::style::harmless;

/// Files whose rules exclude paths.
const IGNORE_FILES: [&str; 2] = [".gitignore", ".ignore"];

/// The alternative that errors suggest if git cannot be used.
const INSTEAD: &str = "compare two directories with `chunkwright diff OLD NEW`";

/// A path in a commit.
pub(super) struct CommitPath {
    reference: String,
    folder: TempDir,
    /// The path in the temporary directory.
    pub(super) path: PathBuf,
}

impl CommitPath {
    /// Reads `path` as it is in a commit. It must also exist on disk.
    pub(super) fn read(reference: &str, path: &Path) -> Result<Self> {
        if path == Path::new("-") {
            bail!("cannot compare standard input with `--git`; pass a file or directory");
        }
        let real = fs::canonicalize(path)
            .map_err(|fault| anyhow!("cannot read {}: {}", shown(path), plain(&fault)))?;
        let parent = if real.is_dir() { Some(&*real) } else { real.parent() };
        let git = Git { reference, path, folder: parent.unwrap_or(&real) };
        let mut inside = git.prefix()?;
        if let (false, Some(name)) = (real.is_dir(), real.file_name()) {
            inside.push(name);
        }
        let files = git.files(&inside)?;
        let folder = interrupt::temporary_directory()?;
        git.extract(&files, folder.path())?;
        Ok(Self { reference: reference.to_owned(), path: folder.path().join(inside), folder })
    }

    /// Returns a path of the temporary directory as git writes it: `HEAD:docs/a.md`.
    pub(super) fn shown(&self, path: &Path) -> PathBuf {
        let inside = path.strip_prefix(self.folder.path()).unwrap_or(path);
        let mut name = format!("{}:", self.reference).into_bytes();
        name.extend_from_slice(inside.as_os_str().as_encoded_bytes());
        path_of(&name)
    }
}

/// A file or link of a commit.
struct Blob {
    id: String,
    path: PathBuf,
    is_link: bool,
}

/// The git command, for one path in one commit.
struct Git<'a> {
    reference: &'a str,
    /// The path, as the user wrote it.
    path: &'a Path,
    /// The directory to run in.
    folder: &'a Path,
}

impl Git<'_> {
    /// Returns the path of the directory in its repository.
    fn prefix(&self) -> Result<PathBuf> {
        match self.output(&["rev-parse", "--show-prefix"])? {
            Ok(prefix) => Ok(path_of(prefix.strip_suffix(b"\n").unwrap_or(&prefix))),
            Err(said) if said.contains("not a git repository") => {
                let path = shown(self.path);
                Err(self.failed(format!("{path} is not in a git repository; {INSTEAD}")))
            }
            Err(said) => {
                Err(self.failed(format!("git failed: {said}; run `git status` for its advice")))
            }
        }
    }

    /// Lists the files of the commit that are needed to read the path `inside` the repository.
    fn files(&self, inside: &Path) -> Result<Vec<Blob>> {
        let tree = format!("{}^{{tree}}", self.reference);
        let known = match self.reference.starts_with('-') {
            true => Err(String::new()),
            false => self.output(&["rev-parse", "--verify", "--quiet", &tree])?,
        };
        let Ok(tree) = known else {
            let advice = "`git log --oneline --all` lists commits";
            return Err(self.failed(format!("unknown commit, branch or tag; {advice}")));
        };
        let tree = String::from_utf8_lossy(&tree).trim().to_owned();
        let listed = self.output(&["ls-tree", "-r", "-z", "--full-tree", &tree])?;
        let listed = listed.map_err(|said| self.failed(said))?;
        let blobs: Vec<_> = listed.split(|byte| *byte == 0).filter_map(blob).collect();
        if !blobs.iter().any(|blob| blob.path.starts_with(inside)) {
            let path = shown(self.path);
            let advice = format!("`git log --oneline -- {path}` lists those that changed it");
            return Err(self.failed(format!("{path} is not in this commit; {advice}")));
        }
        Ok(blobs.into_iter().filter(|blob| is_needed(blob, inside)).collect())
    }

    /// Writes files to a folder. Links are created last, so that no file is written through one.
    fn extract(&self, files: &[Blob], folder: &Path) -> Result<()> {
        let mut child = self.spawn(self.command(&["cat-file", "--batch"]).stdin(Stdio::piped()))?;
        let (ids, contents) =
            child.stdin.take().zip(child.stdout.take()).context("cannot open pipes to git")?;
        let written = write_files(files, folder, ids, BufReader::new(contents));
        child.wait()?;
        written.map_err(|fault| self.failed(format!("cannot copy the commit's files: {fault:#}")))
    }

    /// Runs git; returns its output, or its error message.
    fn output(&self, arguments: &[&str]) -> Result<Result<Vec<u8>, String>> {
        let child = self.spawn(self.command(arguments).stderr(Stdio::piped()))?;
        let output = child.wait_with_output()?;
        if output.status.success() {
            return Ok(Ok(output.stdout));
        }
        let said = String::from_utf8_lossy(&output.stderr);
        let first = said.lines().next().unwrap_or_default();
        Ok(Err(first.trim_start_matches("fatal: ").to_owned()))
    }

    fn command(&self, arguments: &[&str]) -> Command {
        let mut command = Command::new("git");
        command.args(arguments).current_dir(self.folder);
        command.stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::null());
        command.env("LC_ALL", "C").env("GIT_OPTIONAL_LOCKS", "0");
        // Hooks set these variables. The repository is the one that contains the path.
        command.env_remove("GIT_DIR").env_remove("GIT_WORK_TREE");
        command
    }

    fn spawn(&self, command: &mut Command) -> Result<Child> {
        command.spawn().map_err(|fault| match fault.kind() {
            io::ErrorKind::NotFound => {
                self.failed(format!("git was not found; install it, or {INSTEAD}"))
            }
            _ => self.failed(format!("cannot run git: {}", plain(&fault))),
        })
    }

    fn failed(&self, message: String) -> anyhow::Error {
        anyhow!("--git {}: {message}", harmless(self.reference))
    }
}

/// Parses an entry of `git ls-tree`. Returns `None` for submodules and for paths that lead out of
/// the repository.
fn blob(entry: &[u8]) -> Option<Blob> {
    let tab = entry.iter().position(|byte| *byte == b'\t')?;
    let (head, path) = (str::from_utf8(&entry[..tab]).ok()?, path_of(&entry[tab + 1..]));
    let [mode, "blob", id] = head.split(' ').collect::<Vec<_>>()[..] else { return None };
    let is_inside = path.components().all(|part| matches!(part, Component::Normal(_)));
    is_inside.then(|| Blob { id: id.to_owned(), path, is_link: mode == "120000" })
}

/// Returns whether a file of the commit can affect the result: the path `inside` it, readable files
/// below that, and ignore files there and above.
fn is_needed(blob: &Blob, inside: &Path) -> bool {
    let path = &blob.path;
    let is_text = || is_readable(path) || path.extension().is_none();
    let is_below = path.starts_with(inside) && (blob.is_link || is_text());
    let is_rules = IGNORE_FILES.iter().any(|name| path.file_name() == Some(OsStr::new(name)));
    let applies = |folder: &Path| inside.starts_with(folder) || folder.starts_with(inside);
    path == inside || is_below || is_rules && path.parent().is_some_and(applies)
}

/// Requests files from `git cat-file --batch` one by one, and writes them to a folder.
fn write_files(
    files: &[Blob],
    folder: &Path,
    mut ids: impl Write,
    mut contents: impl BufRead,
) -> Result<()> {
    // Makes this a repository, so that ignore files above it do not apply.
    fs::create_dir(folder.join(".git"))?;
    let mut links = Vec::new();
    for file in files {
        writeln!(ids, "{}", file.id)?;
        let mut header = String::new();
        contents.read_line(&mut header)?;
        let bytes =
            header.trim_end().rsplit_once(" blob ").and_then(|(_, bytes)| bytes.parse().ok());
        let bytes =
            bytes.with_context(|| format!("{}: missing from the repository", shown(&file.path)))?;
        let mut content = contents.by_ref().take(bytes);
        let path = folder.join(&file.path);
        fs::create_dir_all(path.parent().unwrap_or(folder))?;
        if file.is_link {
            let mut target = Vec::new();
            content.read_to_end(&mut target)?;
            links.push((path_of(&target), path));
        } else {
            io::copy(&mut content, &mut File::create_new(path)?)?;
        }
        let mut newline = [0];
        contents.read_exact(&mut newline)?;
    }
    links.iter().try_for_each(|(target, path)| Ok(link(target, path)?))
}

#[cfg(unix)]
fn link(target: &Path, path: &Path) -> io::Result<()> {
    std::os::unix::fs::symlink(target, path)
}

/// Git for Windows checks out links as files that contain their target.
#[cfg(not(unix))]
fn link(target: &Path, path: &Path) -> io::Result<()> {
    fs::write(path, target.as_os_str().as_encoded_bytes())
}

/// Converts a path that git printed.
fn path_of(bytes: &[u8]) -> PathBuf {
    #[cfg(unix)]
    let path = <OsStr as std::os::unix::ffi::OsStrExt>::from_bytes(bytes).into();
    #[cfg(not(unix))]
    let path = String::from_utf8_lossy(bytes).into_owned().into();
    path
}
