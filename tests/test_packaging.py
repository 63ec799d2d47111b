"""The package list, the tree, the wheel and the sdist agree; the lock is complete; nothing names a machine."""

from __future__ import annotations

import configparser
import os
import re
import shutil
import subprocess
import sys
import tarfile
import zipfile
from pathlib import Path

import pytest
from packaging.requirements import Requirement
from packaging.utils import canonicalize_name

import meshspec
from tests.tree import PYPROJECT, ROOT, files, is_link

PACKAGES: list[str] = PYPROJECT["tool"]["setuptools"]["packages"]
FOLDERS: dict[str, str] = PYPROJECT["tool"]["setuptools"]["package-dir"]
LINKS = {"meshspec/models": "models", "meshspec/properties": "properties", "meshspec/paper": "paper"}
DATA = {
    "meshspec/py.typed",
    "meshspec/paper/benchmarks.json",
    "meshspec/paper/claims.toml",
    "meshspec/paper/collected.txt",
    "meshspec/paper/comparison.md",
    "meshspec/paper/driving.json",
    "meshspec/report/bundle-schema.json",
    "meshspec/report/schema.json",
}
NOT_IN_SDIST = {".gitattributes", ".gitignore"}

VOCABULARY = [
    "Blocked",
    "Map",
    "ModelError",
    "Range",
    "SetOf",
    "Sort",
    "action",
    "always",
    "any_of",
    "choose",
    "count",
    "each",
    "eventually",
    "evidence",
    "exists",
    "fault",
    "forall",
    "implies",
    "leads_to",
    "lemma",
    "model",
    "promise",
    "refinement",
    "require",
    "scope",
    "sometimes",
    "suite",
    "terminal",
    "total",
    "var",
]


def imported_as(name: str) -> str:
    """Where a file of the tree is in the wheel: ``models/x.py`` is ``meshspec/models/x.py``."""
    top = name.split("/")[0]
    return f"meshspec/{name}" if top in LINKS.values() else name


def installed() -> set[str]:
    """Every file of the tree that belongs to the installed package, by its name there."""
    names = {imported_as(name) for name in files() if not is_link(name)}
    return {name for name in names if name.startswith("meshspec/")}


def test_links_lead_to_the_real_folders() -> None:
    links = {name: (ROOT / name).readlink().as_posix() for name in files() if is_link(name)}
    assert links == {link: f"../{folder}" for link, folder in LINKS.items()}


def test_package_list_is_the_tree() -> None:
    found: set[str] = set()
    for folder, _, names in os.walk(ROOT / "meshspec", followlinks=True):
        if any(name.endswith(".py") for name in names):
            assert "__init__.py" in names, f"{folder} has modules and no __init__.py"
            found.add(Path(folder).relative_to(ROOT).as_posix().replace("/", "."))
    assert sorted(PACKAGES) == sorted(found)


def test_package_folders_are_the_links() -> None:
    linked = {link.replace("/", "."): folder for link, folder in LINKS.items()}
    expected = {
        package: package.replace(name, folder).replace(".", "/")
        for package in PACKAGES
        for name, folder in linked.items()
        if package == name or package.startswith(f"{name}.")
    }
    assert expected == FOLDERS


def test_data_files_are_all_known() -> None:
    assert {name for name in installed() if not name.endswith(".py")} == DATA


