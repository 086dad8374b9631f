"""The index returns in Python what the command prints in JSON."""

import json
import subprocess

import pytest

import chunkwright
from common import COMMAND, ROOT, run

EXAMPLES = ROOT / "docs/examples"


@pytest.fixture(scope="module")
def place(tmp_path_factory):
    place = tmp_path_factory.mktemp("place") / "index"
    report = chunkwright.update_index(place, {"kettle": EXAMPLES})
    assert report == {"added": 4, "changed": 0, "removed": 0, "unchanged": 0, "rebuilt": None, "errors": []}
    return place


def command(place, *arguments):
    return json.loads(run(*arguments, "--json", "--index", place, cwd=place.parent))


def test_answers_match_the_command(place):
    index = chunkwright.Index(place)
    for query in ["settings file", "title:rotate", '"signing key" OR passphrase', "key ( odd"]:
        assert index.search(query) == command(place, "search", query)
    expected = command(place, "search", "key", "--limit", "2", "--path", "guide.md", "--no-merge", "--explain")
    assert index.search("key", limit=2, paths=["guide.md"], merge=False, explain=True) == expected
    expected = command(place, "search", "key", "--where", "tags=keys", "--tree", "kettle")
    assert index.search("key", where=["tags=keys"], trees=["kettle"]) == expected


def test_budgets_and_formats_match_the_command(place):
    index = chunkwright.Index(place)
    for budget in (90, 400, 2000):
        printed = run("search", "signing key", "--format", "markdown", "--max-tokens", str(budget), "--index", place, cwd=place.parent)
        assert index.search("signing key", format="markdown", max_tokens=budget) == printed.decode()
        assert index.search("signing key", max_tokens=budget) == command(place, "search", "signing key", "--max-tokens", str(budget))
    few = index.search("signing key", fields=["id", "tokens"], format="json")
    assert json.loads(few) == command(place, "search", "signing key", "--fields", "id,tokens")
    assert json.loads(few)["results"][0].keys() == {"id", "tokens"}


def test_answers_report_unmatched_terms_and_coverage(place):
    answer = chunkwright.Index(place).search("signing keey xyzzyx")
    assert answer["matched"] == ["signing"]
    assert answer["unmatched"] == [{"term": "keey", "suggestion": "key"}, {"term": "xyzzyx"}]
    assert 0 < answer["coverage"] < 1


def test_nodes_and_lists_match_the_command(place):
    index = chunkwright.Index(place)
    for id in ("kettle:guide.md", "kettle:guide.md#settings"):
        assert index.get(id) == command(place, "get", id)
        assert index.get(id, whole=True) == command(place, "get", id, "--whole")
    listed = run("ls", "--json", "--index", place, cwd=place.parent).split(b"\n")
    assert index.list() == [json.loads(line) for line in listed if line]
    assert [node["depth"] for node in index.list("kettle:guide.md", recursive=True)][:2] == [1, 2]
    assert index.get("guide.md#settings") == index.get("kettle:guide.md#settings")
    assert index.get("guide.md")["id"] == "kettle:guide.md+"
    assert index.status() == command(place, "status")


def test_an_update_indexes_changes_and_keeps_open_snapshots(tmp_path):
    (tmp_path / "docs").mkdir()
    (tmp_path / "docs/a.md").write_text("# Alpha\n\nOne.\n")
    place = tmp_path / "index"
    assert chunkwright.update_index(place, tmp_path / "docs")["added"] == 1
    old = chunkwright.Index(place)
    (tmp_path / "docs/a.md").write_text("# Alpha\n\nTwo.\n")
    (tmp_path / "docs/b.md").write_bytes(b"\xff")
    report = chunkwright.update_index(place, [tmp_path / "docs"])
    assert (report["changed"], len(report["errors"])) == (1, 1)
    assert "One." in old.get("docs:a.md#alpha")["text"]
    assert "Two." in chunkwright.Index(place).get("docs:a.md#alpha")["text"]
    assert chunkwright.update_index(place, tmp_path / "docs", rebuild=True)["rebuilt"] == "requested"


