//! Checks which files a walk finds, their names and order, and the errors that it reports.

#![allow(clippy::unwrap_used, reason = "a panic fails the test")]
#![cfg(unix)]

mod common;

use std::os::unix::net::UnixListener;

use chunkwright::Format;
use chunkwright_io::{Location, MAX_FILE_BYTES, Naming, Place, TextRoot, place, read, walk};
use common::{Ground, first, names};

const NONE: [&str; 0] = [];

#[test]
fn finds_markdown_mdx_and_text_in_a_directory() {
    let wanted = ["a.md", "b.MARKDOWN", "g.mdown", "h.mkd", "s/c.mdx", "s/d.Txt"];
    let ground = Ground::with(&["d/e.rs", "d/md", "d/f.md.bak"]);
    wanted.iter().for_each(|file| ground.write(format!("d/{file}"), ""));
    let found = ground.walk(&["d"]);
    assert_eq!(names(&found.entries), wanted.map(|file| format!("d:{file}")));
    assert_eq!(ground.errors(&found), NONE);
}

#[test]
fn paths_are_sorted_by_component_and_byte() {
    let files = ["d/a/z.md", "d/a-b/y.md", "d/a.md", "d/B.md", "d/é.md", "d/a/10.md", "d/a/9.md"];
    let found = Ground::with(&files).walk(&["d"]);
    let order = ["B.md", "a/10.md", "a/9.md", "a/z.md", "a-b/y.md", "a.md", "é.md"];
    assert_eq!(names(&found.entries), order.map(|path| format!("d:{path}")));
}

#[test]
fn arguments_keep_their_order() {
    let ground = Ground::with(&["z/1.md", "a/2.md", "f/4.md", "f/3.md"]);
    let found = ground.walk(&["z", "f/4.md", "a", "f/3.md"]);
    assert_eq!(names(&found.entries), ["z:1.md", "f:4.md", "a:2.md", "f:3.md"]);
}

#[test]
fn reads_a_named_file_even_if_it_is_hidden_or_has_no_extension() {
    let ground = Ground::with(&["d/.hidden.md", "d/README", "d/.notes", "d/end.", "d/a.TXT"]);
    let found = ground.walk(&["d/.hidden.md", "d/README", "d/.notes", "d/end.", "d/a.TXT"]);
    let expected = ["d:.hidden.md", "d:README", "d:.notes", "d:end.", "d:a.TXT"];
    assert_eq!(names(&found.entries), expected);
    assert_eq!(read(&first(&found), MAX_FILE_BYTES).unwrap(), "d/.hidden.md");
    let formats: Vec<_> = found.entries.iter().map(|entry| entry.format).collect();
    assert_eq!(formats[..4], [Format::Markdown; 4]);
    assert_eq!(formats[4], Format::Text);
}

#[test]
fn a_named_file_with_an_unknown_extension_needs_a_format() {
    let ground = Ground::with(&["d/s.py", "d/a.md", "d/b.txt", "d/c.md.bak"]);
    let found = ground.walk(&["d/s.py", "d/c.md.bak", "d/a.md"]);
    assert_eq!(names(&found.entries), ["d:a.md"]);
    let reason = "not a Markdown, MDX or text file";
    let expected = [format!("d/s.py: {reason}"), format!("d/c.md.bak: {reason}")];
    assert_eq!(ground.errors(&found), expected);
    let naming = Naming { format: Some(Format::Mdx), ..Naming::default() };
    let found = walk(&[ground.at("d/s.py"), ground.at("d"), "-".into()], &naming).unwrap();
    assert_eq!(names(&found.entries), ["d:s.py", "d:a.md", "d:b.txt", "docs:-"]);
    assert!(found.entries.iter().all(|entry| entry.format == Format::Mdx));
    assert!(found.entries.iter().all(|entry| entry.with_text("").format == Format::Mdx));
}

#[test]
fn reports_a_directory_without_readable_files() {
    let ground = Ground::with(&["d/a.md", "e/x.png", "h/.a.md", "i/a.md"]);
    ground.write("i/.gitignore", "*.md\n");
    let found = ground.walk(&["e", "h", "i", "d", "d", "d/a.md"]);
    assert_eq!(found.empty, ["e", "h", "i"].map(|directory| ground.at(directory)));
    assert_eq!(ground.errors(&found), NONE);
}

