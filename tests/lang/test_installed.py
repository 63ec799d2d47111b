"""Code of installed packages that a body calls: what a stream does with a text is its own affair; a value is not."""

from __future__ import annotations

from typing import Any

import pytest

from meshspec import action, model, var
from meshspec.errors import LiftError, ModelError, Where
from meshspec.lang.lift import lift
from meshspec.lang.places import is_installed, same_package

INSTALLED = """
class Stream:
    def write(self, said):
        if type(said) is not str:
            raise TypeError
        return len(said)

def whole(numbers):
    return type(numbers[0]) is int

def doubled(number):
    return id(number) * 2
"""

OUT: Any = {}
exec(compile(INSTALLED, "/env/site-packages/streams/core.py", "exec"), OUT)
STREAM = OUT["Stream"]()


@model
class Says:
    n: int = var(0)

    @action
    def up(self) -> None:
        STREAM.write("hello")
        self.n += 1


@model
class Asks:
    n: int = var(0)

    @action
    def up(self) -> None:
        OUT["doubled"](self.n)
        self.n += 1


@model
class AsksInside:
    n: int = var(0)

    @action
    def up(self) -> None:
        OUT["whole"]([self.n])
        self.n += 1


def test_a_stream_of_an_installed_package_is_not_read_as_the_authors_code() -> None:
    assert [one.name for one in lift(Says).actions] == ["up"]


@pytest.mark.parametrize(("cls", "name"), [(Asks, "id"), (AsksInside, "type")])
def test_installed_code_that_is_given_a_value_of_the_model_is(cls: type, name: str) -> None:
    with pytest.raises(LiftError, match=rf"streams/core\.py:\d+: {name}\(...\) looks past the value"):
        lift(cls)


def test_a_model_that_is_installed_itself_is_its_authors_with_all_of_its_package() -> None:
    installed: dict[str, Any] = {"__name__": "streams.model"}
    source = (
        "from meshspec import action, model, var\n"
        "@model\nclass Own:\n    n: int = var(0)\n    @action\n    def up(self) -> None:\n"
        "        STREAM.write('hello')\n        self.n += 1\n"
    )
    installed["STREAM"] = STREAM
    exec(compile(source, "/env/site-packages/streams/model.py", "exec", dont_inherit=True), installed)
    with pytest.raises(LiftError, match=r"streams/core\.py:\d+: type\(...\) looks past the value"):
        lift(installed["Own"])


def test_packages_are_told_apart_by_their_folder() -> None:
    assert is_installed("/env/site-packages/a/b.py")
    assert is_installed("/usr/lib/python3/dist-packages/a.py")
    assert not is_installed("/home/her/a.py")
    assert same_package("/env/site-packages/a/b.py", "/env/site-packages/a/c/d.py")
    assert not same_package("/env/site-packages/a/b.py", "/env/site-packages/ab/c.py")
    assert not same_package("/home/her/a.py", "/home/her/a.py")


def test_a_message_without_a_place_begins_with_what_it_says() -> None:
    assert str(ModelError("no source", Where("<unknown>", 0))) == "no source"
    assert str(ModelError("a slip", Where("mine.py", 3))) == "mine.py:3: a slip"
