"""The message catalogues of the pages and of findings: extracted from the sources, and checked.

``python -m devtools.catalogues`` brings every catalogue up to date: new messages come in empty, gone ones go, finished
translations stay. ``--check`` says what is missing: a message without a translation, or with other values in it.
"""

from __future__ import annotations

import io
import re
import sys
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

from babel.messages.catalog import Catalog, Message
from babel.messages.extract import extract_from_dir
from babel.messages.pofile import read_po, write_po

from devtools.finding_messages import finding_messages
from pagegrade.render import finding_texts
from pagegrade.render.i18n import DOMAIN, LOCALES

ROOT: Final = Path(__file__).resolve().parent.parent
SOURCES: Final = ROOT / "src" / "pagegrade"
FOLDER: Final = SOURCES / "render" / "locales"
METHODS: Final = [("**/templates/**.jinja", "jinja2"), ("**.py", "python")]
OPTIONS: Final = {"**/templates/**.jinja": {"newstyle_gettext": "true", "trimmed": "true"}}
KEYWORDS: Final[dict[str, Any]] = {"_": None, "gettext": None, "ngettext": (1, 2), "N_": None, "phrase": (1,)}
HEALTH_CHECKS: Final = ("ok", "warning", "problem", "serious")
"""Calls in ``service/doctor`` of which each literal argument is a message."""
PLURALS: Final = {"de": "nplurals=2; plural=(n != 1);"}
_PLACEHOLDER: Final = re.compile(r"%\((\w+)\)s|\{(\d)\}|%%|(%)")
_VALUE: Final = re.compile(r"\{(\w+)\}")
_CODE: Final = re.compile(r"```.*?```|`[^`]+`", re.DOTALL)
_TAG: Final = re.compile(r"<[^>]+>")
WIDTH: Final = 120


@dataclass(frozen=True, slots=True)
class Fault:
    """Error of one message of one catalogue."""

    language: str
    message: str
    what: str

    def __str__(self) -> str:
        return f"{self.language}: {self.message!r}: {self.what}"


def extract(folder: Path = SOURCES) -> Catalog:
    """Every message of the sources, each with the files it stands in."""
    found = Catalog(domain=DOMAIN, charset="utf-8")
    for name, _line, message, comments, context in extract_from_dir(
        folder, method_map=METHODS, options_map=OPTIONS, keywords=KEYWORDS
    ):
        # Without line numbers: a catalogue changes when messages do, and not when a line moves.
        found.add(message, None, [(name.replace("\\", "/"), 0)], auto_comments=comments, context=context)
    for argument in (1, 2, 3):
        keywords = dict.fromkeys(HEALTH_CHECKS, (argument,))
        for name, _line, message, *_ in extract_from_dir(folder / "service" / "doctor", METHODS, keywords=keywords):
            found.add(message, None, [(f"service/doctor/{name}", 0)])
    return found


def extract_findings(folder: Path = SOURCES) -> Catalog:
    """Every text of findings, each with the files it stands in."""
    found = Catalog(domain=finding_texts.DOMAIN, charset="utf-8")
    for text, names in finding_messages(folder).items():
        found.add(text, None, [(name, 0) for name in sorted(names)])
    return found


DOMAINS: Final = {
    DOMAIN: extract,
    finding_texts.DOMAIN: extract_findings,
}
"""Name of a catalogue -> how its messages are found."""


def catalogue_path(language: str, domain: str = DOMAIN) -> Path:
    """Return the path of a language's catalogue."""
    return FOLDER / language / "LC_MESSAGES" / f"{domain}.po"


def load(language: str, domain: str = DOMAIN) -> Catalog:
    """The catalogue as it lies there; an empty one if there is none yet."""
    path = catalogue_path(language, domain)
    if not path.exists():
        return Catalog(locale=language, domain=domain)
    return read_po(io.BytesIO(path.read_bytes()), locale=language, domain=domain)


