//! Checks the documentation: commands print what it shows, links resolve, and every page, flag,
//! option, field and tokenizer is documented.
//!
//! In a `console` fence, a line that starts with `$ ` is a command for `sh`, run in the root of the
//! repository, or in the directory of the last `$ cd` on the page. The lines up to the next command
//! are its output; a line `…` matches any lines. Standard error
//! follows standard output. A command that does not end with `2>&1` must succeed. Commands of cargo
//! are not run, but must be in a list of allowed ones.
//!
//! `UPDATE_DOCS=1 cargo test -p chunkwright-cli --test docs` updates the output.

#![allow(clippy::unwrap_used, reason = "a failed test should panic")]
// The commands are written for a Unix shell.
#![cfg(unix)]

use std::collections::BTreeSet;
use std::fs;
use std::ops::Range;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use chunkwright_config::{Settings, declared};
use serde_json::Value;

/// Allowed commands of cargo.
const CARGO_COMMANDS: &[&str] = &[
    "UPDATE_DOCS=1 cargo test -p chunkwright-cli --test docs --test figures",
    "UPDATE_DOCS=1 cargo test -p chunkwright-records --test fields",
    "UPDATE_GOLDEN=1 cargo test -p chunkwright --test golden",
    "cargo clippy --workspace --all-targets --features chunkwright-fuzz/targets -- -D warnings",
    "cargo fmt --all",
    "cargo install --path crates/chunkwright-cli",
    "cargo install --path crates/chunkwright-cli    # in a clone; needs Rust",
    "cargo run --release -- chunk docs",
    "cargo test -p chunkwright --test golden",
    "cargo test -p chunkwright-cli --test faults",
    "cargo test -p chunkwright --test laws",
    "cargo test --workspace",
    "cargo xtask laws docs",
    "cargo xtask test",
];

#[test]
fn commands_print_the_output_shown() {
    let update = std::env::var_os("UPDATE_DOCS").is_some();
    let mut faults = Vec::new();
    for mut page in pages() {
        // Commands run in order, because one may need files of another. Output is replaced from the
        // end, so that line numbers stay valid.
        let mut run = Vec::new();
        let mut directory = root().to_owned();
        for shown in page.commands() {
            match shown.command.strip_prefix("cd ") {
                Some(below) if !below.contains(' ') => directory.push(below),
                _ => run.push((page.fault(&shown, &directory), shown)),
            }
        }
        for (fault, shown) in run.into_iter().rev() {
            match fault {
                Some(Fault::Output(lines)) if update => page.replace(shown.output, lines),
                Some(fault) => faults.push(format!("{}: $ {}\n{fault}", page.name, shown.command)),
                None => {}
            }
        }
    }
    let advice = "if this output is right, run again with UPDATE_DOCS=1";
    assert!(faults.is_empty(), "{}\n{advice}", faults.join("\n"));
}

#[test]
fn links_resolve_to_files_and_headings() {
    let mut faults = Vec::new();
    for page in pages() {
        let broken = page.links().into_iter().filter(|link| !page.leads(link));
        faults.extend(broken.map(|link| format!("{}: {link}", page.name)));
    }
    assert!(faults.is_empty(), "broken links:\n{}", faults.join("\n"));
}

#[test]
fn the_summary_lists_every_page() {
    let links = page("docs/SUMMARY.md").links();
    for page in pages() {
        let Some(name) = page.name.strip_prefix("docs/").filter(|name| *name != "SUMMARY.md")
        else {
            continue;
        };
        assert!(links.iter().any(|link| link == name), "docs/SUMMARY.md does not list {name}");
    }
}

#[test]
fn the_readme_and_the_crate_show_the_same_example() {
    let readme = page("README.md");
    let example: Vec<&str> = readme.fence("rust").iter().map(String::as_str).collect();
    let source = read("crates/chunkwright/src/lib.rs");
    let doc: Vec<&str> = source
        .lines()
        .filter_map(|line| line.strip_prefix("//!"))
        .map(|line| line.strip_prefix(' ').unwrap_or(line))
        .filter(|line| !line.starts_with("# "))
        .collect();
    let found = doc.windows(example.len()).any(|lines| lines == example);
    assert!(found, "the crate's example differs from the one in README.md:\n{}", doc.join("\n"));
}

