//! The command from the outside: output, errors, exit codes.

#![allow(clippy::unwrap_used, reason = "a failed test should panic")]

use std::fs;
use std::io::Write;
use std::path::Path;
use std::process::{Command, Output, Stdio};

use tempfile::TempDir;

fn run(folder: &Path, arguments: &[&str]) -> Output {
    command(folder, arguments).output().unwrap()
}

fn command(folder: &Path, arguments: &[&str]) -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_chunkwright"));
    command.args(arguments).current_dir(folder).stdin(Stdio::null());
    command
}

fn folder(files: &[(&str, &[u8])]) -> TempDir {
    let folder = TempDir::new().unwrap();
    for (path, bytes) in files {
        let path = folder.path().join(path);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(path, bytes).unwrap();
    }
    folder
}

fn stdout(output: &Output) -> String {
    String::from_utf8(output.stdout.clone()).unwrap()
}

fn stderr(output: &Output) -> String {
    String::from_utf8(output.stderr.clone()).unwrap()
}

/// Returns the error of a run that must fail without output.
fn refused(arguments: &[&str]) -> String {
    let folder = folder(&[("a.md", b"# A\n\ntext\n")]);
    let output = run(folder.path(), &[&["chunk", "a.md"], arguments].concat());
    assert_eq!(output.status.code(), Some(2), "{arguments:?}");
    assert!(output.stdout.is_empty(), "{arguments:?}");
    stderr(&output)
}

#[test]
fn empty_and_blank_files_have_no_chunks() {
    let folder = folder(&[("empty.md", b""), ("blank.md", b" \n\n\t\n")]);
    let output = run(folder.path(), &["chunk", "."]);
    assert_eq!(
        (output.status.code(), stdout(&output), stderr(&output)),
        (Some(0), String::new(), String::new())
    );
}

#[test]
fn output_and_messages_do_not_depend_on_the_number_of_jobs() {
    let folder = TempDir::new().unwrap();
    for nth in 0..60_usize {
        let text = format!("# Page {nth}\n\n{}", "some words\n\n".repeat(nth * 997 % 3000));
        let bytes = if nth % 7 == 3 { &b"caf\xe9"[..] } else { text.as_bytes() };
        fs::write(folder.path().join(format!("{nth}.md")), bytes).unwrap();
    }
    for format in ["jsonl", "json", "pretty", "parquet"] {
        let chunk = |jobs| run(folder.path(), &["chunk", ".", "--format", format, "--jobs", jobs]);
        let one = chunk("1");
        let shown = String::from_utf8_lossy(&one.stdout);
        assert!(shown.contains("Page 58") || shown.ends_with("PAR1"));
        assert!(stderr(&one).contains("59.md: invalid UTF-8"));
        for jobs in ["2", "8"] {
            assert!(chunk(jobs) == one, "{format}, {jobs} jobs");
        }
    }
}

#[test]
fn reports_bad_files_and_processes_the_rest() {
    let files: &[(&str, &[u8])] = &[
        ("docs/good.md", b"# Good\n\ntext\n"),
        ("docs/latin.md", b"caf\xe9\n"),
        ("docs/utf16.md", b"\xff\xfea\0"),
        ("docs/large.md", &[b'x'; 2000]),
    ];
    let folder = folder(files);
    let output = run(folder.path(), &["chunk", "docs", "missing", "--max-file-size", "1000"]);
    assert_eq!(output.status.code(), Some(2));
    assert_eq!(stdout(&output).lines().count(), 1);
    let said = stderr(&output);
    let expected =
        ["latin.md: invalid UTF-8 at byte 3", "UTF-16", "large.md", "1000", "missing", "4 files"];
    assert!(expected.iter().all(|part| said.contains(part)), "{said}");
    assert_eq!(said.lines().count(), 5, "{said}");
}

