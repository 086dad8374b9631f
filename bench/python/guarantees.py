"""Compares what chunkwright guarantees with what other Markdown splitters do, on the same pages.

Every tool splits the same pages at the same limit. A tool that documents several setups for
Markdown is measured in each; the table shows the one with the fewest failures. One judge looks at
all chunks: markdown-it parses the source and each chunk, and lines are aligned between them. It
knows nothing about the tools. `peers-examples.md` shows what it found, to check it by eye.
"""

import argparse
import html
import json
import platform
import re
import resource
import subprocess
import tempfile
import time
import warnings
from collections import defaultdict
from dataclasses import dataclass, field
from difflib import SequenceMatcher
from importlib.metadata import version
from io import BytesIO
from pathlib import Path

import tiktoken
from markdown_it import MarkdownIt

LIMIT = 512
ROUNDS = 3
SLOW_SECONDS = 20
SAMPLE_BYTES = 1_000_000
EXAMPLES = 10
EXTENSIONS = {".md", ".mdx", ".markdown"}
SENTENCE = " This sentence was not here before."
FRONT_MATTER = re.compile(r"\A---[ \t]*\r?\n.*?^---[ \t]*\r?$", re.DOTALL | re.MULTILINE)
# Comments, tags, fence markers with their languages, and the numbers of list items.
MARKUP = re.compile(
    r"<!--.*?-->|</?[A-Za-z][^<>]*>|^[ \t>]*(?:(?:```|~~~).*?$|\d{1,9}[.)](?=\s))",
    re.DOTALL | re.MULTILINE,
)
# Short enough to find text between two cuts, long enough not to find it anywhere.
WINDOW = 8
MARKERS = ("<!-- peers -->", "<!-- /peers -->")


def main():
    args = arguments()
    pages = read(args.directory)
    corpus = {"name": args.corpus, "pages": len(pages), "bytes": size(pages)}
    sources = {name: Source(text) for name, text in pages.items()}
    measured = defaultdict(list)
    for tool in tools(args.command):
        print(f"splitting with {tool.name} {tool.version}: {tool.setup}", flush=True)
        measured[tool.name].append(Measured(tool, pages, sources))
    setups = [setup for several in measured.values() for setup in several]
    best = [min(several, key=Measured.failed) for several in measured.values()]
    race(best, pages)
    results = report(corpus, best, setups)
    (args.out / "peers.json").write_text(json.dumps(results, indent=2) + "\n")
    (args.out / "peers-examples.md").write_text(examples(setups))
    print("\n" + markdown(results) + "\n" + markdown_table(results["setups"]))
    print(f"written: {args.out / 'peers.json'}, {args.out / 'peers-examples.md'}")
    if args.update:
        update(args.update, results)


def arguments():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("directory", type=Path)
    parser.add_argument("--command", type=Path, required=True, help="the chunkwright command")
    parser.add_argument("--out", type=Path, required=True, help="directory for results")
    parser.add_argument("--corpus", default="generated pages", help="name of the pages")
    parser.add_argument("--update", type=Path, metavar="ROOT", help="repository to update")
    return parser.parse_args()


def read(directory):
    paths = sorted(path for path in directory.rglob("*") if path.suffix in EXTENSIONS)
    return {path.relative_to(directory).as_posix(): path.read_bytes().decode() for path in paths}


def size(pages):
    return sum(len(page.encode()) for page in pages.values())


# Tools


@dataclass
class Chunk:
    """One chunk, whichever tool it is from."""

    text: str
    # What goes to the embedding model.
    embedded: str
    id: str | None = None
    # The text that the reported offsets select from the source; None if no offsets are reported.
    selected: str | None = None


@dataclass
class Tool:
    """A splitter in the setup that is measured."""

    name: str
    version: str
    setup: str
    # Splits pages by name into lists of chunks by name, or the errors that it raised.
    split: object
    # Splits all pages and returns the CPU seconds that it took.
    seconds: object


