"""Models for tests: a seed in, a model file out, with every word and node of the language among them.

The text is a file of typed Python as an author would write it, and its bodies are run by CPython like any other.
What a body may ask is bounded, and so are the values of ints, so that state spaces stay small.
"""

from __future__ import annotations

import importlib.util
import itertools
import sys
import tempfile
from functools import cache
from importlib.machinery import SourceFileLoader
from pathlib import Path
from types import CodeType, ModuleType

import attrs

from meshspec import Sort
from meshspec.errors import LiftError
from meshspec.lang.lift import LiftedModel, lift
from tests.generator.models import Writer

TOO_LARGE = ("more than 1024 cases", "more than 64: split it")
"""Refusals that say nothing but that a body asks too much."""


@attrs.frozen(eq=False)
class GeneratedModel:
    """A model file, imported and lifted; ``scope`` gives every sort of the file a size.

    ``attempt`` counts the texts before it that asked too much to be lifted.
    """

    seed: int
    attempt: int
    source: str
    module: ModuleType
    cls: type
    lifted: LiftedModel
    scope: dict[type[Sort], int]

    def sizes(self, size: int) -> dict[type[Sort], int]:
        """Every sort at one size."""
        return dict.fromkeys(self.scope, size)

    def forget(self) -> None:
        """Let the module go: a soak run makes thousands."""
        sys.modules.pop(self.module.__name__, None)


def make(seed: int, folder: Path | None = None) -> GeneratedModel:
    """The model of this seed, the same on every machine; its file is kept in `folder` (a temporary one)."""
    for attempt in itertools.count():
        writer = Writer(seed, attempt)
        source, name = writer.write()
        module = compiled(source, f"generated_{seed}", folder)
        cls = getattr(module, name)
        try:
            lifted = lift(cls)
        except LiftError as error:
            if not any(why in str(error) for why in TOO_LARGE):
                raise
            continue
        sizes: dict[type[Sort], int] = {getattr(module, sort): size for sort, size in writer.sizes().items()}
        return GeneratedModel(seed, attempt, source, module, cls, lifted, sizes)
    raise AssertionError("unreachable")


@cache
def _folder() -> tempfile.TemporaryDirectory[str]:
    return tempfile.TemporaryDirectory(prefix="meshspec-generated-")


def compiled(source: str, name: str, folder: Path | None = None) -> ModuleType:
    """The text as a module with a file of its own, so that it has lines to be named by."""
    file = (folder or Path(_folder().name)) / f"{name}.py"
    file.write_text(source, encoding="utf-8")
    spec = importlib.util.spec_from_loader(name, _Text(name, str(file)), origin=str(file))
    assert spec is not None and spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    module.__file__ = str(file)
    sys.modules[name] = module
    spec.loader.exec_module(module)
    return module


class _Text(SourceFileLoader):
    """Reads a file anew each time: a cached one would be told by its second and its length alone."""

    def get_code(self, fullname: str) -> CodeType:
        return compile(Path(self.path).read_bytes(), self.path, "exec", dont_inherit=True)