/// Walks these arguments with a root and named trees, all relative to the test directory.
fn rooted(
    ground: &Ground,
    arguments: &[&str],
    root: Option<&str>,
    trees: &[(&str, &str)],
) -> Result<Vec<String>, String> {
    let arguments: Vec<_> = arguments.iter().map(|argument| ground.at(argument)).collect();
    let trees = trees.iter().map(|(name, path)| ((*name).to_owned(), ground.at(path))).collect();
    let naming = Naming { root: root.map(|root| ground.at(root)), trees, ..Naming::default() };
    let way = format!("{}/", ground.at("d").parent().unwrap().display());
    walk(&arguments, &naming)
        .map(|found| names(&found.entries))
        .map_err(|error| error.to_string().replace(&way, ""))
}

#[test]
fn paths_are_relative_to_the_root() {
    let ground = Ground::with(&["d/a.md", "d/r/b.md", "d/r/s/c.md", "d/r/s/d.md"]);
    let find = |arguments: &[&str]| rooted(&ground, arguments, Some("d"), &[]).unwrap();
    assert_eq!(find(&["d/r/s/c.md"]), ["d:r/s/c.md"]);
    assert_eq!(find(&["d/r/../r/./s/c.md"]), ["d:r/s/c.md"]);
    assert_eq!(find(&["d/r"]), ["d:r/b.md", "d:r/s/c.md", "d:r/s/d.md"]);
    assert_eq!(find(&["d"]), ["d:a.md", "d:r/b.md", "d:r/s/c.md", "d:r/s/d.md"]);
    let twice = find(&["d/r/s/c.md", "d/r/s", "d/r/b.md", "d/r", "d"]);
    assert_eq!(twice, ["d:r/s/c.md", "d:r/s/d.md", "d:r/b.md", "d:a.md"]);
}

#[test]
fn rejects_an_argument_outside_the_root() {
    let ground = Ground::with(&["d/a.md", "e/b.md", "dd/c.md"]);
    ground.link("d/out.md", "../e/b.md");
    let find = |argument: &str, root: &str| rooted(&ground, &["d/a.md", argument], Some(root), &[]);
    for argument in ["e/b.md", "e", "dd/c.md", "d/../e/b.md", "d/out.md"] {
        let expected = format!("{argument} is outside the root d; name a root that contains it");
        assert_eq!(find(argument, "d").unwrap_err(), expected);
    }
    let missing = "cannot use gone as the root: no such file or directory";
    assert_eq!(find("d", "gone").unwrap_err(), missing);
    assert_eq!(find("d", "d/a.md").unwrap_err(), "cannot use d/a.md as the root: not a directory");
}

#[test]
fn a_link_below_the_root_has_the_same_path_as_in_a_walk_of_the_root() {
    let ground = Ground::with(&["d/r/a.md", "d/.v/y.md", "d/data", "e/z.md"]);
    ground.link("d/alias.md", "r/a.md");
    ground.link("d/cur", "r");
    ground.link("d/shown.md", ".v/y.md");
    ground.link("d/table.md", "data");
    ground.link("l", "d");
    let whole = rooted(&ground, &["d"], Some("d"), &[]).unwrap();
    assert_eq!(whole, ["d:r/a.md", "d:shown.md", "d:table.md"]);
    let find = |argument: &str| rooted(&ground, &[argument], Some("d"), &[]).unwrap();
    for argument in ["d/alias.md", "d/cur/a.md", "d/cur", "l/r/a.md", "l/cur/a.md"] {
        assert_eq!(find(argument), ["d:r/a.md"], "{argument}");
    }
    assert_eq!(find("d/shown.md"), ["d:shown.md"]);
    assert_eq!(find("d/table.md"), ["d:table.md"]);
    assert_eq!(rooted(&ground, &["d/r/a.md"], Some("l"), &[]).unwrap(), ["l:r/a.md"]);
}