def tools(command):
    return [chunkwright(command), *langchain(), text_splitter(), *chonkie(), docling()]


def chunkwright(command):
    def run(pages, *flags, **options):
        with tempfile.TemporaryDirectory() as directory:
            for name, text in pages.items():
                path = Path(directory, name)
                path.parent.mkdir(parents=True, exist_ok=True)
                path.write_bytes(text.encode())
            arguments = ["chunk", directory, "--tree", "docs", "--tokenizer", "cl100k"]
            arguments += ["--target", str(LIMIT), "--max", str(LIMIT), "--format", "jsonl"]
            before = children_seconds()
            done = subprocess.run([command, *arguments, "--quiet", *flags], check=True, **options)
            return done.stdout, children_seconds() - before

    def split(pages):
        output, _ = run(pages, "--with", "embed_text", stdout=subprocess.PIPE)
        chunks = {name: [] for name in pages}
        for record in map(json.loads, output.decode().splitlines()):
            source = pages[record["path"]].encode()
            selected = source[record["byte_start"] : record["byte_end"]].decode()
            chunk = Chunk(record["text"], record["embed_text"], record["id"], selected)
            chunks[record["path"]].append(chunk)
        return chunks

    def seconds(pages):
        return run(pages, "--jobs", "1", stdout=subprocess.DEVNULL)[1]

    number = subprocess.run([command, "--version"], capture_output=True, check=True, text=True)
    setup = "the command, strategy `hierarchical`, measured as a whole process"
    return Tool("chunkwright", number.stdout.split()[1], setup, split, seconds)


def children_seconds():
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    return used.ru_utime + used.ru_stime


def langchain():
    from langchain_text_splitters import (
        ExperimentalMarkdownSyntaxTextSplitter,
        MarkdownHeaderTextSplitter,
        MarkdownTextSplitter,
        RecursiveCharacterTextSplitter,
    )

    options = {"chunk_size": LIMIT, "chunk_overlap": 0, "length_function": token_counter()}
    recursive = RecursiveCharacterTextSplitter(**options, add_start_index=True)
    markdown = MarkdownTextSplitter(**options, add_start_index=True)
    levels = [("#" * level, f"h{level}") for level in range(1, 7)]
    headings = MarkdownHeaderTextSplitter(levels, strip_headers=False)

    def syntax(text):
        # It collects chunks in itself, so every page needs a new one.
        sections = ExperimentalMarkdownSyntaxTextSplitter(strip_headers=False).split_text(text)
        return recursive.split_documents(sections)

    def chunk(document, source):
        text, start = document.page_content, document.metadata["start_index"]
        # It reports -1 for a chunk that it does not find.
        selected = source[start : start + len(text)] if start >= 0 else ""
        return Chunk(text, text, document.id, selected)

    setups = {
        "`RecursiveCharacterTextSplitter`": lambda text: recursive.create_documents([text]),
        "`MarkdownTextSplitter`": lambda text: markdown.create_documents([text]),
        "`MarkdownHeaderTextSplitter`, then recursive": lambda text: recursive.split_documents(
            headings.split_text(text)
        ),
        "`ExperimentalMarkdownSyntaxTextSplitter`, then recursive": syntax,
    }
    for setup, split in setups.items():
        make = lambda split=split: split
        yield in_python("LangChain", "langchain-text-splitters", setup, make, chunk)


def text_splitter():
    from semantic_text_splitter import MarkdownSplitter

    def make():
        return MarkdownSplitter.from_tiktoken_model("gpt-4", LIMIT).chunk_indices

    def chunk(pair, source):
        start, text = pair
        return Chunk(text, text, None, source[start : start + len(text)])

    setup = "`MarkdownSplitter.from_tiktoken_model`"
    return in_python("text-splitter", "semantic-text-splitter", setup, make, chunk)