#[test]
fn the_readme_shows_the_comparison_that_was_measured() {
    let results: Value = serde_json::from_str(&read("bench/results/peers.json")).unwrap();
    let readme = read("README.md");
    let (_, rest) = readme.split_once("<!-- peers -->\n\n").expect("an opening marker");
    let (shown, _) = rest.split_once("\n<!-- /peers -->").expect("a closing marker");
    let advice = "`cargo xtask bench --peers DIR --update` writes README.md and its source";
    assert_eq!(shown, comparison(&results), "{advice}");
}

#[test]
fn the_page_on_scale_shows_the_costs_that_were_measured() {
    let results: Value = serde_json::from_str(&read("bench/results/engines.json")).unwrap();
    let page = read("docs/how-to/run-at-scale.md");
    for engine in results["contenders"].as_array().unwrap() {
        let cost = |tokenizer: &str| engine[tokenizer]["core_hours_per_tb"].as_f64().unwrap();
        let name = engine["name"].as_str().unwrap();
        let row = format!("| {name} | {:.1} | {:.1} |", cost("estimate"), cost("o200k"));
        assert!(page.contains(&row), "docs/how-to/run-at-scale.md: no {row}");
    }
}

/// Returns the table of a comparison with peers, and its source.
fn comparison(results: &Value) -> String {
    let line = |cells: Vec<&str>| format!("| {} |\n", cells.join(" | "));
    let rows = results["table"].as_array().unwrap().iter();
    let rows = rows.map(|row| row.as_array().unwrap().iter().map(|cell| cell.as_str().unwrap()));
    let mut lines: Vec<String> = rows.map(|cells| line(cells.collect())).collect();
    let numbers = results["tools"].as_array().unwrap().len();
    lines.insert(1, line([vec!["---"], vec!["--:"; numbers]].concat()));

    let corpus = &results["corpus"];
    let [name, date] = [&corpus["name"], &results["date"]].map(|value| value.as_str().unwrap());
    let megabytes = corpus["bytes"].as_f64().unwrap() / 1e6;
    let pages = corpus["pages"].as_u64().unwrap();
    lines.push(format!(
        "\n*Measured on {name} ({pages} pages, {megabytes:.1} MB) on {date}; \
         `cargo xtask bench --peers DIR` repeats it.*\n"
    ));
    lines.concat()
}

#[test]
fn published_packages_have_a_readme_and_the_licenses() {
    let licenses = ["LICENSE-APACHE", "LICENSE-MIT"];
    for entry in fs::read_dir(root().join("crates")).unwrap() {
        let name = entry.unwrap().file_name().into_string().unwrap();
        let file = |file: &str| read(&format!("crates/{name}/{file}"));
        let is_python = name == "chunkwright-py";
        if file("Cargo.toml").contains("publish = false") && !is_python {
            continue;
        }
        assert!(file("README.md").starts_with("# chunkwright"), "{name}");
        for license in licenses {
            assert_eq!(file(license), read(license), "{name}");
        }
    }
}

#[test]
fn the_command_line_page_lists_exactly_the_existing_flags() {
    let verbs = [
        "",
        "chunk",
        "inspect",
        "stats",
        "diff",
        "index",
        "search",
        "get",
        "ls",
        "status",
        "mcp",
        "serve",
        "config",
        "completions",
        "man",
    ];
    let help = verbs.map(|verb| stdout(&format!("chunkwright {verb} --help")));
    let known: BTreeSet<String> = help.iter().flat_map(|help| flags(help)).collect();
    let named = flags(&page("docs/reference/command-line.md").text());
    assert_eq!(named, known, "flags in docs/reference/command-line.md, and flags of the command");
}

#[test]
fn pages_on_clients_show_the_configuration_that_is_printed() {
    let program = env!("CARGO_BIN_EXE_chunkwright");
    let clients = [
        ("claude", "claude-code"),
        ("cursor", "cursor"),
        ("vscode", "vs-code"),
        ("codex", "codex"),
        ("zed", "zed"),
    ];
    for (client, name) in clients {
        let index = "--index /home/you/project/docs/.chunkwright";
        let printed =
            stdout(&format!("chunkwright mcp --print-config {client} {index} 2>/dev/null"));
        let printed = printed.replace(program, "/home/you/.cargo/bin/chunkwright");
        let name = format!("docs/how-to/connect-{name}.md");
        assert!(read(&name).contains(&format!("\n{printed}```\n")), "{name}: no\n{printed}");
    }
}

