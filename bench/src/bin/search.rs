//! Compares the index and its queries with the bare search engine.
//!
//! The pages are copied until they have 100,000 sections. The bare engine gets the same titles,
//! breadcrumbs and bodies, extracted beforehand, and uses its own English analyzer.

use std::fs;
use std::path::{Path, PathBuf};

use anyhow::{Context, Result};
use chunkwright::{Chunker, Config, O200k, Source, TextKind, TokenCounter, counter_by_name};
use chunkwright_bench::corpus::Corpus;
use chunkwright_bench::report::Report;
use chunkwright_bench::table::{figures, table, times};
use chunkwright_search::{Request, Snapshot, Tree, Update, update};
use clap::Parser;
use cpu_time::ProcessTime;
use serde_json::json;
use tantivy::collector::TopDocs;
use tantivy::query::QueryParser;
use tantivy::schema::{IndexRecordOption, STORED, Schema, TextFieldIndexing, TextOptions};
use tantivy::{Index, IndexWriter, TantivyDocument};

/// The minimum number of sections.
const SECTIONS: usize = 100_000;

/// The number of times both indexes are built.
const ROUNDS: usize = 3;

/// The number of queries.
const QUERIES: usize = 200;

/// Compare the index with the bare search engine.
#[derive(Parser)]
struct Args {
    /// Directory for the results.
    #[arg(long, default_value = "target/bench")]
    out: PathBuf,
    /// Markdown to measure instead of generated pages.
    directory: Option<PathBuf>,
}

/// A section for the bare engine.
struct Section {
    title: String,
    breadcrumb: String,
    body: String,
}

fn main() -> Result<()> {
    let args = Args::parse();
    let work = args.out.join("search");
    if work.exists() {
        fs::remove_dir_all(&work)?;
    }
    let corpus = Corpus::open(args.directory.as_deref())?;
    let pages: Vec<(String, String)> =
        corpus.whole().iter().map(|page| (page.path.clone(), page.text.clone())).collect();
    let sections = sections(&pages)?;
    let copies = SECTIONS.div_ceil(sections.len().max(1));
    let tree = work.join("pages");
    for copy in 0..copies {
        for (path, text) in &pages {
            let file = tree.join(copy.to_string()).join(path);
            fs::create_dir_all(file.parent().context("a file has a parent")?)?;
            fs::write(file, text)?;
        }
    }
    let queries = queries(&sections);

    // Alternate, so that a slow phase of the machine affects both; the best round counts.
    let (mut ours_build, mut bare_build) = (f64::MAX, f64::MAX);
    for _ in 0..ROUNDS {
        for made in ["index", "bare"] {
            let made = work.join(made);
            if made.exists() {
                fs::remove_dir_all(made)?;
            }
        }
        ours_build = ours_build.min(cpu(|| index(&work, &tree))?.0);
        bare_build = bare_build.min(cpu(|| bare(&work, &sections, copies))?.0);
    }
    let counting = cpu(|| count_tokens(&sections, copies))?.0;
    let bare = Bare::open(&work)?;
    let changed = pages.first().map(|(path, _)| tree.join("0").join(path)).context("no pages")?;
    fs::write(&changed, "# Changed\n\nThis page has changed.\n")?;
    let (again, report) = cpu(|| index(&work, &tree))?;
    assert_eq!((report.added, report.changed, report.removed), (0, 1, 0), "one file has changed");

    let snapshot = Snapshot::open(&work.join("index"))?;
    let request = Request::default();
    let ours = median(&queries, |query| Ok(snapshot.search(query, &request)?.results.len()))?;
    let bare = median(&queries, |query| bare.ask(query))?;

    let rows = [
        vec![
            "build, CPU s".to_owned(),
            figures(ours_build),
            figures(bare_build),
            times(ours_build / bare_build),
        ],
        vec![
            "counting tokens (part of build), CPU s".to_owned(),
            figures(counting),
            String::new(),
            String::new(),
        ],
        vec!["warm query, median ms".to_owned(), figures(ours), figures(bare), times(ours / bare)],
        vec!["one changed file, CPU s".to_owned(), figures(again), String::new(), String::new()],
    ];
    println!("{} sections in {} files\n", sections.len() * copies, pages.len() * copies);
    println!("{}", table(&["", "chunkwright", "bare tantivy", "ratio"], &rows));
    println!("goals: build at most 1.3×; query at most 2×");
    Report::open(&args.out)?.save(
        "search",
        json!({
            "sections": sections.len() * copies,
            "build": {"ours": ours_build, "bare": bare_build, "counting": counting},
            "query_ms": {"ours": ours, "bare": bare},
            "one_changed_file": again,
        }),
    )
}