def chonkie():
    from chonkie import (
        MarkdownChef,
        RecursiveChunker,
        RecursiveLevel,
        RecursiveRules,
        TableChunker,
    )
    from chonkie import Chunk as Found

    encoding = plain_encoding()

    def recursive(rules):
        return RecursiveChunker(tokenizer=encoding, chunk_size=LIMIT, rules=rules)

    def markdown_rules():
        # Like the recipe `markdown`, which would be downloaded.
        headings = RecursiveLevel(["\n" + "#" * level + " " for level in range(1, 7)])
        headings.include_delim = "next"
        paragraphs, lines = RecursiveLevel(["\n\n"]), RecursiveLevel(["\n"])
        return RecursiveRules([headings, paragraphs, lines, *RecursiveRules().levels[1:]])

    def chef():
        chef = MarkdownChef(tokenizer=encoding)
        prose = recursive(RecursiveRules())
        tables = TableChunker(tokenizer=encoding, chunk_size=LIMIT)

        def split(text):
            page = tables.chunk_document(prose.chunk_document(chef.parse(text)))
            places = [(code.start_index, code.end_index) for code in page.code]
            code = [
                Found(text=text[start:end], start_index=start, end_index=end)
                for start, end in places
            ]
            return sorted(page.chunks + code, key=lambda found: found.start_index)

        return split

    def chunk(found, source):
        selected = source[found.start_index : found.end_index]
        return Chunk(found.text, found.text, found.id, selected)

    setups = {
        "`RecursiveChunker`": lambda: recursive(RecursiveRules()).chunk,
        "`RecursiveChunker` with rules for Markdown": lambda: recursive(markdown_rules()).chunk,
        "`MarkdownChef`, `RecursiveChunker`, `TableChunker`, code blocks whole": chef,
    }
    for setup, make in setups.items():
        yield in_python("chonkie", "chonkie", setup, make, chunk)


def docling():
    from docling.backend.md_backend import MarkdownDocumentBackend
    from docling.datamodel.base_models import InputFormat
    from docling.datamodel.document import InputDocument
    from docling_core.transforms.chunker.hierarchical_chunker import (
        ChunkingDocSerializer,
        ChunkingSerializerProvider,
    )
    from docling_core.transforms.chunker.hybrid_chunker import HybridChunker
    from docling_core.transforms.chunker.tokenizer.openai import OpenAITokenizer
    from docling_core.transforms.serializer.markdown import MarkdownTableSerializer

    class MarkdownTables(ChunkingSerializerProvider):
        def get_serializer(self, doc):
            return ChunkingDocSerializer(doc=doc, table_serializer=MarkdownTableSerializer())

    tokenizer = OpenAITokenizer(tokenizer=plain_encoding(), max_tokens=LIMIT)

    def make():
        chunker = HybridChunker(
            tokenizer=tokenizer, serializer_provider=MarkdownTables(), always_emit_headings=True
        )

        def split(text):
            page = InputDocument(
                path_or_stream=BytesIO(text.encode()),
                format=InputFormat.MD,
                backend=MarkdownDocumentBackend,
                filename="page.md",
            )
            chunks = chunker.chunk(page._backend.convert())
            return [(chunk, chunker.contextualize(chunk)) for chunk in chunks]

        return split

    def chunk(pair, source):
        found, embedded = pair
        places = [place for item in found.meta.doc_items for place in item.prov]
        selected = "".join(source[slice(*place.charspan)] for place in places) if places else None
        return Chunk(found.text, embedded, getattr(found, "id", None), selected)

    setup = "Markdown backend, `HybridChunker` with `MarkdownTableSerializer`"
    return in_python("docling", "docling-slim", setup, make, chunk)


def in_python(name, package, setup, make, chunk):
    """Returns a tool from a function that makes a splitter, and one that converts its chunks."""

    def attempt(run, source):
        try:
            return run(source)
        except Exception as error:
            return error

    def split(pages):
        run = make()
        found = {name: (source, attempt(run, source)) for name, source in pages.items()}
        return {
            name: result
            if isinstance(result, Exception)
            else [chunk(one, source) for one in result]
            for name, (source, result) in found.items()
        }

    def seconds(pages):
        # Each round gets a new splitter, since some cache token counts.
        run = make()
        start = time.process_time()
        for page in pages.values():
            attempt(run, page)
        return time.process_time() - start

    return Tool(name, version(package), setup, split, seconds)


