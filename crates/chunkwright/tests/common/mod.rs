//! Text for golden pages: expands and abbreviates filler, escapes invisible characters, and compares
//! listings.

pub(crate) mod pages;

use std::fmt::Write as _;

/// The word that content consists of if only its size matters.
const FILLER: &str = "word";
const WORDS_IN_A_LINE: usize = 12;

/// Expands the filler in a text.
pub(crate) fn fill(written: &str) -> String {
    let mut text = String::new();
    let mut above = 0;
    for line in written.split_inclusive('\n') {
        if let Some(tokens) = counted(line.trim_end(), " tokens}") {
            text +=
                &sentences(tokens.checked_sub(above).expect("more tokens than the lines above"));
            above = 0;
        } else {
            let line = fill_in(line);
            let words = line.split_whitespace().count();
            above = if words == 0 { 0 } else { above + words };
            text += &line;
        }
    }
    text
}

/// Returns the number in `{9 tokens}`.
fn counted(text: &str, unit: &str) -> Option<usize> {
    text.strip_prefix('{')?.strip_suffix(unit)?.parse().ok()
}

/// Returns a paragraph of this number of words, one sentence per line.
fn sentences(words: usize) -> String {
    let mut text = String::new();
    for from in (0..words).step_by(WORDS_IN_A_LINE) {
        let length = WORDS_IN_A_LINE.min(words - from);
        let line = vec![FILLER; length].join(" ");
        writeln!(text, "W{}.", &line[1..]).unwrap();
    }
    text
}

/// Expands `{9 words}` in a line.
fn fill_in(line: &str) -> String {
    let parts = line.split_inclusive('}').map(|part| {
        let Some((before, number)) = part.rsplit_once('{') else { return part.to_owned() };
        match counted(&format!("{{{number}"), " words}") {
            Some(words) => before.to_owned() + &vec![FILLER; words].join(" "),
            None => part.to_owned(),
        }
    });
    parts.collect()
}

/// Resolves the escapes in a text, in which nothing else ends a line.
pub(crate) fn unescape(written: &str) -> String {
    let mut text = String::new();
    let mut chars = written.chars().filter(|&c| c != '\n');
    while let Some(c) = chars.next() {
        match (c, if c == '\\' { chars.next() } else { None }) {
            ('\\', Some('n')) => text.push('\n'),
            ('\\', Some('r')) => text.push('\r'),
            ('\\', Some('t')) => text.push('\t'),
            ('\\', Some('u')) => {
                let code: String = chars.by_ref().skip(1).take_while(|&c| c != '}').collect();
                text.extend(char::from_u32(u32::from_str_radix(&code, 16).unwrap()));
            }
            ('\\', other) => text.extend(other),
            (c, _) => text.push(c),
        }
    }
    text
}

/// Escapes invisible characters.
pub(crate) fn visible(text: &str) -> String {
    let mut shown = String::new();
    for c in text.chars() {
        match c {
            '\r' => shown += "\\r",
            '\t' => shown += "\\t",
            '\u{a0}' | '\u{ad}' | '\u{200b}'..='\u{200f}' | '\u{2028}'..='\u{202e}' => {
                shown.extend(c.escape_unicode());
            }
            '\u{2060}'..='\u{206f}' | '\u{feff}' | '\u{e0000}'..='\u{e007f}' => {
                shown.extend(c.escape_unicode());
            }
            c if c.is_control() => shown.extend(c.escape_unicode()),
            c => shown.push(c),
        }
    }
    shown
}

/// Abbreviates the filler in a text.
pub(crate) fn shorten(text: &str) -> String {
    let is_filler = |word: &str| word.trim_end_matches('.').eq_ignore_ascii_case(FILLER);
    let mut lines: Vec<String> = Vec::new();
    let mut filled = 0;
    for line in text.split('\n').chain(["end"]) {
        if !line.is_empty() && line.split(' ').all(is_filler) {
            filled += line.split(' ').count();
            continue;
        }
        if filled > 0 {
            lines.push(format!("{{{filled} words}}"));
            filled = 0;
        }
        lines.push(shorten_line(line, is_filler));
    }
    lines.pop();
    lines.join("\n")
}

/// Abbreviates the filler in a line.
fn shorten_line(line: &str, is_filler: impl Fn(&str) -> bool) -> String {
    let mut words: Vec<String> = Vec::new();
    let mut run: Vec<&str> = Vec::new();
    for word in line.split(' ').map(Some).chain([None]) {
        match word {
            Some(word) if is_filler(word) => run.push(word),
            word => {
                match run.len() {
                    0..3 => words.extend(run.drain(..).map(str::to_owned)),
                    length => words.push(format!("{{{length} words}}")),
                }
                run.clear();
                words.extend(word.map(str::to_owned));
            }
        }
    }
    words.join(" ")
}

/// Returns a line diff: `-` marks expected lines that are missing, `+` unexpected ones.
pub(crate) fn diff(expected: &str, actual: &str) -> String {
    let (old, new): (Vec<&str>, Vec<&str>) = (expected.lines().collect(), actual.lines().collect());
    // The length of the longest common subsequence of the lines from each pair of positions on.
    let mut common = vec![vec![0usize; new.len() + 1]; old.len() + 1];
    for (i, one) in old.iter().enumerate().rev() {
        for (j, other) in new.iter().enumerate().rev() {
            common[i][j] = match one == other {
                true => common[i + 1][j + 1] + 1,
                false => common[i + 1][j].max(common[i][j + 1]),
            };
        }
    }
    let (mut i, mut j) = (0, 0);
    let mut lines = Vec::new();
    while i < old.len() || j < new.len() {
        let same = old.get(i).is_some_and(|line| new.get(j) == Some(line));
        let removed = i < old.len() && (j == new.len() || common[i + 1][j] >= common[i][j + 1]);
        let (sign, line) = match (same, removed) {
            (true, _) => (' ', old[i]),
            (_, true) => ('-', old[i]),
            (_, false) => ('+', new[j]),
        };
        i += usize::from(sign != '+');
        j += usize::from(sign != '-');
        lines.push(format!("{sign} {line}"));
    }
    lines.join("\n")
}
