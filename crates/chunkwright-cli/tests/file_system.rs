//! Unusual files, names, paths and permissions: each is reported with the right exit code, and no run
//! hangs or takes much memory.

#![allow(clippy::unwrap_used, reason = "a failed test should panic")]
#![cfg(target_os = "linux")]

use std::ffi::OsStr;
use std::fs::{self, File, Permissions};
use std::os::unix::ffi::OsStrExt;
use std::os::unix::fs::{MetadataExt, PermissionsExt, symlink};
use std::os::unix::net::UnixListener;
use std::os::unix::process::CommandExt;
use std::path::{Path, PathBuf};
use std::process::{Command, Output, Stdio};

use tempfile::TempDir;

const PAGE: &str = "# A\n\nSome text.\n";

/// Size of a sparse file that does not fit into memory.
const HUGE: u64 = 10_000_000_000;

/// A folder with one valid page, to which a case adds something.
struct Folder {
    root: TempDir,
}

impl Folder {
    fn new() -> Self {
        let folder = Self { root: TempDir::new().unwrap() };
        fs::set_permissions(folder.root.path(), Permissions::from_mode(0o755)).unwrap();
        folder.write("docs/a.md", PAGE);
        folder
    }

    fn at(&self, path: impl AsRef<Path>) -> PathBuf {
        self.root.path().join(path)
    }

    fn write(&self, path: impl AsRef<Path>, bytes: impl AsRef<[u8]>) {
        let path = self.at(path);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(path, bytes).unwrap();
    }

    fn link(&self, path: &str, target: &str) {
        symlink(target, self.at(path)).unwrap();
    }

    fn fifo(&self, path: &str) {
        assert!(Command::new("mkfifo").arg(self.at(path)).status().unwrap().success());
    }

    fn folder(&self, path: &str) {
        fs::create_dir_all(self.at(path)).unwrap();
    }

    fn huge(&self, path: &str) {
        File::create(self.at(path)).unwrap().set_len(HUGE).unwrap();
    }

    fn allow(&self, path: &str, mode: u32) {
        fs::set_permissions(self.at(path), Permissions::from_mode(mode)).unwrap();
    }

    /// Indexes the page in `index`.
    fn index(&self) {
        let output = self.run(&["index", "docs", "--index", "index"]);
        assert!(output.status.success(), "{}", said(&output));
    }

    /// Returns the command with a limit on memory and time.
    fn command(&self, arguments: &[&str]) -> Command {
        let mut command = Command::new("timeout");
        command.args(["120", "sh", "-c", "ulimit -v 3000000; exec \"$@\"", "sh"]);
        command.arg(env!("CARGO_BIN_EXE_chunkwright")).args(arguments);
        // Otherwise each thread reserves an arena, which is too much on a machine with many cores.
        command.env("MALLOC_ARENA_MAX", "2");
        command.current_dir(self.root.path()).stdin(Stdio::null());
        command
    }

    fn run(&self, arguments: &[&str]) -> Output {
        self.command(arguments).output().unwrap()
    }

    /// Checks that a command fails with this message, without control characters in it.
    fn refuses(&self, arguments: &[&str], expected: &str) -> String {
        let output = self.run(arguments);
        let told = said(&output);
        assert_eq!(output.status.code(), Some(2), "{arguments:?}: {told}");
        assert!(told.contains(expected), "{arguments:?}\nexpected {expected}\nprinted {told}");
        assert!(!told.contains(|c: char| c.is_control() && c != '\n'), "{told:?}");
        assert!(told.len() < 1000, "{} bytes on standard error", told.len());
        told
    }

    /// Runs the command as another user if this one is root, who has all permissions.
    fn run_as_anyone(&self, arguments: &[&str]) -> Output {
        let mut command = self.command(arguments);
        if fs::metadata(self.root.path()).unwrap().uid() == 0 {
            command.uid(65534);
        }
        command.output().unwrap()
    }
}

