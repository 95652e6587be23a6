"""The texts that a report carries in English, as they are written in the sources, for the catalogue of findings.

Texts of checks come from their declarations; sentences that are put together while a check runs are read from the
syntax trees of the sources, with ``{0}``, ``{1}``, ... for their values.
"""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Final

from pagegrade.checks._registry import all_checks, all_site_checks
from pagegrade.render.figures import name_and_unit

CHECKS: Final = "checks"
PROSE: Final = (
    CHECKS,
    "parse/aria/attributes.py",
    "parse/files/agent_files.py",
    "parse/files/content_preferences.py",
    "parse/files/legacy_javascript.py",
    "parse/html/image_alternatives.py",
    "parse/html/lists_tables.py",
    "parse/rendering/causes.py",
    "parse/secrets.py",
)
"""Sources whose texts with several words, or with values, are shown in reports."""
FURTHER: Final = (
    "gather",
    "model/artifacts.py",
    "model/audit_result.py",
    "model/errors.py",
    "model/outcome.py",
    "parse/challenge.py",
    "parse/files",
    "parse/page_kind",
    "parse/structured_data.py",
    "report/compare.py",
    "report/gates.py",
    "scoring/site.py",
    "service/runs",
    "worker/execute.py",
)
"""Sources of which only whole sentences are shown in reports."""
_CODE_CALLS: Final = frozenset("Cap State check compile endswith frozenset get site_check split startswith".split())
"""Calls whose strings are no texts, or are read from the declarations of the checks."""
_COUNTED: Final = frozenset({"amount", "part"})
_KINDS: Final = ("script", "stylesheet")
"""Things that are counted under a name that a check is handed."""
_WORDS_ALONE: Final = (
    *("document", "font", "frame", "icon", "image", "manifest", "media", "object", "other", "preload"),
    *("console", "deprecation", "exception", "intervention", "javascript", "network", "security", "violation"),
    *("connect", "download"),
    *("desktop", "mobile"),
    *("painting", "scripts"),
    *("expired", "incomplete_chain", "not_yet_valid", "revoked", "self_signed", "untrusted", "wrong_host"),
    "contrast {0}, required {1}, link {2}, text {3}",
    "contrast {0}, required {1}, text {2}, background {3}",
    "width {0}, height {1}, required {2}",
    *("Also found: {0}.", "{0}: {1}", "{0} s", "{0} minutes", "or", "not JSON"),
    *("verification error {0} of OpenSSL", "before its body", "before the answer was complete"),
)
"""Words of artifacts that are shown by themselves: purposes of files, sources of errors, phases of a request,
devices, kinds of work, faults of certificates and of connections; and parts of texts that reports are composed of."""
_CODE_ARGUMENTS: Final = frozenset({"cause", "code", "header", "id", "state"})
_CODE_NAMES: Final = frozenset({"SECTIONS"})
_TEXT_ARGUMENTS: Final = frozenset({"detail", "fix", "message", "reason"})
_WORDS: Final = re.compile(r"[^\W\d_]{2}")
_PROSE: Final = re.compile(r"[a-z]{2,},? [a-z(]")
_SENTENCE: Final = re.compile(r"[A-Z].* .* .*\.", re.DOTALL)


def finding_messages(folder: Path) -> dict[str, set[str]]:
    """Return every text of ``src/pagegrade`` that a report can carry, with the files it stands in."""
    counted = [*_WORDS_ALONE, *(text for kind in _KINDS for text in (kind, *_counted(kind)))]
    found = {text: {f"{CHECKS}/_amounts.py"} for text in counted}
    for check in (*all_checks().values(), *all_site_checks().values()):
        name = f"{check.function.__module__.replace('.', '/').removeprefix('pagegrade/')}.py"
        texts = [check.title]
        for state in check.states:
            texts += [state.message, state.title, state.why, state.fix]
        for text in filter(None, texts):
            found.setdefault(text, set()).add(name)
    for name in (*PROSE, *FURTHER):
        top = folder / name
        for path in [top] if top.is_file() else sorted(top.rglob("*.py")):
            for text in _texts(ast.parse(path.read_text(encoding="utf-8")), sentences_only=name in FURTHER):
                found.setdefault(text, set()).add(path.relative_to(folder).as_posix())
    return found


