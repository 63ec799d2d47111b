"""Everything the README shows is real: its files, its commands, their output."""

from pathlib import Path

from tests.readme import BLOCK, README, run, walk, write_file


def test_every_command_of_the_readme_prints_what_the_readme_shows() -> None:
    commands: list[str] = []

    def compare(command: str, shown: str, real: str) -> str:
        commands.append(command)
        assert real == shown, f"$ {command}"
        return shown

    walk(README.read_text(encoding="utf-8"), compare)
    assert len(commands) >= 4


def test_what_the_readme_waives_is_shown_and_does_not_fail(tmp_path: Path) -> None:
    blocks = list(BLOCK.finditer(README.read_text(encoding="utf-8")))
    first = next(block for block in blocks if block["note"] == "file: charging.py")
    settings = next(block for block in blocks if block["kind"] == "toml")
    write_file(tmp_path, first["note"], first["body"])
    assert "exit 1" in run("meshspec explore charging.py", tmp_path)
    (tmp_path / "pyproject.toml").write_text(settings["body"], encoding="utf-8")
    told = run("meshspec explore charging.py", tmp_path)
    assert "waived until" in told
    assert "1 violated (waived), 5 hold; seed 0; exit 0" in told


def test_the_readme_names_the_two_commands_that_do_everything() -> None:
    text = README.read_text(encoding="utf-8")
    assert "make check" in text
    assert "make test" in text
