"""The lint that keeps retired words and riddles out."""

from __future__ import annotations

from pathlib import Path

import pytest

from devtools import vocabulary
from devtools.vocabulary import EXCUSES, main, problems_of, read_excuses, shrink, sources

MODULE = "src/pagegrade/model/thing.py"


def lines(path: str, text: str) -> list[int]:
    """The lines of a file with a problem."""
    return [line for line, _ in problems_of(path, text)]


@pytest.mark.parametrize(
    "text",
    [
        "# Judge the page.",
        "def judge_page() -> None: ...",
        "class JudgedPage: ...",
        "MAX_WISHES = 3",
        "nobody = 1",
        "# The only room that opens connections.",
    ],
)
def test_a_retired_word_is_found_in_prose_and_in_identifiers(text: str) -> None:
    """Snake case, camel case and capitals are words as well."""
    assert lines(MODULE, text) == [1]


@pytest.mark.parametrize(
    "text",
    ["# No room in the queue.", "# housekeeping", "# lighthouse", "# retold", "# ArrowDown", "# an arrow function"],
)
def test_a_word_that_only_contains_a_retired_word_is_not_found(text: str) -> None:
    """Terms of the field that look similar are allowed."""
    assert lines(MODULE, text) == []


@pytest.mark.parametrize("word", ["What", "Who", "Which", "How", "Whether", "Where", "Why"])
def test_a_docstring_that_starts_with_a_question_word_is_found(word: str) -> None:
    """Docstrings of modules, classes, functions and attributes."""
    source = '"""? a."""\nX = 1\n"""? b."""\nclass A:\n    """? c."""\n    def f(self):\n        """? d."""\n'.replace(
        "?", word
    )

    assert sorted(lines(MODULE, source)) == [1, 3, 5, 7]
    assert lines(MODULE, source.replace(word, f"Return {word.lower()}")) == []


def test_the_content_of_a_decision_stays_and_its_title_does_not() -> None:
    """Old decisions are history; titles and file names are read by everyone."""
    assert lines("docs/decisions/0002-packages.md", "# 0002. Packages\n\nThe rooms.\n") == []
    assert lines("docs/decisions/0002-rooms.md", "# 0002. Rooms\n") == [0, 1]


def test_excuses_only_shrink(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The fix lowers numbers and removes files without problems; it raises and adds nothing."""
    monkeypatch.setattr(vocabulary, "EXCUSES", tmp_path / "excuses.txt")
    vocabulary.EXCUSES.write_text("# Head.\n5 a.py\n2 b.py\n3 c.py\n")

    shrink(read_excuses(), {"a.py": 4, "c.py": 9, "d.py": 1})

    assert vocabulary.EXCUSES.read_text() == "# Head.\n4 a.py\n3 c.py\n"


def test_more_problems_than_excused_fail(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    """One more than the number in the list fails and every problem of the file is printed."""
    path, count = max(read_excuses().items(), key=lambda item: item[1], default=(MODULE, 0))
    monkeypatch.setattr(vocabulary, "sources", lambda: [path] if count else [])
    monkeypatch.setattr(vocabulary, "read_excuses", lambda: {path: count - 1})

    status = main([])

    assert status == (1 if count else 0)
    assert len(capsys.readouterr().out.splitlines()) == count


def test_every_excuse_names_a_file() -> None:
    """An excuse of a file that is gone hides nothing."""
    assert EXCUSES.exists()
    assert set(read_excuses()) <= set(sources())
