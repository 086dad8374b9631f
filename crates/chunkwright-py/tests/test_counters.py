"""Tokenizers by the names of models, and as objects of other packages."""

import gc
import pickle
import subprocess
import sys
import weakref

import pytest
import tiktoken
from tokenizers import AddedToken, NormalizedString, PreTokenizedString, Tokenizer, models, pre_tokenizers, processors

import chunkwright
from common import CORPUS

PAGES = [page.read_bytes().decode() for page in sorted(CORPUS.glob("*.md"))[::4]]
O200K = ["o200k_base", "gpt-4o", "gpt-4o-mini", "gpt-4.1", "gpt-5", "o1", "o3"]
CL100K = [
    "cl100k_base",
    "gpt-4",
    "gpt-3.5-turbo",
    "text-embedding-3-small",
    "text-embedding-3-large",
    "text-embedding-ada-002",
]
ALIASES = [(alias, "o200k") for alias in O200K] + [(alias, "cl100k") for alias in CL100K]


@pytest.mark.parametrize("alias, name", ALIASES)
def test_names_of_models_select_their_tokenizer(alias, name):
    assert chunkwright.Chunker(tokenizer=alias).config_hash == chunkwright.Chunker(tokenizer=name).config_hash
    text = "# Tea\n\nBoil water first: 100 °C, antidisestablishmentarianism."
    assert chunkwright.chunk(text, tokenizer=alias) == chunkwright.chunk(text, tokenizer=name)


def hugging_face():
    """Create a tokenizer that counts words and runs of punctuation, and adds a token by itself."""
    tokenizer = Tokenizer(models.WordLevel({"[UNK]": 0, "[CLS]": 1, "tea": 2}, unk_token="[UNK]"))
    tokenizer.pre_tokenizer = pre_tokenizers.Whitespace()
    tokenizer.post_processor = processors.TemplateProcessing(single="[CLS] $A", special_tokens=[("[CLS]", 1)])
    tokenizer.add_special_tokens([AddedToken("<|end|>", special=True)])
    return tokenizer


def encoding(name="tiny", more=None):
    """Create an encoding with one token per byte."""
    ranks = {bytes([byte]): byte for byte in range(256)}
    return tiktoken.Encoding(name, pat_str=r"\S+|\s+", mergeable_ranks=ranks, special_tokens=more or {"<|end|>": 256})


def chunks(tokenizer):
    return chunkwright.Chunker(tokenizer=tokenizer, max=60).chunk_many([*PAGES, "Two <|end|> words"])


def test_hugging_face_tokenizers_count_without_added_special_tokens():
    tokenizer = hugging_face()
    expected = chunks(lambda text: len(tokenizer.encode(text, add_special_tokens=False)))
    assert chunks(tokenizer) == expected
    assert expected[-1][0].tokens == 3


def test_a_hugging_face_tokenizer_has_the_hash_of_its_file(tmp_path):
    tokenizer = hugging_face()
    tokenizer.save(str(tmp_path / "tokenizer.json"), pretty=False)
    chunker = chunkwright.Chunker(tokenizer=tokenizer)
    assert chunker.config_hash == chunkwright.Chunker(tokenizer=f"hf:{tmp_path}/tokenizer.json").config_hash
    tokenizer.add_tokens(["tea pot"])
    assert chunker.config_hash != chunkwright.Chunker(tokenizer=tokenizer).config_hash


def test_truncation_and_padding_do_not_change_counts():
    tokenizer = hugging_face()
    before, expected = chunkwright.Chunker(tokenizer=tokenizer), chunks(tokenizer)
    tokenizer.enable_truncation(5)
    tokenizer.enable_padding(length=500)
    assert chunks(tokenizer) == expected
    assert chunkwright.Chunker(tokenizer=tokenizer).config_hash == before.config_hash
    assert tokenizer.truncation["max_length"] == 5 and tokenizer.padding["length"] == 500


def test_plain_special_tokens_are_counted_as_the_tokenizer_does():
    tokenizer = hugging_face()
    tokenizer.encode_special_tokens = True
    [chunk] = chunkwright.chunk("Two <|end|> words", tokenizer=tokenizer, context="none")
    assert chunk.tokens == len(tokenizer.encode("Two <|end|> words", add_special_tokens=False)) == 5


class Lines:
    """A step in Python, which a tokenizer cannot serialize."""

    def pre_tokenize(self, text: PreTokenizedString) -> None:
        text.split(lambda _, part: part.split("\n", "isolated"))


