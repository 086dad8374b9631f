"""The programs in `examples/python` run, print the output at their end, and are well typed."""

import pytest

from examples import check_types, check_what_is_printed

PROGRAMS = ["search_docs.py", "split_and_embed.py", "sync_a_store.py"]


@pytest.mark.parametrize("program", PROGRAMS)
def test_programs_print_the_output_shown(program):
    check_what_is_printed(program)


def test_programs_are_well_typed():
    check_types(PROGRAMS)
