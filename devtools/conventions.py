"""Conventions of this codebase that no general linter knows, each with a name and an escape.

exception-text
    The text of a caught exception may contain URLs, paths and bytes of an untrusted page, and reports are public. In
    the packages whose values end up in a report, an exception is described by its class or by a code of ours. The text
    of an exception class of ours may be passed on.

nested-repeat
    Pages are hostile. A regular expression with a repeat inside a repeat, or with two repeats in a row that can match
    the same text, takes quadratic or exponential time on the right input. Use atomic groups, possessive repeats
    (``*+``), or no regular expression.

possessive-group
    Python before 3.11.5 matches a possessive repeat of a group (``(...)*+``) wrongly: matches end where they began,
    and a loop over them never ends. Possessive repeats of one character or one set are correct everywhere.

blank-line-before-assert
    A test has three parts: setup, action, assertions. A blank line precedes the assertions.

slow-parser
    Parsers that take more than linear time on input that an untrusted client or page chooses: ``email`` and modules
    built on it, ``http.cookies``, ``html.parser``, ``xml``, ``difflib``, the codec ``idna``, and the parts of
    ``python_multipart`` that read parameters. Dates (``email.utils``) are read in linear time and are allowed.

lost-cancellation
    ``asyncio.wait_for`` of Python 3.11 returns the result, and drops the cancellation, when both arrive in one turn of
    the loop. ``asyncio.timeout`` does not.

timed-test
    A test that compares times fails when other processes disturb it. ``tests.linear`` measures how a cost grows, with
    repeated attempts; speed is measured by ``make bench``. A test names no clock of the processor (``process_time``,
    ``thread_time``) and no ``perf_counter``.

unfinished-check
    A line of ``make new-check`` still contains "Write here" instead of what the check does.

question-docstring
    A docstring starts with a verb or a noun phrase that says what the code does or is, not with a question word.

A line is exempt with ``# lint: allow NAME - reason`` on the same line. An escape without a reason has no effect.
The command checks the files that it is given, and without any the product and all tests.
"""

from __future__ import annotations

import ast
import re
import sys
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from itertools import pairwise
from pathlib import Path
from re import _constants, _parser  # type: ignore[attr-defined]  # no public module parses patterns
from typing import Any, Final

from devtools.new_check import PLACEHOLDER

ROOT: Final = Path(__file__).resolve().parent.parent
REPORT_PACKAGES: Final = ("checks", "gather", "parse", "scoring", "service")
"""Packages whose values end up in reports. ``report`` is not among them: it reads the caller's own files."""
ESCAPE: Final = re.compile(r"# lint: allow (?P<name>[a-z-]+) - \S")
POSSESSIVE_GROUP: Final = re.compile(r"""["'].*\)(?:[*+?]|\{\d*,?\d*\})\+""")
SLOW_MODULES: Final = frozenset(
    {
        "cgi",
        "difflib",
        "email",
        "html.parser",
        "http.client",
        "http.cookiejar",
        "http.cookies",
        "python_multipart.FormParser",
        "python_multipart.QuerystringParser",
        "python_multipart.create_form_parser",
        "python_multipart.multipart.FormParser",
        "python_multipart.multipart.QuerystringParser",
        "python_multipart.multipart.create_form_parser",
        "python_multipart.multipart.parse_options_header",
        "python_multipart.parse_form",
        "urllib.request",
        "urllib.robotparser",
        "xml",
    }
)
"""Modules and names in them; everything below a module counts as well."""
LINEAR: Final = frozenset(
    {"email.utils.format_datetime", "email.utils.formatdate", "email.utils.parsedate_to_datetime"}
)
SLOW_CODECS: Final = frozenset({"idna", "punycode"})
TIMERS: Final = frozenset({"perf_counter", "process_time", "thread_time"})
QUESTION: Final = re.compile(r"(?:What|Who|Whose|Whom|Which|How|Whether|Where|Why)\b")
REPEATS: Final = (_constants.MAX_REPEAT, _constants.MIN_REPEAT)
LARGE: Final = 64
"""Upper bound of a repeat that is harmless inside another one."""