def plain_encoding():
    base = tiktoken.get_encoding("cl100k_base")
    # Without special tokens, at which it would raise an error.
    return tiktoken.Encoding(
        "plain", pat_str=base._pat_str, mergeable_ranks=base._mergeable_ranks, special_tokens={}
    )


def token_counter():
    encoding = plain_encoding()
    return lambda text: len(encoding.encode_ordinary(text))


# The judge


class Parsed:
    """The code and the tables of a text, by line."""

    def __init__(self, text):
        self.lines = text.splitlines()
        # The lines of each fence: the opening one, and the code.
        self.fences = []
        # Which fence a line of code belongs to, and which fence a line opens or closes.
        self.code, self.marks = {}, {}
        # Lines that are code, fenced or indented.
        self.is_code = set()
        # The line of the header of each table, by the lines of its rows.
        self.rows = {}
        in_body = False
        for token in PARSER.parse(text):
            if token.type == "fence":
                self.add_fence(token)
            elif token.type == "code_block":
                self.is_code.update(range(*token.map))
            elif token.type in ("thead_open", "tbody_open"):
                in_body = token.type == "tbody_open"
            elif token.type == "tr_open" and not in_body:
                header = token.map[0]
            elif token.type == "tr_open" and "|" in self.lines[token.map[0]]:
                # Without a bar it is the text or the tag after a table that lacks a blank line.
                self.rows[token.map[0]] = header

    def add_fence(self, token):
        number = len(self.fences)
        start, end = token.map
        # A fence that the end of the text closes may lack the last line break.
        code = range(start + 1, start + 1 + len(token.content.splitlines()))
        self.fences.append((start, code))
        self.is_code.update(code)
        self.code.update((line, number) for line in code)
        self.marks.update((line, number) for line in {start, end - 1} - set(code))


PARSER = MarkdownIt("commonmark").enable("table")


def letters(text):
    """Returns the letters and digits of a text: what no rendering may change."""
    return "".join(filter(str.isalnum, text))


def text_letters(text):
    """Returns the letters and digits of a text that are not markup."""
    return letters(html.unescape(MARKUP.sub("", text)))


def key(line):
    """Returns what a line has in common with its copy in a chunk, whatever happened to markup."""
    line = line.strip()
    return line[:3] if line.startswith(("```", "~~~")) else letters(line) or line


class Source(Parsed):
    """A page, and what must be found again in its chunks."""

    def __init__(self, text):
        super().__init__(text)
        self.keys = [(number, key(line)) for number, line in enumerate(self.lines) if line.strip()]
        front_matter = FRONT_MATTER.match(text)
        self.letters = text_letters(text[front_matter.end() if front_matter else 0 :])
        self.edited = self.edit(text)

    def edit(self, text):
        """Returns the page with one more sentence in its first paragraph; None if it has none."""
        front_matter = FRONT_MATTER.match(text)
        start = front_matter.group().count("\n") + 1 if front_matter else 0
        lines = text.splitlines(keepends=True)
        for token in PARSER.parse(text):
            if token.type == "paragraph_open" and token.level == 0 and token.map[0] >= start:
                last = token.map[1] - 1
                line = lines[last].rstrip()
                lines[last] = line + SENTENCE + lines[last][len(line) :]
                return "".join(lines)
        return None


@dataclass
class Judged:
    """What happened to the fences and tables of one page."""

    broken_fences: dict = field(default_factory=dict)
    bare_rows: dict = field(default_factory=dict)
    missing_rows: list = field(default_factory=list)