def updated(language: str, source: Catalog, kept: Catalog) -> bytes:
    """The catalogue with exactly the messages of the sources, sorted, and what was translated of them."""
    fresh = Catalog(locale=language, domain=source.domain, charset="utf-8", fuzzy=False)
    for message in sorted((each for each in source if each.id), key=_sorted_by):
        old = kept.get(message.id, message.context)
        files = sorted({(name, 0) for name, _ in message.locations})
        fresh.add(message.id, old.string if old is not None else None, files, context=message.context)
    written = io.BytesIO()
    write_po(written, fresh, width=WIDTH, omit_header=True, include_lineno=False)
    return _header(language) + written.getvalue().strip() + b"\n"


def faults(language: str, source: Catalog, kept: Catalog) -> Iterator[Fault]:
    """Yield the errors of a catalogue: missing and invalid translations."""
    wanted = {(each.id, each.context): each for each in source if each.id}
    for message in kept:
        if message.id and (message.id, message.context) not in wanted:
            yield Fault(language, _first(message), "nothing says this any more")
    for (message_id, context), message in wanted.items():
        old = kept.get(message_id, context)
        if old is None:
            yield Fault(language, _first(message), "not in the catalogue")
            continue
        if source.domain == finding_texts.DOMAIN:
            yield from _finding_faults(language, message, old)
        else:
            yield from _message_faults(language, message, old)


def main(arguments: Sequence[str]) -> int:
    """Write or check the catalogues; 1 if a checked one has faults."""
    found: list[Fault] = []
    for domain, extracted in DOMAINS.items():
        source = extracted()
        for language in LOCALES[1:]:
            kept = load(language, domain)
            if "--check" in arguments:
                found += faults(language, source, kept)
            else:
                catalogue_path(language, domain).write_bytes(updated(language, source, kept))
                missing = sum(1 for _ in faults(language, source, load(language, domain)))
                sys.stdout.write(f"{language}, {domain}: {len(source)} messages, {missing} to fix\n")
    for fault in found:
        sys.stderr.write(f"{fault}\n")
    return 1 if found else 0


def _message_faults(language: str, message: Message, old: Message) -> Iterator[Fault]:
    strings = [each or "" for each in (old.string if isinstance(old.string, (tuple, list)) else (old.string,))]
    ids = message.id if isinstance(message.id, (tuple, list)) else (message.id,)
    if len(strings) < len(ids) or not all(strings):
        yield Fault(language, _first(message), "not translated")
        return
    if old.fuzzy:
        yield Fault(language, _first(message), "marked as uncertain")
    allowed = {frozenset(_placeholders(each)) for each in ids}
    for string in strings:
        if frozenset(_placeholders(string)) not in allowed:
            yield Fault(language, _first(message), f"other values: {sorted(_placeholders(string))}")
        if sorted(_TAG.findall(string)) not in [sorted(_TAG.findall(each)) for each in ids]:
            yield Fault(language, _first(message), "other markup")


def _finding_faults(language: str, message: Message, old: Message) -> Iterator[Fault]:
    text, string = str(message.id), str(old.string or "")
    if not string:
        yield Fault(language, text, "not translated")
        return
    if old.fuzzy:
        yield Fault(language, text, "marked as uncertain")
    if sorted(_CODE.findall(string)) != sorted(_CODE.findall(text)):
        yield Fault(language, text, "other code")
    wanted, given = (sorted(_VALUE.findall(_CODE.sub("", each))) for each in (text, string))
    if wanted != given:
        yield Fault(language, text, f"other values: {given}")


def _placeholders(text: str) -> set[str]:
    """Names of the values in a message; ``%`` for a percent sign that would break it."""
    return {match[1] or match[2] or match[3] for match in _PLACEHOLDER.finditer(text) if match[0] != "%%"}


def _first(message: Message) -> str:
    return message.id[0] if isinstance(message.id, (tuple, list)) else str(message.id)


def _sorted_by(message: Message) -> tuple[str, str]:
    return (_first(message), message.context or "")


def _header(language: str) -> bytes:
    lines = (
        'msgid ""',
        'msgstr ""',
        '"Project-Id-Version: pagegrade\\n"',
        f'"Language: {language}\\n"',
        '"MIME-Version: 1.0\\n"',
        '"Content-Type: text/plain; charset=utf-8\\n"',
        '"Content-Transfer-Encoding: 8bit\\n"',
        f'"Plural-Forms: {PLURALS[language]}\\n"',
    )
    return ("\n".join(lines) + "\n\n").encode()


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
