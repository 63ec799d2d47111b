"""Every exported module read by a published grammar of TLA+: ``python -m tests.report.soak --models 1000``.

Needs the packages tree-sitter and tree-sitter-tlaplus. Exit code 1 when the grammar does not accept a module, 2 when
it accepts what is no TLA+.
"""

from __future__ import annotations

import argparse
import importlib
import sys
from collections.abc import Iterator
from typing import Any

from meshspec import Sort
from meshspec.lang.lift import LiftedModel, lift
from meshspec.report.tla import Module
from meshspec.targets import shipped_models
from tests.agreement.models import corners, generated
from tests.models.seldom import Seldom
from tests.report.test_tla import HUGE, TESTED


def faults(node: Any) -> Iterator[Any]:
    """What the grammar could not read, and what it misses."""
    if node.type == "ERROR" or node.is_missing:
        yield node
    for child in node.children:
        yield from faults(child)


def subjects(models: int) -> Iterator[tuple[LiftedModel, dict[type[Sort], int]]]:
    stated = [*map(lift, (*shipped_models().values(), *TESTED.values(), Seldom, HUGE)), *corners()]
    yield from ((model, dict.fromkeys(model.sorts, 2)) for model in stated)
    yield from ((generated(seed).lifted, generated(seed).scope) for seed in range(models))


def main() -> int:
    options = argparse.ArgumentParser(description="Every exported module read by a published grammar of TLA+.")
    options.add_argument("--models", type=int, default=1000, help="how many generated models")
    tree_sitter, grammar = importlib.import_module("tree_sitter"), importlib.import_module("tree_sitter_tlaplus")
    parser: Any = tree_sitter.Parser(tree_sitter.Language(grammar.language()))

    def wrong(text: str) -> list[str]:
        data = text.encode()
        return [data[one.start_byte : one.start_byte + 60].decode() for one in faults(parser.parse(data).root_node)]

    if not wrong("---- MODULE M ----\nx == /\\ \\in\n====\n"):
        print("the grammar accepts what is no TLA+")
        return 2
    read = bad = 0
    for model, sizes in subjects(options.parse_args().models):
        found = wrong(Module(model, sizes).tla)
        read += 1
        bad += bool(found)
        if found:
            print(f"{model.name}: not TLA+ at {found[0]!r}")
    print(f"{read:,} modules, {bad:,} not accepted")
    return 1 if bad else 0


if __name__ == "__main__":
    sys.exit(main())