def judge(source, chunks):
    judged = Judged()
    if not source.fences and not source.rows:
        return judged
    parsed = [Parsed(chunk.text) for chunk in chunks]
    places, keys = [], []
    for nth, chunk in enumerate(parsed):
        for number, line in enumerate(chunk.lines):
            if line.strip():
                places.append((nth, number))
                keys.append(key(line))
    originals = aligned([wanted for _, wanted in source.keys], keys)
    originals = {places[place]: source.keys[at][0] for place, at in originals.items()}
    judge_fences(source, parsed, originals, judged)
    judge_tables(source, parsed, originals, dict(zip(places, keys)), judged)
    return judged


def aligned(wanted, found):
    """Returns which wanted line each found line is, in order."""
    matcher = SequenceMatcher(None, wanted, found, autojunk=False)
    return {
        block.b + offset: block.a + offset
        for block in matcher.get_matching_blocks()
        for offset in range(block.size)
    }


def judge_fences(source, parsed, originals, judged):
    """Finds fences whose code is not code in a chunk, or whose marks make code of other text."""
    for (nth, number), line in originals.items():
        if line in source.code and number not in parsed[nth].is_code:
            judged.broken_fences.setdefault(source.code[line], (nth, "code leaks"))
    for nth, chunk in enumerate(parsed):
        for opening, code in chunk.fences:
            lines = [originals[nth, number] for number in code if (nth, number) in originals]
            blamed = {source.code[line] for line in lines if line in source.code}
            swallows = any(line not in source.code and line not in source.marks for line in lines)
            if not swallows and len(blamed) <= 1:
                continue
            if originals.get((nth, opening)) in source.marks:
                blamed.add(source.marks[originals[nth, opening]])
            for fence in blamed:
                judged.broken_fences.setdefault(fence, (nth, "text swallowed"))


def judge_tables(source, parsed, originals, keys, judged):
    """Finds table rows, or parts of them, that are in a chunk without their header above them."""
    copies = defaultdict(list)
    for place, line in originals.items():
        copies[line].append(place)
    unclaimed = [
        (nth, number)
        for (nth, number), found in keys.items()
        if (nth, number) not in originals
        and len(found) >= WINDOW
        and "|" in parsed[nth].lines[number]
    ]
    for row, header in source.rows.items():
        wanted = key(source.lines[row])
        parts = copies[row] or [place for place in unclaimed if keys[place] in wanted]
        if not parts:
            judged.missing_rows.append(row)
        for nth, number in parts:
            above = parsed[nth].lines[:number]
            if not any(is_header(line, source.lines[header]) for line in above):
                judged.bare_rows.setdefault(row, (nth, "no header"))


def is_header(line, wanted):
    """Returns whether a line is a header, or some of its columns."""
    if key(line) == key(wanted):
        return True
    cells = {letters(cell) for cell in line.split("|")} - {""}
    return "|" in line and cells and cells <= {letters(cell) for cell in wanted.split("|")}


def lost_letters(source, chunks):
    """Returns the bytes of letters and digits that no chunk contains, with examples."""
    texts = "".join(text_letters(chunk.text) for chunk in chunks)
    texts += "\0" + "\0".join(text_letters(chunk.embedded) for chunk in chunks)
    wanted = source.letters
    width = min(WINDOW, len(wanted))
    known = {texts[at : at + width] for at in range(len(texts) - width + 1)}
    runs, end = [], 0
    # Everything before `end` is in a window that some chunk contains, or was counted.
    for at in range(len(wanted) - width + 1) if width else ():
        if wanted[at : at + width] in known:
            if at > end:
                runs.append(wanted[end:at])
            end = at + width
    if end < len(wanted):
        runs.append(wanted[end:])
    return sum(len(run.encode()) for run in runs), runs


