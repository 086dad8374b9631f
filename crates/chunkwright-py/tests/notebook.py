"""Generates the notebook of a documentation page, and executes it.

Its cells contain the prose and the snippets of the page. Cells that only the notebook has are added at the end of
sections: the file of the same name in `notebooks` contains them under the same headings.
"""

import ast
import os
import pathlib
import re

import nbformat
from nbclient import NotebookClient
from nbformat import v4

from common import ROOT
from snippets import SNIPPET

ADDED = pathlib.Path(__file__).parent / "notebooks"
FENCE_OR_HEADING = re.compile(r"^```.*?^```$|^#+ (?P<heading>.*?)$", re.S | re.M)
METADATA = {
    "kernelspec": {"display_name": "Python 3", "language": "python", "name": "python3"},
    "language_info": {"name": "python"},
}


def generate(page, notebook):
    """Return the notebook of a page before it is executed, and pairs of its code cells and the output on the page."""
    own = sections((ROOT / page).read_text(encoding="utf-8"))
    added = sections((ADDED / pathlib.Path(page).name).read_text(encoding="utf-8"))
    assert added.keys() <= own.keys()
    cells, shown = [], []
    for heading, text in own.items():
        for cell, output in section_cells(text):
            cells.append(cell)
            if cell.cell_type == "code":
                cell.source = cell.source if output else without_value(cell.source)
                shown.append((cell, output))
        cells += [cell for cell, _ in section_cells(added.get(heading, "").partition("\n")[2])]
    for nth, cell in enumerate(cells, 1):
        cell.id = f"cell-{nth}"
        if cell.cell_type == "markdown":
            cell.source = relocate(cell.source, page, notebook)
    return v4.new_notebook(cells=cells, metadata=METADATA), shown


def sections(text):
    """Return the sections of a page by their headings."""
    starts = [found for found in FENCE_OR_HEADING.finditer(text) if found["heading"]]
    ends = [found.start() for found in starts[1:]] + [len(text)]
    return {found["heading"]: text[found.start() : end] for found, end in zip(starts, ends)}


def section_cells(text):
    """Yield the cells of a section, each with the output shown or None."""
    end = 0
    for snippet in SNIPPET.finditer(text):
        yield v4.new_markdown_cell(text[end : snippet.start()].strip()), None
        yield v4.new_code_cell(snippet["code"].strip()), snippet["output"]
        end = snippet.end()
    if rest := text[end:].strip():
        yield v4.new_markdown_cell(rest), None


def without_value(code):
    """Add a semicolon to code that ends with an expression: Jupyter would display its value."""
    return f"{code};" if isinstance(ast.parse(code).body[-1], ast.Expr) else code


def relocate(source, page, notebook):
    """Adapt relative links, and remove paragraphs that link to the notebook itself."""
    here, there = (ROOT / page).parent, (ROOT / notebook).parent

    def link(found):
        target = os.path.relpath(os.path.normpath(here / found[1]), there)
        return f"]({pathlib.PurePath(target).as_posix()}"

    moved = re.sub(r"\]\((?!\w+:|#)([^)#]+)", link, source)
    itself = f"]({pathlib.Path(notebook).name})"
    return "\n\n".join(paragraph for paragraph in moved.split("\n\n") if itself not in paragraph)


def execute(notebook, directory):
    """Execute a notebook in a directory, and store the output in its cells."""
    # Joined streams do not depend on when the kernel flushes them.
    NotebookClient(notebook, timeout=60, record_timing=False, coalesce_streams=True).execute(cwd=directory)
    # The kernel adds its version.
    notebook.metadata = nbformat.from_dict(METADATA)


def printed(cell):
    """Return what a code cell prints, or None."""
    texts = [output.text for output in cell.outputs if output.output_type == "stream"]
    return "".join(texts) or None