#[test]
fn rejects_invalid_options_before_any_output() {
    let cases: &[(&[&str], &[&str])] = &[
        (&["--target", "900", "--max", "800"], &["target (900) is above the maximum (800)"]),
        (&["--max", "0"], &["invalid value `0` for `--max`: expected a positive integer"]),
        (&["--max", "-5"], &["invalid value `-5` for `--max`: expected a positive integer"]),
        (
            &["--max", "99999999999999999999"],
            &["invalid value `99999999999999999999` for `--max`: too large"],
        ),
        (&["--min", "2000", "--max", "1024"], &["min (2000) is above the maximum (1024)"]),
        (&["--tokenizer", "gpt9"], &["unknown tokenizer `gpt9`", "estimate", "hf:PATH"]),
        (&["--tokenizer", "hf:nowhere.json"], &["nowhere.json"]),
        (&["--strategy", "magic"], &["unknown value `magic`", "hierarchical"]),
        (
            &["--overlap", "10"],
            &["--overlap 10: `hierarchical` has no option `overlap`; use it with `blocks`"],
        ),
        (&["--context", "all"], &["unknown value `all` for `--context`", "breadcrumb", "none"]),
        (&["--set", "colour=1"], &["--set colour=1: unknown option `colour`", "config"]),
        (
            &["--set", "hierarchical.tarjet=1"],
            &["unknown option", "did you mean `hierarchical.target`?"],
        ),
        (&["--set", "target"], &["invalid value `target` for `--set`: expected KEY=VALUE"]),
        (&["--set", "bias=5"], &["unknown value `5` for `--set bias`", "balanced"]),
        (&["--jobs", "0"], &["invalid value `0` for `--jobs`: expected a positive integer"]),
        (&["-o", "-"], &["standard output"]),
    ];
    for (arguments, parts) in cases {
        let said = refused(arguments);
        assert!(parts.iter().all(|part| said.contains(part)), "{arguments:?}: {said}");
    }
}

#[test]
fn applies_the_configuration_of_a_parent_directory_and_its_overrides() {
    let config = b"strategy = 'tree'\n[[override]]\npaths = ['blog/*']\nstrategy = 'window'\n";
    let page = b"# A\n\ntext\n";
    let folder =
        folder(&[("chunkwright.toml", config), ("docs/a.md", page), ("docs/blog/b.md", page)]);
    let output = run(&folder.path().join("docs"), &["chunk", "."]);
    let records: Vec<serde_json::Value> =
        stdout(&output).lines().map(|line| serde_json::from_str(line).unwrap()).collect();
    let strategies: Vec<_> = records.iter().map(|record| &record["strategy"]).collect();
    assert_eq!(strategies, ["tree", "window"], "{}", stderr(&output));
}

#[test]
fn a_printed_configuration_can_be_saved_and_used() {
    let folder = folder(&[]);
    let saved = stdout(&run(folder.path(), &["config", "--strategy", "blocks", "--max", "333"]));
    fs::write(folder.path().join("chunkwright.toml"), &saved).unwrap();
    let again = stdout(&run(folder.path(), &["config"]));
    let values = |text: &str| -> Vec<String> {
        let lines = text.lines().skip(1).map(|line| line.rsplit_once("# ").unwrap_or((line, "")).0);
        lines.map(|line| line.trim_end().to_owned()).collect()
    };
    assert_eq!(values(&again), values(&saved));
    assert!(again.contains("max = 333"), "{again}");
}

#[test]
fn never_overwrites_an_input_file() {
    let page = b"# A\n\ntext\n";
    let folder = folder(&[("docs/a.md", page), ("docs/b/c.md", page)]);
    #[cfg(unix)]
    std::os::unix::fs::symlink("docs/a.md", folder.path().join("link.md")).unwrap();
    let cases: &[&[&str]] = &[
        &["docs/a.md", "-o", "docs/a.md"],
        &["docs", "-o", "docs/b/../b/c.md"],
        #[cfg(unix)]
        &["docs", "-o", "link.md"],
        #[cfg(unix)]
        &["link.md", "-o", "docs/a.md"],
    ];
    for arguments in cases {
        let output = run(folder.path(), &[&["chunk", "--format", "jsonl"], *arguments].concat());
        assert_eq!(output.status.code(), Some(2), "{arguments:?}");
        assert!(stderr(&output).contains("is one of the input files"), "{}", stderr(&output));
    }
    assert_eq!(fs::read(folder.path().join("docs/a.md")).unwrap(), page);
    assert_eq!(fs::read(folder.path().join("docs/b/c.md")).unwrap(), page);
}

const NO_FILES: &str = "no .md, .markdown, .mdown, .mkd, .mdx or .txt files found";

