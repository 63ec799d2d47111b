"""Is this function of evidence or of identity adequate? Of any Python function, a user's own included.

Identity needs both halves: a key that is too coarse merges, one that is too fine never matches::

    from meshspec.adequacy import adequate, discriminates, stable

    def test_my_key() -> None:
        adequate(discriminates("mypkg.keys:key_of"), stable("mypkg.keys:key_of"))

Evidence needs four: that it can move, that it depends on nothing but what it measures, that it is the same under
equal conditions, and that what is decided on it is the only thing it allows. Each of these functions returns one
:class:`meshspec.answer.Finding`, with the pair that shows it; :func:`adequate` makes a test of it.
"""

from meshspec.adequacy.catalogue import TOPICS, catalogue, must_agree, must_differ, named
from meshspec.adequacy.evidence import attributable, determinate, deterministic, moves
from meshspec.adequacy.function import function_of
from meshspec.adequacy.identity import discriminates, stable
from meshspec.adequacy.said import Inadequate, adequate
from meshspec.roles.effects import Effect
from meshspec.roles.pairs import CONVENTIONS, Pair

__all__ = [
    "CONVENTIONS",
    "TOPICS",
    "Effect",
    "Inadequate",
    "Pair",
    "adequate",
    "attributable",
    "catalogue",
    "determinate",
    "deterministic",
    "discriminates",
    "function_of",
    "moves",
    "must_agree",
    "must_differ",
    "named",
    "stable",
]