def test_errors_name_the_invalid_argument(place, tmp_path):
    index = chunkwright.Index(place)
    wrong = [
        (lambda: chunkwright.Index(tmp_path / "none"), FileNotFoundError, r"create one with update_index\(path, trees\)"),
        (lambda: chunkwright.Index(1), TypeError, "path: expected a str or os.PathLike, not int"),
        (lambda: chunkwright.Index(place, max=3), ValueError, "max: this option has no effect here; expected search"),
        (lambda: index.search("a", limit=-1), ValueError, "limit: expected 0 or more, not -1"),
        (lambda: index.search("a", max_tokens=-1), ValueError, "max_tokens: expected 0 or more, not -1"),
        (lambda: index.search("a", max_tokens=1), ValueError, "the token budget of 1 is too small for this format; use at least"),
        (lambda: index.search("a", fields=["txt"]), ValueError, "unknown field `txt`: .*did you mean `text`"),
        (lambda: index.search("a", format="xml"), ValueError, "format: expected `markdown` or `json`, not `xml`"),
        (lambda: index.search("???"), ValueError, "no letter or digit"),
        (lambda: index.get(1), TypeError, "id: expected a str, not int"),
        (lambda: index.list("\ud800"), ValueError, "id: invalid Unicode"),
        (lambda: chunkwright.update_index(place, tmp_path / "typo"), FileNotFoundError, "trees: no such file or directory: .*typo"),
        (lambda: chunkwright.update_index(place, tmp_path, overlap=3), ValueError, "overlap: this option has no effect here"),
        (lambda: chunkwright.Index(place, search={"rankng": {}}), ValueError, "unknown option `search.rankng`"),
        (lambda: index.search(1), TypeError, "query: expected a str, not int"),
        (lambda: index.search("\ud800"), ValueError, "query: invalid Unicode"),
        (lambda: index.search('"open', strict=True), ValueError, "open"),
        (lambda: index.search("a", where=["tags"]), ValueError, "tags"),
        (lambda: index.search("a", paths="guide.md"), TypeError, "paths: expected an iterable such as a list, not str"),
        (lambda: index.get("nothing"), LookupError, "unknown id or path `nothing`"),
        (lambda: chunkwright.update_index(place, 1), TypeError, "trees: "),
        (lambda: chunkwright.update_index(tmp_path, [tmp_path], index={"language": "klingon"}), ValueError, "klingon"),
    ]
    for call, error, message in wrong:
        with pytest.raises(error, match=message):
            call()
    assert index.search("key")["results"]


class Agent:
    """An agent that calls the tools of `chunkwright mcp`."""

    def __init__(self, place):
        command = [COMMAND, "mcp", "--index", str(place)]
        self.process = subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
        info = {"name": "test", "version": "1"}
        parameters = {"protocolVersion": "2025-11-25", "capabilities": {}, "clientInfo": info}
        self.instructions = self.ask("initialize", parameters)["instructions"]

    def ask(self, method, parameters):
        message = {"jsonrpc": "2.0", "id": 1, "method": method, "params": parameters}
        self.process.stdin.write(json.dumps(message) + "\n")
        self.process.stdin.flush()
        return json.loads(self.process.stdout.readline())["result"]

    def call(self, tool, **arguments):
        result = self.ask("tools/call", {"name": tool, "arguments": arguments})
        return result["content"][0]["text"], result["isError"]

    def close(self):
        self.process.stdin.close()
        assert self.process.wait() == 0
        self.process.stdout.close()


def test_tools_match_the_server(place):
    index, agent = chunkwright.Index(place), Agent(place)
    calls = [
        ("search_docs", {"query": "signing key"}),
        ("search_docs", {"query": "signing keey xyzzyx", "max_tokens": 150, "path": "*.md", "tree": "kettle", "where": "tags=keys"}),
        ("read_section", {"id": "guide.md"}),
        ("read_section", {"id": "guide.md", "max_tokens": 120, "from_line": 17}),
        ("read_section", {"id": "guide.md:36"}),
        ("read_section", {"id": "kettle:guide.md#use"}),
        ("list_sections", {}),
        ("list_sections", {"id": "kettle:guide.md", "after": 2}),
    ]
    for tool, arguments in calls:
        assert agent.call(tool, **arguments) == (getattr(index, tool)(**arguments), False)
    wrong = [
        ("search_docs", {"query": "?"}, ValueError),
        ("search_docs", {"query": "key " * 501}, ValueError),
        ("search_docs", {"query": "key", "max_tokens": 10_001}, ValueError),
        ("search_docs", {"query": "key", "max_tokens": 1}, ValueError),
        ("read_section", {"id": "guide.md#setings"}, LookupError),
        ("read_section", {"id": "guide.md", "from_line": 999}, ValueError),
        ("list_sections", {"after": 99}, ValueError),
    ]
    for tool, arguments, kind in wrong:
        with pytest.raises(kind) as fault:
            getattr(index, tool)(**arguments)
        assert agent.call(tool, **arguments) == (str(fault.value), True)
    assert agent.instructions == index.instructions()
    agent.close()


def test_answers_for_agents_fit_their_budget(place):
    index = chunkwright.Index(place)

    def count(answer):
        most = len(answer)
        chunks = chunkwright.chunk(answer, tokenizer="o200k", target=most, max=most, context="none")
        return sum(chunk.tokens for chunk in chunks)

    for budget in (60, 200, 1000):
        assert count(index.search_docs("signing key", max_tokens=budget)) <= budget
        assert count(index.read_section("guide.md", max_tokens=budget)) <= budget