#[test]
fn fails_without_any_file_to_read() {
    let folder = folder(&[("docs/picture.png", b""), ("old.jsonl", b"old\n")]);
    for command in [&["chunk", "docs", "-o", "old.jsonl"][..], &["stats", "docs", "--quiet"]] {
        let output = run(folder.path(), command);
        assert_eq!((output.status.code(), stdout(&output).as_str()), (Some(2), ""));
        let said = stderr(&output);
        assert!(said.starts_with(&format!("error: docs: {NO_FILES}")), "{said}");
        assert_eq!(said.lines().count(), 1, "{said}");
    }
    assert_eq!(fs::read(folder.path().join("old.jsonl")).unwrap(), b"old\n");
}

#[test]
fn warns_of_one_directory_without_files() {
    let folder = folder(&[("docs/picture.png", b""), ("pages/a.md", b"# A\n\ntext\n")]);
    let output = run(folder.path(), &["chunk", "docs", "pages"]);
    assert_eq!((output.status.code(), stdout(&output).lines().count()), (Some(0), 1));
    let said = stderr(&output);
    assert!(said.starts_with(&format!("warning: docs: {NO_FILES}")), "{said}");
    assert_eq!(stderr(&run(folder.path(), &["chunk", "docs", "pages", "--quiet"])), "");
}

#[test]
fn indexing_an_emptied_tree_empties_the_index() {
    let folder = folder(&[("docs/a.md", b"# A\n\ntext\n")]);
    let index = || run(folder.path(), &["index", "docs", "--index", "index"]);
    assert_eq!(stdout(&index()), "1 file: 1 new\n");
    fs::remove_file(folder.path().join("docs/a.md")).unwrap();
    let output = index();
    assert_eq!((output.status.code(), stdout(&output)), (Some(0), "0 files: 1 removed\n".into()));
    assert!(stderr(&output).contains(&format!("docs: {NO_FILES}")), "{}", stderr(&output));
    let search = run(folder.path(), &["search", "text", "--index", "index"]);
    assert_eq!(search.status.code(), Some(1), "{}", stderr(&search));
}

#[test]
fn reports_named_files_of_unknown_formats_and_processes_the_rest() {
    let folder = folder(&[("a.md", b"# A\n\ntext\n"), ("notes.rst", b"# B\n\ntext\n")]);
    let expected = "error: cannot read notes.rst: not a Markdown, MDX or text file (use --input-format \
                    markdown to read it anyway)\n";
    let commands: &[&[&str]] = &[
        &["chunk", "notes.rst", "a.md"],
        &["stats", "notes.rst", "a.md"],
        &["index", "notes.rst", "a.md"],
        &["inspect", "notes.rst"],
        &["diff", "notes.rst", "a.md"],
    ];
    for command in commands {
        let output = run(folder.path(), command);
        assert_eq!(output.status.code(), Some(2), "{command:?}");
        assert!(stderr(&output).starts_with(expected), "{command:?}: {}", stderr(&output));
    }
    let output = run(folder.path(), commands[0]);
    assert_eq!(records(&output).len(), 1);
    assert!(stderr(&output).ends_with("error: 1 file could not be read\n"));
    for command in commands {
        let output = run(folder.path(), &[*command, &["--input-format", "markdown"]].concat());
        assert_eq!(output.status.code(), Some(0), "{command:?}: {}", stderr(&output));
    }
}

#[test]
fn the_input_format_applies_to_files_directories_and_standard_input() {
    let page = b"# A\n\n<Tabs a={1}>\n\n# B\n\n</Tabs>\n";
    let folder = folder(&[("docs/a.md", page), ("docs/b.txt", page), ("README", page)]);
    let ids = |arguments: &[&str]| -> Vec<String> {
        let chunk = &["chunk", "--strategy", "tree", "--tree", "t"][..];
        let mut command = command(folder.path(), &[chunk, arguments].concat());
        let input = folder.path().join("README");
        let output = command.stdin(fs::File::open(input).unwrap()).output().unwrap();
        assert_eq!(output.status.code(), Some(0), "{}", stderr(&output));
        records(&output).iter().map(|record| record["id"].as_str().unwrap().to_owned()).collect()
    };
    assert_eq!(ids(&["docs"]), ["t:a.md#a", "t:a.md#b", "t:b.txt"]);
    assert_eq!(ids(&["docs", "--input-format", "text"]), ["t:a.md", "t:b.txt"]);
    assert_eq!(ids(&["docs/b.txt", "--input-format", "markdown"]), ["t:b.txt#a", "t:b.txt#b"]);
    assert_eq!(ids(&["-", "--input-format", "text"]), ["t:-"]);
    assert_eq!(ids(&["-"]), ["t:-#a", "t:-#b"]);
    assert_eq!(ids(&["README"]), ["t:README#a", "t:README#b"]);
    let hash = |arguments: &[&str]| {
        let output =
            run(folder.path(), &[&["chunk", "docs", "--format", "json"], arguments].concat());
        let object: serde_json::Value = serde_json::from_slice(&output.stdout).unwrap();
        object["config_hash"].clone()
    };
    assert_ne!(hash(&[]), hash(&["--input-format", "text"]));
    let said = refused(&["--input-format", "rst"]);
    let expected =
        "unknown value `rst` for `--input-format`: expected one of `markdown`, `mdx`, `text`";
    assert!(said.contains(expected), "{said}");
}

