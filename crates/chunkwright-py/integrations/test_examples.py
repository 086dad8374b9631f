"""The programs in `examples/python` that need a framework run, and are well typed."""

from examples import check_types, check_what_is_printed

PROGRAM = "langchain_splitter.py"


def test_the_program_prints_the_output_shown():
    check_what_is_printed(PROGRAM)


def test_the_program_is_well_typed():
    check_types([PROGRAM])