fn said(output: &Output) -> String {
    String::from_utf8(output.stderr.clone()).unwrap()
}

/// Something that the file system puts in the way.
type Obstacle = fn(&Folder);

/// Checks that each command fails with its message, without control characters in it.
fn refused(cases: &[(Obstacle, &[&str], &str)]) {
    for (obstacle, arguments, expected) in cases {
        let folder = Folder::new();
        obstacle(&folder);
        folder.refuses(arguments, expected);
    }
}

#[test]
fn reports_unreadable_files_of_a_directory_and_processes_the_rest() {
    let cases: &[(Obstacle, &str)] = &[
        (|f| f.fifo("docs/b.md"), "docs/b.md: not a regular file"),
        (|f| drop(UnixListener::bind(f.at("docs/b.md"))), "docs/b.md: not a regular file"),
        (
            |f| f.link("docs/b.md", "/dev/zero"),
            "docs/b.md: link points to /dev/zero, outside the directory",
        ),
        (|f| f.link("docs/b.md", "b.md"), "docs/b.md: broken link: too many levels"),
        (|f| f.link("docs/b.md", "gone.md"), "docs/b.md: broken link: no such file"),
        (|f| f.link("docs/b", "."), "docs/b: link loops back to"),
        (|f| f.link("docs/b", "/proc"), "docs/b: link points to /proc, outside the directory"),
        (
            |f| f.link("docs/b.md", "/etc/passwd"),
            "link points to /etc/passwd, outside the directory",
        ),
        (|f| f.huge("docs/b.md"), "docs/b.md: 10000000000 bytes, over the limit of 64000000 bytes"),
        (|f| f.write("docs/b.md", b"caf\xe9"), "docs/b.md: invalid UTF-8 at byte 3"),
        (|f| f.write("docs/b.md", b"\xff\xfea\0"), "docs/b.md: looks like UTF-16"),
        (
            |f| f.write(OsStr::from_bytes(b"docs/\xff.md"), ""),
            "docs/\u{fffd}.md: file name is not UTF-8",
        ),
        (|f| f.write("docs/b\n\u{1b}[31m.md", b"\xff"), "docs/b\\n\\u{1b}[31m.md: invalid UTF-8"),
    ];
    for (obstacle, message) in cases {
        let folder = Folder::new();
        obstacle(&folder);
        let commands: [&[&str]; 3] = [
            &["chunk", "docs", "--tokenizer", "words"],
            &["stats", "docs", "--tokenizer", "words", "--json"],
            &["index", "docs", "--index", "index"],
        ];
        for arguments in commands {
            let output = folder.run(arguments);
            let told = said(&output);
            assert_eq!(output.status.code(), Some(2), "{arguments:?}: {told}");
            assert!(told.contains(message), "{message}: {told}");
            assert!(told.ends_with("error: 1 file could not be read\n"), "{told}");
            assert_eq!(told.lines().count(), 2, "{told}");
            let shown = String::from_utf8_lossy(&output.stdout);
            let of_the_page = ["docs:a.md#a", "\"files\":1", "1 file"];
            assert!(of_the_page.iter().any(|part| shown.contains(part)), "{message}: {shown}");
        }
    }
}

