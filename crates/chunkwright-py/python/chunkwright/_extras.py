"""What the adapters need is installed apart; who lacks it is told how."""

from collections.abc import Iterator
from contextlib import contextmanager


@contextmanager
def needed(extra: str) -> Iterator[None]:
    """Around imports of packages that come with an extra."""
    try:
        yield
    except ImportError as error:
        raise ImportError(f'{error}; pip install "chunkwright[{extra}]" brings what is needed') from error
