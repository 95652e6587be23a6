"""Texts of findings in the reader's language.

A report carries the English sentences of its checks, so that it says the same to every program that reads it. For pages
in another language each sentence is looked up in the catalogue ``findings`` of that language: as it is, or as a
sentence with values ("{0} links have no accessible name."). What the catalogue does not have stays English and is
marked as ``Untranslated``: words of the analyzed page, and sentences of rulesets that are no longer in use.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from functools import cache, lru_cache
from importlib.resources import files
from typing import Final

import msgspec
from msgspec.structs import replace

from pagegrade.model.outcome import Evidence
from pagegrade.model.report import Report, Result
from pagegrade.render.i18n import FORMATS, read_messages
from pagegrade.report.compare import Change, Comparison

DOMAIN: Final = "findings"
MAX_LENGTH: Final = 2_000
"""Characters of a text that is looked up; a longer one stays as it is."""
_CACHED: Final = 4_096
_DEPTH: Final = 4
"""Values of a sentence can be sentences with values themselves, so deep; so many texts can stand in one."""
_MAX_LOOKUPS: Final = 40
"""Texts that are looked up for one, with all its values and parts; ours need half as many, words of a page could need
thousands."""
_PARAGRAPHS: Final = "\n\n"
_SEPARATORS: Final = ((". ", "."), ("; ", ""), (", ", ""))
"""Between texts that stand in one, each with the characters of it that belong to the first text."""
_FENCE: Final = "\x00"
"""Stands for fenced code while its text is looked up; no text of a page has it."""
_CONNECTIVES: Final = frozenset({"", "and", "of", "or"})
_COUNTED: Final = re.compile(r" \w+")
_PREFIX: Final = 4
_FENCED: Final = re.compile(r"```.*?```", re.DOTALL)
_PLACE: Final = re.compile(r"\{(\w+)\}")
_NUMBER: Final = re.compile(r"[0-9][0-9,]*(?:\.[0-9]+)?%?")
_HAS_NUMBER: Final = re.compile(r"(?:^|[a-z] )[0-9]")
_BEFORE_VERSION: Final = ("ruleset ", "version ")
"""A number after these is no decimal."""
_LONG: Final = 12
"""Letters of a sentence that is known as ours without its values."""
_NAME: Final = re.compile(r"[\w-]{1,60}")


class Untranslated(str):
    """A text in English, whatever the language around it."""

    __slots__ = ()


class _Sentence(msgspec.Struct, frozen=True, gc=False):
    """A text with values."""

    literals: tuple[str, ...]
    """Texts before, between and after the values; one more than values."""
    names: tuple[str, ...]
    translation: str

    @property
    def is_count(self) -> bool:
        """True for "{0} files": its value is a number."""
        return len(self.names) == 1 and not self.literals[0] and _COUNTED.fullmatch(self.literals[1]) is not None

    @property
    def fits_anything(self) -> bool:
        """True for "{0} files" and "{0} of {1}": words of a page can look like that, too."""
        first, *rest = self.literals
        joins = not first and all(literal.strip(" ,;:") in _CONNECTIVES for literal in rest)
        return joins or self.is_count

    def accepts(self, values: Sequence[str]) -> bool:
        """Return whether the text with these values, which are not known, can only be of a check.

        A short one could be words of a page if its values have several words: "in {0}", "no {0}".
        """
        if self.fits_anything:
            return False
        is_long = sum(map(len, self.literals)) >= _LONG
        return is_long or not any(" " in value.replace(", ", "") for value in values)


class FindingTexts:
    """The texts of findings in one language."""

    def __init__(self, messages: Mapping[str, str], *, group: str, decimal: str) -> None:
        """Take a catalogue.

        Args:
            messages: English text -> translation; values are ``{0}``, ``{count}`` and so on.
        """
        self._symbols = str.maketrans({",": group, ".": decimal})
        self._texts: dict[str, str] = {}
        sentences: list[_Sentence] = []
        for message, translation in messages.items():
            names = tuple(_PLACE.findall(message))
            if names and "`" not in message:
                sentences.append(_Sentence(tuple(_PLACE.split(message)[::2]), names, translation))
            else:
                self._texts[_FENCED.sub(_FENCE, message)] = _FENCED.sub(_FENCE, translation)
        # The most specific first: "{0} links have no name." is also a case of "{0} links".
        sentences.sort(key=lambda each: -sum(map(len, each.literals)))
        self._sentences: dict[str, list[_Sentence]] = {}
        for sentence in sentences:
            self._sentences.setdefault(sentence.literals[0][:_PREFIX], []).append(sentence)
        self.translate = lru_cache(_CACHED)(self._translate)
        """The text in the language; ``Untranslated`` if it is not known."""

    def _translate(self, text: str) -> str:
        if not text:
            return text
        # Fenced code is often made for the page, with its own elements.
        code = iter(_FENCED.findall(text))
        found = self._with_paragraphs(_FENCED.sub(_FENCE, text))
        return Untranslated(text) if found is None else re.sub(_FENCE, lambda _: next(code, ""), found)

    def _with_paragraphs(self, text: str) -> str | None:
        """A text, or several paragraphs of which the last was added to the others, if all are known."""
        if text in self._texts:
            return self._texts[text]
        others, separator, last = text.rpartition(_PARAGRAPHS)
        if not separator:
            return _Search(self).find(text, _DEPTH)
        added = _Search(self).find(last, _DEPTH)
        before = None if added is None else self._with_paragraphs(others)
        return None if before is None else f"{before}{separator}{added}"

    def exact(self, text: str) -> str | None:
        """A text of the catalogue as it is, or a number."""
        if _NUMBER.fullmatch(text):
            return text.translate(self._symbols)
        return self._texts.get(text)

    def candidates(self, text: str) -> Iterator[_Sentence]:
        """Yield the sentences whose beginning fits, the most specific of each length of beginning first."""
        for length in range(_PREFIX, -1, -1):
            yield from self._sentences.get(text[:length], ())

    def amount(self, value: str) -> str:
        """A value in the language if it has numbers, or is one of our texts as a whole.

        Any other may be of the page, and stays as it is; so does a single word.
        """
        if _HAS_NUMBER.search(value):
            return _Search(self).find(value, _DEPTH) or value
        return self._texts.get(value, value) if " " in value else value

    def with_code(self, text: str) -> str:
        """A reason as ``code: sentence`` with its sentence in the language."""
        code, colon, sentence = text.partition(": ")
        return f"{code}: {self.translate(sentence)}" if colon and " " not in code else self.translate(text)


class _Search:
    """The search for one text, which ends after ``_MAX_LOOKUPS``."""

    def __init__(self, texts: FindingTexts) -> None:
        self._texts = texts
        self._left = _MAX_LOOKUPS

    def find(self, text: str, depth: int) -> str | None:
        """The text in the language; ``None`` if it is not known."""
        self._left -= 1
        if (exact := self._texts.exact(text)) is not None:
            return exact
        if not depth or self._left < 0 or len(text) > MAX_LENGTH:
            return None
        names = text.split(" or ")
        if len(names) > 1 and all(map(_NAME.fullmatch, names)):
            return f" {self._texts.exact('or') or 'or'} ".join(names)
        with_unknown_values = None
        for sentence in self._texts.candidates(text):
            values = _values(text, sentence.literals)
            if values is None or (sentence.is_count and not _NUMBER.fullmatch(values[0])):
                continue
            known = [
                value if literal.endswith(_BEFORE_VERSION) and _NUMBER.fullmatch(value) else self.find(value, depth - 1)
                for literal, value in zip(sentence.literals, values, strict=False)
            ]
            unknown = [value for value, found in zip(values, known, strict=True) if found is None]
            if unknown and (with_unknown_values is not None or not sentence.accepts(unknown)):
                continue
            shown = (value if found is None else found for value, found in zip(values, known, strict=True))
            filled = _filled(sentence.translation, dict(zip(sentence.names, shown, strict=True)))
            if not unknown:
                return filled
            with_unknown_values = filled
        return self._in_parts(text, depth - 1) or with_unknown_values

    def _in_parts(self, text: str, depth: int) -> str | None:
        """A reason as a sentence, several sentences, or a list of texts, if all of its parts are known."""
        if text.endswith(".") and (reason := self.find(text[:-1], depth)) is not None:
            return f"{reason}."
        for separator, kept in _SEPARATORS:
            first, found, rest = text.partition(separator)
            if found:
                parts = self.find(first + kept, depth), self.find(rest, depth)
                if None not in parts:
                    return separator.removeprefix(kept).join(map(str, parts))
        return None


def _filled(translation: str, values: Mapping[str, str]) -> str:
    return _PLACE.sub(lambda match: values[match[1]], translation)


def _values(text: str, literals: tuple[str, ...]) -> list[str] | None:
    """The values between the literals, each as short as can be; ``None`` if the text is another. Linear in the text."""
    first, last = literals[0], literals[-1]
    start, end = len(first), len(text) - len(last)
    if start >= end or not text.startswith(first) or not text.endswith(last):
        return None
    values: list[str] = []
    for literal in literals[1:-1]:
        # A value has one character at least.
        at = text.find(literal, start + 1, end)
        if at < 0:
            return None
        values.append(text[start:at])
        start = at + len(literal)
    if start >= end:
        return None
    return [*values, text[start:end]]


@cache
def finding_texts(tag: str) -> FindingTexts | None:
    """The texts of findings in one of ``i18n.LOCALES``; ``None`` for English, the language they are stored in."""
    file = files("pagegrade.render").joinpath("locales", tag, "LC_MESSAGES", f"{DOMAIN}.po")
    if not file.is_file():
        return None
    formats = FORMATS[tag]
    messages = read_messages(file.read_text(encoding="utf-8"))
    return FindingTexts(messages, group=formats.group, decimal=formats.decimal)


def translated(text: str, tag: str) -> str:
    """One text in one of ``i18n.LOCALES``; ``Untranslated`` if it is not known there."""
    texts = finding_texts(tag)
    return text if texts is None else texts.translate(text)


def in_language(report: Report, tag: str) -> Report:
    """The report with its texts in one of ``i18n.LOCALES``; names, values and quotations of the page stay."""
    texts = finding_texts(tag)
    if texts is None:
        return report
    translate = texts.translate
    withheld, error, rendered = report.withheld, report.error, report.rendered
    paint = None if rendered is None else rendered.largest_paint
    return replace(
        report,
        results=tuple(_result(result, texts) for result in report.results),
        rendered=rendered
        if rendered is None or paint is None
        else replace(rendered, largest_paint=replace(paint, message=translate(paint.message))),
        withheld=withheld and replace(withheld, message=translate(withheld.message), fix=translate(withheld.fix)),
        run=replace(
            report.run,
            notes=tuple(map(translate, report.run.notes)),
            not_gathered=tuple(replace(one, reason=texts.with_code(one.reason)) for one in report.run.not_gathered),
        ),
        error=error and replace(error, message=translate(error.message)),
    )


def comparison_in_language(comparison: Comparison, tag: str) -> Comparison:
    """The comparison with its texts in one of ``i18n.LOCALES``."""
    texts = finding_texts(tag)
    if texts is None:
        return comparison
    results: dict[int, Result] = {}

    def changes(found: Sequence[Change]) -> tuple[Change, ...]:
        return tuple(
            Change(result(change.result), change.evidence and _evidence(change.evidence, texts)) for change in found
        )

    def result(one: Result) -> Result:
        # The changes of one check share its result.
        if id(one) not in results:
            results[id(one)] = _result(one, texts)
        return results[id(one)]

    return replace(
        comparison,
        new=changes(comparison.new),
        fixed=changes(comparison.fixed),
        still=changes(comparison.still),
        worse=tuple(map(result, comparison.worse)),
        not_comparable=tuple(
            replace(one, name=texts.translate(one.name), reason=texts.translate(one.reason))
            for one in comparison.not_comparable
        ),
    )


def _result(result: Result, texts: FindingTexts) -> Result:
    translate = texts.translate
    return replace(
        result,
        title=translate(result.title),
        message=translate(result.message),
        reason=texts.with_code(result.reason),
        why=translate(result.why),
        fix=translate(result.fix),
        name=translate(result.name),
        value=texts.amount(result.value) if isinstance(result.value, str) else result.value,
        evidence=tuple(_evidence(one, texts) for one in result.evidence),
    )


def _evidence(evidence: Evidence, texts: FindingTexts) -> Evidence:
    if not evidence.reason and not evidence.value:
        return evidence
    return replace(evidence, reason=texts.translate(evidence.reason), value=texts.amount(evidence.value))
