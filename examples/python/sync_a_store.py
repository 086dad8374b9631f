"""Keep vectors in SQLite in sync with pages, and embed only chunks that changed.

Run it with: python examples/python/sync_a_store.py
"""

import json
import sqlite3

import chunkwright

store = sqlite3.connect(":memory:")
store.execute("create table chunks (id text primary key, vector text, record text)")


def embed(text: str) -> str:
    """Return a placeholder. Replace this function with your embedding model."""
    print("embedding", repr(text))
    return json.dumps([float(len(text))])


def sync(page: str) -> None:
    stored = [json.loads(record) for [record] in store.execute("select record from chunks")]
    plan = chunkwright.diff(stored, chunkwright.chunk(page, path="tea.md", max=12, tokenizer="words:1"))
    vectors = dict(store.execute("select id, vector from chunks"))
    put = [(move["record"], vectors[move["from"]]) for move in plan["move"]]
    put += [(record, embed(record["embed_text"])) for record in plan["upsert"]]
    put += [(record, vectors[record["id"]]) for record in plan["update"]]
    with store:  # one transaction
        for record, vector in put:
            row = (record["id"], vector, json.dumps(record))
            store.execute("insert or replace into chunks values (?, ?, ?)", row)
        store.executemany("delete from chunks where id = ?", [(id,) for id in plan["delete"]])
    print({name: count for name, count in plan["summary"].items() if count})


tea = "# Tea\n\nBoil water first.\n\n## Green\n\nWait until it has 80 degrees.\n"
sync(tea)
sync(tea.replace("80", "70"))

# Output:
# embedding '# Tea\n\nBoil water first.'
# embedding 'Tea\n\n## Green\n\nWait until it has 80 degrees.'
# {'added': 2, 'tokens': 14, 'tokens_to_embed': 14}
# embedding 'Tea\n\n## Green\n\nWait until it has 70 degrees.'
# {'changed': 1, 'unchanged': 1, 'tokens': 14, 'tokens_to_embed': 9}