#[test]
fn completions_offer_the_values_of_options() {
    let folder = folder(&[]);
    let completions = |shell| stdout(&run(folder.path(), &["completions", shell]));
    let (bash, zsh, fish) = (completions("bash"), completions("zsh"), completions("fish"));
    let options = [
        ("strategy", "hierarchical window blocks tree"),
        ("tokenizer", "estimate words chars cl100k o200k o200k_base gpt-4o"),
        ("overlap", "none low medium high"),
        ("size", "small medium large"),
        ("context", "title breadcrumb path none"),
        ("frontmatter", "metadata include strip"),
        ("mdx", "auto on off"),
        ("with", "embed_text pieces"),
        ("input-format", "markdown mdx text"),
        ("color", "auto always never"),
        ("language", "none arabic danish dutch english"),
    ];
    for (option, values) in options {
        let offered =
            format!("--{option})\n                    COMPREPLY=($(compgen -W \"{values}");
        assert!(bash.contains(&offered), "bash: {option}");
        let lines: Vec<&str> =
            zsh.lines().filter(|line| line.starts_with(&format!("'--{option}="))).collect();
        let first = values.split(' ').next().unwrap();
        assert!(
            !lines.is_empty() && lines.iter().all(|line| line.contains(first)),
            "zsh: {option}"
        );
        assert!(fish.contains(&format!("-l {option} ")), "fish: {option}");
        assert!(
            values.split(' ').all(|value| fish.contains(&format!("{value}\\t"))),
            "fish: {option}"
        );
    }
    for (flag, value) in [("--tokenizer", "words:1.5"), ("--max", "300"), ("--overlap", "20")] {
        let blocks = ["config", "--strategy", "blocks", flag, value];
        assert_eq!(run(folder.path(), &blocks).status.code(), Some(0), "{flag} {value}");
    }
}

#[test]
fn manual_pages_have_the_usual_sections_and_verbatim_examples() {
    let folder = folder(&[]);
    let page = |command: &[&str]| stdout(&run(folder.path(), &[&["man"], command].concat()));
    let sections =
        ["NAME", "SYNOPSIS", "DESCRIPTION", "OPTIONS", "\"EXIT STATUS\"", "ENVIRONMENT", "FILES"];
    for page in [page(&[]), page(&["chunk"]), page(&["search"])] {
        for section in sections {
            assert!(page.contains(&format!(".SH {section}\n")), "{section}: {page}");
        }
        for named in ["NO_COLOR", "chunkwright.toml", ".chunkwright/"] {
            assert!(page.contains(named), "{named}: {page}");
        }
    }
    assert!(!page(&[]).contains("help(1)"), "{}", page(&[]));
    let chunk = page(&["chunk"]);
    let (_, examples) = chunk.split_once(".SH EXAMPLES\n.nf\n").unwrap();
    assert!(examples.starts_with("  chunkwright chunk README.md      "), "{examples}");
    assert!(examples.ends_with("\n.fi\n"), "{examples}");
}

/// Creates a tree with an override and URLs, in a subdirectory.
fn site(config: &str) -> TempDir {
    let page = "---\ntitle: Page\n---\n# Kubectl\n\nText.\n\n## Use\n\nMore text.\n";
    let overrides = "url_base = 'https://example.org/'\nwith = ['embed_text', 'pieces']\n\
                     context = 'path'\n[[override]]\npaths = ['reference/**']\nstrategy = 'tree'\n";
    folder(&[
        ("chunkwright.toml", format!("{overrides}{config}").as_bytes()),
        ("docs/index.md", page.as_bytes()),
        ("docs/reference/kubectl/_index.md", page.as_bytes()),
        ("docs/reference/kubectl/get.md", page.as_bytes()),
        ("docs/blog/news.md", page.as_bytes()),
    ])
}