def _texts(tree: ast.Module, *, sentences_only: bool) -> Iterator[str]:
    code = _code(tree, raised=not sentences_only)
    for node in ast.walk(tree):
        if isinstance(node, ast.Call) and not sentences_only:
            yield from _of_call(node)
        if id(node) in code:
            continue
        text = _template(node)
        if text is None or text.startswith("\n"):
            # None, or a table of data.
            continue
        literal = re.sub(r"\{\w+\}", "", text)
        if not _WORDS.search(literal):
            continue
        if sentences_only:
            if _SENTENCE.fullmatch(text):
                yield text
        elif "{" in text or _PROSE.search(literal):
            yield text


def _of_call(call: ast.Call) -> Iterator[str]:
    """Yield counted things in singular and plural, and short texts that are given by name."""
    name = _called(call)
    if name in _COUNTED and isinstance(thing := call.args[-1], ast.Constant) and isinstance(thing.value, str):
        yield from _counted(thing.value)
    code = next((each.value for each in call.keywords if each.arg == "code"), None)
    if name == "Detail" and isinstance(code, ast.Constant):
        yield name_and_unit(str(code.value))[0]
    named = [keyword.value for keyword in call.keywords if keyword.arg in _TEXT_ARGUMENTS]
    if name == "Offender" and len(call.args) > 1:
        named.append(call.args[1])
    for value in named:
        for part in _branches(value):
            text = _template(part)
            if text is not None and _WORDS.search(text):
                yield text


def _counted(thing: str) -> tuple[str, str]:
    return f"{{0}} {thing}", f"{{0}} {thing}s"


def _branches(value: ast.expr) -> Iterator[ast.expr]:
    """Yield the expressions that a value can be."""
    if isinstance(value, ast.IfExp):
        yield from _branches(value.body)
        yield from _branches(value.orelse)
    elif isinstance(value, ast.BoolOp):
        for each in value.values:
            yield from _branches(each)
    else:
        yield value


def _template(node: ast.AST) -> str | None:
    """The text of a string, with numbered places for its values; ``None`` for anything else."""
    if isinstance(node, ast.Constant):
        return node.value if isinstance(node.value, str) else None
    if not isinstance(node, ast.JoinedStr):
        return None
    parts: list[str] = []
    number = 0
    for part in node.values:
        if isinstance(part, ast.Constant):
            parts.append(str(part.value))
        else:
            parts.append(f"{{{number}}}")
            number += 1
    return "".join(parts)


def _code(tree: ast.Module, *, raised: bool) -> set[int]:
    """Identities of the strings that are no texts: documentation, patterns, sets of words, parts of other strings.

    With ``raised`` those of exceptions, too: checks raise only for their authors, what is gathered fails for readers.
    """
    found: set[int] = set()
    for node in ast.walk(tree):
        inner: list[ast.AST] = []
        if isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant):
            inner = [node.value]
        elif isinstance(node, ast.Call) and _called(node) in _CODE_CALLS:
            inner = list(ast.walk(node))
        elif isinstance(node, ast.keyword) and node.arg in _CODE_ARGUMENTS:
            inner = list(ast.walk(node.value))
        elif _is_code(node) or (raised and isinstance(node, ast.Raise)):
            inner = list(ast.walk(node))
        elif isinstance(node, ast.JoinedStr):
            inner = [part for part in node.values if isinstance(part, ast.Constant)]
        elif isinstance(node, ast.Dict):
            inner = [key for key in node.keys if key is not None]
        found.update(map(id, inner))
    return found


def _is_code(node: ast.AST) -> bool:
    if isinstance(node, ast.AnnAssign):
        return getattr(node.target, "id", "") in _CODE_NAMES
    return isinstance(node, (ast.Compare, ast.Set, ast.Subscript))


def _called(call: ast.Call) -> str:
    return str(getattr(call.func, "id", getattr(call.func, "attr", "")))
