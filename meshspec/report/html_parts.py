"""What all HTML here is made of: escaped elements, one style for light and dark, and an end to what is long.

Text becomes HTML in one place (:func:`say`), so that nothing a user named is ever read as markup. There is no script
and nothing is loaded. All styles stand under one class: they do not touch the notebook's own.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from html import escape
from typing import TypeVar

from meshspec.report.text import clean

_T = TypeVar("_T")

LONG = 2_000
"""The most characters of one piece of text that are shown."""

MANY = 200
"""The most items of a list, or rows of a table, that are shown."""

BUDGET = 120_000
"""The most characters of HTML that one list or table may come to, whatever is in it."""

LIGHT: Mapping[str, str] = {
    "text": "#1f2328",
    "quiet": "#57606a",
    "page": "#ffffff",
    "raised": "#f3f5f8",
    "line": "#c9d1d9",
    "good": "#17692f",
    "bad": "#b3261e",
    "open": "#7a4f01",
    "void": "#6639a6",
}
DARK: Mapping[str, str] = {
    "text": "#e6edf3",
    "quiet": "#a3adb8",
    "page": "#14181d",
    "raised": "#20272f",
    "line": "#46505b",
    "good": "#6fd68a",
    "bad": "#ff938b",
    "open": "#e8b95a",
    "void": "#cbabff",
}

_LIGHT_PAGES = ('[data-jp-theme-light="true"]', '[data-theme="light"]', ".vscode-light")
_DARK_PAGES = ('[data-jp-theme-light="false"]', '[data-theme="dark"]', '[theme="dark"]', ".vscode-dark")

_OURS = ".meshspec.meshspec.meshspec"  # three times: a notebook's own rules for tables and code are as exact as two

# & stands for the class, as above.
_RULES = """
.meshspec{color:var(--ms-text);background:var(--ms-page);padding:.6em .8em;max-width:100%;box-sizing:border-box;
 font-family:var(--jp-content-font-family,system-ui,sans-serif);font-size:14px;line-height:1.5;text-align:left;
 overflow-wrap:anywhere}
& p{margin:.25em 0;color:inherit}
& .ms-title{font-size:1.1em;font-weight:600;margin:0 0 .4em}
& .ms-part{font-size:1em;font-weight:600;margin:.9em 0 .2em}
& code{font-family:var(--jp-code-font-family,ui-monospace,monospace);font-size:.93em;color:inherit;
 background:none;padding:0;white-space:pre-wrap;overflow-wrap:anywhere}
& .ms-quiet{color:var(--ms-quiet);font-weight:400}
& .ms-command{background:var(--ms-raised);padding:.15em .4em;border-radius:3px}
& .ms-scroll{overflow-x:auto;max-width:100%}
& table{border-collapse:collapse;margin:.3em 0 .6em;border:0;font-size:1em;color:inherit;
 table-layout:auto;width:auto}
& td code,& th code{overflow-wrap:normal;white-space:normal}
& caption{caption-side:top;white-space:nowrap;text-align:left;color:var(--ms-quiet);
 padding:.2em 0;font-size:1em}
& tr:nth-child(n){background:none}
& th,& td{text-align:left;vertical-align:top;padding:.2em .9em .2em 0;border:0;
 border-bottom:1px solid var(--ms-line);color:inherit;background:none;font-weight:400;max-width:34em;
 overflow-wrap:break-word;white-space:normal;line-height:1.5}
& thead th{font-weight:600;vertical-align:bottom}
& .ms-number{text-align:right;font-variant-numeric:tabular-nums}
& ul,& ol{margin:.2em 0;padding:0 0 0 2em}
& .ms-unnumbered{list-style:none}
& .ms-plain{list-style:none;padding:0}
& .ms-plain .ms-plain{padding-left:1.4em}
& .ms-answer{list-style:none;margin:0 0 .5em;padding:.1em 0 .1em .7em;border-left:4px solid}
& .ms-word{font-weight:700;white-space:nowrap;margin-right:.6em}
& .ms-name{font-weight:600;margin-right:.6em}
& .ms-does{margin-right:.9em;font-weight:600}
& .ms-good{color:var(--ms-good)}
& .ms-bad{color:var(--ms-bad)}
& .ms-open{color:var(--ms-open)}
& .ms-void{color:var(--ms-void)}
& .ms-inside{color:var(--ms-text)}
& details{margin:.3em 0}
& summary{cursor:pointer;color:var(--ms-quiet)}
& svg{display:block;max-width:none;background:none}
& svg text{fill:var(--ms-text);font-size:12px;
 font-family:var(--jp-content-font-family,system-ui,sans-serif)}