@pytest.fixture(scope="module")
def built(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with the sdist, and the wheel built from that sdist, of a copy of the tree."""
    folder = tmp_path_factory.mktemp("built")
    for name in files():
        copy = folder / "tree" / name
        copy.parent.mkdir(parents=True, exist_ok=True)
        shutil.copy2(ROOT / name, copy, follow_symlinks=False)
    done = subprocess.run(
        [sys.executable, "-m", "build", "--no-isolation", "--outdir", folder, folder / "tree"],
        check=False,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
    )
    assert done.returncode == 0, done.stdout
    assert "Warning" not in done.stdout, done.stdout
    return folder


@pytest.fixture(scope="module")
def unpacked(built: Path) -> Path:
    """The wheel as a folder to put on the path; a pure wheel is installed by unpacking it."""
    (wheel,) = built.glob("*-py3-none-any.whl")
    with zipfile.ZipFile(wheel) as archive:
        archive.extractall(built / "site")
    return built / "site"


def wheel_files(unpacked: Path) -> set[str]:
    return {path.relative_to(unpacked).as_posix() for path in unpacked.rglob("*") if path.is_file()}


def test_wheel_is_the_tree(unpacked: Path) -> None:
    inside = {name for name in wheel_files(unpacked) if ".dist-info/" not in name}
    assert inside == installed()


def test_sdist_is_the_tree(built: Path) -> None:
    (sdist,) = built.glob("*.tar.gz")
    with tarfile.open(sdist) as archive:
        inside = {member.name.partition("/")[2] for member in archive if member.isfile()}
    made = {name for name in inside if name in ("PKG-INFO", "setup.cfg") or ".egg-info/" in name}
    tree = {
        name for name in files() if not is_link(name) and name not in NOT_IN_SDIST and not name.startswith(".ci/")
    }
    assert inside - made == tree


def test_wheel_carries_its_licence_and_its_doors(unpacked: Path) -> None:
    (licence,) = unpacked.glob("*.dist-info/licenses/LICENSE")
    assert licence.read_bytes() == (ROOT / "LICENSE").read_bytes()
    (text,) = unpacked.glob("*.dist-info/entry_points.txt")
    doors = configparser.ConfigParser()
    doors.read(text, encoding="utf-8")
    assert dict(doors["console_scripts"]) == {"meshspec": "meshspec.cli:main"}
    assert dict(doors["pytest11"]) == {"meshspec": "meshspec.pytest_plugin"}


@pytest.mark.parametrize("where", ["a neutral folder", "the root of the repository"])
def test_wheel_imports_from(unpacked: Path, tmp_path: Path, where: str) -> None:
    """In the repository its own folder comes before the wheel; thanks to the links it is whole as well."""
    neutral = where == "a neutral folder"
    program = (
        "import pkgutil, meshspec, meshspec.cli, meshspec.pytest_plugin, meshspec.properties\n"
        "print(meshspec.__file__)\n"
        "print(*(m.name for m in pkgutil.walk_packages(meshspec.__path__, 'meshspec.')), sep='\\n')"
    )
    output = subprocess.run(
        [sys.executable, "-c", program],
        cwd=tmp_path if neutral else ROOT,
        env={**os.environ, "PYTHONPATH": str(unpacked)},
        check=True,
        capture_output=True,
        text=True,
    ).stdout.splitlines()
    assert Path(output[0]).is_relative_to(unpacked if neutral else ROOT)
    modules = {name.removesuffix(".py").removesuffix("/__init__").replace("/", ".") for name in installed() - DATA}
    assert {*output[1:], "meshspec"} == modules


GUARD = """class Never:
    def observe(self, step):
        return "CONTINUE"
"""


def test_a_policy_of_ones_own_is_judged_from_the_wheel(unpacked: Path, tmp_path: Path) -> None:
    (tmp_path / "guard.py").write_text(GUARD, encoding="utf-8")
    suite = "meshspec.properties.breakers::BREAKER"
    asked = ["--pyargs", suite, "--policy", "guard:Never", "-p", "no:cacheprovider"]
    done = subprocess.run(
        [sys.executable, "-m", "pytest", "-q", *asked],
        cwd=tmp_path,
        env={**os.environ, "PYTHONPATH": str(unpacked)},
        check=False,
        capture_output=True,
        text=True,
    )
    assert done.returncode == pytest.ExitCode.TESTS_FAILED, done.stdout + done.stderr
    assert "guard:Never, judged as a breaker (stories without a prefix)" in done.stdout
    assert "::BREAKER::trips-on-identical-success - VIOLATED" in done.stdout
    for name in ("trip-keeps-holding", "sees-calls-of-worker-threads"):  # it never trips: there is nothing to see
        assert f"ERROR ::BREAKER::{name} - VACUOUS" in done.stdout
    assert "5 failed, 6 passed, 2 errors" in done.stdout


def test_the_vocabulary_loads_no_engine_and_nothing_heavy() -> None:
    program = "import sys, meshspec; print(*sys.modules)"
    done = subprocess.run([sys.executable, "-c", program], check=True, capture_output=True, text=True)
    loaded = set(done.stdout.split())
    heavy = {"z3", "hypothesis", "networkx", "numba", "numpy", "pytest", "rich", "cyclopts"}
    upper = {
        f"meshspec.{name}" for name in ("adapters", "backends", "cli", "engines", "models", "properties", "roles")
    }
    assert not loaded & (heavy | upper)


def test_the_vocabulary_is_pinned() -> None:
    assert meshspec.__all__ == VOCABULARY
    assert all(hasattr(meshspec, name) for name in VOCABULARY)


def test_version_is_told_once() -> None:
    version = PYPROJECT["project"]["version"]
    assert meshspec.__version__ == version
    assert f"\nversion: {version}\n" in (ROOT / "CITATION.cff").read_text(encoding="utf-8")
    assert f"## [{version}]" in (ROOT / "CHANGELOG.md").read_text(encoding="utf-8")


LOCK = (ROOT / "requirements.lock").read_text(encoding="utf-8")
ENTRY = re.compile(
    r"^([a-z0-9][a-z0-9-]*)==(\S+) \\\n((?:    --hash=sha256:[0-9a-f]{64}(?: \\)?\n)+)(?:    #.*\n)+", re.M
)


def test_lock_is_pins_with_hashes_and_comments_only() -> None:
    rest = ENTRY.sub("", LOCK)
    assert len(ENTRY.findall(LOCK)) > 30
    assert [line for line in rest.splitlines() if line.strip() and not line.startswith("#")] == []
    assert "://" not in LOCK
    assert "#    make lock\n" in LOCK


def test_lock_has_what_the_project_asks_for() -> None:
    locked = {name: version for name, version, _ in ENTRY.findall(LOCK)}
    project = PYPROJECT["project"]
    asked = [
        *project["dependencies"],
        *project["optional-dependencies"]["dev"],
        *PYPROJECT["build-system"]["requires"],
    ]
    for requirement in map(Requirement, asked):
        assert requirement.specifier.contains(locked[canonicalize_name(requirement.name)]), str(requirement)


MACHINES = {  # "her" is who our examples belong to
    "the host of a registry": r"py[p]i[.]org|python[h]osted[.]org|npm[j]s[.]|anaconda[.]org",
    "an index": r"(?<![\w-])--(?:extra-)?index-url|index-url *=|--find-link[s]|--trusted-hos[t]",
    "a folder of one machine": r"(?<![\w.])/(?:roo[t]/|wor[k]/|(?:hom[e]|User[s])/(?!her\b))|fil[e]:///|[.][.]/share[d]\b|(?<!\w)[.]librar[y]\b",
}


@pytest.mark.parametrize("what", MACHINES)
def test_no_file_names(what: str) -> None:
    found = [
        f"{name}:{number}: {line.strip()[:100]}"
        for name in files()
        if not is_link(name)
        for number, line in enumerate((ROOT / name).read_text(encoding="utf-8", errors="replace").splitlines(), 1)
        if re.search(MACHINES[what], line)
    ]
    assert found == []