#[test]
fn paths_in_a_named_tree_are_relative_to_it() {
    let ground = Ground::with(&["d/a.md", "d/r/b.md", "d/blog/c.md", "e/f.md", "e/g.md"]);
    let trees = [("site", "d"), ("blog", "d/blog"), ("gone", "nowhere"), ("x", "e"), ("y", "e")];
    let find = |arguments: &[&str]| rooted(&ground, arguments, None, &trees).unwrap();
    assert_eq!(find(&["d/r/b.md"]), ["site:r/b.md"]);
    assert_eq!(find(&["d/r"]), ["site:r/b.md"]);
    assert_eq!(find(&["d/blog/c.md"]), ["blog:c.md"], "the deepest tree applies");
    assert_eq!(find(&["d"]), ["site:a.md", "site:blog/c.md", "site:r/b.md"]);
    assert_eq!(
        find(&["e/f.md"]),
        ["e:f.md"],
        "neither tree applies if both have the same directory"
    );
    let all = rooted(&ground, &["d/r/b.md"], Some("d"), &trees).unwrap();
    assert_eq!(all, ["site:r/b.md"], "a root that is a tree has its name");
    let other = rooted(&ground, &["d/r/b.md"], Some("d/r"), &trees).unwrap();
    assert_eq!(other, ["r:b.md"], "the root overrides the trees");
    let naming = Naming {
        tree: Some("t".to_owned()),
        trees: vec![("site".to_owned(), ground.at("d"))],
        ..Naming::default()
    };
    let found = walk(&[ground.at("d/r/b.md")], &naming).unwrap();
    assert_eq!(names(&found.entries), ["t:r/b.md"]);
}

#[test]
fn rejects_a_directory_with_the_name_of_another_tree() {
    let ground = Ground::with(&["d/a.md", "e/site/b.md"]);
    let clash = rooted(&ground, &["d/a.md", "e/site"], None, &[("site", "d")]).unwrap_err();
    assert!(clash.starts_with("d and e/site both map to tree `site`"), "{clash}");
}

#[test]
fn ignore_files_in_the_root_apply_to_directories_below_it() {
    let ground = Ground::with(&["d/r/a.md", "d/r/b.md"]);
    ground.write("d/.gitignore", "b.md\n");
    assert_eq!(names(&ground.walk(&["d/r"]).entries), ["r:a.md", "r:b.md"]);
    assert_eq!(rooted(&ground, &["d/r"], Some("d"), &[]).unwrap(), ["d:r/a.md"]);
}

#[test]
fn standard_input_belongs_to_the_tree_of_the_root() {
    let ground = Ground::with(&["d/a.md"]);
    let stdin_path = Some("r/b.md".to_owned());
    let naming = Naming { root: Some(ground.at("d")), stdin_path, ..Naming::default() };
    let found = walk(&["-".into(), ground.at("d/a.md")], &naming).unwrap();
    assert_eq!(names(&found.entries), ["d:r/b.md", "d:a.md"]);
}

#[test]
fn place_agrees_with_walk() {
    let ground = Ground::with(&["d/r/a.md"]);
    let at = |argument: &str, root: Option<&str>| {
        let naming = Naming { root: root.map(|root| ground.at(root)), ..Naming::default() };
        let Place { tree, path, .. } = place(&ground.at(argument), &naming).unwrap();
        format!("{tree}:{path}")
    };
    assert_eq!(at("d/r/a.md", Some("d")), "d:r/a.md");
    assert_eq!(at("d/r", Some("d")), "d:r");
    assert_eq!(at("d", Some("d")), "d:");
    assert_eq!(at("d/r/a.md", None), "r:a.md");
    assert_eq!(at("d/r", None), "r:");
    assert_eq!(at("d/r/gone.md", None), "r:gone.md");
}

#[test]
fn paths_of_texts_are_relative_to_a_root_that_need_not_exist() {
    let root = TextRoot::new("nowhere/docs/".as_ref());
    assert_eq!(root.tree().unwrap(), "docs");
    assert_eq!(root.path("nowhere/docs/r/../a.md").unwrap(), "a.md");
    let here = std::env::current_dir().unwrap().join("nowhere/docs/r/b.md");
    assert_eq!(root.path(here.to_str().unwrap()).unwrap(), "r/b.md");
    for outside in ["a.md", "nowhere/docs", "nowhere/docs/../a.md", "nowhere/docs2/a.md", ""] {
        assert!(root.path(outside).is_err(), "{outside}");
    }
    assert_eq!(TextRoot::new("/".as_ref()).tree().unwrap(), "docs");
}

#[test]
fn a_directory_named_like_a_file_is_a_directory() {
    let ground = Ground::with(&["d/x.md/y.md"]);
    assert_eq!(names(&ground.walk(&["d"]).entries), ["d:x.md/y.md"]);
}

