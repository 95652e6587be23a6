"""Keep retired words and riddles out of code, tests, documentation and user texts.

A retired word is a private metaphor for which the field has a term; ``TERMS`` lists each with the term to use. A riddle
is the docstring of a module, class, function or attribute that starts with a question word instead of a verb or a noun.
Identifiers count as words: ``judge_page`` and ``JudgedPage`` contain "judge" and "judged".
"""

from __future__ import annotations

import ast
import re
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Final

ROOT: Final = Path(__file__).resolve().parent.parent
GENERATED: Final = ROOT / "docs" / "reference"
FOLDERS: Final = ("src", "tests", "devtools", "docs", "deploy", "integrations", "changelog.d", ".github")
FILES: Final = (
    "README.md",
    "CONTRIBUTING.md",
    "SECURITY.md",
    "Makefile",
    "mkdocs.yml",
    "pyproject.toml",
    ".pre-commit-config.yaml",
)
SUFFIXES: Final = frozenset({".css", ".html", ".jinja", ".js", ".md", ".py", ".toml", ".typ", ".yaml", ".yml"})
TERMS: Final = {
    r"rooms|(?:every|each|which|this|pure|only|web|database|right|new|one) room": "package",
    r"arrows?(?!\.png| key| function|,? and shapes| (?:up|down|left|right|shows)\b)": "import",
    r"houses?": "codebase, convention, installation",
    r"wish(?:es|ed)?": "request",
    r"remarks?": "warning",
    r"judg\w*": "evaluate, evaluation",
    r"prices|priced": "penalty",
    r"dear|dearer|dearest": "expensive",
    r"mend(?:s|ed|ing)?": "fix",
    r"strangers?": "untrusted client",
    r"crowd(?:s|ed)?": "clients",
    r"(?:a|an|each|every|per|wrong|password|key|next|first) guess|guesses(?! (?:a|an|at|it|its|the|that|what)\b)": (
        "login attempt"
    ),
    r"holes?": "vulnerability",
    r"means? harm": "malicious",
    r"tells?|told|telling": "notify, send, report",
    r"somebody|nobody|whoever|everybody|anybody": "the person or client meant",
    r"travels?|travelling": "send, transfer",
    r"let us[ ]through": "allow Pagegrade",
    r"look[ ]again": "refresh",
}
"""Regular expression of whole words, in lower case: the term to use instead."""
RETIRED: Final = re.compile(
    "|".join(rf"(?P<t{number}>\b(?:{words})\b)" for number, words in enumerate(TERMS)), re.IGNORECASE
)
ALLOWED: Final = {
    "src/pagegrade/gather/browser/scripts/axe.min.js": r"\w+",
    "devtools/vocabulary.py": r"\w+",
    "tests/devtools/test_vocabulary.py": r"[\w ]+",
    "tests/contract/test_checks.py": r"[\w ]+",
    "tests/postgres.py": "nobody",
    "src/pagegrade/checks/": "prices",
    "src/pagegrade/parse/data/language_subtags.py": "mend",
    "src/pagegrade/parse/rich_results.py": "travel",
    "src/pagegrade/parse/": "prices",
    "src/pagegrade/gather/transfer.py": "NOBODY",
    "tests/checks/": "prices",
    "tests/parse/": "prices",
}
"""Path or folder: regular expression of retired words that stay there, because they are data or quote a page."""
RIDDLE: Final = re.compile(r"(?:What|Who|Whose|Whom|Which|How|Whether|Where|Why)\b")
DECISION: Final = re.compile(r"docs/decisions/\d{4}-")


def problems_of(path: str, text: str) -> Iterator[tuple[int, str]]:
    """Yield (line, message) for each retired word and riddle of a file; ``path`` is relative to the project folder."""
    allowed = next((re.compile(words, re.IGNORECASE) for name, words in ALLOWED.items() if path.startswith(name)), None)
    # The content of a decision is history and stays; its title and file name are part of the documentation.
    lines = text.splitlines()[: 1 if DECISION.match(path) else None]
    for number, line in enumerate([path, *lines]):
        plain = re.sub(r"(?<=[a-z])(?=[A-Z])", " ", line).replace("_", " ")
        for match in RETIRED.finditer(plain):
            if allowed is None or not allowed.fullmatch(match[0]):
                term = list(TERMS.values())[int((match.lastgroup or "t0")[1:])]
                yield number, f"{match[0]!r} is retired: {term}"
    if path.endswith(".py"):
        for node in ast.walk(ast.parse(text)):
            for statement in getattr(node, "body", None) or [] if not isinstance(node, ast.Lambda | ast.IfExp) else []:
                match statement:
                    case ast.Expr(value=ast.Constant(value=str() as words)) if RIDDLE.match(words.lstrip()):
                        yield (
                            statement.lineno,
                            f"docstring starts with {words.split()[0]!r}: use a verb or noun",
                        )
                    case _:
                        pass


def sources() -> list[str]:
    """Paths of all files whose words are checked, relative to the project folder and sorted."""
    found = [path for folder in FOLDERS for path in (ROOT / folder).rglob("*") if path.suffix in SUFFIXES]
    found = [path for path in found if GENERATED not in path.parents]
    return sorted(path.relative_to(ROOT).as_posix() for path in [*found, *(ROOT / name for name in FILES)])


def main() -> int:
    """Print every problem; the exit status."""
    status = 0
    for path in sources():
        for line, message in sorted(problems_of(path, (ROOT / path).read_text(encoding="utf-8"))):
            print(f"{path}:{line}: vocabulary: {message}")
            status = 1
    return status


if __name__ == "__main__":
    sys.exit(main())
