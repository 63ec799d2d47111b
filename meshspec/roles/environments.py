"""One cached virtual environment for each version of somebody else's package.

They lie under ``$MESHSPEC_CACHE``, else ``$XDG_CACHE_HOME/meshspec``, else ``~/.cache/meshspec``, as
``envs/NAME-VERSION-pyX.Y``. An environment is built beside its place and moved there in one step, so two processes
that want the same one cannot break each other, and one that was interrupted leaves nothing that looks finished.
The pip beside us installs into it, so that none has to be unpacked there first; where ours is missing or too old for
that, the environment gets its own.
"""

from __future__ import annotations

import contextlib
import os
import re
import shutil
import subprocess
import sys
import tempfile
from importlib import metadata
from pathlib import Path

from meshspec.errors import UsageError

_MARKER = "meshspec-finished"
_PACKAGE = re.compile(r"([A-Za-z0-9](?:[A-Za-z0-9._-]*[A-Za-z0-9])?)==([A-Za-z0-9][A-Za-z0-9.+!_-]*)")
INSTALL_LIMIT = 300.0
"""Seconds that one installation may take."""


class CannotInstall(Exception):
    """The package could not be installed; the argument says why, in the installer's words where it had any."""


def cache_dir() -> Path:
    """Where meshspec keeps what it can make again; where no certificates are wanted, environments still are."""
    chosen = os.environ.get("MESHSPEC_CACHE", "")
    if chosen not in ("", "off"):
        return Path(chosen)
    base = os.environ.get("XDG_CACHE_HOME")
    return (Path(base) if base else Path.home() / ".cache") / "meshspec"


def parse(package: str) -> tuple[str, str]:
    """Name (normalised) and version of a pinned package. Raises :class:`UsageError` for anything else.

    >>> parse("Agent_Loop.Guard==0.1.1")
    ('agent-loop-guard', '0.1.1')
    """
    match = _PACKAGE.fullmatch(package.strip())
    if match is None:
        raise UsageError(f"{package!r}: a package is given with its exact version, as in pybreaker==1.4.1")
    return re.sub(r"[-_.]+", "-", match[1]).lower(), match[2]


def interpreter(package: str) -> str:
    """The interpreter of an environment that has the package, built if it is not there yet.

    Raises :class:`UsageError` if the package is not pinned, and :class:`CannotInstall` if it cannot be had.
    """
    name, version = parse(package)
    envs = cache_dir() / "envs"
    place = envs / f"{name}-{version}-py{sys.version_info[0]}.{sys.version_info[1]}"
    python = place / ("Scripts/python.exe" if os.name == "nt" else "bin/python")
    if (place / _MARKER).exists() and python.exists():
        return str(python)
    try:
        envs.mkdir(parents=True, exist_ok=True)
        with tempfile.TemporaryDirectory(prefix=".building-", dir=envs) as scratch:
            built = Path(scratch) / "env"
            theirs = str(built / python.relative_to(place))
            ours = _reaches_elsewhere()
            _run([sys.executable, "-m", "venv", *(["--without-pip"] if ours else []), str(built)])
            pip = [sys.executable, "-m", "pip", "--python", theirs] if ours else [theirs, "-m", "pip"]
            said = ["--no-input", "--retries", "2", "--disable-pip-version-check", "--quiet"]
            _run([*pip, "install", *said, f"{name}=={version}"])
            (built / _MARKER).write_text(f"{name}=={version}\n")
            if place.exists() and not ((place / _MARKER).exists() and python.exists()):
                shutil.rmtree(place, ignore_errors=True)  # half an environment, or one whose Python is gone
            with contextlib.suppress(OSError):  # somebody else was first, and theirs is as good
                built.rename(place)
    except OSError as error:
        raise CannotInstall(f"no environment can be made under {envs}: {error.strerror or error}") from error
    if not python.exists():
        raise CannotInstall(f"the environment for {name}=={version} was made and is not there")
    return str(python)


def _reaches_elsewhere() -> bool:
    """Whether there is a pip beside us that can install into another environment, as every one since 22.3."""
    try:
        ours = metadata.version("pip")
    except metadata.PackageNotFoundError:
        return False
    return tuple(map(int, re.findall(r"\d+", ours)[:2])) >= (22, 3)


def _run(command: list[str]) -> None:
    environment = {k: v for k, v in os.environ.items() if k not in ("PYTHONPATH", "PYTHONHOME", "VIRTUAL_ENV")}
    try:
        done = subprocess.run(command, env=environment, capture_output=True, timeout=INSTALL_LIMIT, check=False)
    except subprocess.TimeoutExpired as error:
        raise CannotInstall(f"not done within {INSTALL_LIMIT:g} s") from error
    if done.returncode != 0:
        said = [
            line.strip() for line in (done.stderr + done.stdout).decode(errors="replace").splitlines() if line.strip()
        ]
        errors = [line.removeprefix("ERROR: ") for line in said if line.startswith("ERROR: ")]
        raise CannotInstall((errors or said or [f"exit code {done.returncode}"])[-1][:300])