#[test]
fn skips_hidden_files_even_if_an_ignore_file_includes_them() {
    let ground = Ground::with(&["d/.a.md", "d/.b/c.md", "d/e.md"]);
    ground.write("d/.gitignore", "!.a.md\n!.b\n");
    assert_eq!(names(&ground.walk(&["d"]).entries), ["d:e.md"]);
    assert_eq!(names(&ground.walk(&["d/.b"]).entries), [".b:c.md"]);
}

#[test]
fn ignore_files_apply_outside_a_repository() {
    let ground = Ground::with(&["d/a.md", "d/out/b.md", "d/s/a.md", "d/s/t/c.md", "d/s/k.md"]);
    ground.write("d/.gitignore", "# caf\u{e9}\r\n/a.md\r\nout/\r\nk.md\r\n[\r\n");
    ground.write("d/s/.gitignore", "t/*\n");
    ground.write("d/s/.ignore", "!k.md\n");
    ground.write(".gitignore", "*\n");
    let found = ground.walk(&["d"]);
    assert_eq!(names(&found.entries), ["d:s/a.md", "d:s/k.md"]);
    assert_eq!(ground.errors(&found), NONE);
}

#[test]
fn ignore_files_of_parents_apply_up_to_the_repository() {
    let ground = Ground::with(&["r/.git/x", "r/d/a.md", "r/d/b.md", "r/d/c.md", "r/d/sub/b.md"]);
    ground.write(".gitignore", "a.md\n");
    ground.write("r/.gitignore", "b.md\n");
    ground.write("r/d/.gitignore", "!sub/b.md\n");
    ground.write("r/.git/info/exclude", "c.md\n");
    assert_eq!(names(&ground.walk(&["r/d"]).entries), ["d:a.md", "d:c.md", "d:sub/b.md"]);
}

#[test]
fn a_nested_repository_has_its_own_ignore_rules() {
    let ground = Ground::with(&["d/a.md", "d/r/.git/x", "d/r/a.md"]);
    ground.write("d/.gitignore", "a.md\n");
    assert_eq!(names(&ground.walk(&["d"]).entries), ["d:r/a.md"]);
}

#[test]
fn reads_an_ignored_directory_that_is_named() {
    let ground = Ground::with(&["r/.git/x", "r/build/a.md"]);
    ground.write("r/.gitignore", "build/\n");
    assert_eq!(names(&ground.walk(&["r"]).entries), NONE);
    assert_eq!(names(&ground.walk(&["r/build"]).entries), ["build:a.md"]);
}

#[test]
fn does_not_open_an_ignore_file_that_is_a_fifo() {
    let ground = Ground::with(&["d/a.md", "d/s/b.md"]);
    ground.fifo("d/.gitignore");
    ground.fifo("d/s/.ignore");
    assert_eq!(names(&ground.walk(&["d"]).entries), ["d:a.md", "d:s/b.md"]);
}

#[test]
fn a_file_reached_twice_is_listed_once_by_its_first_path() {
    let ground = Ground::with(&["d/a.md", "d/s/b.md", "d/s/c.md"]);
    ground.link("l", "d/s");
    let again = ground.walk(&["d", "d/", "d/s/..", "d/a.md", "d/s", "l/b.md"]);
    assert_eq!(names(&again.entries), ["d:a.md", "d:s/b.md", "d:s/c.md"]);
    let file_first = ground.walk(&["l/b.md", "l/b.md", "d"]);
    assert_eq!(names(&file_first.entries), ["l:b.md", "d:a.md", "d:s/c.md"]);
}

#[test]
fn a_repeated_directory_adds_only_new_files() {
    let names_of = |last: usize| (0..last).map(|nth| format!("d/{nth}.md"));
    let ground = Ground::new();
    names_of(50).for_each(|name| ground.write(name, ""));
    ground.write("d/s/.gitignore", "");
    ground.write("d/.ignore", "*1*\n");
    ground.write("d/s/1.md", "");
    ground.link("d/s/link.md", "../12.md");
    let found = ground.walk(&["d/12.md", "d", "d/12.md", "d/s", "d/13.md", "d"]);
    let mut sorted: Vec<_> = names_of(50).filter(|name| !name.contains('1')).collect();
    sorted.sort();
    let expected = ["d/12.md"].map(str::to_owned).into_iter().chain(sorted);
    let expected = expected.chain(["s/1.md".to_owned(), "d/13.md".to_owned()]);
    let expected: Vec<_> = expected.map(|path| path.replacen('/', ":", 1)).collect();
    assert_eq!(names(&found.entries), expected);
}

