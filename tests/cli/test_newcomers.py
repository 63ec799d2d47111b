"""What a newcomer gets wrong first is told in words, with what to write instead."""

from __future__ import annotations

from tests.cli.conftest import User

TYPO = """
@model
class Typo:
    up: bool = var(False)
    limit: int = 3

    @action
    def rise(self) -> None:
        if self.upp:
            self.up = True

    @always
    def ok(self) -> bool:
        return True
"""

ONLY_RAISES = """
@model
class Boom:
    up: bool = var(False)

    @action
    def rise(self) -> None:
        require(not self.up)
        self.up = True

    @action
    def boom(self) -> None:
        assert not self.up or self.up is None

    @action
    def bang(self) -> None:
        assert self.up is None
"""


def test_a_variable_that_is_read_and_is_none_is_refused_with_its_line(user: User) -> None:
    user.write(TYPO)
    said = user.run("check", "mine.py")
    assert said.code == 2 and "VIOLATED" not in said.out
    assert "Typo has no 'upp' to read; did you mean up" in said.err and "mine.py:" in said.err


def test_an_attribute_with_no_near_one_lists_what_there_is(user: User) -> None:
    user.write(TYPO.replace("self.upp", "self.zzzzz"))
    assert "Typo has no 'zzzzz' to read; it has up, limit" in user.run("check", "mine.py").err


def test_an_attribute_of_the_class_is_read(user: User) -> None:
    user.write(
        TYPO.replace("self.upp", "self.helper()").replace(
            "    @always", "    def helper(self):\n        return self.limit > 2\n\n    @always"
        )
    )
    assert user.run("explore", "mine.py").code != 2


def test_an_action_that_only_raises_has_not_fired(user: User) -> None:
    user.write(ONLY_RAISES.replace("self.up is None", "False"))
    for command in ("explore", "coverage"):
        said, report = user.json(command, "mine.py")
        (fires,) = [one for one in report["properties"] if one["property"] == "every action fires"]
        assert (fires["answer"], said.code != 0) == ("VACUOUS", True)
        assert fires["reason"].startswith("bang: ") and "raises wherever it is" in fires["reason"]


def test_new_without_arguments_says_what_to_write(user: User) -> None:
    said = user.run("new")
    assert said.code == 2 and "write meshspec new model|policy|role NAME" in said.err
    assert "write meshspec new role NAME" in user.run("new", "role").err


def test_one_of_a_thing_is_no_plural(user: User) -> None:
    user.write(ONLY_RAISES.partition("    @action\n    def boom")[0])
    said = user.run("explore", "mine.py").words
    assert "1 transition," in said and "1 transitions" not in said
