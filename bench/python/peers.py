"""Compare Python libraries that split Markdown with the command.

Prints a table and updates bench.json. Peers are measured by the CPU time of this process for texts
in memory, without imports, vocabularies and file access. The command is measured by the CPU time of
its whole process, which includes starting, reading files and writing JSON.
"""

import argparse
import json
import platform
import resource
import subprocess
import tempfile
import time
from importlib.metadata import version
from pathlib import Path

CHARS = 2000
TOKENS = 512
ROUNDS = 3
MOST_BYTES = 20_000_000
EXTENSIONS = {".md", ".mdx", ".markdown"}


def main():
    args = arguments()
    pages = read(args.directory)
    pages = pages[:: -(-size(pages) // MOST_BYTES)]
    rows = []
    with tempfile.TemporaryDirectory() as directory:
        write(pages, Path(directory))
        for counter, limit in [("chars", CHARS), ("cl100k", TOKENS)]:
            rows += race(counter, limit, pages, Path(directory), args.command)
    print(f"# Python\n\n{len(pages)} pages, {size(pages) / 1e6:.1f} MB\n")
    print(table(rows))
    save(args.out, "python", {"pages": len(pages), "bytes": size(pages), "contenders": rows})


def arguments():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("directory", type=Path)
    parser.add_argument("--command", type=Path, required=True)
    parser.add_argument("--out", type=Path, required=True)
    return parser.parse_args()


def read(directory):
    paths = sorted(path for path in directory.rglob("*") if path.suffix in EXTENSIONS)
    return [path.read_bytes().decode() for path in paths]


def write(pages, directory):
    for nth, page in enumerate(pages):
        (directory / f"{nth}.md").write_bytes(page.encode())


def size(pages):
    return sum(len(page.encode()) for page in pages)


def race(counter, limit, pages, directory, command):
    """Runs all contenders in each round, and keeps the best round of each.

    Every round creates the contenders again, because some cache token counts.
    """
    best = {}
    for _ in range(ROUNDS):
        contenders = ours(counter, limit, directory, command) | peers(counter, limit, pages)
        for name, run in contenders.items():
            best[name] = min(best.get(name, float("inf")), run())
    reference = next(iter(best.values()))
    return [
        {
            "name": name,
            "counter": counter,
            "limit": limit,
            "cpu_seconds": seconds,
            "mb_per_second": size(pages) / 1e6 / seconds,
            "ratio": seconds / reference,
        }
        for name, seconds in best.items()
    ]


def ours(counter, limit, directory, command):
    def run(strategy, flags):
        arguments = ["chunk", directory, "--strategy", strategy, "--tokenizer", counter]
        before = children_seconds()
        subprocess.run(
            [command, *arguments, *flags, "--jobs", "1", "--quiet"],
            stdout=subprocess.DEVNULL,
            check=True,
        )
        return children_seconds() - before

    most = ["--max", str(limit)]
    both = ["--target", str(limit), *most]
    return {
        "chunkwright hierarchical (whole process)": lambda: run("hierarchical", both),
        "chunkwright window (whole process)": lambda: run("window", [*most, "--min", "0"]),
        "chunkwright blocks (whole process)": lambda: run("blocks", both),
    }


def children_seconds():
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    return used.ru_utime + used.ru_stime


def peers(counter, limit, pages):
    """Returns the peers by name and version."""
    cutters = by_chars(limit) if counter == "chars" else by_tokens(limit)

    def run(cut):
        start = time.process_time()
        for page in pages:
            cut(page)
        return time.process_time() - start

    return {name: lambda cut=cut: run(cut) for name, cut in cutters.items()}


def by_chars(limit):
    import chonkie
    import semchunk
    from langchain_text_splitters import RecursiveCharacterTextSplitter
    from semantic_text_splitter import MarkdownSplitter

    recursive = RecursiveCharacterTextSplitter(chunk_size=limit, chunk_overlap=0)
    return {
        named("semantic-text-splitter"): MarkdownSplitter(limit).chunks,
        named("langchain-text-splitters"): by_headings(recursive),
        named("chonkie"): chonkie.RecursiveChunker(tokenizer="character", chunk_size=limit).chunk,
        named("semchunk"): semchunk.chunkerify(lambda text: len(text), limit),
    }


def by_tokens(limit):
    import chonkie
    import semchunk
    from langchain_text_splitters import RecursiveCharacterTextSplitter
    from semantic_text_splitter import MarkdownSplitter

    encoding = plain_encoding()
    count = tokens(encoding)
    recursive = RecursiveCharacterTextSplitter(
        chunk_size=limit, chunk_overlap=0, length_function=count
    )
    return {
        named("semantic-text-splitter"): MarkdownSplitter.from_tiktoken_model("gpt-4", limit).chunks,
        named("langchain-text-splitters"): by_headings(recursive),
        named("chonkie"): chonkie.RecursiveChunker(tokenizer=encoding, chunk_size=limit).chunk,
        named("semchunk"): semchunk.chunkerify(count, limit),
    }


def plain_encoding():
    import tiktoken

    base = tiktoken.get_encoding("cl100k_base")
    # Without special tokens, which would raise an error if a text contains one.
    return tiktoken.Encoding(
        "plain", pat_str=base._pat_str, mergeable_ranks=base._mergeable_ranks, special_tokens={}
    )


def tokens(encoding):
    return lambda text: len(encoding.encode_ordinary(text))


def by_headings(recursive):
    from langchain_text_splitters import MarkdownHeaderTextSplitter

    levels = [("#" * level, f"h{level}") for level in range(1, 7)]
    sections = MarkdownHeaderTextSplitter(levels, strip_headers=False)
    return lambda page: recursive.split_documents(sections.split_text(page))


def named(package):
    return f"{package} {version(package)}"


def table(rows):
    head = "| | counter | MB/s | cost ÷ hierarchical |\n| --- | --- | --: | --: |\n"
    line = "| {name} | {counter} {limit} | {mb_per_second:.1f} | {ratio:.2f}× |\n"
    return head + "".join(line.format(**row) for row in rows)


def save(directory, part, results):
    path = directory / "bench.json"
    everything = json.loads(path.read_text()) if path.exists() else {}
    everything[part] = {
        "unix_seconds": int(time.time()),
        "machine": f"{platform.platform()}, Python {platform.python_version()}",
        "results": results,
    }
    path.write_text(json.dumps(everything, indent=2))
    print(f"wrote {path}")


if __name__ == "__main__":
    main()
