"""Notebooks as tests run them: read from the tree, executed in a kernel and a folder of their own."""

from __future__ import annotations

import json
import os
import re
from pathlib import Path
from typing import Any

import nbclient
import nbformat
import pytest

from tests.report.showing import words
from tests.tree import ROOT

ALL = sorted((ROOT / "notebooks").glob("*.ipynb"))


def held(path: Path) -> Any:
    return nbformat.read(path, as_version=4)  # type: ignore[no-untyped-call]


def kept_without_outputs(path: Path) -> None:
    """No output, count or metadata is kept, and the file is written as we write files."""
    notebook = held(path)
    for cell in notebook.cells:
        assert not cell.get("outputs")
        assert cell.get("execution_count") is None
        assert not cell.get("metadata")
    assert set(notebook.metadata) == {"kernelspec", "language_info"}
    text = path.read_text("utf-8")
    assert text == json.dumps(json.loads(text), indent=1, ensure_ascii=False, sort_keys=True) + "\n"


def executed(path: Path, folder: Path) -> Any:
    """The notebook, run."""
    notebook, home = held(path), {name: str(folder / name) for name in ("IPYTHONDIR", "JUPYTER_RUNTIME_DIR", "HOME")}
    patch = pytest.MonkeyPatch()
    for name, place in home.items():
        patch.setenv(name, place)
    patch.setenv("PYTHONPATH", os.pathsep.join([str(ROOT), os.environ.get("PYTHONPATH", "")]).rstrip(os.pathsep))
    patch.setenv("NO_COLOR", "1")
    (folder / "work").mkdir()
    try:
        client = nbclient.NotebookClient(
            notebook, timeout=120, kernel_name="python3", resources={"metadata": {"path": str(folder / "work")}}
        )
        client.execute()
    finally:
        patch.undo()
    return notebook


def quiet(notebook: Any) -> None:
    """No cell failed, and none said a word on standard error."""
    for cell in notebook.cells:
        for output in cell.get("outputs", ()):
            assert output.output_type != "error", cell.source
            assert output.get("name") != "stderr", output.text


def told(notebook: Any, begins: str) -> str:
    """What the code cells say that have a line which begins like that; fails where there is no such cell."""
    found = [
        " ".join(map(_text, cell.outputs))
        for cell in notebook.cells
        if cell.cell_type == "code" and re.search(rf"^{re.escape(begins)}", cell.source, re.MULTILINE)
    ]
    assert found, f"no cell begins with {begins}"
    return " ".join(found)


def _text(output: Any) -> str:
    if output.output_type == "stream":
        return words(re.sub(r"\x1b\[[0-9;]*m", "", output.text))
    said = output.data.get("text/html", output.data.get("text/plain", ""))
    return words(re.sub(r"<style.*?</style>|<[^>]*>", " ", said, flags=re.DOTALL))
