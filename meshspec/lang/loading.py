"""An author's file or module: imported once, behind the fences, and told with its line where it is at fault."""

from __future__ import annotations

import importlib
import importlib.util
import itertools
import stat
import sys
import traceback
from collections.abc import Callable, Generator, Iterator
from contextlib import contextmanager
from importlib.machinery import SourceFileLoader
from pathlib import Path
from types import CodeType, ModuleType
from typing import TypeVar

from meshspec.errors import MeshspecError, ModelError, UsageError, Where
from meshspec.lang.fences import importing, present
from meshspec.lang.places import here, is_authors, shown, where_raised
from meshspec.progress import showing

_T = TypeVar("_T")


def kind_of(path: Path) -> str:
    """``file``, ``folder``, or nothing: also for what can be no name of a file."""
    try:
        mode = path.stat().st_mode
    except (OSError, ValueError):
        return ""
    return "folder" if stat.S_ISDIR(mode) else "file" if stat.S_ISREG(mode) else "neither"


def real_path(name: str) -> Path:
    try:
        return Path(name).resolve()
    except (OSError, ValueError, RuntimeError) as error:
        raise UsageError(f"{name} is no name of a file: {error}") from None


def load_module(name: str) -> ModuleType:
    """Import a module by name, the present folder first; where it is not found, from ``./src``."""
    nothing = UsageError(f"there is no module {name!r} to import here")
    if not all(part.isidentifier() for part in name.split(".")):
        raise nothing
    try:
        with _importing_from(folder := _present()):
            return _guarded(lambda: importlib.import_module(name), name, folder)
    except ModuleNotFoundError as error:
        if not error.name or not (name == error.name or name.startswith(f"{error.name}.")):
            raise _at_fault(error, name) from None
    source, top = Path.cwd() / "src", name.partition(".")[0]
    if not kind_of(source / top) and not kind_of(source / f"{top}.py"):
        raise nothing
    try:  # what lies in ./src is importable for pytest, say, by a line of its configuration
        with _importing_from(source):
            return _guarded(lambda: importlib.import_module(name), name, source)
    except ModuleNotFoundError as error:
        if error.name and (name == error.name or name.startswith(f"{error.name}.")):
            raise nothing from None
        raise _at_fault(error, name) from None


def _present() -> Path:
    if not (folder := here()):
        raise UsageError("the present folder is gone: change to one that is there")
    return Path(folder)


def load_file(path: Path) -> ModuleType:
    """Import a file under a name of its own, its folder first on the import path.

    A file that is imported already is not imported again: its classes would be others of the same names. What else
    lies in its folder finds it by a plain ``import`` too.
    """
    if (kind := kind_of(path)) != "file":
        what = "is a folder and no file" if kind == "folder" else "does not exist"
        raise UsageError(f"{path} {what}")
    real = path.resolve()
    if (known := _imported(real)) is not None:
        if (fences := present()) is not None:
            fences.loaded = True  # it is an author's code all the same
        return known
    name = next(n for n in _names(f"{_OURS}{path.stem}") if n not in sys.modules)
    spec = importlib.util.spec_from_file_location(name, real, loader=_FromSource(name, str(real)))
    if spec is None or spec.loader is None:
        raise UsageError(f"{path} cannot be imported: its name must end in .py")
    module = importlib.util.module_from_spec(spec)
    written = real.read_bytes()
    sys.modules[name] = module
    loader = spec.loader
    try:
        with _importing_from(real.parent, module):
            _guarded(lambda: loader.exec_module(module), str(path), real.parent)
        _loaded[real] = (module, written)
    except ModuleNotFoundError as error:
        raise _at_fault(error, str(path)) from None
    finally:
        if _loaded.get(real, (None,))[0] is not module:  # half of it is no module, under no name
            for called in (name, real.stem):
                if sys.modules.get(called) is module:
                    del sys.modules[called]
    return module


class _FromSource(SourceFileLoader):
    """Reads what a file says now. What was compiled of it may be older: it is told apart by size and second alone."""

    def get_code(self, fullname: str) -> CodeType:
        return self.source_to_code(self.get_data(self.path), self.path)


_loaded: dict[Path, tuple[ModuleType, bytes]] = {}
"""What was imported by its path, with the text that it was made from."""


def _imported(real: Path) -> ModuleType | None:
    """The module that was made from this file as it is now, by us or by anybody."""
    module, written = _loaded.get(real, (None, b""))
    if module is not None and sys.modules.get(module.__name__) is module:
        return module if written == real.read_bytes() else None
    for name, one in list(sys.modules.items()):
        file = getattr(one, "__file__", None)
        if name == "__main__" or not isinstance(file, str) or Path(file).name != real.name:
            continue
        if real_path(file) == real and not one.__name__.startswith(_OURS) and not _rewritten(real):
            return one
    return None


_OURS = "meshspec_target_"
_appended: set[str] = set()  # folders that are on the import path because of us