@dataclass(frozen=True, slots=True)
class Problem:
    """One place that breaks a rule."""

    path: str
    line: int
    rule: str
    message: str

    def __str__(self) -> str:
        return f"{self.path}:{self.line}: {self.rule}: {self.message}"


def check_source(path: str, source: str) -> list[Problem]:
    """All problems of one file; ``path`` is relative to the project folder and decides which rules hold."""
    tree = ast.parse(source)
    lines = source.splitlines()
    found: list[Problem] = []
    parts = Path(path).parts
    found += [Problem(path, *problem) for problem in _questions(tree)]
    if parts[:2] == ("src", "pagegrade"):
        found += [Problem(path, *problem) for problem in _nested_repeats(tree)]
        found += [Problem(path, *problem) for problem in _possessive_groups(lines)]
        found += [Problem(path, *problem) for problem in _placeholders(lines)]
        found += [Problem(path, *problem) for problem in _slow_parsers(tree)]
        found += [Problem(path, *problem) for problem in _lost_cancellations(tree)]
        if parts[2] in REPORT_PACKAGES:
            found += [Problem(path, *problem) for problem in _exception_texts(tree)]
    if parts[0] == "tests" and parts[-1].startswith("test_"):
        found += [Problem(path, *problem) for problem in _asserts_without_blank_line(tree, lines)]
        found += [Problem(path, *problem) for problem in _timers(tree)]
    return sorted(
        (problem for problem in found if not _allowed(lines[problem.line - 1], problem.rule)),
        key=lambda problem: (problem.line, problem.rule),
    )


def _allowed(line: str, rule: str) -> bool:
    return any(match["name"] == rule for match in ESCAPE.finditer(line))


def _placeholders(lines: list[str]) -> Iterator[tuple[int, str, str]]:
    for number, line in enumerate(lines, start=1):
        if line.strip(' "').removeprefix('why="').removeprefix('fix="').startswith(PLACEHOLDER):
            yield number, "unfinished-check", "replace the placeholder"


def _questions(tree: ast.Module) -> Iterator[tuple[int, str, str]]:
    for node in ast.walk(tree):
        for statement in getattr(node, "body", None) or [] if not isinstance(node, ast.Lambda | ast.IfExp) else []:
            match statement:
                case ast.Expr(value=ast.Constant(value=str() as text)) if QUESTION.match(text.lstrip()):
                    yield statement.lineno, "question-docstring", f"starts with {text.split()[0]!r}: use a verb or noun"
                case _:
                    pass


def _exception_texts(tree: ast.Module) -> Iterator[tuple[int, str, str]]:
    ours = _our_names(tree)
    for handler in ast.walk(tree):
        if not isinstance(handler, ast.ExceptHandler) or handler.name is None or _catches_only(handler, ours):
            continue
        for node in ast.walk(handler):
            if _reads_text(node, handler.name):
                line = node.lineno if isinstance(node, ast.expr) else handler.lineno
                yield line, "exception-text", f"describe the failure without the text of {handler.name!r}"


def _our_names(tree: ast.Module) -> set[str]:
    """Names of classes defined in the module or imported from the product."""
    names = {node.name for node in ast.walk(tree) if isinstance(node, ast.ClassDef)}
    for node in ast.walk(tree):
        if isinstance(node, ast.ImportFrom) and (node.module or "").split(".")[0] == "pagegrade":
            names |= {alias.asname or alias.name for alias in node.names}
    return names


def _catches_only(handler: ast.ExceptHandler, names: set[str]) -> bool:
    kinds = handler.type.elts if isinstance(handler.type, ast.Tuple) else [handler.type]
    return all(isinstance(kind, ast.Name) and kind.id in names for kind in kinds)


def _reads_text(node: ast.AST, name: str) -> bool:
    """Return whether ``node`` turns the exception called ``name`` into text."""

    def is_it(value: ast.expr) -> bool:
        return isinstance(value, ast.Name) and value.id == name

    match node:
        case ast.Call(func=ast.Name(id="str" | "repr" | "format"), args=[argument, *_]):
            return is_it(argument)
        case ast.FormattedValue(value=value):
            return is_it(value)
        case ast.Attribute(value=value, attr="args" | "strerror"):
            return is_it(value)
        case _:
            return False