& svg .ms-quiet{fill:var(--ms-quiet);font-size:11px}
& svg .ms-node{fill:var(--ms-raised);stroke:var(--ms-text);stroke-width:1.2}
& svg .ms-wrong{stroke:var(--ms-bad);stroke-width:2.4}
& svg .ms-edge{fill:none;stroke:var(--ms-quiet);stroke-width:1.2}
& svg .ms-dashed{stroke-dasharray:5 3}
& svg .ms-tip{fill:var(--ms-quiet);stroke:none}
& svg .ms-label{paint-order:stroke;stroke:var(--ms-page);stroke-width:4px;stroke-linejoin:round}
@media (max-width:480px){.meshspec{padding:.4em}& ol{padding-left:1.7em}}
"""


class Html(str):
    """Text that is HTML already, so that it is not escaped again."""

    __slots__ = ()


def say(text: object, most: int = LONG) -> Html:
    """Text as HTML: control characters are written out, markup is escaped, and what is very long ends.

    >>> say("<b>\\x1b")
    '&lt;b&gt;\\\\x1b'
    """
    if isinstance(text, Html):
        return text
    whole = str(text)
    cut = clean(whole[:most])
    left = len(whole) - most
    return Html(escape(cut) + (f" … and {left:,} more characters" if left > 0 else ""))


def element(tag: str, *children: object, **attributes: object) -> Html:
    """An element; text among its children and attributes is escaped, and an attribute that is ``None`` is left out.

    >>> element("td", "a < b", class_="ms-number")
    '<td class="ms-number">a &lt; b</td>'
    """
    given = "".join(
        f' {name.rstrip("_").replace("_", "-")}="{say(value)}"'
        for name, value in attributes.items()
        if value is not None
    )
    return Html(f"<{tag}{given}>{''.join(map(say, children))}</{tag}>")


def code(text: object) -> Html:
    return element("code", text)


def joined(parts: Iterable[object], between: str = "") -> Html:
    return Html(say(between).join(map(say, parts)))


def some(
    items: Sequence[_T],
    shown: Callable[[_T], Html],
    last: Callable[[str], Html],
    most: int = MANY,
    budget: int = BUDGET,
) -> Html:
    """As many of the items as there is room for; `last` says how many more there are."""
    parts: list[Html] = []
    used = 0
    for item in items[:most]:
        parts.append(shown(item))
        used += len(parts[-1])
        if used > budget:
            break
    left = len(items) - len(parts)
    return joined([*parts, *([last(f"… and {left:,} more")] if left else [])])


def table(
    caption: str, heads: Sequence[object], rows: Sequence[Sequence[object]], *, row_heads: int = 1, most: int = MANY
) -> Html:
    """A table with a caption and heads; the first `row_heads` cells of a row are heads of it.

    Columns that hold nothing but numbers stand to the right. A wide table scrolls by itself, not the page.
    """
    numbers = [
        bool(rows) and all(str(row[at]).replace(",", "").isdecimal() for row in rows) for at in range(len(heads))
    ]
    side = ["ms-number" if right else None for right in numbers]

    def shown(row: Sequence[object]) -> Html:
        cells = [
            element("th", cell, scope="row", class_=side[at])
            if at < row_heads
            else element("td", cell, class_=side[at])
            for at, cell in enumerate(row)
        ]
        return element("tr", *cells)

    head = element("tr", *(element("th", name, scope="col", class_=side[at]) for at, name in enumerate(heads)))
    body = some(rows, shown, lambda more: element("tr", element("td", more, colspan=len(heads))), most)
    drawn = element("table", element("caption", caption), element("thead", head), element("tbody", body))
    return scrolling(drawn, caption)


def scrolling(inside: Html, about: str) -> Html:
    """What may be wider than the page: it scrolls by itself, by the keyboard too."""
    return element("div", inside, class_="ms-scroll", role="region", tabindex="0", aria_label=about)


def part(title: str) -> Html:
    return element("p", title, class_="ms-part")


def _colours(palette: Mapping[str, str]) -> str:
    return "".join(f"--ms-{name}:{colour};" for name, colour in palette.items())


def style() -> str:
    """The rules: light, dark where the reader prefers it, and whichever the notebook's own theme says."""

    def within(pages: Sequence[str], palette: Mapping[str, str]) -> str:
        return f"{','.join(f'{page} .meshspec' for page in pages)}{{{_colours(palette)}}}"

    return "\n".join(
        [
            f".meshspec{{{_colours(LIGHT)}}}",
            f"@media (prefers-color-scheme:dark){{.meshspec{{{_colours(DARK)}}}}}",
            within(_LIGHT_PAGES, LIGHT),
            within(_DARK_PAGES, DARK),
            _RULES.strip().replace("&", _OURS),
        ]
    )


def page(*children: object) -> str:
    """What a notebook shows: the style and, under its class, the children."""
    return str(
        joined([Html(f"<style>\n{style()}\n</style>"), element("div", *children, class_="meshspec")], Html("\n"))
    )
