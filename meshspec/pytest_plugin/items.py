"""What is collected: a line of evidence, a property of a model, an obligation of a role, a bundle to replay."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, cast

import pytest

from meshspec.answer import Finding
from meshspec.errors import MeshspecError, ModelError
from meshspec.lang.evidence import Evidence
from meshspec.lang.suite import Suite
from meshspec.pytest_plugin import ends, settings
from meshspec.pytest_plugin.options import ROLE
from meshspec.pytest_plugin.session import Session, session_of
from meshspec.settle import Settlement, Showing

if TYPE_CHECKING:
    from meshspec.engines.confirm import Line
    from meshspec.report.bundled import Bundle
    from meshspec.roles.owed import Role


Told = list[tuple[Finding, list[str]]]


class Ours(pytest.Item):
    """An item that ends as an answer does."""

    stated: str = ""

    @property
    def mesh(self) -> Session:
        return session_of(self.config)

    def runtest(self) -> None:
        from meshspec.lang.fences import watching

        try:
            with watching() as fences:
                told = self.ask()
                fences.whole()
        except MeshspecError as error:
            raise ends.unasked(error) from None
        ends.end(self.mesh, self, told)

    @abstractmethod
    def ask(self) -> Told:
        """What is to be said of it, with the lines that argue for it; raises :class:`MeshspecError`."""

    def reportinfo(self) -> tuple[Path, int | None, str]:
        """Where the suite or the evidence is stated, and the item's name as failures are headed."""
        above = self.parent.name if isinstance(self.parent, pytest.Collector) else ""
        return self.path, self.line_of(), f"{above}.{self.name}" if above else self.name

    def line_of(self) -> int | None:
        """The line, counted from 0, at which it is stated; ``None`` where that is not known."""
        return None


class Lines(pytest.Collector):
    """A collector whose items belong together: under pytest-xdist with ``--dist loadgroup`` one worker gets them."""

    def group(self) -> None:
        known = any(str(line).startswith("xdist_group") for line in self.config.getini("markers"))
        if known and self.get_closest_marker("xdist_group") is None:
            self.add_marker(pytest.mark.xdist_group(self.nodeid))


def make(cls: Any, parent: pytest.Collector | pytest.Session, **more: Any) -> Any:
    """``from_parent``, which pytest leaves untyped."""
    return cls.from_parent(parent, **more)


def readable(names: Sequence[str]) -> list[str]:
    """Names as ids: without spaces and control characters, and no two the same."""
    found: dict[str, None] = {}
    for name in names:
        plain = "".join(c if c.isprintable() else repr(c)[1:-1] for c in name.replace(" ", "-"))
        number, one = 2, plain
        while one in found:
            number, one = number + 1, f"{plain}-{number}"
        found[one] = None
    return list(found)


# -- evidence ----------------------------------------------------------------------------------------------------


class EvidenceItem(Ours):
    """One line of evidence."""

    def __init__(self, *, line: Any, **more: Any) -> None:
        super().__init__(**more)  # pyright: ignore[reportUnknownMemberType]  # pytest's own
        self.line: Line = line

    def ask(self) -> Told:
        from meshspec.engines.check import Answered
        from meshspec.report.text import lines_of

        finding = self.line.confirm()
        answered = self.mesh.waived([Answered(finding, (finding,))])
        return [(one.answer, lines_of(one, self.mesh.width)) for one in answered]


class EvidenceCollector(Lines):
    """The lines of one ``EVIDENCE``."""

    def __init__(self, *, evidence: Evidence, **more: Any) -> None:
        super().__init__(**more)  # pyright: ignore[reportUnknownMemberType]  # pytest's own
        self.evidence = evidence

    def collect(self) -> Iterator[pytest.Item]:
        from meshspec.claims import unknown_names
        from meshspec.engines.confirm import Confirmation

        self.group()
        lines = Confirmation(self.evidence, unknown_names).lines()
        for name, line in zip(readable([line.id for line in lines]), lines, strict=True):
            yield make(EvidenceItem, self, name=name, line=line)


class ShownItem(pytest.Item):
    """A function that settles a claim of the texts, or shows an invariant: it passes unless it raises."""

    def __init__(self, *, shown: Any, **more: Any) -> None:
        super().__init__(**more)  # pyright: ignore[reportUnknownMemberType]  # pytest's own
        self.shown: Settlement | Showing = shown

    def runtest(self) -> None:
        from meshspec.claims import unknown_names

        names = self.shown.names if isinstance(self.shown, Showing) else (self.shown.claim,)
        if strange := unknown_names(names):
            raise ends.unasked(ModelError("; ".join(strange), self.shown.where))
        self.shown.run()

    def reportinfo(self) -> tuple[Path, int | None, str]:
        return self.path, self.shown.where.line - 1, self.name


