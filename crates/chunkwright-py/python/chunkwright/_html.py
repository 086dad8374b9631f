"""Formats chunks as HTML for notebooks."""

from html import escape

from ._native import Chunk

# System colors follow `color-scheme`, so the card is readable in light and dark notebooks. The style is inline:
# a style sheet would apply to the whole notebook.
CARD = (
    "color-scheme:light dark;background:Canvas;color:CanvasText;border:1px solid GrayText;border-radius:6px;"
    "padding:8px 12px;margin:4px 0;max-width:60em;font:13px/1.5 system-ui,sans-serif;text-align:left"
)
SMALL = "font-size:12px;opacity:0.75"
TEXT = (
    "margin:8px 0 0;padding:0;border:0;background:none;color:inherit;max-height:24em;overflow:auto;"
    "white-space:pre-wrap;overflow-wrap:anywhere;font:12px/1.5 ui-monospace,monospace"
)


def card(chunk: Chunk) -> str:
    """Return a card with the breadcrumb, tokens, lines, notes and text of a chunk."""
    breadcrumb = " › ".join(f"<bdi>{escape(element)}</bdi>" for element in chunk.breadcrumb)
    tokens = f"{chunk.tokens:,} {'token' if chunk.tokens == 1 else 'tokens'}"
    first, last = chunk.line_start, chunk.line_end
    lines = f"line {first}" if first == last else f"lines {first}–{last}"
    notes = "".join(f"<li>{escape(note['kind'])}: <bdi>{escape(note['message'])}</bdi></li>" for note in chunk.notes)
    # Notebooks would typeset dollar signs as formulas, and HTML drops a newline right after <pre>.
    return (
        f'<div class="tex2jax_ignore mathjax_ignore" style="{CARD}">'
        f"<div><strong>{breadcrumb}</strong></div>"
        f'<div style="{SMALL}"><bdi>{escape(chunk.id)}</bdi> · {tokens} · {lines}</div>'
        + (f'<ul style="{SMALL};margin:4px 0 0;padding-left:20px">{notes}</ul>' if notes else "")
        + f'<pre dir="auto" style="{TEXT}">\n{escape(chunk.text)}</pre></div>'
    )