fn index(work: &Path, tree: &Path) -> Result<chunkwright_search::Report> {
    Ok(update(&work.join("index"), &Update::of(vec![Tree::at(tree).named("docs")]))?)
}

/// Counts the tokens of every section, as the index does.
fn count_tokens(sections: &[Section], copies: usize) -> Result<usize> {
    let texts = (0..copies).flat_map(|_| sections);
    Ok(texts.map(|section| O200k.count(&section.body, TextKind::Prose)).sum())
}

/// Returns the CPU seconds of all threads, and the result.
fn cpu<T>(work: impl FnOnce() -> Result<T>) -> Result<(f64, T)> {
    let start = ProcessTime::now();
    let made = work()?;
    Ok((start.elapsed().as_secs_f64(), made))
}

/// Returns the median time of the queries in milliseconds. Each runs twice; the second run counts.
fn median(queries: &[String], mut ask: impl FnMut(&str) -> Result<usize>) -> Result<f64> {
    let mut taken = Vec::new();
    for query in queries {
        ask(query)?;
        let start = std::time::Instant::now();
        std::hint::black_box(ask(query)?);
        taken.push(start.elapsed().as_secs_f64() * 1000.0);
    }
    taken.sort_by(f64::total_cmp);
    Ok(taken[taken.len() / 2])
}

fn sections(pages: &[(String, String)]) -> Result<Vec<Section>> {
    let counter = counter_by_name("words:1")?;
    let chunker = Chunker::new(Config::default(), counter)?;
    let mut sections = Vec::new();
    for (path, text) in pages {
        let tree = chunker.outline(&chunker.read(&Source::new(path, text)));
        sections.extend(tree.nodes.iter().enumerate().map(|(place, node)| Section {
            title: node.title.to_string(),
            breadcrumb: node.breadcrumb.join(" "),
            body: tree.body(place).to_owned(),
        }));
    }
    Ok(sections)
}

/// Returns the first twelve words of sections spread over all pages.
fn queries(sections: &[Section]) -> Vec<String> {
    let step = (sections.len() / QUERIES).max(1);
    let words = |section: &Section| {
        let words =
            section.body.split_whitespace().filter(|word| word.chars().all(char::is_alphabetic));
        words.take(12).collect::<Vec<_>>().join(" ")
    };
    let all = sections.iter().step_by(step).map(words);
    all.filter(|query| query.split(' ').count() >= 3).take(QUERIES).collect()
}

/// The bare search engine.
struct Bare {
    searcher: tantivy::Searcher,
    parser: QueryParser,
}

impl Bare {
    fn open(work: &Path) -> Result<Self> {
        let index = Index::open_in_dir(work.join("bare"))?;
        let searcher = index.reader()?.searcher();
        let fields = index.schema().fields().map(|(field, _)| field).collect();
        let parser = QueryParser::for_index(&index, fields);
        Ok(Self { searcher, parser })
    }

    fn ask(&self, query: &str) -> Result<usize> {
        let (query, _) = self.parser.parse_query_lenient(query);
        let top = TopDocs::with_limit(10).order_by_score();
        let found = self.searcher.search(&query, &top)?;
        for (_, address) in &found {
            std::hint::black_box(self.searcher.doc::<TantivyDocument>(*address)?);
        }
        Ok(found.len())
    }
}

fn bare(work: &Path, sections: &[Section], copies: usize) -> Result<()> {
    let mut schema = Schema::builder();
    let indexing = TextFieldIndexing::default()
        .set_tokenizer("en_stem")
        .set_index_option(IndexRecordOption::WithFreqsAndPositions);
    let text = TextOptions::default().set_indexing_options(indexing);
    let title = schema.add_text_field("title", text.clone());
    let breadcrumb = schema.add_text_field("breadcrumb", text.clone());
    let body = schema.add_text_field("body", text | STORED);
    let dir = work.join("bare");
    fs::create_dir_all(&dir)?;
    let index = Index::create_in_dir(&dir, schema.build())?;
    let mut writer: IndexWriter = index.writer_with_num_threads(1, 64_000_000)?;
    for section in (0..copies).flat_map(|_| sections) {
        let mut document = TantivyDocument::new();
        document.add_text(title, &section.title);
        document.add_text(breadcrumb, &section.breadcrumb);
        document.add_text(body, &section.body);
        writer.add_document(document)?;
    }
    writer.commit()?;
    Ok(writer.wait_merging_threads()?)
}
