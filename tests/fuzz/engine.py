"""One reader under a fuzzer that coverage leads: ``python -m tests.fuzz.engine READER FOLDER [option of libFuzzer]``.

The process ends with the fuzzer's own exit code, 0 where nothing was found; :mod:`tests.fuzz.soak` starts it.
"""

from __future__ import annotations

import importlib
import random
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

INSTRUMENTED = [
    "meshspec.claims", "meshspec.config", "meshspec.waivers", "meshspec.targets", "meshspec.lang.loading",
    "meshspec.cli.options",
    "meshspec.engines.checkpoint", "meshspec.backends.serial", "meshspec.backends.certified_cache", "meshspec.report",
    "meshspec.pytest_plugin", "meshspec.roles.protocol", "meshspec.roles.environments", "meshspec.roles.story",
    "tomllib", "json.decoder", "json.scanner",
]  # fmt: skip
"""What coverage is measured of; the rest runs as it is."""


def main(name: str, folder: Path, options: list[str]) -> None:
    """Fuzz until the options say that it is enough; never returns."""
    atheris: Any = importlib.import_module("atheris")
    with atheris.instrument_imports(include=INSTRUMENTED):
        readers: Any = importlib.import_module("tests.fuzz.readers")
    changes: Any = importlib.import_module("tests.fuzz.changes")
    reader = readers.READERS[name]
    changed: Callable[[bytes, random.Random, tuple[bytes, ...]], bytes] = changes.changed

    def once(data: bytes) -> None:
        if found := reader.wrong(data, clock=False):  # the fuzzer has a clock of its own
            raise AssertionError(f"{name}: {found}")

    def spoiled(data: bytes, most: int, seed: int) -> bytes:
        draw = random.Random(seed)
        if draw.random() < 0.5:
            return bytes(atheris.Mutate(data, most))
        begun = draw.choice(reader.seeds) if draw.random() < 0.1 else data
        return changed(begun, draw, reader.seeds)[:most]

    given = [str(folder / "found"), f"-artifact_prefix={folder}/broken-", *options]
    atheris.Setup(["fuzz", *given], once, custom_mutator=spoiled)
    atheris.Fuzz()


if __name__ == "__main__":
    main(sys.argv[1], Path(sys.argv[2]), sys.argv[3:])
