"""Targets: what a name on the command line means, and what is wrong with it if it means nothing."""

from __future__ import annotations

import difflib
import importlib
import importlib.util
import itertools
import pkgutil
import stat
import sys
import traceback
from collections.abc import Callable, Generator, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from types import ModuleType
from typing import Any, TypeVar

import attrs

from meshspec.errors import MeshspecError, ModelError, UsageError, Where
from meshspec.lang.declare import is_model, undecorated
from meshspec.lang.evidence import Evidence
from meshspec.lang.fences import importing
from meshspec.lang.places import is_authors, shown, where_is
from meshspec.progress import showing

_T = TypeVar("_T")


@attrs.frozen
class Target:
    """A model as it was asked for; ``model`` is a class, or an instance with its constants chosen."""

    name: str
    model: Any

    @property
    def cls(self) -> type:
        return self.model if isinstance(self.model, type) else type(self.model)


def target_of(model: Any) -> Target:
    """The name by which a command line reaches a model class, or an instance with its constants chosen.

    A shipped name; ``path.py`` where the file holds one model, else ``path.py:Model``; ``package.module:Model`` for
    a module inside a package, which no path can import. The name is empty where there is none: for what was typed
    into a shell or a notebook, and for an instance that no module holds.
    """
    cls: type = model if isinstance(model, type) else type(model)
    module = sys.modules.get(cls.__module__)
    if shipped_models().get(cls.__name__) is cls and isinstance(model, type):
        return Target(cls.__name__, model)
    if module is None or cls.__module__ == "__main__":
        return Target("", model)
    held = next((name for name, value in vars(module).items() if value is model), None)
    if held is None and isinstance(model, type) and "<locals>" not in cls.__qualname__:
        held = cls.__qualname__
    if held is None:
        return Target("", model)
    file = getattr(module, "__file__", None)
    if file is None or "." in module.__name__:
        return Target(f"{module.__name__}:{held}", model)
    alone = isinstance(model, type) and models_in(module) == [model]
    return Target(shown(file) if alone else f"{shown(file)}:{held}", model)


def shipped_modules(package: str) -> Iterator[ModuleType]:
    """The modules below ``meshspec.models`` or ``meshspec.properties``, in the order of their names."""
    root = importlib.import_module(f"meshspec.{package}")
    for info in sorted(pkgutil.walk_packages(root.__path__, f"{root.__name__}."), key=lambda i: i.name):
        if not info.ispkg:
            yield importlib.import_module(info.name)


def shipped_models() -> dict[str, type]:
    """Every shipped model and incident by its class name."""
    return {cls.__name__: cls for module in shipped_modules("models") for cls in models_in(module)}


def shipped_evidence() -> dict[str, Evidence]:
    """Every shipped evidence file by the last part of its module's name."""
    found: dict[str, Evidence] = {}
    for module in shipped_modules("properties"):
        held = getattr(module, "EVIDENCE", None)
        if isinstance(held, Evidence):
            found[module.__name__.rpartition(".")[2]] = held
    return found


def models_in(module: ModuleType) -> list[type]:
    """The models that a module defines (not those it imports), in the order of the file.

    Raises :class:`ModelError` for a class that should be a model and lacks its decorator.
    """
    found: list[type] = []
    for value in vars(module).values():
        if isinstance(value, type) and value.__module__ == module.__name__:
            if (problem := undecorated(value)) and not is_model(value):
                raise ModelError(problem, where_is(value))
            if is_model(value):
                found.append(value)
    return list(dict.fromkeys(found))  # a second name for a class is no second model


def resolve_all(texts: Sequence[str]) -> list[Target]:
    """Every target, a file that several of them name being loaded once."""
    loaded: dict[Path, ModuleType] = {}
    return [resolve(text, loaded) for text in texts]


def resolve(text: str, loaded: dict[Path, ModuleType] | None = None) -> Target:
    """A shipped name, ``module:attr``, ``path.py`` (one model in it) or ``path.py:attr``.

    Raises :class:`UsageError` when there is no such thing and :class:`ModelError` when its file is at fault.
    """
    head, colon, attribute = text.rpartition(":")
    if not colon:
        head, attribute = text, ""
    if head.endswith(".py"):
        path = _real(head)
        module = (loaded or {}).get(path) or load_file(Path(head))
        if loaded is not None:
            loaded[path] = module
    elif colon:
        module = load_module(head)
    else:
        return _shipped(text)
    if colon:
        if not attribute:
            raise UsageError(f"{text} ends in a colon: write {head}:Model")
        return Target(text, _model_named(module, attribute, head))
    models = models_in(module)
    if not models:
        raise UsageError(f"{head} holds no model: decorate a class with @model")
    if len(models) > 1:
        names = ", ".join(cls.__name__ for cls in models)
        either = " or ".join(f"{head}:{cls.__name__}" for cls in models)
        raise UsageError(f"{head} holds {len(models)} models ({names}): write {either}")
    return Target(text, models[0])


