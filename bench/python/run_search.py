"""Write a run file with the ranking of `chunkwright search` for each query.

    run_search.py --command target/release/chunkwright --corpus docs --queries queries.jsonl --out run.jsonl

Each line of the queries contains "qid" and "query". Each line of the run contains "qid" and
"results", best first, each with "path" (relative to the corpus, after --prefix), "byte_start",
"byte_end" and "text".
"""

import argparse
import json
import pathlib
import subprocess
import tempfile


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--command", required=True, help="chunkwright binary")
    parser.add_argument("--corpus", required=True, help="directory or file to index")
    parser.add_argument("--queries", required=True, help="JSON lines file with qid and query")
    parser.add_argument("--out", required=True, help="run file to append to")
    parser.add_argument("--prefix", default="", help="prefix for paths in the run")
    parser.add_argument("--limit", default="50", help="maximum number of results per query")
    parser.add_argument("--index", help="directory for the index [default: a temporary directory]")
    parser.add_argument("flags", nargs="*", help="flags for search, after --")
    args = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        index = args.index or str(pathlib.Path(folder, "index"))
        subprocess.run(
            [args.command, "index", args.corpus, "--index", index, "--quiet"], check=True
        )
        search = [args.command, "search", "--index", index, "--limit", args.limit]
        search += ["--queries", args.queries, *args.flags]
        answers = subprocess.run(search, check=True, stdout=subprocess.PIPE, encoding="utf-8")
    with open(args.out, "a", encoding="utf-8") as out:
        for line in answers.stdout.splitlines():
            answer = json.loads(line)
            results = [row(result, args.prefix) for result in answer["results"]]
            out.write(json.dumps({"qid": answer["qid"], "results": results}) + "\n")


def row(result, prefix):
    kept = {key: result[key] for key in ("byte_start", "byte_end", "text")}
    return {"path": prefix + result["path"], **kept}


if __name__ == "__main__":
    main()