#[test]
fn files_directories_and_links_are_sorted_together() {
    let ground = Ground::with(&["d/a.md", "d/c.md", "d/e/x.md", "d/e/z.md", "d/g.md", "d/.v/y.md"]);
    ground.link("d/b.md", ".v/y.md");
    ground.link("d/f", "e");
    ground.link("d/e/y", "../.v");
    let order = ["a.md", "b.md", "c.md", "e/x.md", "e/z.md", "g.md"];
    assert_eq!(names(&ground.walk(&["d"]).entries), order.map(|path| format!("d:{path}")));
}

#[test]
fn links_do_not_change_the_order_of_other_files() {
    let ground = Ground::with(&["d/a/z.md", "d/a-b/y.md", "d/a.md", "d/.v/y.md"]);
    ground.link("d/a-a", ".v");
    let order = ["a/z.md", "a-a/y.md", "a-b/y.md", "a.md"];
    assert_eq!(names(&ground.walk(&["d"]).entries), order.map(|path| format!("d:{path}")));
}

#[test]
fn rejects_two_directories_with_the_same_tree_name() {
    let ground = Ground::with(&["a/docs/x.md", "b/docs/y.md", "b/docs/z.md"]);
    let roots = |first: &str, second: &str, tree: Option<&str>| {
        let naming = Naming { tree: tree.map(str::to_owned), ..Naming::default() };
        walk(&[ground.at(first), ground.at(second)], &naming).map_err(|error| error.to_string())
    };
    let both = format!(
        "{} and {} both map to tree `docs`; process them separately, with different tree names",
        ground.at("a/docs").display(),
        ground.at("b/docs").display()
    );
    assert_eq!(roots("a/docs", "b/docs", None).unwrap_err(), both);
    assert_eq!(roots("a/docs/x.md", "b/docs/y.md", None).unwrap_err(), both);
    assert_eq!(roots("a/docs", "b/docs/y.md", Some("docs")).unwrap_err(), both);
    let fine = roots("b/docs/y.md", "b/docs/z.md", Some("t")).unwrap();
    assert_eq!(names(&fine.entries), ["t:y.md", "t:z.md"]);
    assert_eq!(names(&roots("a/docs", "b", None).unwrap().entries).len(), 3);
    assert!(roots("a", "a/docs", Some("t")).is_ok(), "the second directory is inside the first");
}

#[test]
fn standard_input_has_a_name_and_a_tree() {
    let find = |tree: Option<&str>, path: Option<&str>| {
        let (tree, stdin_path) = (tree.map(str::to_owned), path.map(str::to_owned));
        let found =
            walk(&["-".into(), "-".into()], &Naming { tree, stdin_path, ..Naming::default() })
                .unwrap();
        assert_eq!(first(&found).location, Location::Stdin);
        names(&found.entries)
    };
    assert_eq!(find(None, None), ["docs:-"]);
    assert_eq!(find(Some("t"), Some("a/b.md")), ["t:a/b.md"]);
}

#[test]
fn standard_input_does_not_mix_with_a_directory() {
    let ground = Ground::with(&["docs/a.md"]);
    let clash = walk(&["-".into(), ground.at("docs")], &Naming::default()).unwrap_err();
    assert!(clash.to_string().starts_with("standard input and "), "{clash}");
}

#[test]
fn reports_missing_paths_and_continues() {
    let ground = Ground::with(&["d/a.md"]);
    let found = ground.walk(&["gone", "d/gone.md", "d/a.md/", "d"]);
    assert_eq!(names(&found.entries), ["d:a.md"]);
    let missing = "no such file or directory";
    let expected = [format!("gone: {missing}"), format!("d/gone.md: {missing}")];
    assert_eq!(ground.errors(&found)[..2], expected);
    assert_eq!(ground.errors(&found)[2], "d/a.md/: not a directory");
    let empty = walk(&["".into()], &Naming::default()).unwrap();
    assert_eq!(empty.errors[0].to_string(), format!("cannot read \"\": {missing}"));
}

