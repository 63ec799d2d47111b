"""Readers of what people hand to each other: reports, bundles, a project's settings."""

from __future__ import annotations

import json
from datetime import date
from functools import cache
from unittest import mock

import msgspec

from meshspec import config, waivers
from meshspec.engines.check import Settings
from meshspec.errors import UsageError
from meshspec.lang.lift import LiftedModel, lift
from meshspec.report import bundle_replay, files
from meshspec.report import json as json_report
from meshspec.report.bundle import Bundle, bundle_of
from meshspec.report.bundle_files import object_of, read
from meshspec.report.checked import Asked, checked
from meshspec.report.diff import diff, diff_object
from meshspec.report.diff import lines_of as told
from meshspec.report.read import ReadReport, report_of
from meshspec.targets import Target
from tests.fuzz.fence import folder
from tests.fuzz.reader import Reader, written
from tests.models.plain_ledger import ResendInDoubt
from tests.report.hostile import EACH

TARGET = "tests.models.plain_ledger:ResendInDoubt"

SETTINGS = b"""[project]
name = "mine"

[tool.meshspec]
scope = { Effect = 3, Worker = 2 }
engines = ["explore", "prove"]
require = "exhaustive"
max-states = 1000
max-memory = "500M"
seed = 7
symmetry = "on"
workers = 2
allow-undetermined = true
without = ["crash"]
out = "found"

[[tool.meshspec.waivers]]
model = "Ledger"
property = "at_most_once"
owner = "Ada"
reason = "it is being replaced"
expires = 2027-01-31
"""


@cache
def lifted() -> LiftedModel:
    return lift(ResendInDoubt)


@cache
def _asked() -> tuple[Asked, Bundle]:
    found = checked(Target(TARGET, ResendInDoubt), engines=("explore",), settings=Settings())
    made = bundle_of(found.of("at_most_once").answer, found.asked)
    assert made is not None
    return found.asked, made


def _report_bytes() -> bytes:
    some = [one for one in EACH if one.answer.property in ("charged_at_most_once", "it ends", "q")]
    return json_report.text(json_report.report_object(some, seed=3, exit_code=1, notes=["a note"])).encode()


@cache
def _other() -> ReadReport:
    return report_of(_report_bytes())


def _report(data: bytes) -> object:
    """Read, written again, and compared with another one."""
    report = report_of(data)
    assert report_of(json.dumps(msgspec.to_builtins(report)).encode()) == report, (
        "a report written from what was read reads otherwise"
    )
    for old, new in ((_other(), report), (report, _other()), (report, report)):
        found = diff(old, new)
        told(found, 60)
        json_report.text(diff_object(found, "old", "new"))
    assert not diff(report, report).differences, "a report differs from itself"
    return report


def _overwritten(data: bytes) -> object:
    """Whether a file would be overwritten by a report: only one that is empty or a report."""
    path = written(data, "there.json")
    files.refuse_unwritable(path, "json")
    assert path.read_bytes() == data
    return data


def _bundle(data: bytes) -> object:
    bundle = read(written(data, "a.json"))
    again = read(written(json.dumps(object_of(bundle)).encode(), "again.json"))
    assert again == bundle, "a bundle written from what was read reads otherwise"
    return bundle


def _trace(data: bytes) -> object:
    return read(written(data, "a.itf.json"))


def _replayed(data: bytes, name: str) -> object:
    """Read and run again, whatever target it names being the one model; its source is what it was made from."""
    bundle = read(written(data, name))
    if bundle.of == "policy":
        raise UsageError("a policy is run in processes of its own")
    with (
        mock.patch.object(bundle_replay, "resolve", lambda _: Target(TARGET, ResendInDoubt)),  # pyright: ignore
        mock.patch.object(bundle_replay, "lift", lambda _: lifted()),  # pyright: ignore
    ):
        return bundle_replay.replayed(bundle)


def _settings(data: bytes) -> object:
    found = config.load(written(data, "pyproject.toml"))
    found.told(config.KEYS)
    held = waivers.Waivers(found.waivers, date(2026, 11, 29))
    held.notes({})
    return found


def _bundle_bytes() -> tuple[bytes, bytes]:
    _, bundle = _asked()
    made = bundle.write(folder() / "bundle")
    by_end = {"".join(path.suffixes): path.read_bytes() for path in made}
    return by_end[".json"], by_end[".itf.json"]


def readers() -> tuple[Reader, ...]:
    bundle, trace = _bundle_bytes()
    return (
        Reader("report", _report, (_report_bytes(),)),
        Reader("overwriting", _overwritten, (_report_bytes(), b"")),
        Reader("bundle", _bundle, (bundle,)),
        Reader("bundle-trace", _trace, (trace,)),
        Reader("bundle-replay", lambda data: _replayed(data, "a.json"), (bundle,)),
        Reader("trace-replay", lambda data: _replayed(data, "a.itf.json"), (trace,)),
        Reader("settings-file", _settings, (SETTINGS,)),
    )
