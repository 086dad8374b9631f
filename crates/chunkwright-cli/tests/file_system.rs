//! What a file system can put in the way: odd files, names, places and settings, each with what is
//! said about it and the exit code. Nothing hangs, and nothing takes much memory.

#![allow(clippy::unwrap_used, reason = "a test that cannot go on must stop")]
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

/// More than fits into memory, though it takes no room on the disk.
const HUGE: u64 = 10_000_000_000;

/// A folder with one good page, and what a case adds.
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

    /// Makes an index of the page in `index`.
    fn index(&self) {
        let output = self.run(&["index", "docs", "--index", "index"]);
        assert!(output.status.success(), "{}", said(&output));
    }

    /// Runs the command: in little memory, and not for ever.
    fn command(&self, arguments: &[&str]) -> Command {
        let mut command = Command::new("timeout");
        command.args(["120", "sh", "-c", "ulimit -v 3000000; exec \"$@\"", "sh"]);
        command.arg(env!("CARGO_BIN_EXE_chunkwright")).args(arguments);
        // Else each thread reserves memory for itself, on a machine with many cores too much.
        command.env("MALLOC_ARENA_MAX", "2");
        command.current_dir(self.root.path()).stdin(Stdio::null());
        command
    }

    fn run(&self, arguments: &[&str]) -> Output {
        self.command(arguments).output().unwrap()
    }

    /// Checks that a command fails, and says this and nothing that a terminal would obey.
    fn refuses(&self, arguments: &[&str], expected: &str) -> String {
        let output = self.run(arguments);
        let told = said(&output);
        assert_eq!(output.status.code(), Some(2), "{arguments:?}: {told}");
        assert!(told.contains(expected), "{arguments:?}\nis to say {expected}\nbut says {told}");
        assert!(!told.contains(|c: char| c.is_control() && c != '\n'), "{told:?}");
        assert!(told.len() < 1000, "{} bytes are said", told.len());
        told
    }

    /// Root may do anything, so somebody else runs the command.
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

/// Something in the way.
type Obstacle = fn(&Folder);

/// Checks that each command fails, and says this and nothing that a terminal would obey.
fn refused(cases: &[(Obstacle, &[&str], &str)]) {
    for (obstacle, arguments, expected) in cases {
        let folder = Folder::new();
        obstacle(&folder);
        folder.refuses(arguments, expected);
    }
}

#[test]
fn what_cannot_be_read_in_a_directory_is_listed_and_the_rest_is_processed() {
    let cases: &[(Obstacle, &str)] = &[
        (|f| f.fifo("docs/b.md"), "docs/b.md: not a regular file"),
        (|f| drop(UnixListener::bind(f.at("docs/b.md"))), "docs/b.md: not a regular file"),
        (|f| f.link("docs/b.md", "/dev/zero"), "docs/b.md: link leads out of the directory"),
        (|f| f.link("docs/b.md", "b.md"), "docs/b.md: link cannot be followed: too many levels"),
        (|f| f.link("docs/b.md", "gone.md"), "docs/b.md: link cannot be followed: no such file"),
        (|f| f.link("docs/b", "."), "docs/b: link loops back to"),
        (|f| f.link("docs/b", "/proc"), "docs/b: link leads out of the directory, to /proc"),
        (|f| f.link("docs/b.md", "/etc/passwd"), "link leads out of the directory, to /etc/passwd"),
        (|f| f.huge("docs/b.md"), "docs/b.md: 10000000000 bytes, over the limit of 64000000 bytes"),
        (|f| f.write("docs/b.md", b"caf\xe9"), "docs/b.md: not UTF-8 at byte 3"),
        (
            |f| f.write("docs/b.md", b"\xff\xfea\0"),
            "docs/b.md: not UTF-8 at byte 0: looks like UTF-16",
        ),
        (
            |f| f.write(OsStr::from_bytes(b"docs/\xff.md"), ""),
            "docs/\u{fffd}.md: file name is not UTF-8",
        ),
        (|f| f.write("docs/b\n\u{1b}[31m.md", b"\xff"), "docs/b\\n\\u{1b}[31m.md: not UTF-8"),
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
            assert!(told.ends_with("chunkwright: 1 file could not be read\n"), "{told}");
            assert_eq!(told.lines().count(), 2, "{told}");
            let shown = String::from_utf8_lossy(&output.stdout);
            let of_the_page = ["docs:a.md#a", "\"files\":1", "1 file"];
            assert!(of_the_page.iter().any(|part| shown.contains(part)), "{message}: {shown}");
        }
    }
}