#[test]
fn reads_files_with_unusual_names() {
    let long = format!("{}.md", "x".repeat(252));
    let odd = ["-r.md", "--max.md", "a\nb.md", "\u{1b}[31m.md", "#.md", "a:b.md", " .md", &long];
    let folder = Folder::new();
    odd.iter().for_each(|name| folder.write(format!("docs/{name}"), PAGE));
    // A directory is not a file, whatever its name is.
    folder.folder("docs/x.md");
    folder.index();
    for arguments in [&["ls", "--index", "index"][..], &["search", "text", "--index", "index"]] {
        let output = folder.run(arguments);
        assert!(output.status.success(), "{}", said(&output));
        assert!(!output.stdout.contains(&0x1b));
    }
    let output = folder.run(&["chunk", "docs", "--tokenizer", "words"]);
    assert_eq!((output.status.code(), said(&output)), (Some(0), String::new()));
    let shown = String::from_utf8(output.stdout).unwrap();
    assert_eq!(shown.lines().count(), odd.len() + 1);
    for name in odd {
        let id = serde_json::to_string(&format!("docs:{name}")).unwrap();
        assert!(shown.contains(&format!("\"doc_id\":{id}")), "{name:?}");
        let whole =
            folder.run(&["get", &format!("docs:{name}"), "--whole", "--raw", "--index", "index"]);
        assert_eq!(String::from_utf8(whole.stdout).unwrap().trim(), PAGE.trim(), "{name:?}");
    }
    let dash = folder.run(&["chunk", "--tokenizer", "words", "--", "docs/-r.md"]);
    assert!(dash.status.success());
}

#[test]
fn rejects_paths_that_cannot_be_read() {
    refused(&[
        (|_| {}, &["chunk", "gone.md"], "gone.md: no such file or directory"),
        (|_| {}, &["chunk", ""], "`PATH` cannot be empty"),
        (|_| {}, &["chunk", "docs/a.md/"], "docs/a.md/: not a directory"),
        (|_| {}, &["chunk", "/dev/zero"], "/dev/zero: not a regular file"),
        (|_| {}, &["chunk", "/proc/self/mem"], "/proc/self/mem: input/output error"),
        (
            |_| {},
            &["chunk", "/proc/self/maps", "--max-file-size", "9"],
            "over the limit of 9 bytes",
        ),
        (|f| f.fifo("b.md"), &["chunk", "b.md"], "b.md: not a regular file"),
        (|f| f.fifo("b.md"), &["inspect", "b.md"], "b.md: not a regular file"),
        (|f| f.huge("b.md"), &["inspect", "b.md"], "b.md: 10000000000 bytes, over the limit"),
        (|f| f.fifo("b.md"), &["diff", "b.md", "docs/a.md"], "b.md: not a regular file"),
        (|f| f.fifo("b.jsonl"), &["diff", "b.jsonl", "docs"], "b.jsonl: not a regular file"),
        (|f| f.fifo("b.parquet"), &["diff", "b.parquet", "docs"], "b.parquet: not a regular file"),
        (
            |f| f.link("b.json", "/dev/zero"),
            &["diff", "b.json", "docs"],
            "b.json: not a regular file",
        ),
        (|f| f.huge("b.jsonl"), &["diff", "b.jsonl", "docs"], "b.jsonl: line 1: over the limit of"),
        (|f| f.huge("b.json"), &["diff", "b.json", "docs"], "b.json: over the limit of"),
        (|f| f.huge("b.parquet"), &["diff", "b.parquet", "docs"], "b.parquet: not a Parquet file"),
    ]);
}

#[test]
fn rejects_query_files_that_cannot_be_read() {
    let search = &["search", "--index", "index", "--queries", "q.jsonl"][..];
    let cases: &[(Obstacle, &str)] = &[
        (|_| {}, "q.jsonl: no such file or directory\n"),
        (|f| f.folder("q.jsonl"), "q.jsonl: not a regular file\n"),
        (|f| f.fifo("q.jsonl"), "q.jsonl: not a regular file\n"),
        (|f| f.link("q.jsonl", "/dev/zero"), "q.jsonl: not a regular file\n"),
        (|f| f.huge("q.jsonl"), "10000000000 bytes, over the limit of 64000000 bytes\n"),
        (|f| f.write("q.jsonl", b"\xff"), "q.jsonl: invalid UTF-8 at byte 0\n"),
        (|f| f.write("q.jsonl", "\n{"), "q.jsonl: line 2: expected a JSON object, such as"),
    ];
    for (obstacle, expected) in cases {
        let folder = Folder::new();
        folder.index();
        obstacle(&folder);
        folder.refuses(search, expected);
    }
}