class Measured:
    """What a tool makes of the pages."""

    def __init__(self, tool, pages, sources):
        self.tool = tool
        self.failures = defaultdict(list)
        self.counts = defaultdict(int)
        count = token_counter()
        chunks = tool.split(pages)
        for name, source in sources.items():
            self.add_page(name, pages[name], source, chunks[name], count)
        self.add_edits(chunks, sources)

    def add_page(self, name, page, source, chunks, count):
        counts, failures = self.counts, self.failures
        if isinstance(chunks, Exception):
            counts["pages failed"] += 1
            failures["page"].append((name, repr(chunks)))
            return
        counts["chunks"] += len(chunks)
        counts["fences"] += len(source.fences)
        counts["rows"] += len(source.rows)
        counts["letters"] += len(source.letters.encode())
        judged = judge(source, chunks)
        for kind, found in [("fence", judged.broken_fences), ("row", judged.bare_rows)]:
            counts[kind + "s broken"] += len(found)
            for what, (nth, why) in found.items():
                line = source.fences[what][0] if kind == "fence" else what
                failures[kind].append((f"{name}:{line + 1}: {why}", chunks[nth].text))
        counts["rows missing"] += len(judged.missing_rows)
        for row in judged.missing_rows:
            failures["missing row"].append((f"{name}:{row + 1}", source.lines[row]))
        lost, runs = lost_letters(source, chunks)
        counts["lost"] += lost
        failures["lost"] += [(name, run) for run in runs]
        for chunk in chunks:
            tokens = count(chunk.embedded)
            if tokens > LIMIT:
                counts["over"] += 1
                failures["over"].append((f"{name}: {tokens} tokens", chunk.embedded))
            if chunk.selected is not None:
                counts["offsets"] += 1
                selected = chunk.selected.strip()
                counts["identical"] += selected == chunk.text.strip()
                # A chunk may add to its range, for example the header of a table that goes on.
                if selected and selected in chunk.text:
                    counts["exact"] += 1
                else:
                    failures["offset"].append((name, f"{chunk.text}\n---\n{chunk.selected}"))

    def failed(self):
        """Returns what the choice between setups depends on."""
        counts = self.counts
        wrong_offsets = counts["offsets"] - counts["exact"]
        return counts["fences broken"] + counts["rows broken"] + counts["over"] + wrong_offsets

    def add_edits(self, chunks, sources):
        """Splits the edited pages and counts the ids of unchanged chunks that stay."""
        edited = {name: source.edited for name, source in sources.items() if source.edited}
        for name, after in self.tool.split(edited).items():
            if isinstance(after, Exception) or isinstance(chunks[name], Exception):
                continue
            ids = defaultdict(set)
            for chunk in after:
                ids[chunk.text].add(chunk.id)
            for chunk in chunks[name]:
                if chunk.id is None or chunk.text not in ids:
                    continue
                self.counts["unchanged"] += 1
                if chunk.id in ids[chunk.text]:
                    self.counts["ids kept"] += 1
                else:
                    shown = f"{ids[chunk.text]}\n{chunk.text}"
                    self.failures["id"].append((f"{name}: {chunk.id}", shown))