def _rewritten(real: Path) -> bool:
    """Whether a file that somebody imported was written anew since: what Python compiled from it tells."""
    try:
        head, now = Path(importlib.util.cache_from_source(real)).read_bytes()[:16], real.stat()
    except (OSError, NotImplementedError):
        return False  # there is no such trace
    flags, then, size = (int.from_bytes(head[at : at + 4], "little") for at in (4, 8, 12))
    return flags == 0 and (then, size) != (int(now.st_mtime) & 0xFFFFFFFF, now.st_size & 0xFFFFFFFF)


def _names(stem: str) -> Iterator[str]:
    """Names for modules: two files with the same stem are two modules."""
    yield stem
    yield from (f"{stem}_{number}" for number in itertools.count(2))


def _call_plainly(folder: Path, module: ModuleType | None) -> None:
    """Have ``import charging`` find `module` of charging.py, or what else of this folder is loaded by its path.

    That lasts while something of this folder is imported, and the name is never taken from a module that is imported
    by it, or would be.
    """
    for real, (one, _) in list(_loaded.items()):
        if sys.modules.get(real.stem) is one and real.parent != folder and (folder / real.name).is_file():
            del sys.modules[real.stem]
    here = [one for real, (one, _) in _loaded.items() if real.parent == folder]
    for one in (*here, *((module,) if module is not None else ())):
        file = Path(str(one.__file__))
        if sys.modules.get(one.__name__) is one and _may_be_called(file, sys.modules.get(file.stem)):
            sys.modules[file.stem] = one


def _may_be_called(file: Path, held: ModuleType | None) -> bool:
    stem = file.stem
    if held is not None:  # by us, from the same file as it was
        return held.__name__.startswith(_OURS) and held.__name__ != stem and real_path(str(held.__file__)) == file
    for_pytest = stem == "conftest" or stem.startswith("test_") or stem.endswith("_test")  # imports them itself
    if not stem.isidentifier() or for_pytest or stem in sys.stdlib_module_names:
        return False
    try:
        found = importlib.util.find_spec(stem)
    except (ImportError, ValueError, AttributeError):
        return False
    if found is None or found.origin is None:
        return found is None
    return real_path(found.origin) == file or str(Path(found.origin).parent) in _appended


@contextmanager
def _importing_from(folder: Path, module: ModuleType | None = None) -> Generator[None, None, None]:
    """The folder first on the import path, as for a script; afterwards last, where it hides nothing of ours."""
    given = str(folder)
    known = given in sys.path
    _call_plainly(folder, module)
    sys.path.insert(0, given)
    try:
        yield
    finally:
        for real, one in [*((real, one) for real, (one, _) in _loaded.items()), *_of_its_file(module)]:
            if sys.modules.get(real.stem) is one and one.__name__ != real.stem:
                del sys.modules[real.stem]  # or another folder's file of this name would never be imported
        sys.path.remove(given)
        if not known:
            sys.path.append(given)
            _appended.add(given)


def _of_its_file(module: ModuleType | None) -> list[tuple[Path, ModuleType]]:
    return [(Path(str(module.__file__)), module)] if module is not None else []


def _guarded(run: Callable[[], _T], name: str, folder: Path) -> _T:
    """Run an author's top-level code; whatever it raises becomes an error with the author's file and line."""
    try:
        with showing(f"importing {name}"), importing(name, folder):
            return run()
    except ModelError as error:  # a sort, say, which does not know where it is written
        place = where_raised(error)
        if error.where is not None or place is None:
            raise
        raise type(error)(str(error), place) from None
    except (MeshspecError, ModuleNotFoundError, KeyboardInterrupt):
        raise
    except SyntaxError as error:
        place = Where(shown(error.filename or name), error.lineno or 0)
        of = "" if error.lineno else f"{name}: "
        raise ModelError(f"{of}{error.msg} (this is not Python)", place) from None
    except UnicodeDecodeError:
        raise ModelError(f"{name} is not text in UTF-8") from None
    except BaseException as error:  # SystemExit included: a file that exits is at fault, not we
        raise _at_fault(error, name) from None


def _at_fault(error: BaseException, name: str) -> ModelError:
    frames = [f for f in traceback.extract_tb(error.__traceback__) if is_authors(f.filename)]
    place = Where(shown(frames[-1].filename), frames[-1].lineno or 0) if frames else None
    try:
        said = str(error)
    except Exception:  # it has a text of its own, which fails in its turn
        said = "(it cannot be shown)"
    what = f"{type(error).__name__}: {said}" if said else type(error).__name__
    return ModelError(f"importing {name} raises {what}{_package_hint(error, name)}", place)


def _package_hint(error: BaseException, name: str) -> str:
    """For a file that imports relative to its package: by which name it is reached."""
    if not isinstance(error, ImportError) or "relative import" not in str(error) or not name.endswith(".py"):
        return ""
    path = real_path(name)
    parts, folder = [path.stem], path.parent
    while kind_of(folder / "__init__.py") == "file":
        parts.insert(0, folder.name)
        folder = folder.parent
    told = ".".join(parts) if len(parts) > 1 else "package.module"
    return f": a file of a package is given as {told}:Model"
