"""What a file may have changed of the process that imports it: found, put back, and told or refused.

Refused is what our own answers depend on: a built-in function, a function or class of the standard library or of
meshspec that was replaced. Put back and told is the rest: the working folder, environment variables, signal
handlers, warning filters, limits of the interpreter. What other packages keep to themselves is not observed.
"""

from __future__ import annotations

import builtins
import gc
import os
import signal
import sys
import threading
import warnings
from collections.abc import Callable, Iterator
from pathlib import Path
from types import CodeType, FunctionType, ModuleType
from typing import Any

import attrs

from meshspec.lang.places import is_authors

_OURS = "meshspec"
_PACKAGE = str(Path(__file__).resolve().parent.parent) + os.sep
_NOT_OURS = ("meshspec.models", "meshspec.properties")
_STREAMS = frozenset({"stdin", "stdout", "stderr", "__stdin__", "__stdout__", "__stderr__"})
_HOOKS = ("excepthook", "displayhook", "unraisablehook", "breakpointhook")
_PATH_LISTS = ("meta_path", "path_hooks")


def _watched(name: str) -> bool:
    top = name.partition(".")[0]
    if top == _OURS:
        return not name.startswith(_NOT_OURS)
    return top in sys.stdlib_module_names and name != "__main__"


def _signals() -> dict[int, Any]:
    return {number: signal.getsignal(number) for number in signal.valid_signals()}


def _put_signals(handlers: dict[int, Any]) -> None:
    for number, handler in handlers.items():
        if handler is not None and signal.getsignal(number) is not handler:
            signal.signal(number, handler)


def _put_environment(values: dict[str, str]) -> None:
    for name in [name for name in os.environ if name not in values]:
        del os.environ[name]
    for name, value in values.items():
        if os.environ.get(name) != value:
            os.environ[name] = value


def _put_filters(filters: list[Any]) -> None:
    warnings.filters[:] = filters  # type: ignore[index]  # a list, whatever it is declared to be
    getattr(warnings, "_filters_mutated", lambda: None)()


def _put_collecting(held: tuple[bool, tuple[int, ...]]) -> None:
    (gc.enable if held[0] else gc.disable)()
    gc.set_threshold(*held[1])


def _cwd() -> str:
    try:
        return os.getcwd()  # noqa: PTH109  # as it was given, links and all
    except OSError:
        return ""


def _locale() -> str:
    import _locale

    return _locale.setlocale(_locale.LC_ALL)


def _put_locale(held: str) -> None:
    import _locale

    _locale.setlocale(_locale.LC_ALL, held)


def _umask() -> int:
    mask = os.umask(0)
    os.umask(mask)
    return mask


def _is_foreign(file: str) -> bool:
    """Whether code is neither ours nor comes with a package: a decorator of one may stand in our modules."""
    packaged = "site-packages" in file or "dist-packages" in file
    return is_authors(file) and not packaged and not file.startswith(_PACKAGE)


@attrs.frozen
class _Kept:
    """One thing that is put back: how it is called, read and written."""

    name: str
    get: Callable[[], Any]
    put: Callable[[Any], None]


_KEPT = (
    _Kept("the working folder", _cwd, lambda held: os.chdir(held) if held else None),
    _Kept("environment variables", lambda: dict(os.environ), _put_environment),
    _Kept("filters of warnings", lambda: list(warnings.filters), _put_filters),
    _Kept("the recursion limit", sys.getrecursionlimit, sys.setrecursionlimit),
    _Kept("the switch interval", sys.getswitchinterval, sys.setswitchinterval),
    _Kept("garbage collection", lambda: (gc.isenabled(), gc.get_threshold()), _put_collecting),
    _Kept("the locale", _locale, _put_locale),
    _Kept("the mask of new files", _umask, lambda held: void(os.umask(held))),
)


def void(_: object) -> None:
    """Nothing, whatever was returned."""


@attrs.frozen
class Touched:
    """What was found changed: ``refused`` names what may not be, ``told`` what was put back or left behind."""

    refused: tuple[str, ...]
    told: tuple[str, ...]


