use super::stems::STOP_WORDS;
use super::*;

fn terms(text: &str) -> Vec<String> {
    Analyzer::new(Language::English).terms(text).into_iter().map(|term| term.text).collect()
}

fn positions(text: &str) -> Vec<(String, usize)> {
    let terms = Analyzer::new(Language::English).terms(text);
    terms.into_iter().map(|term| (term.text, term.position)).collect()
}

#[test]
fn lowercases_and_stems_words() {
    assert_eq!(terms("Running Containers"), ["run", "contain"]);
    assert_eq!(terms("Straße ÉCOLE"), ["straße", "école"]);
    let plain = Analyzer::new(Language::None).terms("Running");
    assert_eq!(plain[0].text, "running");
    let german = Analyzer::new(Language::German).terms("Häuser");
    assert_eq!(german[0].text, "haus");
}

#[test]
fn indexes_identifiers_whole_and_by_component() {
    assert_eq!(terms("snake_case"), ["snake_case", "snake", "case"]);
    assert_eq!(terms("foo.bar"), ["foo.bar", "foo", "bar"]);
    assert_eq!(terms("e-mail"), ["email", "e", "mail"]);
    assert_eq!(terms("_private __init__"), ["privat", "init"].map(String::from));
    assert_eq!(terms("camelCase"), ["camelcas"]);
}

#[test]
fn ignores_punctuation_around_words() {
    assert_eq!(terms("--dry-run, (end). 'quoted'"), ["dryrun", "dri", "run", "end", "quot"]);
    assert_eq!(terms("don’t"), terms("don't"));
    assert_eq!(terms("C++ … — !"), ["c"]);
}

#[test]
fn keeps_combining_marks_with_their_letters() {
    assert_eq!(terms("cafe\u{301}s").len(), 1);
    assert_eq!(terms("हिन्दी").len(), 1);
}

#[test]
fn splits_chinese_japanese_and_korean_into_pairs() {
    assert_eq!(terms("検索語"), ["検索", "索語"]);
    assert_eq!(terms("字 한국어"), ["字", "한국", "국어"]);
    assert_eq!(terms("用Rust写"), ["用", "rust", "写"]);
}

#[test]
fn words_are_adjacent_across_stop_words() {
    let found = positions("state of the union");
    let expected = [("state", 0), ("of", 1), ("the", 1), ("union", 1)];
    assert_eq!(found, expected.map(|(word, at)| (word.to_owned(), at)));
}

#[test]
fn components_of_an_identifier_are_adjacent() {
    let found = positions("a kube_proxy mode");
    let expected = [("a", 0), ("kube_proxy", 0), ("kube", 0), ("proxi", 1), ("mode", 2)];
    assert_eq!(found, expected.map(|(word, at)| (word.to_owned(), at)));
}

#[test]
fn skips_overlong_words() {
    assert_eq!(terms(&format!("a {} b", "x".repeat(100))), ["a", "b"]);
}

#[test]
fn reports_the_byte_range_of_a_term() {
    let text = "Über die Häuser";
    let terms = Analyzer::new(Language::German).terms(text);
    assert_eq!(&text[terms[2].bytes.clone()], "Häuser");
}

#[test]
fn stop_words_are_sorted() {
    assert!(STOP_WORDS.is_sorted());
}

#[test]
fn all_spellings_of_a_name_share_one_key() {
    let key = |text: &str| Analyzer::new(Language::English).key(text);
    for text in ["Network Policies", "NetworkPolicy", "network-policies", "network policy"] {
        assert_eq!(key(text), key("networkpolicy"), "{text}");
    }
    assert_eq!(key("--"), None);
}