def test_a_tokenizer_with_steps_in_python_is_called():
    tokenizer = hugging_face()
    tokenizer.pre_tokenizer = pre_tokenizers.PreTokenizer.custom(Lines())
    with pytest.raises(Exception, match="serialized"):
        tokenizer.to_str()
    expected = chunks(lambda text: len(tokenizer.encode(text, add_special_tokens=False)))
    assert chunks(tokenizer) == expected
    tokenizer.enable_truncation(5)
    with pytest.raises(ValueError, match=r"tokenizer: cannot count with truncation or padding \(call no_truncation"):
        chunkwright.Chunker(tokenizer=tokenizer)


def test_exceptions_of_a_tokenizer_propagate():
    tokenizer = Tokenizer(models.WordLevel({"tea": 0}, unk_token="[UNK]"))
    chunker = chunkwright.Chunker(tokenizer=tokenizer)
    with pytest.raises(Exception, match="UNK"):
        chunker.chunk("coffee")


def test_tokenizers_of_transformers_are_unwrapped():
    class Fast:
        backend_tokenizer = hugging_face()

        def __call__(self, text):
            raise AssertionError

    assert chunks(Fast()) == chunks(hugging_face())


def test_tiktoken_encodings_count_special_tokens_as_text():
    assert chunks(encoding()) == chunks(lambda text: len(text.encode()))
    assert chunkwright.chunk("<|end|>", tokenizer=encoding(), context="none")[0].tokens == 7
    named = [chunkwright.Chunker(tokenizer=encoding(name)).config_hash for name in ("a", "b", "b")]
    assert named[0] != named[1] == named[2]


@pytest.mark.parametrize("name, size, counter", [("cl100k_base", 100_277, "cl100k"), ("o200k_base", 200_019, "o200k")])
def test_known_encodings_use_the_built_in_tokenizer(name, size, counter):
    """The vocabularies need a download, so only name and size are those of the real encoding."""
    chunker = chunkwright.Chunker(tokenizer=encoding(name, {"<|last|>": size - 1}), max=300)
    assert repr(chunker) == f"Chunker(tokenizer='{counter}', max=300)"
    assert chunker.config_hash == chunkwright.Chunker(tokenizer=counter, max=300).config_hash
    other = chunkwright.Chunker(tokenizer=encoding(name))
    assert other.chunk("tea", path="x")[0].tokens == len("x\n\ntea")


@pytest.mark.parametrize("tokenizer", [hugging_face(), encoding(), encoding("o200k_base", {"<|last|>": 200_018})])
def test_chunkers_with_tokenizer_objects_survive_pickling(tokenizer):
    chunker = chunkwright.Chunker(tokenizer=tokenizer, max=60)
    restored = pickle.loads(pickle.dumps(chunker))
    assert restored.config_hash == chunker.config_hash
    assert restored.chunk_many(PAGES) == chunker.chunk_many(PAGES)


def test_tokenizer_objects_apply_to_files_tables_and_overrides(tmp_path):
    import pyarrow

    (tmp_path / "tea.md").write_text("# Tea\n\nBoil water first.")
    (tmp_path / "chunkwright.toml").write_text("tokenizer = 'chars'\n[[override]]\npaths = ['*.md']\ncontext = 'none'\n")
    for tokenizer, tokens in [(hugging_face(), 6), (encoding(), 24)]:
        [chunk] = chunkwright.Chunker.from_config(tmp_path, tokenizer=tokenizer).chunk_files(tmp_path)
        assert chunk.tokens == tokens
        pages = pyarrow.table({"id": ["tea.md"], "text": [chunk.text]})
        batch = chunkwright.chunk_batch(pages, tokenizer=tokenizer, context="none")
        assert batch.to_pyarrow()["tokens"].to_pylist() == [tokens]


def test_other_objects_are_no_tokenizers():
    for wrong in (object(), NormalizedString("tea"), hugging_face):
        with pytest.raises(TypeError):
            chunkwright.chunk("tea", tokenizer=wrong)
    with pytest.raises(ValueError, match="tokenizer: this option has no effect here"):
        chunkwright.Index("index", tokenizer=hugging_face())


def test_packages_of_tokenizers_are_not_imported():
    code = "import sys, chunkwright; chunkwright.chunk('tea', tokenizer=len); print({'tokenizers', 'tiktoken'} & {*sys.modules})"
    assert subprocess.run([sys.executable, "-c", code], capture_output=True, text=True).stdout == "set()\n"


def test_a_chunker_in_a_cycle_with_its_tokenizer_is_freed():
    class Wrapper:
        backend_tokenizer = hugging_face()

    wrapper = Wrapper()
    wrapper.chunker = chunkwright.Chunker(tokenizer=wrapper)
    gone = weakref.ref(wrapper)
    del wrapper
    gc.collect()
    assert gone() is None
