"""Faults in our own engines, made by Cosmic Ray: ``python -m tests.mutation --sample 300 --resume``.

A copy of the tree is mutated, one place at a time, and tested: first by the tests of the module itself, then by
those of its floor and of agreement on methods. What neither notices is a survivor. Places are drawn by a seed, as
many from each floor; ``.soak/mutation.json`` keeps what came of them. Annotations are not mutated: nothing runs them.
The exit code is 1 where the suite fails on the tree as it is; a survivor is to be read, and is no failure by itself.
"""

from __future__ import annotations

import argparse
import ast
import importlib
import json
import os
import random
import shutil
import subprocess
import sys
import time
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any

ROOT = Path(__file__).parent.parent
WORK = Path(".soak")
FLOORS = ("lang", "backends", "engines")
PYTEST = (sys.executable, "-m", "pytest", "-x", "-q", "-p", "no:cacheprovider", "-p", "no:randomly")
SECONDS = 400.0

Place = tuple[str, str, int, tuple[int, int]]
"""A module, an operator, which of its occurrences, and line and column."""


def tool(name: str) -> Any:
    """A part of the mutation tool, which is no dependency of the tests and has no types."""
    return importlib.import_module(f"cosmic_ray.{name}")


def copied(root: Path, to: Path) -> None:
    """The files that git knows, links as links."""
    shutil.rmtree(to, ignore_errors=True)
    listed = subprocess.run(
        ["git", "ls-files", "-z", "--cached", "--others", "--exclude-standard"],
        cwd=root,
        capture_output=True,
        text=True,
        check=True,
    )
    for name in filter(None, listed.stdout.split("\0")):
        if (source := root / name).exists() or source.is_symlink():
            (to / name).parent.mkdir(parents=True, exist_ok=True)
            shutil.copy2(source, to / name, follow_symlinks=False)


def spared_by(text: str) -> list[tuple[int, int, int, int]]:
    """Where annotations stand: first line and column, last line and column."""
    found: list[tuple[int, int, int, int]] = []
    for node in ast.walk(ast.parse(text)):
        here = [getattr(node, "annotation", None), getattr(node, "returns", None)]
        for one in here:
            if isinstance(one, ast.expr):
                found.append((one.lineno, one.col_offset, one.end_lineno or 0, one.end_col_offset or 0))
    return found


def places(module: Path, root: Path) -> Iterable[Place]:
    """Every mutation that the tool can make in a module."""
    text = (root / module).read_text(encoding="utf-8")
    spared = spared_by(text)
    nodes = list(tool("ast").ast_nodes(tool("ast").get_ast(text)))
    for name in tool("plugins").operator_names():
        made = tool("plugins").get_operator(name)
        if made.arguments():
            continue
        operator = made()
        positions = [start for node in nodes for start, _ in operator.mutation_positions(node)]
        for occurrence, start in enumerate(positions):
            if not any((a, b) <= start <= (c, d) for a, b, c, d in spared):
                yield str(module), name, occurrence, start