#[test]
fn odd_names_are_no_obstacle() {
    let long = format!("{}.md", "x".repeat(252));
    let odd = ["-r.md", "--max.md", "a\nb.md", "\u{1b}[31m.md", "#.md", "a:b.md", " .md", &long];
    let folder = Folder::new();
    odd.iter().for_each(|name| folder.write(format!("docs/{name}"), PAGE));
    // A directory is no file, whatever it is called.
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
fn a_path_that_cannot_be_read_is_refused() {
    refused(&[
        (|_| {}, &["chunk", "gone.md"], "gone.md: no such file or directory"),
        (|_| {}, &["chunk", ""], "PATH is empty"),
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
fn queries_that_cannot_be_read_are_refused() {
    let search = &["search", "--index", "index", "--queries", "q.jsonl"][..];
    let cases: &[(Obstacle, &str)] = &[
        (|_| {}, "q.jsonl: no such file or directory\n"),
        (|f| f.folder("q.jsonl"), "q.jsonl: not a regular file\n"),
        (|f| f.fifo("q.jsonl"), "q.jsonl: not a regular file\n"),
        (|f| f.link("q.jsonl", "/dev/zero"), "q.jsonl: not a regular file\n"),
        (|f| f.huge("q.jsonl"), "10000000000 bytes, over the limit of 64000000 bytes\n"),
        (|f| f.write("q.jsonl", b"\xff"), "q.jsonl: not UTF-8 at byte 0\n"),
        (|f| f.write("q.jsonl", "\n{"), "q.jsonl: line 2: expected a JSON object such as"),
    ];
    for (obstacle, expected) in cases {
        let folder = Folder::new();
        folder.index();
        obstacle(&folder);
        folder.refuses(search, expected);
    }
}

#[test]
fn names_cannot_drive_the_terminal() {
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
        // As on a terminal, nothing is taken out.
        let output = folder.command(arguments).env("CLICOLOR_FORCE", "1").output().unwrap();
        let said = said(&output);
        let all = format!("{said}{}", String::from_utf8_lossy(&output.stdout));
        assert!(all.contains("odd\\u{1b}]0;owned\\u{7}"), "{arguments:?}: {all:?}");
        assert!(!all.contains("\u{1b}]") && !all.contains('\u{7}'), "{arguments:?}: {all:?}");
    }
}

#[test]
fn a_file_or_directory_that_may_not_be_read_is_listed() {
    let folder = Folder::new();
    folder.write("docs/b.md", PAGE);
    folder.write("docs/c/d.md", PAGE);
    folder.allow("docs/b.md", 0o000);
    folder.allow("docs/c", 0o000);
    let output = folder.run_as_anyone(&["chunk", "docs", "--tokenizer", "words"]);
    folder.allow("docs/c", 0o755);
    let told = said(&output);
    let expected = "chunkwright: docs/c: permission denied\n\
                    chunkwright: docs/b.md: permission denied\n\
                    chunkwright: 2 files could not be read\n";
    assert_eq!((output.status.code(), told.as_str()), (Some(2), expected));
    assert_eq!(String::from_utf8(output.stdout).unwrap().lines().count(), 1);
}

#[test]
fn an_output_that_cannot_be_written_is_refused_before_any_work() {
    let directory = "names a directory; name a file in it";
    let cases: &[(Obstacle, &[&str], &str)] = &[
        (|_| {}, &["chunk", "docs", "-o", "docs"], &format!("docs: {directory}")),
        (|_| {}, &["chunk", "docs", "-o", "new/"], &format!("new/: {directory}")),
        (|_| {}, &["chunk", "docs", "-o", "no/x"], "no/x: cannot be created: no such file"),
        (
            |_| {},
            &["chunk", "docs", "-o", "docs/a.md/x"],
            "cannot be opened for writing: not a dir",
        ),
        (
            |_| {},
            &["chunk", "docs", "--format", "jsonl", "-o", "docs/a.md"],
            "docs/a.md: is one of the input files",
        ),
        (
            |f| f.link("l", "docs/a.md"),
            &["chunk", "docs", "-o", "l"],
            "l: is one of the input files",
        ),
        (
            |f| f.link("l", "l"),
            &["chunk", "docs", "-o", "l"],
            "l: cannot be opened for writing: too",
        ),
        (|_| {}, &["chunk", "docs", "-o", "/proc/x"], "/proc/x: cannot be created: "),
        (|_| {}, &["stats", "docs", "--plot", "docs"], &format!("docs: {directory}")),
        (|_| {}, &["stats", "docs", "--plot", "no/x"], "no/x: cannot be created: no such file"),
        (
            |_| {},
            &["stats", "docs", "--plot", "docs/a.md"],
            "--plot: docs/a.md: chunkwright draws SVG; name a file that ends with .svg",
        ),
        (
            |f| f.link("l", "docs/a.md"),
            &["stats", "docs", "--compare", "blocks,tree", "--plot", "l"],
            "l: is one of the input files",
        ),
    ];
    for (obstacle, arguments, expected) in cases {
        let folder = Folder::new();
        obstacle(&folder);
        // Work would begin with a word about it.
        folder.write("docs/bad.md", b"\xff");
        let told = folder.refuses(arguments, expected);
        assert_eq!(told.lines().count(), 1, "{arguments:?}: {told}");
        assert_eq!(fs::read_to_string(folder.at("docs/a.md")).unwrap(), PAGE);
        assert_eq!(fs::read_dir(folder.at("docs")).unwrap().count(), 2, "{arguments:?}");
    }
}

#[test]
fn an_output_in_a_place_that_may_not_be_written_is_refused_and_stays() {
    let folder = Folder::new();
    folder.write("out/old.jsonl", "old");
    folder.write("old.jsonl", "old");
    folder.allow("out", 0o555);
    folder.allow("old.jsonl", 0o444);
    let cases = [
        ("out/new.jsonl", "cannot be created: permission denied"),
        ("out/old.jsonl", "cannot be opened for writing: permission denied"),
        ("old.jsonl", "cannot be opened for writing: permission denied"),
    ];
    for (name, expected) in cases {
        let output = folder.run_as_anyone(&["chunk", "docs", "--tokenizer", "words", "-o", name]);
        assert_eq!(output.status.code(), Some(2));
        assert!(said(&output).contains(&format!("{name}: {expected}")), "{}", said(&output));
    }
    assert_eq!(fs::read_to_string(folder.at("old.jsonl")).unwrap(), "old");
    assert_eq!(fs::read_dir(folder.at("out")).unwrap().count(), 1);
}

#[test]
fn a_configuration_that_cannot_be_understood_is_refused_before_any_work() {
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
        (b"max = \xff", "chunkwright.toml: not UTF-8 at byte 6"),
        (b"\0", "chunkwright.toml:1:"),
        (b"max = ", "chunkwright.toml:1:7: "),
        (b"max = 0", "1:7: invalid value `0`: expected a positive integer"),
        (b"max = -5", "1:7: invalid value `-5`: expected a positive integer"),
        (b"max = 99999999999999999999", "1:7: "),
        (b"max = 2000000000", "1:7: max (2000000000) is out of range"),
        (b"max = 1e9", "1:7: invalid value `1000000000.0`: expected a positive integer"),
        (b"max = 'many'", "1:7: invalid value `many`: expected a positive integer"),
        (b"max = [1]", "1:7: invalid value `[1]`: expected a positive integer"),
        (b"max = 1\nmax = 2", "2:1: duplicate key"),
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
            "1:1: missing `paths`: an override lists the files it applies to",
        ),
        (b"[[override]]\npaths = ['[']", "2:10: unclosed character class"),
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
        assert!(told.contains(expected), "{shown}\nis to say {expected}\nbut says {told}");
        assert!(!told.contains(|c: char| c.is_control() && c != '\n'), "{told:?}");
        assert!(told.len() < 1000, "{} bytes are said", told.len());
    }
}

#[test]
fn a_tokenizer_that_cannot_be_used_is_refused_before_any_work() {
    let chunk = &["chunk", "docs", "--tokenizer", "hf:t.json"][..];
    let no_tokenizer = "tokenizer file t.json: not a usable tokenizer: ";
    refused(&[
        (|_| {}, chunk, "tokenizer file t.json: cannot be read: no such file"),
        (
            |f| f.folder("t.json"),
            chunk,
            "tokenizer file t.json: cannot be read: not a regular file",
        ),
        (|f| f.fifo("t.json"), chunk, "tokenizer file t.json: cannot be read: not a regular file"),
        (|f| f.link("t.json", "/dev/zero"), chunk, "t.json: cannot be read: not a regular file"),
        (|f| f.huge("t.json"), chunk, "cannot be read: 10000000000 bytes, over the limit of"),
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
fn a_place_where_no_index_can_be_is_refused() {
    let index = &["index", "docs", "--index", "index"][..];
    let foreign = "index is not a chunkwright index: ";
    let no_directory = format!("{foreign}not a directory; name another directory");
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
fn no_index_is_made_of_what_does_not_exist() {
    let folder = Folder::new();
    folder.refuses(&["index", "nowhere"], "chunkwright: nowhere: no such file or directory\n");
    let both = "gone: no such file or directory; docs/a.md/b: not a directory\n";
    folder.refuses(&["index", "gone", "docs/a.md/b", "--index", "index"], both);
    assert_eq!(fs::read_dir(folder.root.path()).unwrap().count(), 1);
    // One that exists is indexed, whatever the others are.
    folder.refuses(&["index", "docs", "gone", "--index", "index"], "gone: no such file");
    assert!(folder.run(&["search", "text", "--index", "index"]).status.success());
}

#[test]
fn an_index_that_is_damaged_or_strange_is_named_by_all_who_read_it() {
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
            |f| reword(f, "\\\"chunkwright ", "\\\"somebody "),
            "is not a chunkwright index: built by somebody",
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
            assert!(told.contains(expected), "{reader:?} is to say {expected}\nbut says {told}");
        }
        let rebuild = folder.run(&["index", "docs", "--index", "index", "--rebuild"]);
        assert!(rebuild.status.success(), "{}", said(&rebuild));
        let found = folder.run(&["search", "text", "--index", "index"]);
        assert!(found.status.success(), "{}", said(&found));
    }
}

/// Changes what the last commit says.
fn reword(folder: &Folder, from: &str, to: &str) {
    let meta = folder.at("index/index/meta.json");
    let text = fs::read_to_string(&meta).unwrap();
    assert!(text.contains(from), "{text}");
    fs::write(meta, text.replacen(from, to, 1)).unwrap();
}

#[test]
fn what_lies_in_the_way_of_a_rebuild_is_cleared_away_but_not_what_links_lead_to() {
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
fn an_index_may_lie_in_the_tree_or_behind_a_link() {
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
fn an_index_that_may_not_be_written_is_told_and_still_answers() {
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
fn a_page_that_has_become_something_else_is_stale_and_not_opened() {
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
