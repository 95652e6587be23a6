"""The lint that keeps retired words and riddles out."""

from __future__ import annotations

from pathlib import Path

import pytest

from devtools import vocabulary
from devtools.vocabulary import main, problems_of, sources

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


def test_every_problem_is_printed_and_fails(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """With path and line; without a problem nothing is printed."""
    (tmp_path / "a.py").write_text("# Judge.\nX = 1\n# Mend.\n")
    (tmp_path / "b.py").write_text("# Evaluate.\n")
    monkeypatch.setattr(vocabulary, "ROOT", tmp_path)
    monkeypatch.setattr(vocabulary, "sources", lambda: ["a.py", "b.py"])

    assert main() == 1
    assert [line.split(" ")[0] for line in capsys.readouterr().out.splitlines()] == ["a.py:1:", "a.py:3:"]

    monkeypatch.setattr(vocabulary, "sources", lambda: ["b.py"])

    assert main() == 0
    assert capsys.readouterr().out == ""


def test_product_tests_and_documentation_are_checked() -> None:
    """Without the generated reference, whose texts are checked where they are declared."""
    found = sources()

    assert {"README.md", "docs/architecture.md", MODULE.replace("thing", "report"), "tests/conftest.py"} <= set(found)
    assert not any(path.startswith("docs/reference/") for path in found)
