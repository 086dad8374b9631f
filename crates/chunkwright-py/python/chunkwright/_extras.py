"""Explains how to install the packages that adapters need."""

from collections.abc import Iterator
from contextlib import contextmanager


@contextmanager
def needed(extra: str) -> Iterator[None]:
    """Add the command that installs an extra to import errors."""
    try:
        yield
    except ImportError as error:
        raise ImportError(f'{error}; install it with: pip install "chunkwright[{extra}]"') from error