#[test]
fn the_configuration_page_lists_every_option() {
    let update = std::env::var_os("UPDATE_DOCS").is_some();
    let mut page = page("docs/reference/configuration.md");
    let mut next = 0;
    for option in declared() {
        let start = format!("| `{}` |", option.name);
        let row = format!("{start} {} | {} |", option.default_text(), option.summary());
        let row = row.replace("|  |", "| |");
        let found = page.lines.iter().position(|line| line.starts_with(&start));
        let place = found.map_or(next..next, |nth| nth..nth + 1);
        next = place.start + 1;
        if page.lines[place.clone()].iter().any(|line| unlinked(line) == row) {
            continue;
        }
        assert!(
            update,
            "{}: expected {row}\nto change it, run again with UPDATE_DOCS=1",
            page.name
        );
        page.replace(place, vec![row]);
    }
}

/// Returns a line with the texts of links in place of the links.
fn unlinked(line: &str) -> String {
    let mut text = String::new();
    let mut rest = line;
    while let Some((before, after)) = rest.split_once("](") {
        let (before, link) = before.rsplit_once('[').unwrap();
        text += before;
        text += link;
        rest = after.split_once(')').unwrap().1;
    }
    text + rest
}

#[test]
fn every_alias_sets_its_option() {
    let page = read("docs/how-to/from-langchain.md");
    let (_, page) = page.split_once("\n## Options\n").unwrap();
    let (names, values) = page.split_once("\nSome values have another name").unwrap();
    let values = values.split("\n## ").next().unwrap();
    let mut tried = 0;
    for [name, value, option] in rows(names) {
        let mut parts = option.split('`').skip(1).step_by(2);
        let (option, strategy) = (parts.next().unwrap(), parts.next().unwrap_or("hierarchical"));
        let strategy = if option == "overlap" { "blocks" } else { strategy };
        let full = match option.contains('.') {
            true => option.to_owned(),
            false => format!("{strategy}.{option}"),
        };
        for name in name.split("`, `") {
            assert_eq!(effect(strategy, name, &value, &full), value, "{name}");
            tried += 1;
        }
    }
    for [option, value, here] in rows(values) {
        let here = here.trim_matches('`');
        let full = if option == "mode" { "blocks.mode" } else { option.as_str() };
        assert_eq!(effect("blocks", &option, &value, full), format!("{here:?}"), "{value}");
        tried += 1;
    }
    assert!(tried >= 21, "{tried} rows");
}

/// Returns the table rows of a text that have three cells with names in the first two. Names are
/// without backticks.
fn rows(text: &str) -> Vec<[String; 3]> {
    let cells = |line: &str| -> Option<[String; 3]> {
        let line = line.strip_prefix("| `")?.strip_suffix(" |")?;
        let cells: Vec<&str> = line.split(" | ").collect();
        let [name, value, rest] = cells[..] else { return None };
        Some([name.trim_matches('`').into(), value.trim_matches('`').into(), rest.into()])
    };
    text.lines().filter_map(cells).collect()
}

/// Returns the value of an option after its alias was set.
fn effect(strategy: &str, name: &str, value: &str, option: &str) -> String {
    let mut settings = Settings::default();
    settings.set("strategy", strategy, "--strategy").unwrap();
    settings.set(name, value, "--set").unwrap_or_else(|error| panic!("{name}: {error}"));
    let listed = settings.list(None).unwrap();
    let found = listed.iter().find(|listed| listed.key == option).unwrap();
    assert!(found.origin.is_some(), "{name} does not set {option}");
    found.value.to_string()
}

