//! Checks that the top-level modules of each crate depend on one another without cycles.
//!
//! A module is a file or directory directly under `src`. Paths such as `crate::a::b` make it depend
//! on `a`. Names that `lib.rs` re-exports stand for the modules that define them. `lib` and `main`
//! depend on all other modules. Tests are ignored.
//!
//! The sections "Inside" of `ARCHITECTURE.md` name these modules, and those of the Python package.

use std::collections::{BTreeMap, BTreeSet, VecDeque};
use std::fs;
use std::path::{Path, PathBuf};

#[test]
fn modules_have_no_cycles() {
    let mut cycles = String::new();
    for path in entries(&Path::new(env!("CARGO_MANIFEST_DIR")).join("..")) {
        let name = path.file_name().and_then(|name| name.to_str()).expect("a name in UTF-8");
        let graph = Graph::of(&path.join("src"));
        for knot in graph.knots() {
            let knot: Vec<&str> = knot.iter().map(|module| &**module).collect();
            cycles += &format!("\n{name}: {}\n{}", knot.join(", "), graph.cycle(&knot));
        }
    }
    assert!(cycles.is_empty(), "move what both modules need to a third one:\n{cycles}");
}

#[test]
fn the_architecture_names_every_module() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
    let page = fs::read_to_string(root.join("ARCHITECTURE.md")).expect("readable");
    let mut wrong = String::new();
    for section in page.split("\n## Inside `").skip(1) {
        let (krate, section) = section.split_once('`').expect("the name of a crate");
        let section = section.split("\n## ").next().unwrap_or_default();
        let home = root.join("crates").join(krate);
        let sources = [home.join("src"), home.join("python/chunkwright")];
        let named: BTreeSet<_> = code_spans(section).collect();
        for module in sources.iter().flat_map(|source| modules(source)) {
            let is_named = |name: &&str| name.split('/').next() == Some(&*module);
            if !named.iter().any(is_named) {
                wrong += &format!("\n{krate}: `{module}` is missing");
            }
        }
        let rows = section.lines().filter_map(|line| line.strip_prefix('|')?.split('|').next());
        for name in rows.flat_map(code_spans) {
            let files = [format!("{name}.rs"), format!("{name}.py"), name.to_owned()];
            if !sources.iter().any(|source| files.iter().any(|file| source.join(file).exists())) {
                wrong += &format!("\n{krate}: there is no `{name}`");
            }
        }
    }
    assert!(wrong.is_empty(), "correct the tables in ARCHITECTURE.md:{wrong}");
}

#[test]
fn finds_the_names_that_a_file_refers_to() {
    let code = "use super::{a, b::{c, d}, super::{e::f, Name as Other}};\n\
                // use crate::no;\nfn g() { crate::h::i(); self::no(); }\n\
                #[cfg(test)]\nmod tests {\n    use crate::no;\n}\nuse crate::k;\n";
    let code = without_tests(code);
    let found: Vec<_> = names(&code, 1).into_iter().map(|(_, name)| name).collect();
    assert_eq!(found, ["h", "k", "e", "Name"]);
}

/// The dependencies of each module, with one place for each.
struct Graph(BTreeMap<String, BTreeMap<String, String>>);

impl Graph {
    fn of(src: &Path) -> Self {
        let root = if src.join("lib.rs").exists() { "lib" } else { "main" };
        let exports = exports(&fs::read_to_string(src.join("lib.rs")).unwrap_or_default());
        let mut graph = Self(BTreeMap::new());
        for path in entries(src) {
            let module = path.file_stem().and_then(|name| name.to_str()).expect("a name in UTF-8");
            let mut found = BTreeMap::new();
            for (file, depth) in files(&path, 0) {
                let code = without_tests(&fs::read_to_string(&file).expect("readable"));
                for (line, name) in names(&code, depth) {
                    let is_module =
                        src.join(format!("{name}.rs")).exists() || src.join(name).is_dir();
                    let to = if is_module { name } else { exports.get(name).map_or(root, |to| to) };
                    let text = code.lines().nth(line).unwrap_or_default().trim();
                    let place = || format!("{}:{}: {text}", file.display(), line + 1);
                    found.entry(to.to_owned()).or_insert_with(place);
                }
            }
            found.remove(module);
            graph.0.entry(module.to_owned()).or_default().extend(found);
        }
        let modules: Vec<_> = graph.0.keys().filter(|module| *module != root).cloned().collect();
        let declared = modules.into_iter().map(|module| (module, format!("{root}.rs declares it")));
        graph.0.insert(root.to_owned(), declared.collect());
        graph
    }

    /// Returns the sets of modules that depend on one another.
    fn knots(&self) -> BTreeSet<Vec<String>> {
        let reach: BTreeMap<_, _> = self.0.keys().map(|from| (&**from, self.paths(from))).collect();
        let reaches = |a: &str, b: &str| reach.get(a).is_some_and(|paths| paths.contains_key(b));
        let knot = |a: &String| {
            self.0.keys().filter(|b| reaches(a, b) && reaches(b, a)).cloned().collect::<Vec<_>>()
        };
        self.0.keys().map(knot).filter(|knot| !knot.is_empty()).collect()
    }