fn records(output: &Output) -> Vec<serde_json::Value> {
    stdout(output).lines().map(|line| serde_json::from_str(line).unwrap()).collect()
}

/// Returns the records of a run that must succeed without messages.
fn chunk(folder: &TempDir, arguments: &[&str]) -> Vec<serde_json::Value> {
    let output = run(folder.path(), &[&["chunk"], arguments].concat());
    assert_eq!((output.status.code(), stderr(&output)), (Some(0), String::new()), "{arguments:?}");
    records(&output)
}

/// Returns the records of this document.
fn of(records: &[serde_json::Value], doc_id: &str) -> Vec<serde_json::Value> {
    let of: Vec<_> = records.iter().filter(|record| record["doc_id"] == doc_id).cloned().collect();
    assert!(!of.is_empty(), "{doc_id}: {records:?}");
    of
}

const KUBECTL: &str = "docs/reference/kubectl/_index.md";

#[test]
fn one_file_of_a_root_has_the_records_of_a_full_run() {
    let folder = site("");
    let whole = chunk(&folder, &["docs"]);
    let page = of(&whole, "docs:reference/kubectl/_index.md");
    assert_eq!(page[0]["strategy"], "tree");
    assert!(page[0]["url"].as_str().unwrap().contains("/reference/kubectl/"), "{page:?}");
    assert_eq!(chunk(&folder, &[KUBECTL, "--root", "docs"]), page);
    let written = format!("docs/blog/../{}", KUBECTL.strip_prefix("docs/").unwrap());
    assert_eq!(chunk(&folder, &[&written, "--root", "./docs/"]), page);
    let below = chunk(&folder, &["docs/reference", "--root", "docs"]);
    assert_eq!(of(&below, "docs:reference/kubectl/_index.md"), page);
    assert_ne!(chunk(&folder, &[KUBECTL]), page);
    let named = chunk(&folder, &[KUBECTL, "--root", "docs", "--tree", "t"]);
    assert_eq!(named[0]["doc_id"], "t:reference/kubectl/_index.md");
    let twice = chunk(&folder, &[KUBECTL, "docs/reference", KUBECTL, "--root", "docs"]);
    assert_eq!(twice.len(), below.len());
}

#[test]
fn files_of_configured_trees_need_no_root() {
    let folder = site("[trees.site]\npath = 'docs'\n[trees.news]\npath = 'docs/blog'\n");
    let whole = chunk(&folder, &["docs"]);
    let page = of(&whole, "site:reference/kubectl/_index.md");
    assert_eq!(chunk(&folder, &[KUBECTL]), page);
    assert_eq!(chunk(&folder, &[KUBECTL, "--root", "docs"]), page);
    let output = run(&folder.path().join("docs/reference"), &["chunk", "kubectl/_index.md"]);
    assert_eq!(records(&output), page, "{}", stderr(&output));
    let below = chunk(&folder, &["docs/reference"]);
    assert_eq!(of(&below, "site:reference/kubectl/_index.md"), page);
    assert_eq!(chunk(&folder, &["docs/blog/news.md"])[0]["doc_id"], "news:news.md");
    assert_eq!(chunk(&folder, &[KUBECTL, "--tree", "t"])[0]["path"], "reference/kubectl/_index.md");
}

#[test]
fn the_index_uses_the_tree_names_of_the_configuration() {
    let folder = site("[trees.site]\npath = 'docs'\n");
    for arguments in [&["index", "docs"][..], &["index"]] {
        let output = run(folder.path(), arguments);
        assert_eq!(output.status.code(), Some(0), "{}", stderr(&output));
        let listed = stdout(&run(folder.path(), &["ls", "-r"]));
        assert_eq!(listed.matches("site:").count(), 4, "{listed}");
        assert!(!listed.contains("docs:"), "{listed}");
    }
}

