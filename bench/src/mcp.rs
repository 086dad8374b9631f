//! Compares searches over MCP with the same searches in this process.

use std::io::{BufRead as _, BufReader, Write as _};
use std::path::Path;
use std::process::{Child, ChildStdin, ChildStdout, Command, Stdio};
use std::time::Instant;

use anyhow::{Context as _, Result, ensure};
use chunkwright_search::agent::{SearchDocs, search_docs};
use chunkwright_search::{Snapshot, Tree, Update, update};
use serde_json::{Value, json};

use crate::corpus::Corpus;
use crate::report::Report;
use crate::startup::write_pages;
use crate::table::{figures, table, times};

/// The number of queries.
const QUERIES: usize = 200;

/// The number of times each query runs; the best counts. The first round is not measured.
const ROUNDS: usize = 9;

/// The longest query in words.
const WORDS: usize = 9;

/// The goal for the ratio of the medians.
const GOAL: f64 = 3.0;

/// Runs each query alternately over MCP and in this process, prints a table and saves it.
///
/// # Errors
/// If pages cannot be written, the command fails, or an answer differs.
pub fn run(command: &Path, directory: Option<&Path>, out: &Path, report: &Report) -> Result<()> {
    let place = out.join("mcp");
    let corpus = Corpus::open(directory)?;
    let sections = write_pages(&corpus, &place)?;
    let index = place.join("index");
    update(&index, &Update::of(vec![Tree::at(place.join("pages"))]))?;
    let snapshot = Snapshot::load(&index)?;
    let mut client = Client::start(command, &index)?;
    let queries = queries(&corpus);
    let [mut here, mut there, mut ping] = [(); 3].map(|()| Times::of(queries.len()));
    for round in 0..ROUNDS {
        for (nth, query) in queries.iter().enumerate() {
            let (expected, local) = timed(|| local(&snapshot, query))?;
            let (answer, remote) = client.search(query)?;
            ensure!(answer == expected, "the answers to `{query}` differ");
            let pinged = client.call("ping", &json!({}))?.1;
            if round > 0 {
                here.add(nth, local);
                there.add(nth, remote);
                ping.add(nth, pinged);
            }
        }
    }
    client.stop()?;
    let row = |name: &str, share: f64, goal: &str| {
        let [here, there, ping] = [&here, &there, &ping].map(|times| times.quantile(share));
        vec![
            name.to_owned(),
            figures(here),
            figures(there),
            times(there / here),
            goal.to_owned(),
            figures(ping),
        ]
    };
    let goal = format!("≤ {GOAL}×");
    let rows = [row("median", 0.5, &goal), row("90th percentile", 0.9, "")];
    println!("# MCP: milliseconds of a search, {sections} sections, {} queries\n", queries.len());
    println!("{}", table(&["", "in process", "over MCP", "ratio", "goal", "`ping`"], &rows));
    let quantiles = |times: &Times| json!([times.quantile(0.5), times.quantile(0.9)]);
    let [here, there, ping] = [&here, &there, &ping].map(quantiles);
    report.save(
        "mcp",
        json!({ "sections": sections, "in_process_ms": here, "mcp_ms": there, "ping_ms": ping }),
    )
}

/// Returns queries of one to nine words from pages spread over the corpus.
fn queries(corpus: &Corpus) -> Vec<String> {
    let step = (corpus.pages.len() / QUERIES).max(1);
    let query = |(nth, text): (usize, &str)| {
        // From the end: a page may start with front matter, which is not searched.
        let words = text.rsplit(|letter: char| !letter.is_alphabetic());
        let words = words.filter(|word| word.len() > 3).take(nth % WORDS + 1);
        words.collect::<Vec<_>>().join(" ")
    };
    let texts = corpus.pages.iter().step_by(step).map(|page| &*page.text).enumerate();
    texts.map(query).filter(|query| !query.is_empty()).take(QUERIES).collect()
}

fn local(snapshot: &Snapshot, query: &str) -> Result<String> {
    let mut call = SearchDocs::default();
    query.clone_into(&mut call.query);
    Ok(search_docs(snapshot, &call)?)
}

/// Returns the result of some work, and its time in milliseconds.
fn timed<T>(work: impl FnOnce() -> Result<T>) -> Result<(T, f64)> {
    let start = Instant::now();
    let made = work()?;
    Ok((made, start.elapsed().as_secs_f64() * 1e3))
}

/// The best time of each query, in milliseconds.
struct Times(Vec<f64>);

impl Times {
    fn of(queries: usize) -> Self {
        Self(vec![f64::INFINITY; queries])
    }

    fn add(&mut self, query: usize, time: f64) {
        self.0[query] = self.0[query].min(time);
    }

    /// Returns the time that a share of the queries does not exceed.
    fn quantile(&self, share: f64) -> f64 {
        let mut sorted = self.0.clone();
        sorted.sort_by(f64::total_cmp);
        sorted[((sorted.len() - 1) as f64 * share).round() as usize]
    }
}

/// A client of the command `chunkwright mcp`.
struct Client {
    process: Child,
    input: ChildStdin,
    output: BufReader<ChildStdout>,
    /// The number of requests so far.
    requests: usize,
}

impl Client {
    fn start(command: &Path, index: &Path) -> Result<Self> {
        let mut process = Command::new(command)
            .arg("mcp")
            .arg("--index")
            .arg(index)
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .spawn()
            .with_context(|| command.display().to_string())?;
        let input = process.stdin.take().context("the process has an input")?;
        let output = BufReader::new(process.stdout.take().context("the process has an output")?);
        let mut client = Self { process, input, output, requests: 0 };
        let about = json!({ "name": "bench", "version": "0" });
        client.call(
            "initialize",
            &json!({ "protocolVersion": "2025-11-25", "capabilities": {}, "clientInfo": about }),
        )?;
        let ready = json!({ "jsonrpc": "2.0", "method": "notifications/initialized" });
        writeln!(client.input, "{ready}")?;
        Ok(client)
    }

    /// Returns the answer to a query, and the time in milliseconds.
    fn search(&mut self, query: &str) -> Result<(String, f64)> {
        let params = json!({ "name": "search_docs", "arguments": { "query": query } });
        let (response, time) = self.call("tools/call", &params)?;
        let text = response["result"]["content"][0]["text"].as_str();
        Ok((text.with_context(|| format!("no answer: {response}"))?.to_owned(), time))
    }

    /// Sends a request, and returns the response and the time until its last byte was received.
    fn call(&mut self, method: &str, params: &Value) -> Result<(Value, f64)> {
        self.requests += 1;
        let request =
            json!({ "jsonrpc": "2.0", "id": self.requests, "method": method, "params": params });
        let line = format!("{request}\n");
        let (response, time) = timed(|| {
            self.input.write_all(line.as_bytes())?;
            let mut response = String::new();
            self.output.read_line(&mut response)?;
            Ok(response)
        })?;
        Ok((serde_json::from_str(&response).context("the process sent no response")?, time))
    }

    /// Closes the input, and waits for the process.
    fn stop(self) -> Result<()> {
        let Self { mut process, input, .. } = self;
        drop(input);
        ensure!(process.wait()?.success(), "the process failed");
        Ok(())
    }
}