    /// Returns the modules that `from` depends on, each with the previous one on the shortest path.
    fn paths<'g>(&'g self, from: &'g str) -> BTreeMap<&'g str, &'g str> {
        let mut before = BTreeMap::new();
        let mut next = VecDeque::from([from]);
        while let Some(module) = next.pop_front() {
            for to in self.0.get(module).into_iter().flat_map(BTreeMap::keys) {
                before.entry(&**to).or_insert_with(|| {
                    next.push_back(to);
                    module
                });
            }
        }
        before
    }

    /// Describes the shortest cycle through any of these modules.
    fn cycle(&self, modules: &[&str]) -> String {
        let cycle = |start: &&str| {
            let before = self.paths(start);
            let mut cycle = vec![*start, before[start]];
            while cycle.last() != Some(start) {
                cycle.push(before[cycle[cycle.len() - 1]]);
            }
            cycle.into_iter().rev().map(str::to_owned).collect::<Vec<_>>()
        };
        let shortest = modules.iter().map(cycle).min_by_key(Vec::len).unwrap_or_default();
        let step = |pair: &[String]| {
            format!("    {} needs {}: {}\n", pair[0], pair[1], self.0[&pair[0]][&pair[1]])
        };
        shortest.windows(2).map(step).collect()
    }
}

/// Returns the text between pairs of backticks, without a slash at its end.
fn code_spans(text: &str) -> impl Iterator<Item = &str> {
    text.split('`').skip(1).step_by(2).map(|code| code.trim_end_matches('/'))
}

/// Returns the names of the modules in a directory, except the root.
fn modules(source: &Path) -> BTreeSet<String> {
    let name = |path: PathBuf| {
        let extension = path.extension().unwrap_or_default();
        let is_module = path.is_dir() || extension == "rs" || extension == "py";
        let name = path.file_stem().and_then(|name| name.to_str())?;
        let is_root = ["lib", "main"].contains(&name) || name.starts_with("__");
        (is_module && !is_root).then(|| name.to_owned())
    };
    entries(source).into_iter().filter_map(name).collect()
}

/// Returns the modules that define the names that `lib.rs` re-exports.
fn exports(root: &str) -> BTreeMap<String, String> {
    let mut exports = BTreeMap::new();
    for rest in root.split("\npub use ").skip(1) {
        let statement = rest.split(';').next().unwrap_or_default();
        let Some((module, names)) = statement.split_once("::") else { continue };
        let names = names.split(|c| !is_word(c)).filter(|name| !name.is_empty());
        exports.extend(names.map(|name| (name.to_owned(), module.to_owned())));
    }
    exports
}

/// Returns the names in the root of the crate that a file refers to, each with its line. `depth` is
/// the number of modules between the root and the file's module.
fn names(code: &str, depth: usize) -> Vec<(usize, &str)> {
    let mut found = Vec::new();
    for (start, depth) in [("crate::", 0), ("super::", depth)] {
        for (at, _) in code.match_indices(start) {
            let before = &code[..at];
            if !before.ends_with(|c| is_word(c) || c == ':') {
                let mut names = Vec::new();
                add_names(&code[at + start.len()..], depth, &mut names);
                let line = before.matches('\n').count();
                found.extend(names.into_iter().map(|name| (line, name)));
            }
        }
    }
    found
}

/// Adds the first names of a path or a group of paths, `depth` modules below the root.
fn add_names<'c>(path: &'c str, depth: usize, names: &mut Vec<&'c str>) {
    let path = path.trim_start();
    if let Some(rest) = path.strip_prefix("super::") {
        add_names(rest, depth.saturating_sub(1), names);
    } else if let Some(group) = path.strip_prefix('{') {
        add_names(group, depth, names);
        let mut open = 1;
        for (at, c) in group.char_indices() {
            open = if c == '{' { open + 1 } else { open - usize::from(c == '}') };
            match (open, c) {
                (0, _) => break,
                (1, ',') => add_names(&group[at + 1..], depth, names),
                _ => {}
            }
        }
    } else if depth == 0 {
        let name = path.split(|c| !is_word(c)).next().unwrap_or_default();
        names.extend(Some(name).filter(|name| !name.is_empty()));
    }
}

fn is_word(c: char) -> bool {
    c.is_alphanumeric() || c == '_'
}

/// Replaces comments and test modules with empty lines.
fn without_tests(source: &str) -> String {
    let mut code = String::new();
    let mut test: Option<usize> = None;
    for line in source.lines() {
        let text = line.trim_start();
        let indent = line.len() - text.len();
        if text.starts_with("#[cfg(test)]") {
            test = Some(indent);
        }
        if test.is_none() && !text.starts_with("//") {
            code.push_str(line);
        }
        code.push('\n');
        if test == Some(indent) && (text == "}" || text.ends_with(';')) {
            test = None;
        }
    }
    code
}

/// Returns the Rust files of a module without its tests, each with the depth of its module.
fn files(path: &Path, depth: usize) -> Vec<(PathBuf, usize)> {
    if !path.is_dir() {
        let is_code =
            path.extension().is_some_and(|end| end == "rs") && !path.ends_with("tests.rs");
        let depth = depth - usize::from(path.ends_with("mod.rs"));
        return if is_code { vec![(path.to_owned(), depth)] } else { Vec::new() };
    }
    entries(path).iter().flat_map(|path| files(path, depth + 1)).collect()
}

/// Returns the entries of a directory, in order.
fn entries(directory: &Path) -> Vec<PathBuf> {
    let entries = fs::read_dir(directory).into_iter().flatten();
    let paths: BTreeSet<_> = entries.map(|entry| entry.expect("readable").path()).collect();
    paths.into_iter().collect()
}
