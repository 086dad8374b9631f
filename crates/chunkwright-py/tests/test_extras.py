"""An adapter without its framework reports what to install."""

import importlib
import sys

import pytest

EXTRAS = {
    "langchain": ("langchain_core", "langchain"),
    "llama_index": ("llama_index", "llama-index"),
    "haystack": ("haystack", "haystack"),
    "spark": ("pyspark", "spark"),
    "daft": ("daft", "daft"),
    "ray": ("ray", "ray"),
}


@pytest.mark.parametrize("module", EXTRAS)
def test_a_missing_package_is_reported_with_the_extra_to_install(module, monkeypatch):
    package, extra = EXTRAS[module]
    monkeypatch.delitem(sys.modules, f"chunkwright.{module}", raising=False)
    for name in [package, *(name for name in sys.modules if name.startswith(f"{package}."))]:
        monkeypatch.setitem(sys.modules, name, None)
    with pytest.raises(ImportError) as error:
        importlib.import_module(f"chunkwright.{module}")
    assert f'pip install "chunkwright[{extra}]"' in str(error.value)