class Before:
    """The process as it is now."""

    def __init__(self) -> None:
        self.modules: dict[str, tuple[ModuleType, dict[str, Any]]] = {}
        self.classes: dict[type, dict[str, Any]] = {}
        self.codes: dict[FunctionType, Any] = {}
        for name, module in list(sys.modules.items()):
            if isinstance(module, ModuleType) and _watched(name):  # pyright: ignore[reportUnnecessaryIsInstance]
                self.modules[name] = module, dict(vars(module))
                if name.startswith(_OURS):
                    self._inside(module)
        self.names = set(vars(builtins))
        self.kept = [(kept, kept.get()) for kept in _KEPT]
        self.signals = _signals() if threading.current_thread() is threading.main_thread() else {}
        self.path = list(sys.path)
        self.lists = {name: list(getattr(sys, name)) for name in _PATH_LISTS}
        self.hooks = {name: getattr(sys, name) for name in _HOOKS}
        self.threads = set(threading.enumerate())

    def _inside(self, module: ModuleType) -> None:
        """The methods of our classes, and what our functions run."""
        for value in vars(module).values():
            if isinstance(value, FunctionType):
                self.codes[value] = value.__code__
            elif isinstance(value, type) and value.__module__ == module.__name__:
                held = dict(vars(value))
                self.classes[value] = held
                self.codes.update({f: f.__code__ for f in held.values() if isinstance(f, FunctionType)})

    def replaced(self) -> list[str]:
        """Put back what our own answers depend on, and name it."""
        return list(dict.fromkeys([*self._replaced(), *self._foreign()]))

    def put_back(self) -> Touched:
        """Put back what was changed since, and say what it was."""
        refused = self.replaced()
        told = [
            f"it changed {kept.name}, which was put back" for kept, held in self.kept if self._differs(kept, held)
        ]
        if self.signals and self.signals != _signals():
            _put_signals(self.signals)
            told.append("it changed handlers of signals, which were put back")
        for name, held in self.lists.items():
            if getattr(sys, name) != held:
                getattr(sys, name)[:] = held
                told.append(f"it changed sys.{name}, which was put back")
        for name, hook in self.hooks.items():
            if getattr(sys, name) is not hook:
                setattr(sys, name, hook)
                told.append(f"it changed sys.{name}, which was put back")
        added = [entry for entry in sys.path if entry not in self.path]
        sys.path[:] = [*self.path, *added]  # last, where they hide nothing of ours
        for thread in threading.enumerate():
            if thread not in self.threads:
                told.append(f"it left a thread running ({thread.name})")
        for name in sorted(set(vars(builtins)) - self.names):
            delattr(builtins, name)
            told.append(f"it added builtins.{name}, which was taken away")
        return Touched(tuple(refused), tuple(told))

    @staticmethod
    def _differs(kept: _Kept, held: Any) -> bool:
        if kept.get() == held:
            return False
        kept.put(held)
        return True

    def _replaced(self) -> Iterator[str]:
        """The names of what was replaced, put back one by one."""
        for name, (module, names) in self.modules.items():
            if sys.modules.get(name) is not module:
                sys.modules[name] = module
                yield f"sys.modules[{name!r}]"
            present = vars(module)
            for key, value in names.items():
                if present.get(key) is not value and callable(value) and not self._may_change(name, key):
                    setattr(module, key, value)
                    yield f"{name}.{key}"
        for cls, held in self.classes.items():
            yield from self._methods(cls, held)
        for function, code in self.codes.items():
            if function.__code__ is not code:
                function.__code__ = code
                yield f"the code of {function.__module__}.{function.__qualname__}"

    @staticmethod
    def _may_change(module: str, name: str) -> bool:
        """Streams and hooks are put back apart; what is private to the standard library, packages do mend."""
        if module == "sys" and (name in _STREAMS or name in _HOOKS):
            return True
        return name.startswith("_") and not module.startswith(_OURS)

    def _foreign(self) -> Iterator[str]:
        """What an author put into modules of ours that were imported since."""
        for name, module in list(sys.modules.items()):
            if name.startswith(_OURS) and _watched(name) and name not in self.modules:
                held = {f"{name}.{key}": value for key, value in vars(module).items()}
                for cls in [value for value in held.values() if isinstance(value, type) and value.__module__ == name]:
                    held.update({f"{name}.{cls.__qualname__}.{key}": value for key, value in vars(cls).items()})
                for key, value in held.items():
                    code = getattr(value, "__code__", None)
                    if isinstance(code, CodeType) and _is_foreign(code.co_filename):
                        sys.modules.pop(name, None)  # whoever imports it next gets it as it was written
                        yield key

    @staticmethod
    def _methods(ours: type, held: dict[str, Any]) -> Iterator[str]:
        present = dict(vars(ours))
        for key in {**held, **present}:
            was, now = held.get(key), present.get(key)
            if was is now or not (callable(was) or callable(now)):
                continue
            try:
                delattr(ours, key) if key not in held else setattr(ours, key, was)
            except (AttributeError, TypeError):  # made for every class anew by CPython
                continue
            yield f"{ours.__module__}.{ours.__qualname__}.{key}"