# -- suites --------------------------------------------------------------------------------------------------------


class SuiteItem(Ours):
    """One property of a suite: its check is run once in a process, and shared."""

    parent: SuiteCollector

    def __init__(self, *, asks: str, **more: Any) -> None:
        super().__init__(**more)  # pyright: ignore[reportUnknownMemberType]  # pytest's own
        self.asks = asks

    def line_of(self) -> int | None:
        where = self.parent.suite.where
        return where.line - 1 if where is not None else None

    def ask(self) -> Told:
        told = self.parent.told(self)
        if self.asks in told and set(told) <= set(self.parent.listed):
            return told[self.asks]
        news = [name for name in told if name not in self.parent.listed]
        lost = f"{ends.BUG} nothing is said of {self.asks}" if self.asks not in told else ""
        more = f"{ends.BUG} {', '.join(news)} was answered, and not listed when tests were collected" if news else ""
        for name in news:
            ends.end(self.mesh, self, told[name])
        raise ends.Unsettled("\n".join(filter(None, (lost, more))), pytrace=False)


class SuiteCollector(Lines):
    """The properties of one suite."""

    def __init__(self, *, suite: Suite, **more: Any) -> None:
        super().__init__(**more)  # pyright: ignore[reportUnknownMemberType]  # pytest's own
        self.suite = suite
        self.listed: list[str] = []

    def collect(self) -> Iterator[pytest.Item]:
        self.group()
        self.listed = self.names()
        for name, asks in zip(readable(self.listed), self.listed, strict=True):
            yield make(SuiteItem, self, name=name, asks=asks)

    @property
    def mesh(self) -> Session:
        return session_of(self.config)

    def names(self) -> list[str]:
        """The properties that will be answered, known before anything runs."""
        raise NotImplementedError

    def told(self, item: pytest.Item) -> dict[str, Told]:
        """What is said of each property, with the lines that argue for it; asked once in a process."""
        raise NotImplementedError

    def subject(self) -> str:
        """What is under test, for the line before the tests."""
        raise NotImplementedError


class ModelSuite(SuiteCollector):
    """The properties of a model."""

    def names(self) -> list[str]:
        from meshspec.engines.names import properties

        engines, without = settings.engines(self.mesh, self, settings.of_suite(self.suite))
        return properties(self.suite.model, engines, without)

    def told(self, item: pytest.Item) -> dict[str, Told]:
        return cast("dict[str, Told]", self.mesh.once(self, lambda: self._told(item)))

    def _told(self, item: pytest.Item) -> dict[str, Told]:
        checked = settings.check(self.mesh, item, self.suite.model, settings.of_suite(self.suite))
        told = ends.of_checked(self.mesh, checked)
        for some in told.values():
            ends.written(self.mesh, some, checked.asked)
        return told

    def subject(self) -> str:
        sizes = {sort.__name__: size for sort, size in self.suite.scope.items()}
        sizes |= {name: size for name, size in self.mesh.asked.scope.items() if name in sizes}
        scope = ",".join(f"{name}={size}" for name, size in sizes.items())
        return self.suite.cls.__name__ + (f" [{scope}]" if scope else "")


