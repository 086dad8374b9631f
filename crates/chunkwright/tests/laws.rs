//! The laws over every strategy, every page of the corpus, several budgets and counters.

use std::path::PathBuf;
use std::sync::Arc;

use chunkwright::{Bias, Chunker, Config, Context, Source, Strategy, TokenCounter, plain_counter};

fn corpus() -> Vec<(String, String)> {
    let folder = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("tests/corpus");
    let mut pages: Vec<(String, String)> = std::fs::read_dir(folder)
        .unwrap()
        .map(|entry| entry.unwrap())
        .map(|entry| (entry.file_name().into_string().unwrap(), entry.path()))
        .filter(|(name, _)| !name.starts_with('.'))
        .map(|(name, path)| (name, std::fs::read_to_string(path).unwrap()))
        .collect();
    pages.sort();
    assert!(pages.len() >= 40, "the corpus has only {} pages", pages.len());
    pages
}

fn chunker(
    strategy: Strategy,
    budget: usize,
    counter: &Arc<dyn TokenCounter>,
    context: Context,
) -> Chunker {
    let mut config = Config::default();
    config.strategy = strategy;
    config.context = Some(context);
    config.hierarchical.target = Some(budget);
    config.hierarchical.max = Some(budget * 2);
    Chunker::new(config, Arc::clone(counter)).unwrap()
}

#[test]
fn laws_hold_for_every_strategy_and_page() {
    let mut faults = Vec::new();
    for &strategy in Strategy::ALL {
        for name in ["estimate", "words", "words:1", "chars"] {
            let counter: Arc<dyn TokenCounter> =
                plain_counter(name, Bias::Balanced).unwrap().into();
            for budget in budgets() {
                for context in [Context::Breadcrumb, Context::None] {
                    let chunker = chunker(strategy, budget, &counter, context);
                    for (path, text) in corpus() {
                        let source = Source::new(&path, &text);
                        if std::env::var("B").is_ok() {
                            eprintln!("{path}");
                        }
                        let found = chunkwright_laws::check(&chunker, &*counter, &source);
                        faults.extend(
                            found.iter().map(|fault| format!("{strategy} {name} {budget} {fault}")),
                        );
                    }
                }
            }
        }
    }
    assert!(
        faults.is_empty(),
        "{} faults:\n{}",
        faults.len(),
        faults[..faults.len().min(40)].join("\n")
    );
}
fn budgets() -> Vec<usize> {
    std::env::var("B").map_or(vec![1, 8, 32, 128, 512], |b| vec![b.parse().unwrap()])
}