def _model_named(module: ModuleType, attribute: str, head: str) -> Any:
    value: Any = module
    for part in attribute.split("."):
        if not hasattr(value, part):
            names = [cls.__name__ for cls in models_in(module)]
            raise UsageError(f"{head} has no {attribute!r}{_near(attribute, names)}")
        value = getattr(value, part)
    cls = value if isinstance(value, type) else type(value)
    if not is_model(cls):
        problem = undecorated(cls)
        raise (
            ModelError(problem, where_is(cls))
            if problem
            else UsageError(f"{head}:{attribute} is no model but a {cls.__name__}: decorate a class with @model")
        )
    return value


def _shipped(text: str) -> Target:
    models = shipped_models()
    if text in models:
        return Target(text, models[text])
    stems = {module.__name__.rpartition(".")[2]: module for module in shipped_modules("models")}
    if text in stems and (evidence := shipped_evidence().get(text)):
        return Target(evidence.model.__name__, evidence.model)
    if text and _kind(Path(text)) == "folder":
        raise UsageError(f"{text} is a folder: name a file in it, {text.rstrip('/')}/model.py")
    if _kind(Path(text)) == "file":
        raise UsageError(f"{text} is no Python file: the name of a model file ends in .py")
    raise UsageError(
        f"nothing shipped is called {text!r}{_near(text, [*models, *stems])}; "
        "a file is given as path.py or path.py:Model, a module as package.module:Model"
    )


def _kind(path: Path) -> str:
    """``file``, ``folder``, or nothing: also for what can be no name of a file."""
    try:
        mode = path.stat().st_mode
    except (OSError, ValueError):
        return ""
    return "folder" if stat.S_ISDIR(mode) else "file" if stat.S_ISREG(mode) else ""


def _real(name: str) -> Path:
    try:
        return Path(name).resolve()
    except (OSError, ValueError, RuntimeError) as error:
        raise UsageError(f"{name} is no name of a file: {error}") from None


def _near(text: str, names: list[str]) -> str:
    close = difflib.get_close_matches(text, names, 3, 0.5)
    if close:
        return f"; did you mean {' or '.join(close)}?"
    return f"; it has {', '.join(names)}" if names else ""


def load_module(name: str) -> ModuleType:
    """Import a module by name, the present folder first."""
    nothing = UsageError(f"there is no module {name!r} to import here")
    if not all(part.isidentifier() for part in name.split(".")):
        raise nothing
    try:
        with _importing_from(Path.cwd()):
            return _guarded(lambda: importlib.import_module(name), name, Path.cwd())
    except ModuleNotFoundError as error:
        if error.name and (name == error.name or name.startswith(f"{error.name}.")):
            raise nothing from None
        raise _at_fault(error, name) from None


def load_file(path: Path) -> ModuleType:
    """Import a file under a name of its own, its folder first on the import path."""
    if (kind := _kind(path)) != "file":
        what = "is a folder and no file" if kind == "folder" else "does not exist"
        raise UsageError(f"{path} {what}")
    name = next(n for n in _names(f"meshspec_target_{path.stem}") if n not in sys.modules)
    spec = importlib.util.spec_from_file_location(name, path.resolve())
    if spec is None or spec.loader is None:
        raise UsageError(f"{path} cannot be imported: its name must end in .py")
    module = importlib.util.module_from_spec(spec)
    sys.modules[name] = module
    loader = spec.loader
    try:
        with _importing_from(path.resolve().parent):
            _guarded(lambda: loader.exec_module(module), str(path), path.resolve().parent)
    except ModuleNotFoundError as error:
        raise _at_fault(error, str(path)) from None
    return module


def _names(stem: str) -> Iterator[str]:
    """Names for modules: two files with the same stem are two modules."""
    yield stem
    yield from (f"{stem}_{number}" for number in itertools.count(2))


@contextmanager
def _importing_from(folder: Path) -> Generator[None, None, None]:
    """The folder first on the import path, as for a script; afterwards last, where it hides nothing of ours."""
    given = str(folder)
    known = given in sys.path
    sys.path.insert(0, given)
    try:
        yield
    finally:
        sys.path.remove(given)
        if not known:
            sys.path.append(given)


def _guarded(run: Callable[[], _T], name: str, folder: Path) -> _T:
    """Run an author's top-level code; whatever it raises becomes an error with the author's file and line."""
    try:
        with showing(f"importing {name}"), importing(name, folder):
            return run()
    except (MeshspecError, ModuleNotFoundError, KeyboardInterrupt):
        raise
    except SyntaxError as error:
        place = Where(shown(error.filename or name), error.lineno or 0)
        raise ModelError(f"{error.msg} (this is not Python)", place) from None
    except UnicodeDecodeError:
        raise ModelError(f"{name} is not text in UTF-8") from None
    except BaseException as error:  # SystemExit included: a file that exits is at fault, not we
        raise _at_fault(error, name) from None


def _at_fault(error: BaseException, name: str) -> ModelError:
    frames = [f for f in traceback.extract_tb(error.__traceback__) if is_authors(f.filename)]
    place = Where(shown(frames[-1].filename), frames[-1].lineno or 0) if frames else None
    what = f"{type(error).__name__}: {error}" if str(error) else type(error).__name__
    return ModelError(f"importing {name} raises {what}", place)