def _nested_repeats(tree: ast.Module) -> Iterator[tuple[int, str, str]]:
    for node in ast.walk(tree):
        match node:
            case ast.Call(
                func=ast.Attribute(value=ast.Name(id="re"), attr=function),
                args=[ast.Constant(value=str() | bytes() as pattern), *_],
            ) if function != "escape":
                reason = slow_pattern(pattern)
                if reason:
                    yield node.lineno, "nested-repeat", reason
            case _:
                pass


def _slow_parsers(tree: ast.Module) -> Iterator[tuple[int, str, str]]:
    for node in ast.walk(tree):
        names: list[str] = []
        match node:
            case ast.Import():
                names = [alias.name for alias in node.names]
            case ast.ImportFrom(module=str() as module, level=0):
                names = [f"{module}.{alias.name}" for alias in node.names]
            case ast.Call(func=ast.Attribute(attr="encode" | "decode"), args=[ast.Constant(value=str() as codec), *_]):
                if codec in SLOW_CODECS:
                    yield node.lineno, "slow-parser", f"the codec {codec} takes quadratic time; use ada_url"
            case _:
                pass
        for name in names:
            if isinstance(node, ast.stmt) and name not in LINEAR and _is_below(name, SLOW_MODULES):
                yield node.lineno, "slow-parser", f"{name} takes more than linear time"


def _lost_cancellations(tree: ast.Module) -> Iterator[tuple[int, str, str]]:
    for node in ast.walk(tree):
        match node:
            case ast.Attribute(value=ast.Name(id="asyncio"), attr="wait_for"):
                yield node.lineno, "lost-cancellation", "wait_for can drop a cancellation; use asyncio.timeout"
            case ast.ImportFrom(module="asyncio", names=names) if any(alias.name == "wait_for" for alias in names):
                yield node.lineno, "lost-cancellation", "wait_for can drop a cancellation; use asyncio.timeout"
            case _:
                pass


def _timers(tree: ast.Module) -> Iterator[tuple[int, str, str]]:
    for node in ast.walk(tree):
        match node:
            case ast.Attribute(value=ast.Name(id="time"), attr=name) if name.removesuffix("_ns") in TIMERS:
                yield node.lineno, "timed-test", f"time.{name} times a test; use tests.linear"
            case ast.ImportFrom(module="time", names=names) if any(n.name.removesuffix("_ns") in TIMERS for n in names):
                yield node.lineno, "timed-test", "a clock times a test; use tests.linear"
            case _:
                pass


def _is_below(name: str, modules: frozenset[str]) -> bool:
    parts = name.split(".")
    return any(".".join(parts[:count]) in modules for count in range(1, len(parts) + 1))


def _possessive_groups(lines: list[str]) -> Iterator[tuple[int, str, str]]:
    """Search lines rather than patterns, because patterns are assembled from parts."""
    for number, line in enumerate(lines, start=1):
        if POSSESSIVE_GROUP.search(line):
            yield number, "possessive-group", "repeat the group greedily: Python before 3.11.5 matches this wrongly"


def slow_pattern(pattern: str | bytes) -> str | None:
    """Explain why matching ``pattern`` may take more than linear time; ``None`` if it has no known slow shape.

    The two shapes are a large repeat inside a large repeat, and two large repeats of "anything" in one sequence.
    """
    if isinstance(pattern, bytes):
        pattern = pattern.decode("latin-1")
    return _slow(_parser.parse(pattern), inside=False)


def _slow(items: Iterable[tuple[Any, Any]], *, inside: bool) -> str | None:
    items = list(items)
    if _repeats_of_anything(items) > 1:
        return "two repeats of '.' in one sequence"
    for operation, argument in items:
        if operation in REPEATS:
            _, most, body = argument
            large = most > LARGE
            if large and inside:
                return "a large repeat inside a large repeat"
            bodies, within = [body], inside or (large and not _separated(body))
        else:
            bodies, within = _bodies(operation, argument), inside
        for body in bodies:
            reason = _slow(body, inside=within)
            if reason:
                return reason
    return None