#[test]
fn every_command_rejects_a_file_outside_the_root() {
    let folder = site("");
    let outside = "docs/index.md is outside the root docs/blog; name a root that contains it\n";
    let file = "docs/index.md";
    let commands: [&[&str]; 4] =
        [&["chunk", "docs/blog", file], &["stats", file], &["inspect", file], &["diff", "-", file]];
    for command in commands {
        let output = run(folder.path(), &[command, &["--root", "docs/blog"]].concat());
        assert_eq!(
            (output.status.code(), stdout(&output)),
            (Some(2), String::new()),
            "{command:?}"
        );
        assert_eq!(stderr(&output), format!("error: {outside}"), "{command:?}");
    }
    let said = stderr(&run(folder.path(), &["chunk", file, "--root", "gone"]));
    assert_eq!(said, "error: cannot use gone as the root: no such file or directory\n");
}

#[test]
fn default_limits_adapt_to_the_limits_that_are_set() {
    let folder = folder(&[("a.md", "# A\n\nOne two three. ".repeat(40).as_bytes())]);
    for arguments in [&["--max", "100"][..], &["--target", "2000"]] {
        let output = run(folder.path(), &[&["chunk", "a.md"], arguments].concat());
        assert_eq!(output.status.code(), Some(0), "{}", stderr(&output));
    }
}