class RoleSuite(SuiteCollector):
    """The obligations of a role, put to a policy: the session's own, else the suite's, else the shipped reference."""

    @property
    def policy(self) -> str:
        asked = self.mesh.asked
        if asked.policy and (asked.role or ROLE) == self.suite.role:
            return asked.policy
        return self.suite.policy or self.role.reference

    @property
    def role(self) -> Role:
        from meshspec.roles.known import role_of

        return role_of(self.suite.role)

    @property
    def prefix(self) -> int:
        return 1 if self.suite.prefix is None else self.suite.prefix

    def names(self) -> list[str]:
        from meshspec.adapters import chosen, narrowed
        from meshspec.roles.known import asked_of

        what = chosen(self.policy, self.suite.role)  # also says whether there is such a role
        if self.suite.prefix is not None and self.suite.role != ROLE:
            why = f"prefix is of a breaker's stories, and this suite is of the role {self.suite.role}: leave it out"
            raise ModelError(why, self.suite.where)
        names = asked_of(self.suite.role, what.target, what.package)
        if not self.suite.promises:
            return list(names)
        off = narrowed(self.policy, self.suite.role)[1]
        return [name for name in names if name not in off]

    def told(self, item: pytest.Item) -> dict[str, Told]:
        if self.policy == self.mesh.asked.policy:
            self.mesh.used.add("policy")
        suite = self.suite
        key = ("judged", suite.role, self.policy, suite.prefix, suite.promises, suite.seed)
        return cast("dict[str, Told]", self.mesh.once(key, self._told))

    def _told(self) -> dict[str, Told]:
        from meshspec.adapters import judge
        from meshspec.answer import demand
        from meshspec.engines.check import Answered
        from meshspec.report.text import lines_of, story_lines
        from meshspec.roles.breaker import Bound

        seed = self.suite.seed if self.suite.seed is not None else self.mesh.seed
        more: dict[str, Any] = dict(self.role.brief)
        if self.suite.role == ROLE:
            more["bound"] = Bound(prefix=self.prefix)
        if self.suite.promises:
            more["only_promised"] = True
        findings = judge(self.policy, role=self.suite.role, seed=seed, **more)
        required = self.mesh.required(self.mesh.asked.require)
        width, told = self.mesh.width, dict[str, Told]()
        answers = [Answered(demand(finding, required), (finding,)) for finding in findings]
        for one in self.mesh.waived(answers):
            lines = [*lines_of(one, width - 2), *story_lines(one.answer, width - 2)]
            name = list(told)[-1] if one.answer.kind == "waiver" else one.answer.property
            told.setdefault(name, []).append((one.answer, [self.subject(), *(f"  {line}" for line in lines)]))
        for some in told.values():
            ends.written(self.mesh, some)
        return told

    def subject(self) -> str:
        if self.suite.role != ROLE:
            return f"{self.policy}, judged as {self.role.a}"
        steps = f"prefixes of at most {self.prefix} step{'' if self.prefix == 1 else 's'}"
        stories = steps if self.prefix else "stories without a prefix"
        return f"{self.policy}, judged as a {self.suite.role} ({stories})"


def suite_collector(parent: pytest.Collector, name: str, suite: Suite) -> pytest.Collector:
    return cast(pytest.Collector, make(RoleSuite if suite.role else ModelSuite, parent, name=name, suite=suite))


# -- bundles -------------------------------------------------------------------------------------------------------


class BundleItem(Ours):
    """A bundle that is run again."""

    def __init__(self, *, bundle: Any, **more: Any) -> None:
        super().__init__(**more)  # pyright: ignore[reportUnknownMemberType]  # pytest's own
        self.bundle: Bundle = bundle

    def ask(self) -> Told:
        from meshspec.engines.check import Answered
        from meshspec.report.bundle_replay import replayed
        from meshspec.report.text import lines_of, paragraph

        made = replayed(self.bundle)
        about, finding, width = made.bundle, made.finding, self.mesh.width - 2
        title = about.subject if about.target in ("", about.subject) else f"{about.subject} ({about.target})"
        lines = [*lines_of(Answered(finding, (finding,)), width), *(paragraph(made.note, width) if made.note else [])]
        again = [f"  replay {finding.property}: {finding.replay}"] if finding.replay else []
        return [(finding, [title, *(f"  {line}" for line in lines), *again])]


class BundleFile(pytest.File):
    """The bundles of a file, or of a folder."""

    def collect(self) -> Iterator[pytest.Item]:
        from meshspec.report.bundle import read_all

        found = read_all(self.path)
        names = ["replay"] if self.path.is_file() else readable([Path(name).name for name, _ in found])
        for name, (_, bundle) in zip(names, found, strict=True):
            yield make(BundleItem, self, name=name, bundle=bundle)


def bundle_items(session: pytest.Session, path: Path) -> list[pytest.Item]:
    """The items for what is to be replayed; raises :class:`pytest.UsageError` where there is no such file."""
    if not path.exists():
        raise pytest.UsageError(f"--meshspec-replay {path}: there is no such file")
    file = make(BundleFile, session, path=path.absolute())
    report: pytest.CollectReport = file.ihook.pytest_make_collect_report(collector=file)
    file.ihook.pytest_collectreport(report=report)
    return [one for one in report.result or () if isinstance(one, pytest.Item)] if report.passed else []