#[test]
fn names_cannot_control_the_terminal() {
    let odd = "odd\u{1b}]0;owned\u{7}";
    let at = |end: &str| format!("{odd}{end}");
    let folder = Folder::new();
    ["/a.md", "/b.md", ".md"].iter().for_each(|end| folder.write(at(end), PAGE));
    folder.write(at(".jsonl"), "{}");
    for (hash, name) in [("a", at("1.json")), ("b", at("2.json"))] {
        folder.write(name, format!("{{\"config_hash\":\"{hash}\",\"chunks\":[\n]}}"));
    }
    let index = folder.run(&["index", odd, "--quiet"]);
    assert!(index.status.success(), "{}", said(&index));
    folder.index();
    let page = at(".md");
    let indexed = at("/.chunkwright");
    let cases: &[&[&str]] = &[
        &["status", "--index", &indexed],
        &["status"],
        &["chunk", &page, "-o", &page],
        &["stats", &page, "--plot", &page],
        &["index", odd, "--rebuild"],
        &["index", &at(".gone")],
        &["search", "--index", "index", "--queries", &at(".gone")],
        &["search", "--index", "index", "--queries", &at(".jsonl")],
        &["inspect", odd],
        &["diff", &at(".jsonl"), "docs"],
        &["diff", &at("1.json"), &at("2.json")],
        &["chunk", "docs", "--tokenizer", odd],
        &["chunk", "docs", "--tokenizer", &format!("hf:{}", at(".gone"))],
        &["chunk", "docs", "--tokenizer", &format!("hf:{}", at(".jsonl"))],
    ];
    folder.folder("other/.chunkwright");
    for arguments in cases {
        // As on a terminal, no escape codes are removed.
        let output = folder.command(arguments).env("CLICOLOR_FORCE", "1").output().unwrap();
        let said = said(&output);
        let all = format!("{said}{}", String::from_utf8_lossy(&output.stdout));
        assert!(all.contains("odd\\u{1b}]0;owned\\u{7}"), "{arguments:?}: {all:?}");
        assert!(!all.contains("\u{1b}]") && !all.contains('\u{7}'), "{arguments:?}: {all:?}");
    }
}

#[test]
fn reports_files_and_directories_without_read_permission() {
    let folder = Folder::new();
    folder.write("docs/b.md", PAGE);
    folder.write("docs/c/d.md", PAGE);
    folder.allow("docs/b.md", 0o000);
    folder.allow("docs/c", 0o000);
    let output = folder.run_as_anyone(&["chunk", "docs", "--tokenizer", "words"]);
    folder.allow("docs/c", 0o755);
    let told = said(&output);
    let expected = "error: cannot read docs/c: permission denied\n\
                    error: cannot read docs/b.md: permission denied\n\
                    error: 2 files could not be read\n";
    assert_eq!((output.status.code(), told.as_str()), (Some(2), expected));
    assert_eq!(String::from_utf8(output.stdout).unwrap().lines().count(), 1);
}

