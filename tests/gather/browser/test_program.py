from __future__ import annotations

from pathlib import Path

import pytest

from pagegrade.gather.browser.program import find_browser


def make_program(folder: Path, name: str, text: str = "\x7fELF") -> Path:
    """A program of that name."""
    path = folder / name
    path.write_text(text)
    path.chmod(0o755)
    return path


def test_the_cheapest_browser_on_the_path_is_taken(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The headless shell starts in half the time."""
    monkeypatch.setenv("PATH", str(tmp_path))
    found = [find_browser()]
    for name in ("chromium", "chromium-headless-shell", "google-chrome"):
        make_program(tmp_path, name)
        found.append(find_browser())

    shell = tmp_path / "chromium-headless-shell"

    assert found == [None, tmp_path / "chromium", shell, shell]


def test_what_the_operator_chose_is_taken_or_nothing(tmp_path: Path) -> None:
    """No other browser is used in its place."""
    program = make_program(tmp_path, "my-browser")

    assert find_browser(str(program)) == program
    assert find_browser(str(tmp_path / "absent")) is None


def test_a_script_around_an_unknown_program_is_taken_itself(tmp_path: Path) -> None:
    """Only those of known distributions are looked through."""
    script = make_program(tmp_path, "my-browser", "#!/bin/sh\nexec chromium\n")

    assert find_browser(str(script)) == script