#[test]
fn the_search_page_lists_every_option() {
    let named = page("docs/reference/search.md").text();
    let tuning = serde_json::to_value(chunkwright_search::Tuning::default()).unwrap();
    let indexing = serde_json::to_value(chunkwright_search::Indexing::default()).unwrap();
    for option in options("", &tuning).into_iter().chain(options("", &indexing)) {
        assert!(named.contains(&format!("`{option}`")), "docs/reference/search.md: no `{option}`");
    }
    for language in chunkwright_config::choices("index.language") {
        assert!(
            named.contains(&format!("`{language}`")),
            "docs/reference/search.md: no `{language}`"
        );
    }
}

#[test]
fn the_record_page_lists_every_field() {
    let named = page("docs/reference/record.md").text();
    for (field, _) in records().iter().flat_map(|record| record.as_object().unwrap()) {
        assert!(named.contains(&format!("`{field}`")), "docs/reference/record.md: no `{field}`");
    }
}

#[test]
fn the_record_page_shows_an_actual_record() {
    let shown: Value =
        serde_json::from_str(&page("docs/reference/record.md").fence("json").concat()).unwrap();
    let record = records().into_iter().find(|record| record["id"] == shown["id"]).unwrap();
    assert_eq!(shown, record, "the record in docs/reference/record.md, and the actual one");
}

#[test]
fn the_notes_page_lists_exactly_the_existing_kinds() {
    // The error for an unknown kind lists all kinds.
    let error = serde_json::from_value::<chunkwright::NoteKind>("?".into()).unwrap_err();
    let known: BTreeSet<String> =
        error.to_string().split('`').skip(3).step_by(2).map(str::to_owned).collect();
    let listed = first_cells("docs/reference/notes-and-errors.md", "Notes");
    assert_eq!(listed, known, "notes in docs/reference/notes-and-errors.md, and in the library");
}

#[test]
fn the_notes_page_lists_exactly_the_existing_exit_codes() {
    let constants = [
        ("main.rs", "const NOTHING_FOUND: u8 = "),
        ("main.rs", "const FAILURE: u8 = "),
        ("interrupt.rs", "const EXIT_CODE: i32 = "),
    ];
    let value = |(file, start): (&str, &str)| {
        let source = read(&format!("crates/chunkwright-cli/src/{file}"));
        source.split(start).nth(1).unwrap().split(';').next().unwrap().to_owned()
    };
    let success = "0".to_owned();
    let known: BTreeSet<String> = constants.map(value).into_iter().chain([success]).collect();
    let listed = first_cells("docs/reference/notes-and-errors.md", "Exit codes");
    assert_eq!(
        listed, known,
        "exit codes in docs/reference/notes-and-errors.md, and of the command"
    );
}

/// Returns the first cells of the table under a heading, without backticks.
fn first_cells(name: &str, heading: &str) -> BTreeSet<String> {
    let text = read(name);
    let section = text.split(&format!("\n## {heading}\n")).nth(1).unwrap();
    let section = section.split("\n## ").next().unwrap();
    let rows = section.lines().skip_while(|line| !line.starts_with("|---")).skip(1);
    let rows = rows.take_while(|line| line.starts_with('|'));
    rows.map(|row| row.split('|').nth(1).unwrap().trim().trim_matches('`').to_owned()).collect()
}

#[test]
fn the_search_page_lists_every_field_of_results() {
    let named = page("docs/reference/search.md").text();
    for field in chunkwright_search::render::FIELDS {
        assert!(named.contains(&format!("`{field}`")), "docs/reference/search.md: no `{field}`");
    }
}

#[test]
fn the_counting_page_lists_every_tokenizer() {
    let named = page("docs/how-to/set-limits.md").text();
    let aliases = chunkwright::COUNTER_ALIASES.iter().map(|(alias, _)| alias);
    for name in chunkwright::COUNTERS.iter().chain(aliases) {
        assert!(named.contains(&format!("`{name}`")), "docs/how-to/set-limits.md: no `{name}`");
    }
}

/// A page of the documentation.
struct Page {
    /// The path, relative to the root of the repository.
    name: String,
    lines: Vec<String>,
}

/// A command, and the lines of its page that show its output.
struct Shown {
    command: String,
    output: Range<usize>,
}

/// A problem with a command.
enum Fault {
    /// The command prints these lines instead.
    Output(Vec<String>),
    Other(String),
}

impl std::fmt::Display for Fault {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Self::Output(lines) => write!(f, "{}", lines.join("\n")),
            Self::Other(message) => f.write_str(message),
        }
    }
}