#[test]
fn rejects_outputs_that_cannot_be_written_before_reading() {
    let directory = "path names a directory; name a file in it";
    let cases: &[(Obstacle, &[&str], &str)] = &[
        (|_| {}, &["chunk", "docs", "-o", "docs"], &format!("docs: {directory}")),
        (|_| {}, &["chunk", "docs", "-o", "new/"], &format!("new/: {directory}")),
        (|_| {}, &["chunk", "docs", "-o", "no/x"], "cannot create no/x: no such file"),
        (
            |_| {},
            &["chunk", "docs", "-o", "docs/a.md/x"],
            "cannot open docs/a.md/x for writing: not a dir",
        ),
        (
            |_| {},
            &["chunk", "docs", "--format", "jsonl", "-o", "docs/a.md"],
            "docs/a.md: it is one of the input files",
        ),
        (
            |f| f.link("l", "docs/a.md"),
            &["chunk", "docs", "-o", "l"],
            "l: it is one of the input files",
        ),
        (|f| f.link("l", "l"), &["chunk", "docs", "-o", "l"], "cannot open l for writing: too"),
        (|_| {}, &["chunk", "docs", "-o", "/proc/x"], "cannot create /proc/x: "),
        (|_| {}, &["stats", "docs", "--plot", "docs"], &format!("docs: {directory}")),
        (|_| {}, &["stats", "docs", "--plot", "no/x"], "cannot create no/x: no such file"),
        (
            |_| {},
            &["stats", "docs", "--plot", "docs/a.md"],
            "cannot write docs/a.md: plots are SVG; use a file that ends in .svg",
        ),
        (
            |f| f.link("l", "docs/a.md"),
            &["stats", "docs", "--compare", "blocks,tree", "--plot", "l"],
            "l: it is one of the input files",
        ),
    ];
    for (obstacle, arguments, expected) in cases {
        let folder = Folder::new();
        obstacle(&folder);
        // If files were read, this one would be reported.
        folder.write("docs/bad.md", b"\xff");
        let told = folder.refuses(arguments, expected);
        assert_eq!(told.lines().count(), 1, "{arguments:?}: {told}");
        assert_eq!(fs::read_to_string(folder.at("docs/a.md")).unwrap(), PAGE);
        assert_eq!(fs::read_dir(folder.at("docs")).unwrap().count(), 2, "{arguments:?}");
    }
}

#[test]
fn rejects_outputs_without_write_permission_and_keeps_them() {
    let folder = Folder::new();
    folder.write("out/old.jsonl", "old");
    folder.write("old.jsonl", "old");
    folder.allow("out", 0o555);
    folder.allow("old.jsonl", 0o444);
    let cases = [
        ("out/new.jsonl", "cannot create out/new.jsonl: permission denied"),
        ("out/old.jsonl", "cannot open out/old.jsonl for writing: permission denied"),
        ("old.jsonl", "cannot open old.jsonl for writing: permission denied"),
    ];
    for (name, expected) in cases {
        let output = folder.run_as_anyone(&["chunk", "docs", "--tokenizer", "words", "-o", name]);
        assert_eq!(output.status.code(), Some(2));
        assert!(said(&output).contains(expected), "{}", said(&output));
    }
    assert_eq!(fs::read_to_string(folder.at("old.jsonl")).unwrap(), "old");
    assert_eq!(fs::read_dir(folder.at("out")).unwrap().count(), 1);
}