def race(measured, pages):
    """Measures all tools in turns; each keeps its best round, so that a slow minute hits all.

    A tool that is too slow for all pages gets every nth page, about a megabyte.
    """
    sample = dict(list(pages.items())[:: max(1, size(pages) // SAMPLE_BYTES)])
    for nth in range(ROUNDS):
        for one in measured:
            if nth == 0:
                one.seconds_per_byte = one.tool.seconds(sample) / size(sample)
                one.raced = sample if one.seconds_per_byte * size(pages) > SLOW_SECONDS else pages
            seconds = one.tool.seconds(one.raced) / size(one.raced)
            one.seconds_per_byte = min(one.seconds_per_byte, seconds)


# The report


def report(corpus, best, setups):
    first = best[0]
    labels = [
        f"Code fences broken, of {first.counts['fences']:,}",
        f"Table rows without their header, of {first.counts['rows']:,}",
        f"Chunks over {LIMIT} tokens",
        "Text lost",
        "Chunks with exact offsets",
        "Ids kept when another chunk changes",
        "Megabytes per second of CPU time",
    ]
    failing = [f"{one.counts['pages failed']:,}" for one in best]
    columns = [
        [f"{one.tool.name} {one.tool.version}", *cells(one), speed(one, first)] for one in best
    ]
    others = [[one.tool.name, one.tool.setup, *cells(one)] for one in setups]
    table = [list(row) for row in zip(["", *labels], *columns)]
    if set(failing) != {"0"}:
        table.insert(-1, ["Pages that raise an error", *failing])
    return {
        "corpus": corpus,
        "date": f"{time.gmtime().tm_mday} {time.strftime('%B %Y', time.gmtime())}",
        "machine": f"{platform.platform()}, Python {platform.python_version()}",
        "limit": f"{LIMIT} tokens of cl100k",
        "judge": f"markdown-it-py {version('markdown-it-py')}",
        "tools": [
            {
                "name": one.tool.name,
                "version": one.tool.version,
                "setup": one.tool.setup,
                "megabytes_per_second": round(1e-6 / one.seconds_per_byte, 3),
                "counts": {name: one.counts[name] for name in sorted(one.counts)},
            }
            for one in best
        ],
        "table": table,
        "setups": [["", "setup", *labels[:-1]], *others],
    }


def cells(one):
    counts = one.counts
    return [
        f"{counts['fences broken']:,}",
        f"{counts['rows broken']:,}",
        f"{counts['over']:,} of {counts['chunks']:,}",
        share(counts["lost"], counts["letters"]),
        share(counts["exact"], counts["chunks"]) if counts["offsets"] else "none",
        share(counts["ids kept"], counts["unchanged"]) if counts["unchanged"] else "no ids",
    ]


def speed(one, first):
    megabytes, ratio = 1e-6 / one.seconds_per_byte, one.seconds_per_byte / first.seconds_per_byte
    if one is first:
        return f"{megabytes:.1f}"
    times, word = (ratio, "slower") if ratio >= 1 else (1 / ratio, "faster")
    return (
        f"{megabytes:.{1 if megabytes >= 1 else 2}f} ({times:.{0 if times >= 10 else 1}f}× {word})"
    )


def share(part, whole):
    """Returns a percentage that is 0 or 100 only if it is exactly that."""
    percent = 100 * part / whole if whole else 0
    for digits in (0, 1, 2):
        rounded = f"{percent:.{digits}f}"
        if (float(rounded) in (0, 100)) == (part in (0, whole)) and (digits or part in (0, whole)):
            return rounded + " %"
    return "< 0.01 %" if percent < 50 else "> 99.99 %"


def markdown(results):
    corpus = results["corpus"]
    return (
        f"{markdown_table(results['table'])}\n*Measured on {corpus['name']} "
        f"({corpus['pages']} pages, {corpus['bytes'] / 1e6:.1f} MB) on {results['date']}; "
        "`cargo xtask bench --peers DIR` repeats it.*\n"
    )


def markdown_table(rows):
    head, *rest = rows
    lines = [head, ["---", *["--:"] * (len(head) - 1)], *rest]
    return "".join("| " + " | ".join(cells) + " |\n" for cells in lines)


def examples(measured):
    parts = ["# What the judge found\n"]
    for one in measured:
        for kind, found in sorted(one.failures.items()):
            parts.append(f"## {one.tool.name}, {one.tool.setup}: {kind} ({len(found):,})\n")
            step = max(1, len(found) // EXAMPLES)
            for title, text in found[::step][:EXAMPLES]:
                shown = "\n".join("    " + line for line in text.splitlines())
                parts.append(f"{title}\n\n{shown}\n")
    return "\n".join(parts)


def update(root, results):
    (root / "bench/results/peers.json").write_text(json.dumps(results, indent=2) + "\n")
    readme = root / "README.md"
    before, opening, rest = readme.read_text().partition(MARKERS[0])
    _, closing, after = rest.partition(MARKERS[1])
    if opening and closing:
        readme.write_text(f"{before}{opening}\n\n{markdown(results)}\n{closing}{after}")
        print(f"updated: {readme}")
    else:
        print(f"{readme} has no {MARKERS[0]} and {MARKERS[1]}: not updated")


if __name__ == "__main__":
    warnings.simplefilter("ignore")
    main()
