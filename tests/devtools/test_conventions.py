"""Our own lint rules find what they are for, and let the rest through."""

from __future__ import annotations

from pathlib import Path

import pytest

from devtools import conventions
from devtools.conventions import ROOT, check_source, main, slow_pattern, sources, spaced

CHECK = "src/pagegrade/checks/seo/title.py"
TEST = "tests/seo/test_title.py"


def rules(path: str, source: str) -> list[str]:
    """Names of the rules that ``source`` breaks."""
    return [problem.rule for problem in check_source(path, source)]


@pytest.mark.parametrize(
    ("line", "found"),
    [
        ('X = r"(?:ab|c)*+d"', ["possessive-group"]),
        ('X = rf"(?:{A})++"', ["possessive-group"]),
        ("X = r'(a){1,3}+'", ["possessive-group"]),
        ('X = r"[ab]*+c++d{1,3}+"', []),
        ("X = f(1) *+ 2", []),
    ],
)
def test_possessive_groups_are_found(line: str, found: list[str]) -> None:
    """Old patch releases of Python match them wrongly; sets are fine."""
    assert rules(CHECK, line + "\n") == found


@pytest.mark.parametrize("use", ["str(error)", "repr(error)", "f'{error}'", "error.args", "error.strerror"])
def test_text_of_an_exception_is_found(use: str) -> None:
    """Every way from an exception to its text counts."""
    source = f"try:\n    work()\nexcept OSError as error:\n    note({use})\n"

    assert rules(CHECK, source) == ["exception-text"]


@pytest.mark.parametrize("use", ["type(error).__name__", "error.code", "str(other)"])
def test_codes_and_classes_of_an_exception_are_fine(use: str) -> None:
    """Our own codes and classes may be shown."""
    source = f"try:\n    work()\nexcept OSError as error:\n    note({use})\n"

    assert rules(CHECK, source) == []


def test_our_own_words_may_be_passed_on() -> None:
    """An exception class of the product says what we wrote."""
    source = "from pagegrade.model.errors import InvalidURL\n"
    source += "try:\n    work()\nexcept InvalidURL as error:\n    note(str(error))\n"

    assert rules(CHECK, source) == []
    assert rules(CHECK, source.replace("except InvalidURL", "except (InvalidURL, OSError)")) == ["exception-text"]


def test_the_command_line_may_show_an_exception() -> None:
    """Only packages whose values reach a report are held to it."""
    source = "try:\n    work()\nexcept OSError as error:\n    note(str(error))\n"

    assert rules("src/pagegrade/cli/app.py", source) == []


def test_an_escape_with_a_reason_works() -> None:
    """A rule without a way out is switched off as a whole one day."""
    source = "try:\n    work()\nexcept OSError as error:\n    note(str(error))  # lint: allow exception-text - ours\n"

    assert rules(CHECK, source) == []


@pytest.mark.parametrize("comment", ["# lint: allow exception-text", "# lint: allow nested-repeat - ours"])
def test_an_escape_without_a_reason_or_for_another_rule_does_not_work(comment: str) -> None:
    """The reason is the price of the exception."""
    source = f"try:\n    work()\nexcept OSError as error:\n    note(str(error))  {comment}\n"

    assert rules(CHECK, source) == ["exception-text"]


@pytest.mark.parametrize(
    "pattern", [r"(a+)+b", r"(?:\w+\s*)*$", r"((x|y)*z)*", r".*=.*", r"a(.*)b(.*)c", rb"(a*)*", r"(?:-[a-z-]+)*"]
)
def test_patterns_that_can_take_long_are_found(pattern: str | bytes) -> None:
    """A repeat inside a repeat, or two that eat the same text."""
    assert slow_pattern(pattern) is not None


@pytest.mark.parametrize(
    "pattern",
    [r"\s+", r"^[a-z]+(?:-[a-z]{1,8}){0,5}$", r"(?>a+)b", r"a*+b", r"<[^>]*>", r"x.*", r"[a-z]+(?:-[a-z0-9]+)*\Z"],
)
def test_patterns_that_are_linear_pass(pattern: str) -> None:
    """One repeat, small counted ones, atomic and possessive ones, and rounds with a separator are harmless."""
    assert slow_pattern(pattern) is None


def test_a_slow_pattern_is_found_where_it_is_compiled() -> None:
    """The rule reads literals given to the functions of ``re``."""
    assert rules(CHECK, "import re\nX = re.compile(r'(a+)+')\n") == ["nested-repeat"]


def test_an_unfinished_check_is_found() -> None:
    """The scaffold's words are no documentation."""
    assert rules(CHECK, 'def f():\n    """Write here: one sentence."""\n') == ["unfinished-check"]
    assert rules(CHECK, 'x = State(\n    fix="Write here: what to do.",\n)\n') == ["unfinished-check"]


CRAMPED = "def test_x():\n    value = 1\n    assert value\n    assert value == 1\n"