def drawn(root: Path, sample: int, seed: int) -> list[Place]:
    """As many places from each floor, in an order that the seed alone decides."""
    chosen: list[Place] = []
    for floor in FLOORS:
        modules = sorted(path.relative_to(root) for path in (root / "meshspec" / floor).glob("*.py"))
        every = [place for module in modules for place in places(module, root)]
        rnd = random.Random(f"{seed} {floor}")
        chosen += rnd.sample(every, min(len(every), sample // len(FLOORS)))
    random.Random(seed).shuffle(chosen)
    return chosen


def suites(module: str) -> list[list[str]]:
    """The tests to try one after the other: the module's own, then those of its floor and of agreement."""
    _, floor, file = Path(module).parts
    own = sorted(str(p.relative_to(ROOT)) for p in (ROOT / "tests" / floor).glob(f"test_{Path(file).stem}*.py"))
    wide = [f"tests/{floor}", "tests/agreement/test_methods.py", "tests/test_effect_ledger.py"]
    return [own, wide] if own else [wide]


def environment(tree: Path) -> dict[str, str]:
    return {**os.environ, "PYTHONPATH": str(tree), "PYTHONDONTWRITEBYTECODE": "1", "MESHSPEC_CACHE": "off"}


def noticed(tree: Path, place: Place, seconds: float) -> dict[str, Any]:
    """What became of one mutation: by which suite it was noticed, if by any."""
    module, name, occurrence, (line, column) = place
    operator = tool("plugins").get_operator(name)()
    said: dict[str, Any] = {"module": module, "line": line, "column": column, "operator": name, "by": "", "diff": ""}
    with tool("mutating").use_mutation(tree / module, operator, occurrence) as (before, after):
        if after is None:
            return said | {"outcome": "not made"}
        old, new = before.splitlines(), after.splitlines()
        said["diff"] = next((f"{a.strip()}  ->  {b.strip()}" for a, b in zip(old, new, strict=False) if a != b), "")
        for tests in suites(module):
            code = run(tree, [*PYTEST, *tests], seconds)
            if code == 5 or code == 4:
                raise SystemExit(f"{' '.join(tests)}: pytest found nothing to run (exit {code})")
            if code:
                return said | {"outcome": "killed" if code > 0 else "timed out", "by": " ".join(tests)}
    return said | {"outcome": "survived"}


def run(tree: Path, command: Sequence[str], seconds: float) -> int:
    """The exit code, or -1 where time ran out; children end with it."""
    started = subprocess.Popen(
        command,
        cwd=tree,
        env=environment(tree),
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
        start_new_session=True,
    )
    try:
        return abs(started.wait(timeout=seconds))
    except subprocess.TimeoutExpired:
        return -1
    finally:
        if started.poll() is None:
            os.killpg(started.pid, 9)
            started.wait()


def told(results: Iterable[Mapping[str, Any]]) -> str:
    """Kill rates by floor, then every survivor."""
    made = [one for one in results if one["outcome"] != "not made"]
    lines: list[str] = []
    for floor in FLOORS:
        mine = [one for one in made if one["module"].startswith(f"meshspec/{floor}/")]
        alive = sum(one["outcome"] == "survived" for one in mine)
        if mine:
            rate = 100 * (len(mine) - alive) / len(mine)
            lines.append(f"{floor:<9} {len(mine):>5} mutants, {len(mine) - alive:>5} noticed ({rate:.0f} %)")
    alive = [one for one in made if one["outcome"] == "survived"]
    return "\n".join([*lines, *(f"survived: {one['module']}:{one['line']}  {one['diff']}" for one in alive)])


def main(arguments: list[str] | None = None) -> int:
    parser = argparse.ArgumentParser(prog="python -m tests.mutation")
    parser.add_argument("--sample", type=int, default=300)
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--resume", action="store_true")
    parser.add_argument("--minutes", type=float, default=0.0, help="stop after so many, to be resumed")
    parser.add_argument("--untested-is-fine", action="store_true", help="do not first run the suites as they are")
    asked = parser.parse_args(arguments)
    state, tree = WORK / "mutation.json", (WORK / "tree").absolute()
    results: list[dict[str, Any]] = []
    if asked.resume and state.exists():
        results = json.loads(state.read_text(encoding="utf-8"))
    copied(ROOT, tree)
    every = drawn(tree, asked.sample, asked.seed)
    if not asked.untested_is_fine:
        wide = dict.fromkeys(name for floor in FLOORS for name in suites(f"meshspec/{floor}/any.py")[-1])
        if code := run(tree, [*PYTEST, *wide], 4 * SECONDS):
            print(f"the suites fail on the tree as it is (exit {code}): nothing can be said of mutants")
            return 1
    done = {(one["module"], one["operator"], one["line"], one["column"]) for one in results}
    started = time.monotonic()
    for number, place in enumerate(every):
        module, name, _, (line, column) = place
        if (module, name, line, column) in done:
            continue
        results.append(noticed(tree, place, SECONDS))
        state.write_text(json.dumps(results, indent=1), encoding="utf-8")
        last = results[-1]
        print(f"{number + 1} of {len(every)}: {module}:{line} {last['outcome']}", flush=True)
        if asked.minutes and time.monotonic() - started > asked.minutes * 60:
            break
    print(told(results))
    return 0


if __name__ == "__main__":
    sys.exit(main())
