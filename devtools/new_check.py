"""Starts a check: ``make new-check ID=seo/title-missing`` writes the module and its test.

Both run as they are; ``make lint`` refuses the module until every line that begins with "Write here" is replaced.
"""

from __future__ import annotations

import sys
from fnmatch import fnmatchcase
from pathlib import Path
from string import Template
from typing import Final, get_args

from devtools.release import upcoming
from pagegrade.model.report import Category

ROOT: Final = Path(__file__).resolve().parent.parent
NAMES: Final = Path(__file__).with_name("disallowed_check_names.txt")
MAX_NAME: Final = 40
"""Longest id that still fits a line of the report at 80 columns."""
PLACEHOLDER: Final = "Write here"

CHECK: Final = Template(
    '''from pagegrade.checks._check import State, check
from pagegrade.model.document import Document
from pagegrade.model.outcome import Outcome, Severity


@check(
    id="$id",
    title="$title",
    severity=Severity.MEDIUM,
    since="$since",
    states=(
        State("ok", "The page has a $id."),
        State(
            "missing",
            "The page has no $id.",
            loss=1.0,
            title="Add the $id",
            why="Write here: what this state costs visitors or the owner.",
            fix="Write here: what to do about this state.",
        ),
    ),
    sources=("https://html.spec.whatwg.org/multipage/semantics.html#the-meta-element",),
)
def $function(document: Document) -> Outcome:
    """Write here: one sentence that says what this is to the owner of the page.

    ## What it checks

    Write here: what is looked at, what counts, and what does not.

    ## Fails on

    ```html
    <!doctype html><title>A page</title>
    ```

    ## Passes on

    ```html
    <!doctype html><title>A page</title><meta name="$id" content="yes">
    ```
    """
    found = document.meta("$id")
    if found is None:
        return Outcome("missing", value="")
    return Outcome("ok", value=found.content, evidence=(document.evidence(found),))
'''
)

TEST: Final = Template(
    '''"""The traps of ``$id``; what holds for every check is in ``tests/contract/test_checks.py``."""

from __future__ import annotations

from tests.builders import outcome


def test_a_page_without_it_fails() -> None:
    """Nothing there is the worst state."""
    found = outcome("$id", "<!doctype html><title>A page</title>")

    assert found.state == "missing"


def test_a_page_with_it_passes() -> None:
    """The value is shown, so that a person can compare it with the page."""
    found = outcome("$id", '<!doctype html><meta name="$id" content="yes">')

    assert found.state == "ok"
    assert found.value == "yes"
'''
)


def disallowed_patterns() -> list[str]:
    """Patterns of ids that are refused."""
    lines = NAMES.read_text(encoding="utf-8").splitlines()
    return [line.strip() for line in lines if line.strip() and not line.startswith("#")]


def name_problem(name: str) -> str | None:
    """Explain why ``name`` cannot be the id of a check; ``None`` if it can."""
    words = name.split("-")
    if not all(word.isalnum() and word.isascii() and word.islower() for word in words if not word.isdigit()):
        return f"{name!r} is not kebab-case: lower-case letters and digits joined by single hyphens"
    if "" in words or not name[0].isalpha():
        return f"{name!r} is not kebab-case: it starts with a letter, and hyphens stand between words"
    if len(name) > MAX_NAME:
        return f"{name!r} is longer than {MAX_NAME} characters"
    for pattern in disallowed_patterns():
        if fnmatchcase(name, pattern):
            return f"{name!r} matches {pattern!r}: call it by the thing the user sees ({NAMES.name} says why)"
    return None


def write_check(argument: str, root: Path = ROOT) -> list[Path]:
    """Write the two files of the check ``category/name`` under ``root``.

    Returns:
        The paths written: the module, then its test.

    Raises:
        ValueError: The argument names no category, a bad name, or a check that exists; nothing was written.
    """
    category, _, name = argument.partition("/")
    if category not in get_args(Category) or not name:
        raise ValueError(f"say category/name, with one of {', '.join(get_args(Category))}; not {argument!r}")
    problem = name_problem(name)
    if problem is not None:
        raise ValueError(problem)
    function = name.replace("-", "_")
    same = list((root / "src/pagegrade/checks").glob(f"*/{function}.py"))
    module = root / "src/pagegrade/checks" / category / f"{function}.py"
    test = root / "tests/checks" / category / f"test_{function}.py"
    for path in (*same, test):
        if path.exists():
            raise ValueError(f"{path.relative_to(root)} exists already")
    words = {"id": name, "function": function, "since": upcoming(), "title": name.replace("-", " ").capitalize()}
    for path, template in ((module, CHECK), (test, TEST)):
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(template.substitute(words), encoding="utf-8")
    return [module, test]


def main(arguments: list[str]) -> int:
    """Write the check named by the one argument; returns the exit status."""
    try:
        written = write_check(arguments[0] if arguments else "")
    except ValueError as error:
        print(f"new-check: {error}", file=sys.stderr)
        return 2
    for path in written:
        print(f"wrote {path.relative_to(ROOT)}")
    function = written[0].stem
    words = f"{function.replace('_', '-')} or {function}"
    print(
        f"Replace every line that begins with {PLACEHOLDER!r} and all that is about a meta tag, then:\n"
        f"  .venv/bin/pytest -n0 {written[1].relative_to(ROOT)} tests/contract/test_checks.py -k '{words}'\n"
        "  make fix texts"
    )
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