/// A fenced code block of a page.
struct Fence {
    info: String,
    lines: Range<usize>,
}

impl Page {
    fn text(&self) -> String {
        self.lines.join("\n")
    }

    fn fences(&self) -> Vec<Fence> {
        let mut fences = Vec::new();
        let mut open: Option<(usize, usize)> = None;
        for (nth, line) in self.lines.iter().enumerate() {
            let marks = line.len() - line.trim_start_matches('`').len();
            match open {
                None if marks >= 3 => open = Some((marks, nth)),
                Some((opened, start)) if marks >= opened && line.len() == marks => {
                    let info = self.lines[start][opened..].to_owned();
                    fences.push(Fence { info, lines: start + 1..nth });
                    open = None;
                }
                _ => {}
            }
        }
        assert_eq!(open, None, "{}: unclosed fence", self.name);
        fences
    }

    /// Returns the lines of the first fence in this language.
    fn fence(&self, info: &str) -> &[String] {
        let fence = self.fences().into_iter().find(|fence| fence.info == info);
        &self.lines[fence.expect("the page has a fence in this language").lines]
    }

    fn commands(&self) -> Vec<Shown> {
        let console = self.fences().into_iter().filter(|fence| fence.info == "console");
        console.flat_map(|fence| self.commands_in(fence.lines)).collect()
    }

    fn commands_in(&self, lines: Range<usize>) -> Vec<Shown> {
        let is_command = |nth: &usize| self.lines[*nth].starts_with("$ ");
        let starts: Vec<usize> = lines.clone().filter(is_command).collect();
        assert_eq!(starts.first(), Some(&lines.start), "{}: output without a command", self.name);
        let ends = starts[1..].iter().copied().chain([lines.end]);
        let shown = starts.iter().zip(ends).map(|(&start, end)| Shown {
            command: self.lines[start][2..].to_owned(),
            output: start + 1..end,
        });
        shown.collect()
    }

    fn fault(&self, shown: &Shown, directory: &Path) -> Option<Fault> {
        if shown.command.split(' ').any(|word| word == "cargo") {
            let known = CARGO_COMMANDS.contains(&shown.command.as_str());
            return (!known).then(|| Fault::Other("not an allowed command of cargo".to_owned()));
        }
        match run(&shown.command, directory) {
            Ok(output) => {
                let lines: Vec<String> = output.trim_end().lines().map(str::to_owned).collect();
                let matches = matches(&self.lines[shown.output.clone()], &lines);
                (!matches).then_some(Fault::Output(lines))
            }
            Err(message) => Some(Fault::Other(message)),
        }
    }

    /// Replaces lines of the page, and writes its file.
    fn replace(&mut self, place: Range<usize>, lines: Vec<String>) {
        self.lines.splice(place, lines);
        fs::write(root().join(&self.name), self.text() + "\n").unwrap();
    }

    /// Returns the targets of all links within the repository.
    fn links(&self) -> Vec<String> {
        let fences = self.fences();
        let is_prose = |nth: &usize| !fences.iter().any(|fence| fence.lines.contains(nth));
        let prose = (0..self.lines.len()).filter(is_prose).map(|nth| &self.lines[nth]);
        let links = prose.flat_map(|line| line.split("](").skip(1));
        let targets = links.filter_map(|rest| rest.split(')').next());
        targets.filter(|target| !target.contains("://")).map(str::to_owned).collect()
    }

    /// Returns whether a link resolves to a file, and to a heading in it if there is an anchor.
    fn leads(&self, link: &str) -> bool {
        let (path, anchor) = link.split_once('#').unwrap_or((link, ""));
        let here = Path::new(&self.name).parent().unwrap();
        let target = if path.is_empty() { PathBuf::from(&self.name) } else { here.join(path) };
        if anchor.is_empty() {
            return root().join(target).exists();
        }
        page(target.to_str().unwrap()).anchors().contains(anchor)
    }

    /// Returns the anchors that GitHub gives to headings.
    fn anchors(&self) -> BTreeSet<String> {
        let fences = self.fences();
        let is_prose = |nth: &usize| !fences.iter().any(|fence| fence.lines.contains(nth));
        let headings = (0..self.lines.len()).filter(is_prose).map(|nth| &self.lines[nth]);
        let titles = headings.filter_map(|line| line.trim_start_matches('#').strip_prefix(' '));
        titles.map(anchor).collect()
    }
}

