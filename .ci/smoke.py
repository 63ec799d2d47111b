"""Is the wheel enough? Install it afresh, at the lock's versions, and use it from a neutral folder.

python .ci/smoke.py dist/meshspec-0.1.0-py3-none-any.whl requirements.lock
"""

from __future__ import annotations

import os
import re
import subprocess
import sys
import tempfile
import venv
from pathlib import Path

LAMP = '''"""A lamp that is switched on at most twice."""

from typing import Annotated

from meshspec import Range, action, always, model, require, sometimes, var


@model
class Lamp:
    lit: bool = var(False)
    switched: Annotated[int, Range(0, 2)] = var(0)

    @action
    def on(self) -> None:
        require(not self.lit and self.switched < 2)
        self.lit = True
        self.switched += 1

    @action
    def off(self) -> None:
        require(self.lit)
        self.lit = False

    @always
    def at_most_twice(self) -> bool:
        return self.switched <= 2

    @sometimes
    def worn_out(self) -> bool:
        return self.switched == 2
'''

GUARDS = """
class Never:
    def observe(self, step):
        return "CONTINUE"
"""

SUITE = """
from meshspec import suite

from lamp import Lamp

lamp = suite(Lamp)
"""

# The evidence ran in the tree already: of what is installed it is enough to see that all is found and some runs.
COLLECTED = (
    "EffectLedger::its-mutants-die",
    "BREAKER::",
    "LEDGER::",
    "no_function_of_the_log_recovers[EL-IMPOSSIBLE]",
)
RUN = ("crowd", "half_open_breaker", "identities", "event_log_claims")


def pins(lock: Path) -> str:
    """The versions of the lock without its hashes: a wheel just built is in no lock."""
    return "\n".join(re.findall(r"^[A-Za-z0-9._-]+==[^\s;\\]+", lock.read_text(encoding="utf-8"), flags=re.MULTILINE))


def main(wheel: Path, lock: Path) -> None:
    with tempfile.TemporaryDirectory(prefix="neutral-") as folder:
        neutral = Path(folder) / "work"
        neutral.mkdir()
        environment = Path(folder) / "environment"
        venv.create(environment, with_pip=True)
        scripts = environment / ("Scripts" if os.name == "nt" else "bin")
        constraints = Path(folder) / "constraints.txt"
        constraints.write_text(pins(lock), encoding="utf-8")
        (neutral / "lamp.py").write_text(LAMP, encoding="utf-8")

        def run(program: str, *arguments: str, code: int = 0) -> str:
            print("$", program, *arguments, flush=True)
            done = subprocess.run(
                [scripts / program, *arguments], cwd=neutral, check=False, text=True, stdout=subprocess.PIPE
            )
            print(done.stdout, end="", flush=True)
            if done.returncode != code:
                sys.exit(f"{program} ended with {done.returncode}, not {code}")
            return done.stdout

        install = ("-m", "pip", "install", "--quiet", "--disable-pip-version-check")
        run("python", *install, "--constraint", str(constraints), str(wheel.resolve()))
        where = run("python", "-c", "import meshspec, meshspec.models; print(meshspec.__file__)").strip()
        if not Path(where).is_relative_to(environment):
            sys.exit(f"imported {where}, which is not the installed wheel")
        run("meshspec", "--help")
        run("meshspec", "check", "lamp.py")
        (neutral / "lamp.py").write_text(LAMP.replace("switched <= 2", "switched <= 1"), encoding="utf-8")
        run("meshspec", "check", "lamp.py", code=1)
        (neutral / "test_lamp.py").write_text(SUITE, encoding="utf-8")
        (neutral / "guards.py").write_text(GUARDS, encoding="utf-8")
        told = run("python", "-m", "pytest", "-q", "test_lamp.py", code=1)
        if "replay at_most_twice: meshspec explore lamp.py" not in told:
            sys.exit("the failing suite does not say how to see it again")
        pytest = ("-m", "pytest", "-q", "--pyargs")
        listed = run("python", *pytest, "meshspec.properties", "--collect-only")
        for name in COLLECTED:
            if name not in listed:
                sys.exit(f"{name} is not collected from the wheel")
        run("python", *pytest, *(f"meshspec.properties.{name}" for name in RUN))
        suite = (*pytest, "meshspec.properties.breakers", "-k", "BREAKER")
        told = run("python", *suite, "--policy", "guards:Never", code=1)
        if "guards:Never, judged as a breaker" not in told:
            sys.exit("the failing policy is not named")


if __name__ == "__main__":
    main(Path(sys.argv[1]), Path(sys.argv[2]))
