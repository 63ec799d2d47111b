"""Everything the README shows is real: its files, its commands, their output."""

from tests.readme import README, walk


def test_every_command_of_the_readme_prints_what_the_readme_shows() -> None:
    commands: list[str] = []

    def compare(command: str, shown: str, real: str) -> str:
        commands.append(command)
        assert real == shown, f"$ {command}"
        return shown

    walk(README.read_text(encoding="utf-8"), compare)
    assert len(commands) >= 4


def test_the_readme_names_the_two_commands_that_do_everything() -> None:
    text = README.read_text(encoding="utf-8")
    assert "make check" in text
    assert "make test" in text
