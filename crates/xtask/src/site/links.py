"""Points links to files outside the site at the repository, then checks every link and anchor.

Usage: links.py SITE, in the root of the repository.

Pages link to source files and examples with relative paths, so that links work on GitHub. mdBook
does not publish those files, and turns `.md` into `.html` in each link.
"""

import os
import sys
from html.parser import HTMLParser
from pathlib import Path
from urllib.parse import unquote, urlsplit

REPOSITORY = "https://github.com/chunkwright/chunkwright"
DOCS = "docs"


class Page(HTMLParser):
    """The anchors and links of a page."""

    def __init__(self, path: Path):
        super().__init__()
        self.path = path
        self.text = path.read_text(encoding="utf-8")
        self.anchors: set[str] = set()
        self.links: list[tuple[str, str]] = []  # the tag as it is written, and the target
        self.feed(self.text)

    def handle_starttag(self, tag, attrs):
        values = {name: value for name, value in attrs if value}
        self.anchors.update(value for name, value in values.items() if name in ("id", "name"))
        for name in ("href", "src"):
            if name in values and tag != "base":
                self.links.append((self.get_starttag_text(), values[name]))


def target(page: Path, link: str, site: Path) -> Path:
    """Returns the path of a link within the site. The error page has links from the root."""
    base = site if link.startswith("/") or page.name == "404.html" else page.parent
    return Path(os.path.normpath(base / unquote(link).lstrip("/")))


def in_repository(path: Path, site: Path) -> str | None:
    """Returns the address of a file that is not part of the site."""
    source = Path(os.path.normpath(DOCS / Path(os.path.relpath(path, site))))
    for file in (source.with_suffix(".md") if source.suffix == ".html" else source, source):
        if file.exists() and ".." not in file.parts:
            return f"{REPOSITORY}/{'tree' if file.is_dir() else 'blob'}/main/{file.as_posix()}"
    return None


def main() -> None:
    site = Path(sys.argv[1]).resolve()
    pages = {path: Page(path) for path in sorted(site.rglob("*.html"))}
    problems, checked = [], 0
    for page in pages.values():
        for tag, link in page.links:
            parts = urlsplit(link)
            if parts.scheme or parts.netloc:
                continue
            checked += 1
            path = target(page.path, parts.path, site) if parts.path else page.path
            path = path / "index.html" if path in (site, *site.parents) else path
            if not path.exists() and (address := in_repository(path, site)):
                fragment = f"#{parts.fragment}" if parts.fragment else ""
                page.text = page.text.replace(tag, tag.replace(link, address + fragment))
            elif not path.exists():
                problems.append(f"{page.path.relative_to(site)}: {link}: no such file")
            elif parts.fragment and path in pages:
                if unquote(parts.fragment) not in pages[path].anchors:
                    problems.append(f"{page.path.relative_to(site)}: {link}: no such anchor")
        page.path.write_text(page.text, encoding="utf-8")
    print(f"   {checked} links on {len(pages)} pages, {len(problems)} broken")
    for problem in problems:
        print(f"   {problem}")
    sys.exit(bool(problems))


main()