#[test]
fn rejects_invalid_configurations_before_reading() {
    let chunk = &["chunk", "docs", "--tokenizer", "words"][..];
    refused(&[
        (|f| f.folder("chunkwright.toml"), chunk, "chunkwright.toml: not a regular file"),
        (|f| f.fifo("chunkwright.toml"), chunk, "chunkwright.toml: not a regular file"),
        (
            |f| f.link("chunkwright.toml", "/dev/zero"),
            chunk,
            "chunkwright.toml: not a regular file",
        ),
        (|f| f.link("chunkwright.toml", "gone"), chunk, "chunkwright.toml: no such file"),
        (|f| f.link("chunkwright.toml", "chunkwright.toml"), chunk, "toml: too many levels of"),
        (
            |f| f.huge("chunkwright.toml"),
            chunk,
            "10000000000 bytes, over the limit of 1000000 bytes",
        ),
    ]);
    let texts: [(&[u8], &str); 21] = [
        (b"max = \xff", "chunkwright.toml: invalid UTF-8 at byte 6"),
        (b"\0", "chunkwright.toml:1:"),
        (b"max = ", "chunkwright.toml:1:7: "),
        (b"max = 0", "1:7: invalid value `0`: expected a positive integer"),
        (b"max = -5", "1:7: invalid value `-5`: expected a positive integer"),
        (b"max = 99999999999999999999", "1:7: "),
        (b"max = 2000000000", "1:7: max (2000000000) is out of range"),
        (b"max = 1e9", "1:7: invalid value `1000000000.0`: expected a positive integer"),
        (b"max = 'many'", "1:7: invalid value `many`: expected a positive integer"),
        (b"max = [1]", "1:7: invalid value `[1]`: expected a positive integer"),
        (b"max = 1\nmax = 2", "2:1: invalid TOML: duplicate key"),
        (b"min = 2000\nmax = 1024", "1:7: min (2000) is above the maximum (1024)"),
        (b"target = 2000\nmax = 100", "is above the maximum (100)"),
        (
            b"strategy = 'blocks'\nmax = 9\noverlap = 9",
            "3:11: overlap (9) is not below the maximum (9)",
        ),
        (b"strategy = 'magic'", "1:12: "),
        (b"maxx = 3", "1:1: unknown option `maxx`\n"),
        (b"[hierarchical]\ntarjet = 3", "did you mean `hierarchical.target`?"),
        (b"jobs = 0", "1:8: "),
        (b"[trees]\ndocs = 3", "2:1: missing `path`"),
        (
            b"[[override]]\nmax = 3",
            "1:1: missing `paths`: an override lists the files that it applies to",
        ),
        (b"[[override]]\npaths = ['[']", "2:10: invalid pattern: unclosed character class"),
    ];
    let deep = ["a=".to_owned() + &"[".repeat(100_000), "a=".to_owned() + &"{b=".repeat(100_000)];
    let deep = deep.iter().map(|text| (text.as_bytes(), "cannot recurse further"));
    let dotted = format!("a{}=1", ".a".repeat(100_000));
    let cases = texts.into_iter().chain(deep).chain([(dotted.as_bytes(), "recursion limit")]);
    for (text, expected) in cases {
        let folder = Folder::new();
        folder.write("chunkwright.toml", text);
        let output = folder.run(&["chunk", "docs"]);
        let told = said(&output);
        let shown = String::from_utf8_lossy(&text[..text.len().min(50)]);
        assert_eq!((output.status.code(), output.stdout.len()), (Some(2), 0), "{shown}: {told}");
        assert!(told.contains(expected), "{shown}\nexpected {expected}\nprinted {told}");
        assert!(!told.contains(|c: char| c.is_control() && c != '\n'), "{told:?}");
        assert!(told.len() < 1000, "{} bytes on standard error", told.len());
    }
}