#[test]
fn reads_a_document_from_standard_input() {
    let folder = folder(&[]);
    let mut child = command(folder.path(), &["chunk", "-", "--path", "notes/x.md"])
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .spawn()
        .unwrap();
    child.stdin.take().unwrap().write_all(b"# Hello\n\nWorld\n").unwrap();
    let output = child.wait_with_output().unwrap();
    assert!(stdout(&output).contains(r#""id":"docs:notes/x.md#hello""#), "{}", stdout(&output));
}

#[test]
fn a_closed_pipe_ends_the_run_quietly() {
    let folder = folder(&[("a.md", "# A\n\ntext text text\n\n".repeat(20_000).as_bytes())]);
    let mut child = command(folder.path(), &["chunk", "a.md", "--tokenizer", "words"])
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    drop(child.stdout.take());
    let output = child.wait_with_output().unwrap();
    assert_eq!((output.status.code(), stderr(&output)), (Some(0), String::new()));
}

#[test]
fn writes_complete_output_files_only() {
    let folder = folder(&[("a.md", b"# A\n\ntext\n"), ("out.jsonl", b"old\n")]);
    let refused = run(folder.path(), &["chunk", "a.md", "--max", "0", "-o", "out.jsonl"]);
    assert_eq!(refused.status.code(), Some(2));
    assert_eq!(fs::read(folder.path().join("out.jsonl")).unwrap(), b"old\n");
    let done = run(folder.path(), &["chunk", "a.md", "-o", "out.jsonl"]);
    assert_eq!((done.status.code(), stdout(&done)), (Some(0), String::new()));
    assert!(fs::read_to_string(folder.path().join("out.jsonl")).unwrap().starts_with(r#"{"id":"#));
    assert_eq!(fs::read_dir(folder.path()).unwrap().count(), 2, "a temporary file is left");
}

#[test]
fn rejects_output_files_of_unsupported_formats_before_reading() {
    let folder = folder(&[("a.md", b"# A\n\ntext\n")]);
    let cases = [("out.csv", "CSV"), ("out.XLSX", "spreadsheet"), ("b.md", "Markdown")];
    for (file, format) in cases {
        let output = run(folder.path(), &["chunk", "a.md", "missing.md", "-o", file]);
        let expected = format!(
            "error: cannot write {file}: unsupported format ({format}); use .jsonl, .json or \
             .parquet, or set --format\n"
        );
        assert_eq!((output.status.code(), stderr(&output)), (Some(2), expected));
        assert!(!folder.path().join(file).exists());
    }
}

#[test]
fn the_extension_of_the_output_sets_the_format() {
    let folder = folder(&[("a.md", b"# A\n\ntext\n")]);
    let cases: &[(&[&str], &[u8])] = &[
        (&["-o", "x.jsonl"], b"{\"id\":"),
        (&["-o", "x.json"], b"{\"config_hash\":"),
        (&["-o", "x.parquet"], b"PAR1"),
        (&["-o", "X.Parquet"], b"PAR1"),
        (&["-o", "x.txt"], b"{\"id\":"),
        (&["-o", "x"], b"{\"id\":"),
        (&["-o", "x.csv", "--format", "jsonl"], b"{\"id\":"),
        (&["-o", "x.parquet", "--format", "jsonl"], b"{\"id\":"),
    ];
    for (arguments, start) in cases {
        let done = run(folder.path(), &[&["chunk", "a.md"], *arguments].concat());
        let summary = "1 file, 1 chunk, 4 tokens\n".to_owned();
        assert_eq!((done.status.code(), stderr(&done)), (Some(0), summary));
        let written = fs::read(folder.path().join(arguments[1])).unwrap();
        assert!(written.starts_with(start), "{arguments:?}");
    }
}

#[cfg(target_os = "linux")]
#[test]
fn reports_why_a_parquet_file_cannot_be_written() {
    let folder = folder(&[("a.md", b"# A\n\ntext\n")]);
    let done = run(folder.path(), &["chunk", "a.md", "--format", "parquet", "-o", "/dev/full"]);
    assert_eq!(done.status.code(), Some(2));
    assert!(stderr(&done).contains("cannot write /dev/full: no space left on device"));
}

#[test]
fn json_is_one_object_with_the_configuration_hash() {
    let folder = folder(&[("a.md", b"# A\n\ntext\n"), ("b.md", b""), ("c.md", b"text\n")]);
    let output = run(folder.path(), &["chunk", ".", "--format", "json"]);
    let object: serde_json::Value = serde_json::from_slice(&output.stdout).unwrap();
    assert_eq!(object["chunks"].as_array().unwrap().len(), 2);
    assert_eq!(object["config_hash"].as_str().unwrap().len(), 32);
}

#[test]
fn prints_notes_of_documents_without_chunks_as_warnings() {
    let folder = folder(&[("a.md", "---\ntitle: a\u{200b}b\n---\n".as_bytes())]);
    let output = run(folder.path(), &["chunk", "a.md"]);
    assert_eq!((output.status.code(), stdout(&output)), (Some(0), String::new()));
    assert!(
        stderr(&output).starts_with("warning: a.md: 1 invisible character"),
        "{}",
        stderr(&output)
    );
    assert_eq!(stderr(&run(folder.path(), &["chunk", "a.md", "--quiet"])), "");
}

#[test]
fn reports_a_panic_of_the_parser_as_a_note_only() {
    let folder = folder(&[("a.md", b"# One\n\n - ![i](x)\n    {x}\n   ---\n\n# Two\n")]);
    let output = run(folder.path(), &["chunk", "a.md"]);
    assert!(stdout(&output).contains("the Markdown parser failed"), "{}", stdout(&output));
    assert_eq!(stderr(&output), "");
}

#[test]
fn pretty_output_has_no_escape_codes_in_a_pipe() {
    let folder = folder(&[("a.md", b"# A\n\nSome text \x1b[31m here.\n")]);
    let output = run(folder.path(), &["chunk", "a.md", "--format", "pretty"]);
    let shown = stdout(&output);
    assert!(shown.contains("/ 1024 · lines 1–3") && shown.contains("│ # A"), "{shown}");
    assert!(!shown.contains('\u{1b}') && shown.contains('␛'), "{shown}");
    let colored = run(folder.path(), &["chunk", "a.md", "--format", "pretty", "--color", "always"]);
    assert!(stdout(&colored).contains("\u{1b}["));
}

#[test]
fn inspect_shows_blocks_sections_and_plans() {
    let page = b"---\nt: 1\n---\nIntro\n\n# A\n\n## B `c`\n\n```sh\nls\n```\n";
    let folder = folder(&[("a.md", page)]);
    let shown = |what: &str| stdout(&run(folder.path(), &["inspect", "a.md", "--what", what]));
    let blocks = shown("blocks");
    assert!(
        ["front matter", "heading", "code"].iter().all(|kind| blocks.contains(kind)),
        "{blocks}"
    );
    let sections = shown("sections");
    assert!(
        sections.contains("(before the first heading)") && sections.contains("B c #b-c"),
        "{sections}"
    );
    let plan = shown("plan");
    assert!(plan.contains("hidden  0..13") && plan.contains("own     13..48"), "{plan}");
    assert_eq!(run(folder.path(), &["inspect", "."]).status.code(), Some(0));
    assert_eq!(run(folder.path(), &["inspect", "none.md"]).status.code(), Some(2));
}
