"""What the role `identity` is asked about: one effect, as plain values.

Standard library only, Python 3.9 and later, nothing of meshspec: the check loads this file by its path inside the
environment of somebody else's package.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import NamedTuple


class Effect(NamedTuple):
    """Something an agent is about to do to the world, as whoever has to name it sees it.

    ``occurrence`` counts intended repeats: the third intended sending of one text is another effect than the first,
    and a retry of the third is not. Nothing in the arguments can say so.

    >>> Effect("send", {"to": "ada"}, tenant="acme").occurrence
    0
    """

    tool: str
    arguments: Mapping[str, object]
    tenant: str = ""
    session: str = ""
    occurrence: int = 0
