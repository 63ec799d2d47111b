"""Targets: what a name on the command line means, and what is wrong with it if it means nothing."""

from __future__ import annotations

import difflib
import importlib
import importlib.util
import pkgutil
import sys
from collections.abc import Iterator, Sequence
from pathlib import Path
from types import ModuleType
from typing import Any

import attrs

from meshspec.errors import ModelError, UsageError
from meshspec.lang.declare import is_model, undecorated
from meshspec.lang.evidence import Evidence
from meshspec.lang.lift import LiftedModel
from meshspec.lang.loading import kind_of, load_file, load_module, real_path
from meshspec.lang.places import shown, where_is


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
    """Every shipped model and incident by its class name; raises :class:`ModelError` where two share one."""
    found: dict[str, type] = {}
    for module in shipped_modules("models"):
        for cls in models_in(module):
            if (other := found.setdefault(cls.__name__, cls)) is not cls:
                raise ModelError(
                    f"{cls.__name__} is shipped twice, here and at {where_is(other)}: one would hide the other "
                    "wherever it is asked for by name; rename one",
                    where_is(cls),
                )
    return found


def shipped_evidence() -> dict[str, Evidence]:
    """Every shipped evidence file by the last part of its module's name."""
    found: dict[str, Evidence] = {}
    for module in shipped_modules("properties"):
        held = getattr(module, "EVIDENCE", None)
        if isinstance(held, Evidence):
            found[module.__name__.rpartition(".")[2]] = held
    return found


def usual_sizes(model: LiftedModel) -> dict[str, int]:
    """The sizes in which its evidence confirms a shipped model, by sort; an incident has those of its model.

    Elsewhere a claim may have nothing to be tried on. Empty for a model without shipped evidence.
    """
    for base in model.declared.cls.__mro__:
        package, _, stem = base.__module__.rpartition(".")
        if package != "meshspec.models":
            continue
        name = f"meshspec.properties.{stem}"  # the one evidence file of a model bears its file's name
        held = getattr(importlib.import_module(name), "EVIDENCE", None) if importlib.util.find_spec(name) else None
        if isinstance(held, Evidence) and held.model is base:
            return {sort.__name__: size for sort, size in held.scope.items() if sort in model.sorts}
    return {}


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
    return list({id(cls): cls for cls in found}.values())  # a second name for a class is no second model


def resolve_all(texts: Sequence[str]) -> list[Target]:
    """Every target, a file that several of them name being loaded once."""
    loaded: dict[Path, ModuleType] = {}
    return [resolve(text, loaded) for text in texts]


def resolve(text: str, loaded: dict[Path, ModuleType] | None = None) -> Target:
    """A shipped name, ``module:attr``, ``path.py`` (one model in it) or ``path.py:attr``.

    Raises :class:`UsageError` when there is no such thing and :class:`ModelError` when its file is at fault.
    """
    if any(sign in text for sign in "\n\r"):
        raise UsageError(f"{text!r} is no target: a name is one line")
    head, colon, attribute = text.rpartition(":")
    if not colon:
        head, attribute = text, ""
    if head.endswith(".py"):
        path = real_path(head)
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
        problem, what = undecorated(cls), "class" if cls is value else cls.__name__
        raise (
            ModelError(problem, where_is(cls))
            if problem
            else UsageError(f"{head}:{attribute} is no model but a {what}: decorate a class with @model")
        )
    return value


def _shipped(text: str) -> Target:
    models = shipped_models()
    if text in models:
        return Target(text, models[text])
    stems = {module.__name__.rpartition(".")[2]: module for module in shipped_modules("models")}
    if text in stems and (evidence := shipped_evidence().get(text)):
        return Target(evidence.model.__name__, evidence.model)
    if text and kind_of(Path(text)) == "folder":
        raise UsageError(f"{text} is a folder: name a file in it, {text.rstrip('/')}/model.py")
    if text and (kind_of(Path(text)) or ("/" in text and not kind_of(Path(f"{text}.py")))):
        raise UsageError(f"{text} is no Python file: the name of a model file ends in .py")
    if text and kind_of(Path(f"{text}.py")) == "file":
        raise UsageError(f"nothing shipped is called {text!r}; did you mean {text}.py?")
    raise UsageError(
        f"nothing shipped is called {text!r}{_near(text, [*models, *stems])}; "
        "a file is given as path.py or path.py:Model, a module as package.module:Model"
    )


def _near(text: str, names: list[str]) -> str:
    close = difflib.get_close_matches(text, names, 3, 0.5)
    if close:
        return f"; did you mean {' or '.join(close)}?"
    return f"; it has {', '.join(names)}" if names else ""