def _separated(body: Any) -> bool:
    """Return whether each repetition starts with a character that nothing else in it matches: ``(?:-[a-z]+)*``."""
    items = list(body)
    if len(items) == 1 and items[0][0] is _constants.SUBPATTERN:
        items = list(items[0][1][-1])
    if len(items) < 2 or items[0][0] is not _constants.LITERAL:  # noqa: PLR2004 - the separator and something behind it
        return False
    return not any(_may_match(items[0][1], item) for item in items[1:])


def _may_match(character: int, item: tuple[Any, Any]) -> bool:
    """Return whether one item of a pattern might match the character; true if in doubt."""
    operation, argument = item
    if operation is _constants.LITERAL:
        return bool(argument == character)
    if operation is _constants.RANGE:
        return bool(argument[0] <= character <= argument[1])
    if operation is _constants.IN:
        return any(_may_match(character, part) for part in argument)
    if operation in REPEATS or operation is _constants.POSSESSIVE_REPEAT:
        return any(_may_match(character, part) for part in argument[-1])
    return True


def _repeats_of_anything(items: Iterable[tuple[Any, Any]]) -> int:
    """Count the large repeats of ``.`` on one path through the sequence."""
    count = 0
    for operation, argument in items:
        if operation in REPEATS:
            _, most, body = argument
            count += most > LARGE and any(kind is _constants.ANY for kind, _ in body)
        elif operation is _constants.SUBPATTERN:
            count += _repeats_of_anything(argument[-1])
        elif operation is _constants.BRANCH:
            count += max(_repeats_of_anything(body) for body in argument[1])
    return count


def _bodies(operation: Any, argument: Any) -> list[Any]:
    """The sequences inside one operation that can be tried again; atomic and possessive ones cannot."""
    if operation is _constants.SUBPATTERN:
        return [argument[-1]]
    if operation is _constants.BRANCH:
        return list(argument[1])
    if operation in (_constants.ASSERT, _constants.ASSERT_NOT):
        return [argument[1]]
    return []


def _asserts_without_blank_line(tree: ast.Module, lines: list[str]) -> Iterator[tuple[int, str, str]]:
    for function in ast.walk(tree):
        if not isinstance(function, ast.FunctionDef | ast.AsyncFunctionDef) or not function.name.startswith("test_"):
            continue
        body = function.body
        for before, statement in pairwise(body):
            if not isinstance(statement, ast.Assert) or isinstance(before, ast.Assert) or _is_docstring(before):
                continue
            above = lines[statement.lineno - 2].strip()
            if above and not above.startswith("#"):
                yield statement.lineno, "blank-line-before-assert", "put a blank line before the first assert"


def _is_docstring(statement: ast.stmt) -> bool:
    return isinstance(statement, ast.Expr) and isinstance(statement.value, ast.Constant)


def spaced(source: str, problems: list[Problem]) -> str:
    """Add the blank lines that ``blank-line-before-assert`` requires; the other rules need manual changes."""
    lines = source.splitlines(keepends=True)
    for problem in sorted(problems, key=lambda problem: -problem.line):
        if problem.rule == "blank-line-before-assert":
            lines.insert(problem.line - 1, "\n")
    return "".join(lines)


def sources(names: Iterable[str], root: Path = ROOT) -> list[Path]:
    """Paths of the named files that have conventions; of all of them if no file is named."""
    folders = (root / "src", root / "tests")
    named = [(root / name).resolve() for name in names]
    paths = named or [path for folder in folders for path in folder.rglob("*.py")]
    return sorted(path for path in paths if path.suffix == ".py" and any(folder in path.parents for folder in folders))


def main(arguments: list[str]) -> int:
    """Check the named files, or all; ``--fix`` fixes what can be fixed. Returns the exit status."""
    problems: list[Problem] = []
    for path in sources((name for name in arguments if not name.startswith("-")), ROOT):
        name = path.relative_to(ROOT).as_posix()
        source = path.read_text(encoding="utf-8")
        found = check_source(name, source)
        if found and "--fix" in arguments:
            source = spaced(source, found)
            path.write_text(source, encoding="utf-8")
            found = check_source(name, source)
        problems += found
    for problem in problems:
        print(problem)
    return 1 if problems else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