def test_an_assert_without_a_blank_line_is_found_and_fixed() -> None:
    """The first assert after work stands apart; those that follow stay with it."""
    problems = check_source(TEST, CRAMPED)

    assert [problem.rule for problem in problems] == ["blank-line-before-assert"]
    assert spaced(CRAMPED, problems) == CRAMPED.replace("    assert value\n", "\n    assert value\n")
    assert rules(TEST, spaced(CRAMPED, problems)) == []


def test_an_assert_right_after_the_docstring_is_fine() -> None:
    """There is nothing to set it apart from."""
    assert rules(TEST, 'def test_x():\n    """It holds."""\n    assert True\n') == []


@pytest.mark.parametrize(
    ("line", "found"),
    [
        ("from email.message import Message", ["slow-parser"]),
        ("import email.header", ["slow-parser"]),
        ("from email import policy", ["slow-parser"]),
        ("from email.utils import formatdate, getaddresses", ["slow-parser"]),
        ("from email.utils import formatdate, parsedate_to_datetime", []),
        ("from http.cookies import SimpleCookie", ["slow-parser"]),
        ("import xml.etree.ElementTree", ["slow-parser"]),
        ("from python_multipart import FormParser", ["slow-parser"]),
        ("from python_multipart.multipart import MultipartParser", []),
        ("import difflib", ["slow-parser"]),
        ("from emails import x", []),
        ("x = name.encode('idna')", ["slow-parser"]),
        ("x = name.encode('utf-8')", []),
        ("import difflib  # lint: allow slow-parser - names of ours, at most 60 characters", []),
    ],
)
def test_parsers_that_are_not_linear_are_found(line: str, found: list[str]) -> None:
    """One request of 60 kB took the event loop for five seconds, in a parser of the standard library."""
    assert rules("src/pagegrade/web/http/body.py", line + "\n") == found
    assert rules(TEST, line + "\n") == []


@pytest.mark.parametrize(
    ("line", "found"),
    [
        ("await asyncio.wait_for(future, 5)", ["lost-cancellation"]),
        ("from asyncio import sleep, wait_for", ["lost-cancellation"]),
        ("from pagegrade.cli.process import wait_for", []),
        ("await asyncio.wait(tasks)", []),
    ],
)
def test_what_can_lose_a_cancellation_is_found(line: str, found: list[str]) -> None:
    """Tests may use it: what they wait for is cancelled by the loop's end only."""
    assert rules("src/pagegrade/gather/resolver.py", line + "\n") == found
    assert rules(TEST, line + "\n") == []


@pytest.mark.parametrize(
    ("line", "found"),
    [
        ("began = time.process_time()", ["timed-test"]),
        ("began = time.thread_time_ns()", ["timed-test"]),
        ("from time import perf_counter", ["timed-test"]),
        ("deadline = time.monotonic() + 30", []),
        ("began = time.perf_counter()  # lint: allow timed-test - the least of many", []),
    ],
)
def test_clocks_that_time_a_test_are_found(line: str, found: list[str]) -> None:
    """Deadlines that end a hanging test are none of them."""
    assert rules(TEST, line + "\n") == found
    assert rules("src/pagegrade/web/app.py", line + "\n") == []
    assert rules("tests/linear.py", line + "\n") == []


@pytest.mark.parametrize("word", ["What", "Who", "Which", "How", "Whether", "Where", "Why"])
def test_a_docstring_that_starts_with_a_question_word_is_found(word: str) -> None:
    """Docstrings of modules, classes, functions and attributes."""
    source = '"""? a."""\nX = 1\n"""? b."""\nclass A:\n    """? c."""\n    def f(self):\n        """? d."""\n'

    assert rules(CHECK, source.replace("?", word)) == ["question-docstring"] * 4
    assert rules(CHECK, source.replace("?", f"Return {word.lower()}")) == []


def test_only_named_files_are_read() -> None:
    """A hook before a commit names those that the commit changes; what has no conventions is left out."""
    product, test = "src/pagegrade/clock.py", "tests/test_wiring.py"

    assert sources([test, product, "devtools/locks.py", "README.md"]) == [ROOT / product, ROOT / test]
    assert {ROOT / product, ROOT / test} < set(sources([]))


def test_every_problem_is_printed_and_fails(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """With path and line; without a problem nothing is printed."""
    (tmp_path / "tests").mkdir()
    (tmp_path / "tests" / "test_a.py").write_text('"""Whether a."""\n')
    (tmp_path / "tests" / "test_b.py").write_text('"""Return b."""\n')
    monkeypatch.setattr(conventions, "ROOT", tmp_path)

    assert main(["tests/test_b.py"]) == 0
    assert capsys.readouterr().out == ""
    assert main([]) == main(["tests/test_a.py"]) == 1
    assert [line.split(" ")[0] for line in capsys.readouterr().out.splitlines()] == ["tests/test_a.py:1:"] * 2
