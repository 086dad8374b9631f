"""Cards in notebooks show hostile text as text."""

from html.parser import HTMLParser

import chunkwright
from common import CORPUS, SMALL

HOSTILE = """\
# <img src=x onerror=alert(1)> &amp; "quoted' $x$

</pre></div><script>alert(1)</script> &lt; `<b>` \u202e gnirts
"""


class Card(HTMLParser):
    """Parses a card: its tags, attributes, and the text of each tag."""

    def __init__(self, html):
        super().__init__()
        self.open, self.tags, self.attributes, self.texts = [], set(), set(), {}
        self.feed(html)
        self.close()
        assert not self.open

    def handle_starttag(self, tag, attributes):
        self.open.append(tag)
        self.tags.add(tag)
        self.attributes.update(name for name, _ in attributes)

    def handle_endtag(self, tag):
        assert self.open.pop() == tag

    def handle_data(self, data):
        self.texts[self.open[-1]] = self.texts.get(self.open[-1], "") + data


def card(chunk):
    found = Card(chunk._repr_html_())
    assert found.tags <= {"div", "strong", "bdi", "ul", "li", "pre"}
    assert found.attributes <= {"class", "style", "dir"}
    # HTML drops the first newline.
    assert found.texts["pre"] == "\n" + chunk.text
    return found


def test_a_card_shows_hostile_text():
    [chunk] = chunkwright.chunk(HOSTILE, path='"><script>.md')
    html = chunk._repr_html_()
    shown = card(chunk).texts
    assert shown["bdi"] == "".join([*chunk.breadcrumb, chunk.id, *(note["message"] for note in chunk.notes)])
    assert '"><script>.md' in shown["bdi"]
    assert "<script" not in html and "<img" not in html
    assert 'class="tex2jax_ignore mathjax_ignore"' in html and "color-scheme:light dark" in html


def test_a_card_shows_every_page_unchanged():
    chunks = list(chunkwright.chunk_files(CORPUS, **SMALL))
    for chunk in chunks:
        card(chunk)
    noted = next(chunk for chunk in chunks if chunk.notes)
    assert "".join(note["message"] for note in noted.notes) in card(noted).texts["bdi"]


def test_a_card_shows_tokens_and_lines():
    [tea] = chunkwright.chunk("# Tea\n\nBoil water.", context="none", tokenizer="words:1")
    assert card(tea).texts["div"] == " · 4 tokens · lines 1–3"
    [one] = chunkwright.chunk("Tea", context="none", tokenizer="words:1")
    assert card(one).texts["div"] == " · 1 token · line 1"
