"""Bad input: each a clear message with the user's file and line, and exit code 2; nothing ran."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

from tests.cli.conftest import BROKEN, COUNTER, IMPORTS, LEDGER, User, program


def refused(user: User, *arguments: str) -> str:
    """The message that a command is refused with: no output, no traceback, exit code 2."""
    said = user.run(*arguments)
    assert (said.code, said.out) == (2, "")
    assert said.err.startswith("meshspec: ")
    assert "Traceback" not in said.err
    return said.err.removeprefix("meshspec: ").strip()


def line_of(path: Path, text: str) -> int:
    return next(n for n, line in enumerate(path.read_text(encoding="utf-8").splitlines(), 1) if text in line)


# -- files -----------------------------------------------------------------------------------------------------


def test_a_syntax_error(user: User) -> None:
    path = user.write(COUNTER.replace("self.number += 1", "self.number +="))
    assert refused(user, "check", "mine.py").startswith(f"mine.py:{line_of(path, 'self.number +=')}: invalid syntax")


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("import no_such_package_here", "ModuleNotFoundError: No module named 'no_such_package_here'"),
        ("from enum import Enumeration", "ImportError: cannot import name 'Enumeration' from 'enum'"),
        ("print(1 / 0)", "ZeroDivisionError: division by zero"),
        ("raise SystemExit(3)", "SystemExit: 3"),
        ("import sys; sys.exit()", "SystemExit"),
        ("raise BaseException", "BaseException"),
    ],
)
def test_a_file_that_cannot_be_imported(user: User, text: str, message: str) -> None:
    path = user.write(f"{COUNTER}\n\n{text}  # here\n")
    said = refused(user, "check", "mine.py")
    assert said.startswith(f"mine.py:{line_of(path, '# here')}: importing mine.py raises {message}")


def test_an_error_in_a_file_that_the_file_imports(user: User) -> None:
    user.write("value = 1 / 0\n", "helper_of_mine.py", "")
    user.write("import helper_of_mine\n" + COUNTER)
    assert refused(user, "check", "mine.py").startswith("helper_of_mine.py:1: importing mine.py raises Zero")


@pytest.mark.parametrize(
    ("text", "message"), [("", "holds no model: decorate a class with @model"), ("x = 1", "no model")]
)
def test_a_file_without_a_model(user: User, text: str, message: str) -> None:
    user.write(text, imports="")
    assert message in refused(user, "check", "mine.py")


def test_a_file_with_two_models(user: User) -> None:
    user.write(LEDGER)
    assert refused(user, "check", "mine.py") == (
        "mine.py holds 2 models (Ledger, Forgetful): write mine.py:Ledger or mine.py:Forgetful"
    )


def test_a_second_name_for_a_model_is_no_second_model(user: User) -> None:
    user.write(COUNTER + "\n\nAlso = Counter\n")
    assert user.run("explore", "mine.py").code == 0
    assert user.run("explore", "mine.py:Also").code == 0


def test_models_that_are_imported_do_not_count(user: User) -> None:
    user.write(COUNTER, "base_of_mine.py")
    user.write("from base_of_mine import Counter\n\n\n@model\nclass Mine(Counter): ...\n")
    assert user.run("explore", "mine.py").code == 0
    assert user.run("explore", "mine.py:Counter").code == 0


def test_a_subclass_without_the_decorator(user: User) -> None:
    path = user.write(f"{COUNTER}\n\nclass Mine(Counter):\n    limit: int = 2\n")
    for target in ("mine.py", "mine.py:Mine", "mine.py:Counter"):
        said = user.run("explore", target)
        if target == "mine.py:Counter":
            assert said.code == 0
        else:
            assert said.code == 2
            assert f"mine.py:{line_of(path, 'class Mine')}: Mine extends a model and is not decorated" in said.err


def test_a_class_with_marks_and_without_the_decorator(user: User) -> None:
    path = user.write(COUNTER.replace("@model\n", ""))
    said = refused(user, "check", "mine.py")
    assert said.startswith(
        f"mine.py:{line_of(path, 'class Counter')}: Counter declares number, grow, set_back, small"
    )


def test_a_body_that_cannot_be_lifted(user: User) -> None:
    path = user.write(COUNTER.replace("self.number += 1", "self.number = int(f'{self.number}')"))
    assert refused(user, "check", "mine.py").startswith(f"mine.py:{line_of(path, 'int(f')}: ")


def test_a_file_that_is_not_utf_8(user: User) -> None:
    path = user.write(COUNTER)
    path.write_bytes(path.read_bytes().replace(b"It counts", b"It c\xf6unts"))
    said = refused(user, "check", "mine.py")
    assert said.startswith("mine.py")
    assert "utf-8" in said


def test_a_file_with_null_bytes(user: User) -> None:
    path = user.write(COUNTER)
    path.write_bytes(path.read_bytes() + b"\0\n")
    said = refused(user, "check", "mine.py")
    assert "mine.py" in said
    assert "null bytes" in said


def test_what_is_no_file(user: User) -> None:
    (user.folder / "folder.py").mkdir()
    (user.folder / "models").mkdir()
    user.write("", "notes.txt", "")
    assert refused(user, "check", "missing.py") == "missing.py does not exist"
    assert refused(user, "check", "folder.py") == "folder.py is a folder and no file"
    assert refused(user, "check", "models") == "models is a folder: name a file in it, models/model.py"
    assert refused(user, "check", "notes.txt") == "notes.txt is no Python file: the name of a model file ends in .py"


# -- names -----------------------------------------------------------------------------------------------------


def test_a_shipped_name_and_one_that_is_nearly_one(user: User) -> None:
    whole = ("--scope", "Effect=1", "--engine", "explore,live")
    assert user.run("check", "EffectLedger", *whole).code == 0
    assert user.run("check", "effect_ledger", *whole).code == 0
    assert user.run("explore", "ResendInDoubt", "--scope", "Effect=1").code == 1
    alone = user.run("explore", "EffectLedger", "--scope", "Effect=1")  # what it must come to is another's to say
    assert alone.code == 3
    assert "replay delivered_work_is_told_of: meshspec live EffectLedger --scope Effect=1" in alone.out
    said = refused(user, "check", "EfectLedger")
    assert said.startswith("nothing shipped is called 'EfectLedger'; did you mean EffectLedger")
    assert "a file is given as path.py or path.py:Model" in said
    assert "nothing shipped is called ''" in refused(user, "check", "")


def test_an_attribute_that_is_not_there_or_no_model(user: User) -> None:
    user.write(COUNTER + "\n\nlimit = 3\n")
    assert refused(user, "check", "mine.py:Cuonter") == "mine.py has no 'Cuonter'; did you mean Counter?"
    assert refused(user, "check", "mine.py:x.y") == "mine.py has no 'x.y'; it has Counter"
    assert "mine.py:limit is no model but a int" in refused(user, "check", "mine.py:limit")
    assert "mine.py:Effect is no model" in refused(user, "check", "mine.py:Effect")
    assert refused(user, "check", "mine.py:") == "mine.py: ends in a colon: write mine.py:Model"


def test_a_module(user: User, monkeypatch: pytest.MonkeyPatch) -> None:
    user.write(COUNTER, "package_of_mine/guards.py")
    user.write("", "package_of_mine/__init__.py", "")
    said = user.run("explore", "package_of_mine.guards:Counter")
    assert said.code == 0
    for name in ("package_of_mine.gards", "no_such_package", "no.such.package", ".relative"):
        assert f"there is no module {name!r}" in refused(user, "explore", f"{name}:Counter")
    assert "has no 'Guard'" in refused(user, "explore", "package_of_mine.guards:Guard")
    for name in [name for name in sys.modules if name.startswith("package_of_mine")]:
        monkeypatch.delitem(sys.modules, name)


def test_a_module_that_imports_what_is_not_there(user: User, monkeypatch: pytest.MonkeyPatch) -> None:
    user.write("\nimport no_such_package_here\n", "broken_of_mine.py", "")
    assert refused(user, "explore", "broken_of_mine:X") == (
        "broken_of_mine.py:2: importing broken_of_mine raises ModuleNotFoundError: No module named "
        "'no_such_package_here'"
    )


@pytest.mark.parametrize("name", ["random.py", "queue.py", "enum.py", "fractions.py", "uuid.py", "z3.py", "attrs.py"])
def test_a_file_named_like_a_module_that_we_use(user: User, name: str) -> None:
    user.write(COUNTER, name)
    said = user.shell("check", name, "--engine", "explore,prove,simulate")
    assert (said.code, said.err) == (0, "")


def test_two_files_with_the_same_name(user: User) -> None:
    user.write(COUNTER, "one/mine.py")
    path = user.write("\n\n" + BROKEN.replace("limit", "top"), "two/mine.py")
    said, report = user.json("explore", "one/mine.py")
    assert said.code == 0
    said, report = user.json("check", "one/mine.py", "two/mine.py", "--engine", "explore")
    small = [entry for entry in report["properties"] if entry["property"] == "small"]
    assert [entry["answer"] for entry in small] == ["HOLDS", "VIOLATED"]
    assert small[1]["where"] == f"two/mine.py:{line_of(path, 'def small') - 1}"


def test_a_file_is_loaded_once_for_all_its_targets(user: User) -> None:
    user.write(LEDGER + "\nprint('loaded')\n")
    said = user.run("explore", "mine.py:Ledger")
    assert said.out.count("loaded") == 1
    user.write(LEDGER + "\n\nprint('loaded')\n")
    said = user.run("check", "mine.py:Ledger", "mine.py:Forgetful", "--engine", "explore")
    assert (said.code, said.out.count("loaded")) == (1, 1)


def test_a_model_with_its_constants_chosen_is_a_target(user: User) -> None:
    user.write(COUNTER + "\n\nsmall = Counter(limit=2)\nlarge = Counter(limit=4)\n")
    assert "3 states" in user.run("explore", "mine.py:small").words
    said = user.run("explore", "mine.py:large")
    assert (said.code, said.lines[0].split("  ")[0]) == (1, "Counter (mine.py:large)")
    assert "meshspec explore mine.py:large" in said.words


def test_constants_without_a_default(user: User) -> None:
    path = user.write(COUNTER.replace("limit: int = 3", "limit: int") + "\n\nsmall = Counter(limit=2)\n")
    said = refused(user, "explore", "mine.py")
    assert said.startswith(f"mine.py:{line_of(path, '@model')}: Counter has constants without a default")
    assert user.run("explore", "mine.py:small").code == 0


def test_a_relative_import_of_a_neighbour_works_and_hides_nothing_afterwards(user: User) -> None:
    user.write("LIMIT = 2\n", "folder/limits_of_mine.py", "")
    user.write("from limits_of_mine import LIMIT\n" + COUNTER.replace("= 3", "= LIMIT"), "folder/mine.py")
    before = list(sys.path)
    assert "3 states" in user.run("explore", "folder/mine.py").words
    assert sys.path[: len(before)] == before


# -- scopes and options ----------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("scope", "message"),
    [
        ("Effect=0", "--scope Effect=0: a sort has at least one member"),
        ("Effect=-1", "--scope Effect=-1: write Sort=size"),
        ("Effect=x", "--scope Effect=x: write Sort=size, for instance --scope Effect=3"),
        ("Effect=1.5", "--scope Effect=1.5: write Sort=size"),
        ("Effect", "--scope Effect: write Sort=size"),
        ("=3", "--scope =3: write Sort=size"),
        ("", "--scope : write Sort=size"),
        ("Worker=2", "--scope Worker=2: Ledger ranges over Effect"),
        ("Effect=2,Effect=3", "--scope gives Effect two sizes, 2 and 3"),
        ("Effect=1000000000", "Effect=1000000000 gives Ledger"),
        ("Effect=99999999999999999999", "that is more than any scope can be"),
    ],
)
def test_a_scope_that_is_none(user: User, scope: str, message: str) -> None:
    user.write(LEDGER)
    assert message in refused(user, "explore", "mine.py:Ledger", "--scope", scope)


def test_a_scope_may_be_given_in_parts_and_before_the_target(user: User) -> None:
    text = LEDGER.replace("class Effect", "class Other(Sort): ...\n\n\nclass Effect")
    text = text.replace("    up: bool", "    seen: Map[Worker, bool] = var(False)\n    up: bool")
    user.write("class Worker(Sort): ...\n\n\n" + text)
    for scope in (
        ["--scope", "Effect=1", "--scope", "Worker=3"],
        ["--scope", "Effect=1,Worker=3"],
        ["--scope=Effect=1,Worker=3"],
    ):
        said = user.run("explore", *scope, "mine.py:Ledger")
        assert said.code == 0
        assert "scope Worker=3,Effect=1" in said.words or "scope Effect=1,Worker=3" in said.words


def test_a_scope_for_a_model_without_sorts(user: User) -> None:
    user.write(COUNTER)
    assert refused(user, "explore", "mine.py", "--scope", "Effect=2") == (
        "--scope Effect=2: Counter ranges over no sort"
    )


def test_a_huge_range_of_a_parameter_is_refused_and_that_of_a_variable_is_not(user: User) -> None:
    user.write(COUNTER.replace("Range(0, 9)", f"Range(0, {10**15})"))
    assert user.run("explore", "mine.py").code == 0
    user.write(COUNTER.replace("def grow(self)", f"def grow(self, by: Annotated[int, Range(0, {10**9})])"), "by.py")
    assert "gives grow 1,000,000,001 combinations of arguments" in refused(user, "explore", "by.py")


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (("--engine", "guess"), "there is no engine 'guess'; the engines are drive, explore, live, prove, simulate"),
        (("--engine", ""), "there is no engine ''"),
        (("--max-states", "0"), "must be at least 1"),
        (("--max-states", "many"), "many"),
        (("--max-memory", "4X"), "'4X' is no amount of memory"),
        (("--seed", "x"), "seed"),
        (("--without", "crush"), "--without crush: Ledger has the faults crash"),
        (("--require", "luck"), "--require luck: write exhaustive or proved"),
        (("--nonsense",), "--nonsense"),
        (("--json",), "json"),
        (("--with", "x==1"), "--with installs a package for a policy: name a --role"),
        (("--json", "no/such/folder/report.json"), "report.json cannot be written: No such file or directory"),
        (("--json", "."), "cannot be written: it is a folder"),
    ],
)
def test_an_option_that_is_wrong(user: User, arguments: tuple[str, ...], message: str) -> None:
    user.write(LEDGER)
    assert message in refused(user, "check", "mine.py:Ledger", *arguments)


def test_options_for_a_target_without_a_target_are_refused_and_not_ignored(user: User) -> None:
    for option in (("--scope", "Effect=3"), ("--engine", "prove"), ("--without", "crash")):
        assert "are for a target: name one" in refused(user, "check", *option)


def test_walks_and_steps_below_one(user: User) -> None:
    user.write(COUNTER)
    assert "must be at least 1" in refused(user, "simulate", "mine.py", "--walks", "0")


def test_an_unknown_command_and_none_at_all(user: User) -> None:
    said = user.run("chekc")
    assert said.code == 2
    assert "chekc" in said.err
    nothing = user.run()
    assert nothing.code == 2
    assert "Usage" in nothing.out
    assert user.run("--help").code == 0
    assert user.run("--version").code == 0


def test_a_message_does_not_pass_on_what_a_terminal_would_act_on(user: User) -> None:
    said = refused(user, "check", "mo\x1b[31mdel")
    assert "\x1b" not in said
    assert "mo\\x1b[31mdel" in said
    user.write("raise ValueError('a\\x1b[2Jb')\n")
    assert "a\\x1b[2Jb" in refused(user, "check", "mine.py")


def test_a_file_that_lists_what_is_shipped(user: User) -> None:
    said = user.run("list")
    assert said.code == 0
    assert "EffectLedger" in said.out
    assert "engines: drive, explore, live, prove, simulate" in said.out
    assert IMPORTS


def test_a_file_that_ends_the_process_is_bad_input_and_no_success(user: User) -> None:
    user.write("import os\nos._exit(0)\n", imports="")
    said = user.shell("check", "mine.py")
    assert said.code == 2
    assert "mine.py:2: importing mine.py raises SystemExit: os._exit(0)" in said.err


@pytest.mark.parametrize("least", [0, -(2**63)])
def test_a_range_longer_than_python_counts_is_like_any_other(user: User, least: int) -> None:
    user.write(f"""