fn anchor(title: &str) -> String {
    let kept = title.chars().filter(|&c| c.is_alphanumeric() || matches!(c, ' ' | '-' | '_'));
    kept.map(|c| if c == ' ' { '-' } else { c }).flat_map(char::to_lowercase).collect()
}

/// Returns all pages with links or commands.
fn pages() -> Vec<Page> {
    let mut names: Vec<String> =
        ["README.md", "ARCHITECTURE.md", "CONTRIBUTING.md", "CHANGELOG.md", "examples/README.md"]
            .map(String::from)
            .into();
    for folder in ["docs", "docs/tutorials", "docs/how-to", "docs/reference", "docs/explanation"] {
        for entry in fs::read_dir(root().join(folder)).unwrap() {
            let name = entry.unwrap().file_name().into_string().unwrap();
            names.extend(name.ends_with(".md").then(|| format!("{folder}/{name}")));
        }
    }
    names.sort();
    names.iter().map(|name| page(name)).collect()
}

fn page(name: &str) -> Page {
    Page { name: name.to_owned(), lines: read(name).lines().map(str::to_owned).collect() }
}

fn read(name: &str) -> String {
    fs::read_to_string(root().join(name)).unwrap_or_else(|error| panic!("{name}: {error}"))
}

fn root() -> &'static Path {
    Path::new(env!("CARGO_MANIFEST_DIR")).ancestors().nth(2).unwrap()
}

/// Returns the output of a command, which must succeed unless it ends with `2>&1`.
fn run(command: &str, directory: &Path) -> Result<String, String> {
    let folder = Path::new(env!("CARGO_BIN_EXE_chunkwright")).parent().unwrap();
    let path = format!("{}:{}", folder.display(), std::env::var("PATH").unwrap_or_default());
    let mut shell = Command::new("sh");
    shell.args(["-c", command]).current_dir(directory).stdin(Stdio::null());
    shell
        .env("PATH", path)
        .env("LC_ALL", "C.UTF-8")
        .env_remove("CLICOLOR_FORCE")
        .env_remove("COLUMNS");
    let output = shell.output().unwrap();
    let messages = String::from_utf8(output.stderr).unwrap();
    if !command.ends_with("2>&1") && !output.status.success() {
        return Err(format!("fails without 2>&1: {} {messages}", output.status));
    }
    Ok(String::from_utf8(output.stdout).unwrap() + &messages)
}

fn stdout(command: &str) -> String {
    run(command, root()).unwrap_or_else(|message| panic!("{command}: {message}"))
}

/// Returns whether lines match those shown, where `…` matches any number of lines.
fn matches(shown: &[String], lines: &[String]) -> bool {
    match shown {
        [] => lines.is_empty(),
        [any, rest @ ..] if any == "…" => (0..=lines.len()).any(|n| matches(rest, &lines[n..])),
        [first, rest @ ..] => lines.first() == Some(first) && matches(rest, &lines[1..]),
    }
}

/// Returns the long flags in a text.
fn flags(text: &str) -> BTreeSet<String> {
    let words = text.split(|c: char| !c.is_ascii_alphanumeric() && c != '-');
    let is_flag = |word: &&str| {
        word.strip_prefix("--").is_some_and(|name| name.starts_with(|c: char| c != '-'))
    };
    words.filter(is_flag).map(str::to_owned).collect()
}

/// Returns the dotted names of all options.
fn options(above: &str, config: &Value) -> Vec<String> {
    let entries = config.as_object().unwrap();
    let names = entries.iter().flat_map(|(name, value)| match value {
        Value::Object(_) => options(&format!("{above}{name}."), value),
        _ => vec![format!("{above}{name}")],
    });
    names.collect()
}

/// Returns the records of the example that has all fields.
fn records() -> Vec<Value> {
    let command =
        "chunkwright chunk docs/examples/front-matter.md --max 64 --with embed_text,pieces";
    stdout(command).lines().map(|line| serde_json::from_str(line).unwrap()).collect()
}
