"""What one session of pytest holds: what it was asked, what it has used of that, what it let pass and will tell."""

from __future__ import annotations

import shutil
from collections.abc import Callable, Iterable
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

from meshspec.answer import Strength
from meshspec.errors import UsageError
from meshspec.lang.suite import MADE, Suite
from meshspec.pytest_plugin.options import ROLE, Asked, asked

if TYPE_CHECKING:
    from meshspec.config import Config
    from meshspec.engines.check import Answered
    from meshspec.waivers import Waivers

KEY = pytest.StashKey["Session"]()
ALLOWED, WAIVED = "meshspec undetermined", "meshspec waived"
"""Names of the properties of a report, and so of JUnit, for what was let pass."""
FILE = "pyproject.toml"
CONFIGURED = (
    "scope",
    "engines",
    "require",
    "max-states",
    "max-memory",
    "seed",
    "without",
    "allow-undetermined",
    "out",
)


class Session:
    """Made once for a session, in each process of pytest-xdist."""

    def __init__(self, config: pytest.Config) -> None:
        self.pytest = config
        self.asked: Asked = asked(config)
        self.taken: list[str] = []
        self.used: set[str] = set()
        self.complaints: dict[str, None] = {}
        self.modules: set[str] = set()
        self._collected: list[Suite] = []
        self._before = len(MADE)
        self._kept: dict[object, tuple[Any, BaseException | None]] = {}

    # -- what it was asked -------------------------------------------------------------------------------------

    @cached_property
    def config(self) -> Config:
        """The project's own settings; raises :class:`UsageError` for a file that says what it may not."""
        from meshspec.config import NO_CONFIG, load

        return load(folder=self.pytest.rootpath) if self.is_configured else NO_CONFIG

    @property
    def seed(self) -> int:
        return self.config.seed or 0

    @cached_property
    def is_configured(self) -> bool:
        """Whether a project's file may speak of us: nothing else of ours is loaded for a session that does not."""
        for folder in (self.pytest.rootpath, *self.pytest.rootpath.parents):
            try:
                if b"meshspec" in (folder / FILE).read_bytes():
                    return True
            except FileNotFoundError:
                pass
            except OSError:
                return True  # who reads it says what is wrong
            if (folder / ".git").exists():
                return False
        return False

    @cached_property
    def waivers(self) -> Waivers:
        from meshspec.waivers import Waivers, today

        return Waivers(self.config.waivers, today())

    @property
    def allows_undetermined(self) -> bool:
        return self.asked.allow_undetermined or (self.is_configured and bool(self.config.allow_undetermined))

    @property
    def out(self) -> Path | None:
        """Where bundles are written, if anywhere."""
        configured = self.config.out if self.is_configured else None
        return self.asked.out or (Path(configured) if configured else None)

    @property
    def width(self) -> int:
        """Columns of an argument: those of the command line."""
        from meshspec.report.text import WIDTH

        return min(max(shutil.get_terminal_size((WIDTH, 24)).columns, 60), 120)

    def required(self, said: str | None) -> Strength | None:
        from meshspec.config import REQUIRED

        return None if said is None else REQUIRED[said]

    def waived(self, answered: Iterable[Answered]) -> list[Answered]:
        """The same answers with their waivers, and a failing one for each that has had its day."""
        return self.waivers.apply(answered) if self.is_configured and self.config.waivers else list(answered)

    # -- what is done once -------------------------------------------------------------------------------------

    def once(self, key: object, ask: Callable[[], Any]) -> Any:
        """What `ask` gave or raised the first time in this process; an interrupt is not kept."""
        if key not in self._kept:
            try:
                self._kept[key] = (ask(), None)
            except Exception as error:
                self._kept[key] = (None, error)
        value, raised = self._kept[key]
        if raised is not None:
            raise raised
        return value

    # -- what it tells -----------------------------------------------------------------------------------------

    def header(self) -> list[str]:
        """What is under test, as far as the command line and the project's file say it; empty where they do not."""
        from meshspec import __version__

        given, said = self.asked, list[str]()
        if given.policy:
            said.append(f"policy {given.policy} as a {given.role or ROLE}")
        if given.scope:
            sizes = ",".join(f"{name}={size}" for name, size in given.scope.items())
            said.append(f"scope {sizes} (evidence keeps its own, for its counts are of that)")
        said += [f"required: {given.require}"] if given.require else []
        said += ["what is undetermined is allowed"] if self.allows_undetermined else []
        said += [f"bundles to {given.out}"] if given.out else []
        said += [f"replaying {given.replay}"] if given.replay else []
        seed = "seed 0"
        if self.is_configured:
            told = self.config.told(CONFIGURED)
            said += [told] if told else []
            said += [f"waivers: {len(self.config.waivers)}"] if self.config.waivers else []
            seed = "" if self.config.seed is not None else seed
        said += [seed] if said and seed else []
        lines = [f"meshspec {__version__}: {'; '.join(said)}"] if said else []
        if self.taken:
            ours = ", ".join(f"--meshspec-{name.removeprefix('--')}" for name in self.taken)
            lines.append(f"meshspec: {', '.join(self.taken)} belongs to something else here; ours: {ours}")
        return lines

    def complain(self) -> None:
        """Waivers that have had their day, where their model was checked and their property is none of it."""
        if "waivers" in self.__dict__ and self.config.waivers:
            for one in self.waivers.last():
                self.complaints[f"{one.answer.subject}: {one.answer.property}: {one.answer.reason}"] = None

    def collected(self, suite: Suite) -> None:
        """A suite has become tests."""
        self._collected.append(suite)

    def lost(self) -> list[str]:
        """The suites of modules that were collected which no test came of: made in a function, kept out of sight."""
        taken = {id(suite) for suite in self._collected}
        return [
            f"{one.where}: this suite was never collected, so nothing of it was checked: give it a name in its "
            "module, alone or in a list, a tuple or a dict"
            for one in MADE[self._before :]
            if one.where is not None and str(Path(one.where.file).absolute()) in self.modules and id(one) not in taken
        ]

    def notes(self) -> list[str]:
        """What the project's file says and nothing that ran made use of; it may be of a model that did not run."""
        if not self.is_configured:
            return []
        from meshspec.config import of_no_model

        sorts = [name.removeprefix("sort ") for name in self.used if name.startswith("sort ")]
        told = of_no_model(self.config.scope or {}, sorts, self.config.file)
        if "waivers" in self.__dict__ and self.config.waivers and not self.pytest.pluginmanager.hasplugin("dsession"):
            told += [one for one in self.waivers.notes() if "was not checked" not in one]
        return told

    def unused(self) -> list[str]:
        """What the command line asked for and nothing made use of: a misspelt sort, a policy that nobody judged."""
        typed = [str(word) for word in self.pytest.invocation_params.args]
        told: list[str] = []
        if self.asked.policy and "policy" not in self.used and _is_typed(typed, "policy"):
            told.append(f"--policy {self.asked.policy}: nothing that ran judges a policy")
        if _is_typed(typed, "scope"):
            told += [
                f"--scope {name}={size}: no suite that ran has a sort of that name"
                for name, size in self.asked.scope.items()
                if f"scope {name}" not in self.used
            ]
        return told


def _is_typed(words: Iterable[str], name: str) -> bool:
    """Whether an option was typed for this very run, and does not stand in a file for all of them."""
    return any(word.partition("=")[0] in (f"--{name}", f"--meshspec-{name}") for word in words)


def session_of(config: pytest.Config) -> Session:
    """The session's own; raises :class:`pytest.UsageError` for what cannot be meant."""
    found = config.stash.get(KEY, None)
    if found is None:
        try:
            found = Session(config)
            if found.is_configured:
                _ = found.waivers
            if found.out is not None:
                from meshspec.report.bundle import refuse_unwritable_folder

                refuse_unwritable_folder(found.out)
        except UsageError as error:
            raise pytest.UsageError(str(error)) from None
        config.stash[KEY] = found
    return found
