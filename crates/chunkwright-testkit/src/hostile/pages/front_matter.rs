//! Front matter: large, deeply nested, or never closed.

use crate::hostile::{Pattern, count, fill};

fn yaml(inside: &str) -> String {
    format!("---\n{inside}\n---\n\ntext\n")
}

fn toml(inside: &str) -> String {
    format!("+++\n{inside}\n+++\n\ntext\n")
}

pub(super) const PATTERNS: &[Pattern] = &[
    Pattern::markdown("front matter, never closed", |n| "---\n".to_owned() + &fill(n, "a: b\n")),
    Pattern::markdown("long front matter over tiny sections", |n| {
        let summary = fill((n / 2).min(60_000), "a");
        format!("---\nsummary: {summary}\n---\n\n{}", fill(n / 2, "# a\n\nb\n\n"))
    }),
    Pattern::markdown("rules that could close front matter", |n| fill(n, "---\n")),
    Pattern::markdown("YAML keys", |n| yaml(&count(n, |nth| format!("key{nth}: value\n")))),
    Pattern::markdown("YAML keys that are all the same", |n| yaml(&fill(n, "a: b\n"))),
    Pattern::markdown("YAML lists in lists", |n| yaml(&format!("a: {}", fill(n, "[")))),
    Pattern::markdown("YAML maps in maps", |n| yaml(&fill(n, "{a: "))),
    Pattern::markdown("YAML dashes on one line", |n| yaml(&fill(n, "- "))),
    Pattern::markdown("YAML question marks on one line", |n| yaml(&fill(n, "? "))),
    Pattern::markdown("YAML keys one deeper in each line", |n| {
        let steps = (2 * n).isqrt();
        yaml(&(0..steps).map(|depth| " ".repeat(depth) + "a:\n").collect::<String>())
    }),
    Pattern::markdown("YAML aliases of aliases", |n| {
        let aliases = |nth: usize| {
            let before = nth.saturating_sub(1);
            format!("a{nth}: &a{nth} [{}]\n", format!("*a{before},").repeat(9))
        };
        yaml(&("a0: &a0 [lol,lol,lol]\n".to_owned() + &count(n, |nth| aliases(nth + 1))))
    }),
    Pattern::markdown("YAML aliases of one anchor", |n| {
        yaml(&format!("a: &a [1, 2, 3]\nb: [{}]", fill(n, "*a, ")))
    }),
    Pattern::markdown("one long YAML value", |n| yaml(&format!("a: {}", fill(n, "word ")))),
    Pattern::markdown("one YAML string, never closed", |n| {
        yaml(&format!("a: \"{}", fill(n, "b ")))
    }),
    Pattern::markdown("one long YAML block", |n| yaml(&format!("a: |\n{}", fill(n, "  text\n")))),
    Pattern::markdown("YAML escapes", |n| yaml(&format!("a: \"{}\"", fill(n, "\\u0041")))),
    Pattern::markdown("YAML comments", |n| yaml(&fill(n, "# comment\n"))),
    Pattern::markdown("YAML tags", |n| yaml(&format!("a: {}b", fill(n, "!!str ")))),
    Pattern::markdown("TOML keys", |n| toml(&count(n, |nth| format!("key{nth} = 1\n")))),
    Pattern::markdown("TOML keys with dots", |n| toml(&format!("{}a = 1", fill(n, "a.")))),
    Pattern::markdown("TOML lists in lists", |n| toml(&format!("a = {}", fill(n, "[")))),
    Pattern::markdown("TOML tables", |n| toml(&count(n, |nth| format!("[a.b{nth}]\nc = 1\n")))),
    Pattern::markdown("TOML tables, each below the last", |n| {
        let steps = n.isqrt();
        toml(&(1..steps).map(|depth| format!("[{}a]\n", "a.".repeat(depth))).collect::<String>())
    }),
    Pattern::markdown("TOML lists of tables", |n| toml(&fill(n, "[[a]]\nb = 1\n"))),
];
