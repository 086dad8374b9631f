"""Compare the Python package with the Rust library and with LangChain on the same texts.

Prints a table and updates bench.json. All contenders split the same texts in memory, one after the
other in each round. Imports, vocabularies and file access are not measured; freeing the results is.
"""

import argparse
import json
import os
import subprocess
import time
from pathlib import Path

import chunkwright
from peers import CHARS, MOST_BYTES, TOKENS, by_headings, named, plain_encoding, read, save, size, tokens, write

ROUNDS = 5
STRATEGIES = ["hierarchical", "window", "blocks"]


def main():
    args = arguments()
    pages = read(args.directory)
    pages = pages[:: -(-size(pages) // MOST_BYTES)]
    texts = args.out / "texts"
    texts.mkdir(parents=True, exist_ok=True)
    for old in texts.iterdir():
        old.unlink()
    write(pages, texts)
    jobs = os.cpu_count() or 1
    rows = [row for counter, limit in [("chars", CHARS), ("cl100k", TOKENS)] for row in race(counter, limit, pages, texts, jobs, args)]
    print(f"# The Python package\n\n{len(pages)} pages, {size(pages) / 1e6:.1f} MB, {jobs} threads\n")
    print(table(rows))
    save(args.out, "package", {"pages": len(pages), "bytes": size(pages), "jobs": jobs, "contenders": rows})


def arguments():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("directory", type=Path)
    parser.add_argument("--threads", type=Path, required=True, help="benchmark program of the Rust library")
    parser.add_argument("--out", type=Path, required=True)
    return parser.parse_args()


def race(counter, limit, pages, texts, jobs, args):
    """Runs all contenders in each round, and keeps the best round of each."""
    contenders = {}
    paths = [f"{nth}.md" for nth in range(len(pages))]
    for strategy in STRATEGIES:
        library = [args.threads, strategy, counter, str(limit), str(jobs), texts]
        contenders[strategy, "library"] = lambda library=library: json.loads(subprocess.check_output(library))
        limits = {"max": limit} if strategy == "window" else {"max": limit, "target": limit}
        chunker = chunkwright.Chunker(strategy=strategy, tokenizer=counter, jobs=jobs, **limits)
        contenders[strategy, "package"] = lambda chunker=chunker: timed(lambda: sum(map(len, chunker.chunk_many(pages, paths=paths))))
    cut = langchain(counter, limit)
    contenders["langchain", "langchain"] = lambda: timed(lambda: sum(len(cut(page)) for page in pages))
    best = {}
    for _ in range(ROUNDS):
        for name, run in contenders.items():
            cost = run()
            known = best.setdefault(name, cost)
            best[name] = {measure: min(known[measure], cost[measure]) for measure in cost}
    peer = best["langchain", "langchain"]
    return [row(strategy, counter, limit, best, peer, size(pages)) for strategy in STRATEGIES]


def timed(work):
    wall, cpu = time.perf_counter(), time.process_time()
    chunks = work()
    return {"wall": time.perf_counter() - wall, "cpu": time.process_time() - cpu, "chunks": chunks}


def langchain(counter, limit):
    from langchain_text_splitters import RecursiveCharacterTextSplitter

    if counter == "chars":
        return by_headings(RecursiveCharacterTextSplitter(chunk_size=limit, chunk_overlap=0))
    count = tokens(plain_encoding())
    return by_headings(RecursiveCharacterTextSplitter(chunk_size=limit, chunk_overlap=0, length_function=count))


def row(strategy, counter, limit, best, peer, size):
    library, package = best[strategy, "library"], best[strategy, "package"]
    assert library["chunks"] == package["chunks"], "library and package return different numbers of chunks"
    return {
        "strategy": strategy,
        "counter": counter,
        "limit": limit,
        "langchain": named("langchain-text-splitters"),
        "costs": {"library": library, "package": package, "langchain": peer},
        "mb_per_second": {name: size / 1e6 / cost["wall"] for name, cost in [("library", library), ("package", package), ("langchain", peer)]},
        "of_library": {measure: library[measure] / package[measure] for measure in ("wall", "cpu")},
        "of_langchain": {measure: peer[measure] / package[measure] for measure in ("wall", "cpu")},
    }


def table(rows):
    head = (
        "| | counter | library, MB/s | `chunk_many`, MB/s | LangChain, MB/s | speed ÷ library: wall, CPU | speed ÷ LangChain: wall, CPU |\n"
        "| --- | --- | --: | --: | --: | --: | --: |\n"
    )
    line = (
        "| `{strategy}` | {counter} {limit} | {mb_per_second[library]:.1f} | {mb_per_second[package]:.1f} | {mb_per_second[langchain]:.2f} "
        "| {of_library[wall]:.2f}×, {of_library[cpu]:.2f}× | {of_langchain[wall]:.1f}×, {of_langchain[cpu]:.1f}× |\n"
    )
    return head + "".join(line.format(**row) for row in rows)


if __name__ == "__main__":
    main()