#[test]
fn rejects_unusable_tokenizers_before_reading() {
    let chunk = &["chunk", "docs", "--tokenizer", "hf:t.json"][..];
    let no_tokenizer = "cannot load tokenizer file t.json: ";
    refused(&[
        (|_| {}, chunk, "cannot read tokenizer file t.json: no such file"),
        (|f| f.folder("t.json"), chunk, "cannot read tokenizer file t.json: not a regular file"),
        (|f| f.fifo("t.json"), chunk, "cannot read tokenizer file t.json: not a regular file"),
        (|f| f.link("t.json", "/dev/zero"), chunk, "t.json: not a regular file"),
        (
            |f| f.huge("t.json"),
            chunk,
            "cannot read tokenizer file t.json: 10000000000 bytes, over the limit of",
        ),
        (|f| f.write("t.json", ""), chunk, no_tokenizer),
        (|f| f.write("t.json", "{"), chunk, no_tokenizer),
        (|f| f.write("t.json", "{}"), chunk, no_tokenizer),
        (|f| f.write("t.json", b"\xff\xfe"), chunk, no_tokenizer),
        (|f| f.write("t.json", "[".repeat(1_000_000)), chunk, no_tokenizer),
        (|f| f.write("t.json", r#"{"model":{"type":"Magic"}}"#), chunk, no_tokenizer),
        (|_| {}, &["chunk", "docs", "--tokenizer", "hf:"], "unknown tokenizer `hf:`"),
        (|_| {}, &["chunk", "docs", "--tokenizer", ""], "unknown tokenizer ``"),
    ]);
}

#[test]
fn rejects_directories_that_cannot_hold_an_index() {
    let index = &["index", "docs", "--index", "index"][..];
    let foreign = "index is not a chunkwright index: ";
    let no_directory = format!("{foreign}not a directory; choose another directory");
    refused(&[
        (|f| f.write("index", "mine"), index, &no_directory),
        (|f| f.fifo("index"), index, &no_directory),
        (|f| f.link("index", "gone"), index, &no_directory),
        (|f| f.link("index", "index"), index, &no_directory),
        (|f| f.write("index/mine.txt", ""), index, &format!("{foreign}it contains mine.txt")),
        (
            |f| f.write("index/\u{1b}[31m", ""),
            index,
            &format!("{foreign}it contains \\u{{1b}}[31m"),
        ),
        (
            |_| {},
            &["index", "docs", "--index", "docs"],
            "docs is not a chunkwright index: it contains",
        ),
        (|_| {}, &["index", "docs", "--index", "docs/a.md/x"], "docs/a.md/x: not a directory"),
        (|_| {}, &["search", "x", "--index", "gone"], "no index in gone"),
        (|_| {}, &["search", "x", "--index", "docs/a.md"], "no index in docs/a.md"),
        (|_| {}, &["search", "x", "--index", "\u{1b}[31m"], "no index in \\u{1b}[31m"),
        (|_| {}, &["status", "--index", "docs"], "no index in docs"),
    ]);
}

#[test]
fn creates_no_index_if_no_tree_exists() {
    let folder = Folder::new();
    folder
        .refuses(&["index", "nowhere"], "error: cannot read nowhere: no such file or directory\n");
    let both = "gone: no such file or directory; docs/a.md/b: not a directory\n";
    folder.refuses(&["index", "gone", "docs/a.md/b", "--index", "index"], both);
    assert_eq!(fs::read_dir(folder.root.path()).unwrap().count(), 1);
    // If at least one tree exists, it is indexed.
    folder.refuses(&["index", "docs", "gone", "--index", "index"], "gone: no such file");
    assert!(folder.run(&["search", "text", "--index", "index"]).status.success());
}

#[test]
fn every_reader_reports_a_damaged_or_foreign_index() {
    let damages: &[(Obstacle, &str)] = &[
        (|f| fs::remove_file(f.at("index/index/meta.json")).unwrap(), "the file is missing"),
        (|f| f.write("index/index/meta.json", ""), "meta.json"),
        (|f| f.write("index/index/meta.json", "{}"), "meta.json"),
        (
            |f| {
                fs::remove_file(f.at("index/index/meta.json")).unwrap();
                f.fifo("index/index/meta.json");
            },
            "damaged index file index/index/meta.json: not a regular file",
        ),
        (
            |f| {
                fs::remove_file(f.at("index/index/meta.json")).unwrap();
                f.folder("index/index/meta.json");
            },
            "damaged index file index/index/meta.json: not a regular file",
        ),
        (
            |f| reword(f, "schema\\\":", "schema\\\":9"),
            "built by chunkwright 0.1.0, which uses a different format",
        ),
        (
            |f| reword(f, "\\\"chunkwright ", "\\\"other-tool "),
            "is not a chunkwright index: built by other-tool",
        ),
    ];
    for (damage, expected) in damages {
        let folder = Folder::new();
        folder.index();
        damage(&folder);
        let readers: [&[&str]; 4] =
            [&["search", "text"], &["get", "docs:a.md"], &["ls"], &["status"]];
        for reader in readers {
            let output = folder.run(&[reader, &["--index", "index"]].concat());
            let told = said(&output);
            assert_eq!((output.status.code(), output.stdout.len()), (Some(2), 0), "{told}");
            assert!(told.contains(expected), "{reader:?}\nexpected {expected}\nprinted {told}");
        }
        let rebuild = folder.run(&["index", "docs", "--index", "index", "--rebuild"]);
        assert!(rebuild.status.success(), "{}", said(&rebuild));
        let found = folder.run(&["search", "text", "--index", "index"]);
        assert!(found.status.success(), "{}", said(&found));
    }
}

/// Edits the last commit.
fn reword(folder: &Folder, from: &str, to: &str) {
    let meta = folder.at("index/index/meta.json");
    let text = fs::read_to_string(&meta).unwrap();
    assert!(text.contains(from), "{text}");
    fs::write(meta, text.replacen(from, to, 1)).unwrap();
}

#[test]
fn a_rebuild_removes_leftovers_but_not_the_targets_of_links() {
    let obstacles: [Obstacle; 5] = [
        |f| f.write("index/index.new", "a file"),
        |f| f.write("index/index.old/index.old", "a file"),
        |f| f.link("index/index.new", "gone"),
        |f| f.link("index/index.old", "../docs"),
        |f| {
            fs::remove_dir_all(f.at("index/index")).unwrap();
            f.write("index/index", "a file");
        },
    ];
    for (nth, obstacle) in obstacles.iter().enumerate() {
        let folder = Folder::new();
        folder.index();
        obstacle(&folder);
        for flags in [&["--rebuild"][..], &[]] {
            let output = folder.run(&[&["index", "docs", "--index", "index"], flags].concat());
            assert!(output.status.success(), "{nth}: {}", said(&output));
        }
        assert_eq!(fs::read_dir(folder.at("index")).unwrap().count(), 3, "{nth}");
        assert_eq!(fs::read_to_string(folder.at("docs/a.md")).unwrap(), PAGE, "{nth}");
    }
}

#[test]
fn the_index_can_be_inside_the_tree_or_behind_a_link() {
    for place in ["docs/index", "docs/.index", "link"] {
        let folder = Folder::new();
        folder.folder("far");
        folder.link("link", "far");
        for expected in ["1 file: 1 new\n", "1 file: 1 unchanged\n"] {
            let output = folder.run(&["index", "docs", "--index", place]);
            assert_eq!(String::from_utf8(output.stdout).unwrap(), expected, "{place}");
        }
        assert!(folder.at("link").is_symlink());
        assert!(folder.run(&["search", "text", "--index", place]).status.success());
    }
}

#[test]
fn reports_a_read_only_index_and_still_answers() {
    let folder = Folder::new();
    folder.index();
    folder.write("docs/b.md", PAGE);
    for path in ["index", "index/index"] {
        folder.allow(path, 0o555);
    }
    let output = folder.run_as_anyone(&["index", "docs", "--index", "index"]);
    let told = said(&output);
    let answer = folder.run_as_anyone(&["search", "text", "--index", "index"]);
    let elsewhere = folder.run_as_anyone(&["index", "docs", "--index", "index/index/new"]);
    for path in ["index", "index/index"] {
        folder.allow(path, 0o755);
    }
    assert_eq!(output.status.code(), Some(2));
    assert!(told.contains("writer.lock: permission denied; the index is unchanged"), "{told}");
    assert!(answer.status.success(), "{}", said(&answer));
    let told = said(&elsewhere);
    assert!(told.contains("index/index/new: permission denied"), "{told}");
}

#[test]
fn marks_a_page_that_is_no_longer_a_file_as_stale() {
    let becomes: [Obstacle; 6] = [
        |_| {},
        |f| f.fifo("docs/a.md"),
        |f| f.folder("docs/a.md"),
        |f| f.link("docs/a.md", "/dev/zero"),
        |f| f.huge("docs/a.md"),
        |f| f.write("docs/a.md", PAGE.replace("text", "word")),
    ];
    for (nth, become_something) in becomes.iter().enumerate() {
        let folder = Folder::new();
        folder.index();
        fs::remove_file(folder.at("docs/a.md")).unwrap();
        become_something(&folder);
        let found = folder.run(&["search", "text", "--index", "index", "--json"]);
        let found = String::from_utf8(found.stdout).unwrap();
        assert!(found.contains("\"stale\":true") && found.contains("Some text."), "{nth}: {found}");
    }
}
