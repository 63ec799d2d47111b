"""Reading the README as a newcomer does: the files it shows, the commands it runs, what they print.

``python -m tests.readme`` writes the real output of every command into the README.
"""

from __future__ import annotations

import os
import re
import subprocess
import sys
import tempfile
from collections.abc import Callable
from pathlib import Path

README = Path(__file__).parent.parent / "README.md"
BLOCK = re.compile(r"(?:<!-- (?P<note>[^>]*) -->\n)?```(?P<kind>\w+)\n(?P<body>.*?)```", re.S)
_SHOWN = re.compile(r'shown: (\S+), from "(.*)"')
_TIME = re.compile(r" in \d+\.\d+s(?= *(=+ *)?$)", re.M)
"""How long a test run took, which is another time in every run."""
_ACTIONS = re.compile(r"    @action\n    def charge.*?(?=    @fault)", re.S)


def run(command: str, folder: Path) -> str:
    """What a shown command prints, standard error included, at the width of a page."""
    words = command.split()
    assert words[0] in ("meshspec", "pytest"), f"the README runs {words[0]}, which its test does not run"
    ours = {name: value for name, value in os.environ.items() if not name.startswith("PYTEST_") and name != "CI"}
    done = subprocess.run(
        [sys.executable, "-m", *words],
        cwd=folder,
        capture_output=True,
        text=True,
        env={**ours, "COLUMNS": "100", "PYTHONHASHSEED": "0", "MESHSPEC_TODAY": "2026-11-29"},
        check=False,
    )
    return _TIME.sub("", done.stdout + done.stderr)


def write_file(folder: Path, note: str, body: str) -> None:
    """Do to the reader's files what the README says beside a block of Python."""
    if note.startswith("file: "):
        (folder / note.removeprefix("file: ")).write_text(body, encoding="utf-8")
        return
    if found := re.fullmatch(r"in (\S+), instead of `(.*)`", note):
        path = folder / found[1]
        text = path.read_text(encoding="utf-8")
        assert text.count(found[2]) == 1, f"{found[1]} has {found[2]!r} {text.count(found[2])} times"
        path.write_text(text.replace(found[2], body.strip()), encoding="utf-8")
        return
    path = folder / "charging.py"
    text = path.read_text(encoding="utf-8")
    if note.startswith("replace in charging.py"):
        replaced, times = _ACTIONS.subn(lambda _: body + "\n", text)
        assert times == 1
        path.write_text(replaced, encoding="utf-8")
    elif note == "append to charging.py":
        imports = "from meshspec import Map, Range, Sort, action, always, each, fault, implies, lemma, model, require"
        text = re.sub(r"from meshspec import [^\n]*", imports + ", sometimes, var", text)
        path.write_text(text + "\n" + body, encoding="utf-8")
    else:
        raise AssertionError(f"nobody knows what to do with the block noted {note!r}")


def walk(text: str, said: Callable[[str, str, str], str]) -> str:
    """Follow the README in a folder of its own; `said` gets command, shown output, real output, and gives a block."""
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)

        def block(match: re.Match[str]) -> str:
            note, kind, body = match["note"], match["kind"], match["body"]
            if note and (part := _SHOWN.fullmatch(note)):
                text = (folder / part[1]).read_text(encoding="utf-8")
                real = text[text.index(part[2]) :]
                return f"<!-- {note} -->\n```{kind}\n{said(note, body, real)}```"
            if kind == "python" and note:
                write_file(folder, note, body)
            if kind == "yaml" and note:
                for line in re.findall(r"^- run: (meshspec .*)$", body, re.M):
                    told = run(line, folder)
                    said(line, "", told if told.startswith("meshspec:") or "exit 0" not in told else "")
            if kind == "console" and body.startswith("$ "):
                command, _, shown = body.removeprefix("$ ").partition("\n")
                return f"```console\n{said(command, shown, run(command, folder))}```"
            return match[0]

        return BLOCK.sub(block, text)


def main() -> None:
    def real(command: str, _: str, told: str) -> str:
        return told if command.startswith("shown: ") else f"$ {command}\n{told}"

    text = walk(README.read_text(encoding="utf-8"), real)
    README.write_text(text, encoding="utf-8")


if __name__ == "__main__":
    main()
