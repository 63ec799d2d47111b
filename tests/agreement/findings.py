"""All that explore and simulate say of generated models, as text, to be compared between processes.

``python -m tests.agreement.findings FOLDER SEED...`` prints it as JSON.
"""

from __future__ import annotations

import json
import sys
from pathlib import Path

from meshspec.answer import Finding
from meshspec.engines.explore import explore
from meshspec.engines.limits import Limits
from meshspec.engines.simulate import simulate
from tests.generator import GeneratedModel, make


def told(model: GeneratedModel) -> list[str]:
    """Every finding but for the folder that the file is in."""
    findings = explore(model.lifted, model.scope, Limits(max_states=2000))
    findings += simulate(model.lifted, model.scope, walks=5, steps=10, seed=model.seed)
    return [_without_folder(finding, model) for finding in findings]


def _without_folder(finding: Finding, model: GeneratedModel) -> str:
    file = model.module.__file__ or ""
    return repr(finding).replace(file, "model.py")


def main(folder: str, seeds: list[str]) -> None:
    print(json.dumps([told(make(int(seed), Path(folder))) for seed in seeds]))


if __name__ == "__main__":
    main(sys.argv[1], sys.argv[2:])
