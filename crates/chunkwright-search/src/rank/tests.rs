use super::counts::{Title, neighbours};
use chunkwright_config::Ranking;
use tantivy::DocAddress;

use super::worth::{by_length, saturated};
use super::{Score, ScoreWeights, Scored, combine};
use crate::compile::Word;

#[test]
fn counts_each_adjacent_pair_once() {
    assert_eq!(neighbours(&[0, 4, 9], &[1, 5, 7, 10]), 3);
    assert_eq!(neighbours(&[0, 4], &[0, 4]), 0);
    assert_eq!(neighbours(&[], &[1]), 0);
}

#[test]
fn repeated_words_add_less_each_time() {
    let steps: Vec<f32> = [1.0, 2.0, 3.0].map(|count| saturated(count, 2.0)).into();
    assert_eq!(steps[0], 1.0);
    assert!(steps[2] - steps[1] < steps[1] - steps[0]);
}

#[test]
fn saturation_never_exceeds_its_limit() {
    assert_eq!(saturated(0.0, 8.0), 0.0);
    assert!(saturated(1e6, 8.0) < 9.0);
}

#[test]
fn words_weigh_less_in_long_texts() {
    assert_eq!(by_length(8.0, 1.0, 0.75), 8.0, "a text of mean length keeps its weight");
    assert_eq!(by_length(8.0, 5.0, 0.75), 2.0);
    assert_eq!(by_length(8.0, 5.0, 0.0), 8.0, "b = 0 ignores length");
}

fn scored(words: f64, document: f64) -> Scored {
    let score = Score { words, document, ..Score::default() };
    Scored { address: DocAddress::new(0, 0), own: true, covered: 0.0, words: 0, score }
}

#[test]
fn scores_documents_relative_to_the_best_one() {
    let weights = ScoreWeights { document: 0.5, ..ScoreWeights::of_length(&Ranking::default(), 9) };
    let mut all = [scored(4.0, 30.0), scored(8.0, 10.0), scored(2.0, 0.0)];
    combine(&weights, &mut all);
    let totals = all.map(|one| one.score.total);
    assert_eq!(totals, [0.5 + 0.5, 1.0 + 0.5 / 3.0, 0.25]);
}

#[test]
fn a_candidate_without_bigrams_or_document_score_has_only_its_word_score() {
    let weights = ScoreWeights::of_length(&Ranking::default(), 9);
    let mut all = [scored(3.0, 0.0)];
    combine(&weights, &mut all);
    assert_eq!(all[0].score.total, 1.0);
    combine(&weights, &mut []);
}

/// Returns a title of `terms` terms that contains query words with these rarities.
fn title(terms: u32, found: &[f32]) -> Title {
    let mut title = Title { terms, ..Title::default() };
    for rarity in found {
        title.add(1.0);
        title.saturate(*rarity);
    }
    title
}

#[test]
fn title_coverage_multiplies_the_shares_of_title_and_query() {
    assert_eq!(title(1, &[2.0]).coverage(2.0), 1.0, "`pods` and *Pods*");
    assert_eq!(title(2, &[2.0]).coverage(2.0), 0.5, "`pods` and *Static Pods*");
    assert_eq!(title(1, &[2.0]).coverage(4.0), 0.5, "`pods lifecycle` and *Pods*");
    assert_eq!(title(3, &[]).coverage(2.0), 0.0);
    assert_eq!(title(0, &[]).coverage(0.0), 0.0);
}

#[test]
fn a_repeated_word_in_a_title_covers_the_query_once() {
    let mut twice = Title { terms: 4, ..Title::default() };
    twice.add(2.0);
    twice.saturate(3.0);
    twice.saturate(5.0);
    assert_eq!(twice.coverage(6.0), 0.25, "half of the title, half of the query");
}

#[test]
fn keyword_queries_have_separate_weights() {
    let ranking = Ranking::default();
    let long = ScoreWeights::of_length(&ranking, 4);
    let score =
        Score { words: 1.0, bigrams: 1.0, document: 1.0, title: 1.0, page_title: 1.0, total: 0.0 };
    assert!((long.total(&score) - 1.4).abs() < 1e-6);
    let short = ScoreWeights::of_length(&ranking, 3);
    assert!((short.total(&score) - (1.0 + 0.25 + 0.45 + 1.0 + 0.15)).abs() < 1e-6);
    let mut never = ranking;
    never.keywords.words = 0;
    assert_eq!(ScoreWeights::of_length(&never, 1), long);
}

#[test]
fn a_document_weight_of_zero_also_holds_for_keyword_queries() {
    let mut ranking = Ranking::default();
    ranking.document = 0.0;
    assert_eq!(ScoreWeights::of_length(&ranking, 1).document, 0.0);
}

#[test]
fn compound_words_do_not_add_to_the_query_length() {
    let word = |is_compound| Word {
        typed: String::new(),
        terms: Vec::new(),
        field: None,
        boost: 1.0,
        is_compound,
    };
    let ranking = Ranking::default();
    let hyphenated = [word(false), word(false), word(true), word(false)];
    assert_eq!(ScoreWeights::of(&ranking, &hyphenated), ScoreWeights::of_length(&ranking, 3));
}
