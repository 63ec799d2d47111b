"""An entry of the glossary."""

from __future__ import annotations

import attrs


@attrs.frozen
class Entry:
    """A word, explained.

    Attributes:
        name, group: the word as it is printed, and what it is one of.
        says: what it claims, or means.
        source: where it comes from: names and files, as text.
        wrong: what goes wrong in production.
        mended: how that is usually mended.
        see: other words, each with an entry of its own.
        aliases: other ways in which it is asked for.
    """

    name: str
    group: str
    says: str
    source: str = ""
    wrong: str = ""
    mended: str = ""
    see: tuple[str, ...] = ()
    aliases: tuple[str, ...] = ()