#[test]
fn never_opens_a_special_file() {
    let ground = Ground::with(&["d/a.md"]);
    ground.fifo("d/fifo.md");
    ground.fifo("d/fifo");
    ground.link("d/link.md", "fifo");
    let _socket = UnixListener::bind(ground.at("d/socket.txt")).unwrap();
    let found = ground.walk(&["d", "d/fifo"]);
    assert_eq!(names(&found.entries), ["d:a.md"]);
    let left_out = ["d/fifo.md", "d/link.md", "d/socket.txt", "d/fifo"];
    let messages = left_out.map(|path| format!("{path}: not a regular file"));
    assert_eq!(ground.errors(&found), messages);
}

#[test]
fn keeps_unusual_names_exactly() {
    let odd = ["a\nb.md", "back\\slash.md", "quote\".md", "-.md", " .md", "\u{202e}x.md"];
    let ground = Ground::new();
    for name in odd {
        ground.write(ground.at("d").join(name), name);
    }
    let found = ground.walk(&["d"]);
    assert_eq!(found.entries.iter().count(), odd.len());
    for entry in found.entries.iter() {
        assert_eq!(read(&entry, MAX_FILE_BYTES).unwrap(), entry.path);
    }
}

#[test]
fn a_link_inside_the_root_adds_files_that_no_other_path_reaches() {
    let ground = Ground::with(&["d/real.md", "d/.v2/a.md", "d/.v2/s/b.md", "d/notes.rst"]);
    ground.link("d/also.md", "real.md");
    ground.link("d/current", ".v2");
    ground.link("d/old/newest", "../.v2/s");
    ground.link("d/notes.md", "notes.rst");
    let found = ground.walk(&["d"]);
    let paths = ["current/a.md", "current/s/b.md", "notes.md", "real.md"];
    assert_eq!(names(&found.entries), paths.map(|path| format!("d:{path}")));
    assert_eq!(ground.errors(&found), NONE);
    let linked = found.entries.iter().nth(1).unwrap();
    let text = read(&linked, MAX_FILE_BYTES).unwrap();
    assert_eq!(text, "d/.v2/s/b.md");
}

#[test]
fn ignore_files_apply_behind_a_link() {
    let ground = Ground::with(&["d/.v/s/a.md", "d/.v/s/b.md", "d/.v/s/c.md"]);
    ground.write("d/.gitignore", "a.md\nignored\n");
    ground.write("d/.v/.gitignore", "b.md\n");
    ground.link("d/l", ".v/s");
    ground.link("d/ignored", "nowhere");
    let found = ground.walk(&["d"]);
    assert_eq!(names(&found.entries), ["d:l/c.md"]);
    assert_eq!(ground.errors(&found), NONE);
}

#[test]
fn reports_a_link_out_of_the_root_and_does_not_follow_it() {
    let ground = Ground::with(&["d/a.md", "out/b.md", "out/c.png", "dd/e.md"]);
    ground.link("d/dir", "../out");
    ground.link("d/file.md", "../out/b.md");
    ground.link("d/picture.png", "../out/c.png");
    ground.link("d/near", "../dd");
    let found = ground.walk(&["d"]);
    assert_eq!(names(&found.entries), ["d:a.md"]);
    let to = |path: &str| format!("link points to {path}, outside the directory");
    let messages = [("d/dir", "out"), ("d/file.md", "out/b.md"), ("d/near", "dd")];
    let messages = messages.map(|(link, target)| format!("{link}: {}", to(target)));
    assert_eq!(ground.errors(&found), messages);
}

#[test]
fn reports_link_loops() {
    let ground = Ground::with(&["d/a.md", "d/s/b.md"]);
    ground.link("d/s/up", "..");
    ground.link("d/here", ".");
    ground.link("d/self", "self");
    ground.link("d/x.md", "y.md");
    ground.link("d/y.md", "x.md");
    let found = ground.walk(&["d"]);
    assert_eq!(names(&found.entries), ["d:a.md", "d:s/b.md"]);
    let errors = ground.errors(&found);
    assert_eq!(errors[..2], ["d/here: link loops back to d", "d/s/up: link loops back to d"]);
    let broken = "broken link: too many levels of symbolic links";
    let broken = ["self", "x.md", "y.md"].map(|link| format!("d/{link}: {broken}"));
    assert_eq!(errors[2..], broken);
}

