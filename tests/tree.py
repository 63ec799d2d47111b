"""The files of this project, as git would commit them."""

from __future__ import annotations

import subprocess
import tomllib
from pathlib import Path
from typing import Any

ROOT = Path(__file__).parent.parent
PYPROJECT: dict[str, Any] = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))


def files() -> list[str]:
    """What is committed, and what would be: all that git does not ignore and that is still there."""
    listed = subprocess.run(
        ["git", "-c", "safe.directory=*", "ls-files", "-z", "--cached", "--others", "--exclude-standard"],
        cwd=ROOT,
        check=True,
        capture_output=True,
        text=True,
    ).stdout
    return sorted(
        name for name in listed.split("\0") if name and ((ROOT / name).is_symlink() or (ROOT / name).exists())
    )


def is_link(name: str) -> bool:
    return (ROOT / name).is_symlink()