@model
class Long:
    number: Annotated[int, Range({least}, {2**63 - 1})] = var(0)

    @action
    def up(self) -> None:
        require(self.number < 3)
        self.number += 1

    @always
    def small(self) -> bool:
        return self.number < 4

    @eventually(weak=("up",))
    def arrives(self) -> bool:
        return self.number == 3
""")
    for command, code in (("check", 0), ("explore", 3), ("prove", 0), ("live", 0), ("simulate", 3), ("show", 0)):
        said = user.run(command, "mine.py")
        assert (said.code, said.err) == (code, ""), said
    assert user.run("coverage", "mine.py").code == 0


def test_a_report_does_not_overwrite_a_file_that_is_none(user: User) -> None:
    path = user.write(COUNTER)
    before = path.read_text()
    said = user.run("check", "mine.py", "--json", "mine.py")
    assert said.code == 2
    assert "a report is no Python file" in said.err
    assert path.read_text() == before
    assert user.run("check", "mine.py", "--json", "report.json").code == 0
    assert user.run("check", "mine.py", "--json", "report.json").code == 0


def test_a_method_that_nobody_reads_is_named_with_its_line(user: User) -> None:
    path = user.write(COUNTER + "\n    def forgotten(self) -> bool:\n        return self.number < 0\n")
    line = path.read_text().splitlines().index("    def forgotten(self) -> bool:") + 1
    assert f"not read: forgotten (mine.py:{line}) has no mark" in user.run("check", "mine.py").words


def test_a_full_disk_is_told_and_is_no_bug(user: User) -> None:
    user.write(COUNTER)
    with Path("/dev/full").open("w") as full:
        done = subprocess.run(
            program("check", "mine.py"), cwd=user.folder, stdout=full, stderr=subprocess.PIPE, check=False
        )
    assert done.returncode == 2
    assert done.stderr.decode().strip() == "meshspec: the output cannot be written: No space left on device"
