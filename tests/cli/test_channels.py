"""A check that cannot speak, or has too little to run with, says so and concludes nothing."""

from __future__ import annotations

import os
import subprocess
import sys

import pytest

from tests.cli.conftest import User, program
from tests.cli.test_bad_models import written

# -- what takes the channels of the check away -------------------------------------------------------------------

CUT = "meshspec: the author's code closed or replaced the channels of the check; nothing was concluded\n"


@pytest.mark.parametrize(
    "parts",
    [
        {"top": "os.closerange(0, 256)"},
        {"top": "os.closerange(3, 256)"},
        {"top": "[os.dup2(os.open(os.devnull, 2), number) for number in range(64)]"},
        {"body": "os.closerange(3, 256)"},
    ],
    ids=["all closed", "ours closed", "replaced", "closed by a body"],
)
def test_a_file_that_takes_our_channels_away_is_told_of_by_the_process_that_waits(
    user: User, parts: dict[str, str]
) -> None:
    written(user, **parts, most=2)
    said = user.shell("explore", "mine.py")
    assert (said.code, said.out, said.err) == (2, "", CUT)


SILENCED = """
def _silence():
    import types
    for name, module in list(sys.modules.items()):
        if name.startswith("meshspec"):
            for key, value in list(vars(module).items()):
                if isinstance(value, types.FunctionType):
                    setattr(module, key, lambda *_, **__: None)
_silence()
"""


def test_a_check_that_was_silenced_does_not_end_without_a_word(user: User) -> None:
    written(user, top=SILENCED, most=2)
    said = user.shell("explore", "mine.py")
    assert said.code == 2 and said.err.startswith("meshspec: "), said


@pytest.mark.parametrize("part", ["top", "body"])
def test_a_model_may_close_the_stream_it_prints_to(user: User, part: str) -> None:
    written(user, **{part: "sys.stdout.close(); sys.stderr.close(); print(1)"}, most=2)
    said = user.run("explore", "mine.py")
    assert (said.code, said.err) == (1, ""), said


# -- what there is too little of ---------------------------------------------------------------------------------


def limited(user: User, limit: str, *arguments: str, **environment: str) -> tuple[int, str, str]:
    done = subprocess.run(
        ["/bin/sh", "-c", f'ulimit {limit}; exec "$@"', "sh", *program(*arguments)],
        cwd=user.folder,
        env={**os.environ, **environment},
        capture_output=True,
        text=True,
        check=False,
        timeout=60,
    )
    return done.returncode, done.stdout, done.stderr


def test_too_few_file_descriptors_are_a_matter_of_usage(user: User) -> None:
    written(user)
    code, out, err = limited(user, "-n 8", "explore", "mine.py")
    assert (code, out) == (2, "") and err.startswith("meshspec: too few file descriptors"), err


def test_where_no_file_can_be_written_the_model_is_not_to_blame_and_a_policy_needs_one(user: User) -> None:
    written(user)
    code, out, err = limited(user, "-f 0", "explore", "mine.py", PYTHONDONTWRITEBYTECODE="1")
    assert (code, err) == (0, ""), (out, err)
    user.write("class P:\n    def observe(self, step): return 'CONTINUE'\n", "pol.py", imports="")
    code, _, err = limited(user, "-f 0", "check", "pol.py:P", "--role", "breaker", PYTHONDONTWRITEBYTECODE="1")
    assert code == 2 and "a policy needs a temporary file, and there can be none" in err, err


def test_nothing_is_checked_where_python_leaves_asserts_out(user: User) -> None:
    written(user, body="assert self.number < 1")
    for arguments in (["explore", "mine.py"], ["list"]):
        said = user.shell(*arguments, env={**os.environ, "PYTHONOPTIMIZE": "1"})
        assert (said.code, said.out) == (2, "")
        assert said.err.startswith("meshspec: python runs with -O: asserts in models are not executed")


def test_no_door_checks_a_model_where_python_leaves_asserts_out(user: User) -> None:
    user.write("class M: ...\n", "door.py", imports="from meshspec.backends.certificate import certified\n")
    with (user.folder / "door.py").open("a") as file:
        file.write("certified(M)\n")
    done = subprocess.run(
        [sys.executable, "-O", "door.py"], cwd=user.folder, capture_output=True, text=True, check=False
    )
    assert done.returncode == 1 and "UsageError: python runs with -O" in done.stderr