#[test]
fn links_between_directories_terminate() {
    let ground = Ground::with(&["d/a/x.md", "d/b/y.md", "d/.c/z.md"]);
    for (one, other) in [("a", "b"), ("b", "a"), ("a", ".c"), (".c", "a"), (".c", "b")] {
        ground.link(format!("d/{one}/to{other}"), format!("../{other}"));
    }
    let found = ground.walk(&["d"]);
    assert_eq!(names(&found.entries), ["d:a/to.c/z.md", "d:a/x.md", "d:b/y.md"]);
    assert_eq!(ground.errors(&found), NONE);
}

#[test]
fn reports_broken_links_except_hidden_ones_and_other_file_types() {
    let ground = Ground::with(&["d/a.md"]);
    for link in [".#lock.md", "picture.png", "page.md", "chapter"] {
        ground.link(format!("d/{link}"), "user@host.123");
    }
    let found = ground.walk(&["d"]);
    assert_eq!(names(&found.entries), ["d:a.md"]);
    let dead = "broken link: no such file or directory";
    assert_eq!(ground.errors(&found), [format!("d/chapter: {dead}"), format!("d/page.md: {dead}")]);
}

#[test]
fn follows_a_root_that_is_a_link() {
    let ground = Ground::with(&["real/a.md", "real/b.md"]);
    ground.link("docs", "real");
    assert_eq!(names(&ground.walk(&["docs"]).entries), ["docs:a.md", "docs:b.md"]);
}

/// Tests of names and lengths that other systems reject.
#[cfg(target_os = "linux")]
mod linux {
    use std::ffi::OsStr;
    use std::fs;
    use std::os::unix::ffi::OsStrExt;

    use super::*;

    #[test]
    fn reports_a_name_that_is_not_utf8() {
        let ground = Ground::with(&["d/a.md"]);
        ground.write(OsStr::from_bytes(b"d/b\xff.md"), "");
        ground.write(OsStr::from_bytes(b"d/s\xff/c.md"), "");
        ground.write(OsStr::from_bytes(b"d/e.\xff"), "");
        let found = ground.walk(&["d"]);
        assert_eq!(names(&found.entries), ["d:a.md"]);
        let messages = ["d/b\u{fffd}.md", "d/s\u{fffd}/c.md"];
        let messages = messages.map(|path| format!("{path}: file name is not UTF-8"));
        assert_eq!(ground.errors(&found), messages);
    }

    #[test]
    fn reports_a_name_that_is_not_utf8_once() {
        let ground = Ground::with(&["d/a.md"]);
        ground.write(OsStr::from_bytes(b"d/b\xff.md"), "");
        ground.link("d/link.md", OsStr::from_bytes(b"b\xff.md"));
        ground.write(OsStr::from_bytes(b"d/s\xff/c.rs"), "");
        ground.link(OsStr::from_bytes(b"d/s\xff/link.md"), "../a.md");
        for arguments in [&["d"][..], &["d", "d"]] {
            let found = ground.walk(arguments);
            assert_eq!(names(&found.entries), ["d:a.md"]);
            assert_eq!(ground.errors(&found), ["d/b\u{fffd}.md: file name is not UTF-8"]);
        }
    }

    #[test]
    fn a_directory_whose_name_is_not_utf8_needs_a_tree_name() {
        let ground = Ground::new();
        let directory = OsStr::from_bytes(b"d\xff");
        ground.write(ground.at(directory).join("a.md"), "");
        let find = |tree: Option<&str>| {
            let naming = Naming { tree: tree.map(str::to_owned), ..Naming::default() };
            walk(&[ground.at(directory)], &naming)
        };
        assert!(find(None).unwrap_err().to_string().ends_with("set a tree name"));
        assert_eq!(names(&find(Some("t")).unwrap().entries), ["t:a.md"]);
    }

    #[test]
    fn reports_an_unreadable_directory_and_continues() {
        let ground = Ground::with(&["d/a.md"]);
        let deep = vec!["x".repeat(200); 15].join("/");
        fs::create_dir_all(ground.at("d").join(&deep)).unwrap();
        fs::create_dir_all(ground.at(&deep)).unwrap();
        ground.write(ground.at(&deep).join("b.md"), "");
        // Each half of the path is valid, but the whole path exceeds the limit of the system.
        fs::rename(ground.at("x".repeat(200)), ground.at("d").join(&deep).join("y")).unwrap();
        let found = ground.walk(&["d"]);
        assert_eq!(names(&found.entries), ["d:a.md"]);
        assert_eq!(found.errors.len(), 1);
        assert!(found.errors[0].to_string().ends_with(": file name too long"));
    }
}
