#!/usr/bin/env python3
"""Look for broken links in the built pages: `python tools/links.py docs/_build/html`.

Every href and src without a host must lead to a file of the folder, and what stands after # to an element of that page.
`make docs` runs it; links to other hosts are left alone, so that it needs no network.
"""

from __future__ import annotations

import sys
from html.parser import HTMLParser
from pathlib import Path
from urllib.parse import unquote, urlsplit


class Page(HTMLParser):
    """The places of a page that can be linked to, and its links."""

    def __init__(self, path: Path) -> None:
        super().__init__()
        self.places: set[str] = {""}
        self.links: set[str] = set()
        self.feed(path.read_text(encoding="utf-8"))

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        """Note what this tag links to, and by what name others can link to it."""
        for name, value in attrs:
            if name == "id" or (tag, name) == ("a", "name"):
                self.places.add(value or "")
            elif name in ("href", "src"):
                self.links.add(value or "")


def broken(folder: Path) -> list[str]:
    """One line for each link that leads nowhere."""
    folder = folder.resolve()
    # What lies in _static is the theme's own, a template among it.
    paths = [path for path in sorted(folder.rglob("*.html")) if "_static" not in path.relative_to(folder).parts]
    pages = {path: Page(path) for path in paths}
    found = []
    for path, page in pages.items():
        for link in sorted(page.links):
            parts = urlsplit(link)
            if parts.scheme or parts.netloc:
                continue
            target = (path.parent / unquote(parts.path)).resolve() if parts.path else path
            if target.is_dir():
                target /= "index.html"
            place = unquote(parts.fragment)
            if not target.is_file():
                found.append(f"{path.relative_to(folder)}: {link} leads to no file")
            elif target in pages and place not in pages[target].places:
                found.append(f"{path.relative_to(folder)}: {link} leads to no place in {target.name}")
    return found


if __name__ == "__main__":
    lines = broken(Path(sys.argv[1]))
    print(*lines, sep="\n", end="\n" if lines else "")
    sys.exit(1 if lines else 0)
