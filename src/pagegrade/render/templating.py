"""The templates of reports, in one language each: everything is escaped, and what is missing is an error."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from datetime import UTC, datetime, timedelta
from functools import cache
from typing import Any, Final, cast

from jinja2 import BaseLoader, Environment, PackageLoader, StrictUndefined
from jinja2.ext import Extension
from jinja2.lexer import Token, TokenStream
from markupsafe import Markup

from pagegrade.model.identity import PROJECT_URL
from pagegrade.model.outcome import Evidence
from pagegrade.model.report import CATEGORIES, Report, Result
from pagegrade.render import charts, rendered_view, view
from pagegrade.render.comparison_notes import why_not_compared
from pagegrade.render.criteria import STATUS_NAMES, by_criterion, machine_share, manual_remark, remark
from pagegrade.render.english import N_
from pagegrade.render.escape import safe_href, unicode_host, visible
from pagegrade.render.evidence_rows import table_of
from pagegrade.render.failure_advice import cause, has_to_let_us_in, retry_advice, user_agent, way_out
from pagegrade.render.figures import format_bytes, format_ms, key_figures, loaded_bytes, measured
from pagegrade.render.finding_list import (
    REQUEST_SORTS,
    SEVERITY_NAMES,
    SORTS,
    STATUSES,
    VIEWS,
    list_findings,
    results_with,
)
from pagegrade.render.finding_texts import Untranslated, finding_texts
from pagegrade.render.history import HEIGHT, SPARK_SIZE, WHOLE_SCALE, change_since, chart_of, finished, spark_of
from pagegrade.render.i18n import Texts, texts_for
from pagegrade.render.page_facts import tls_facts
from pagegrade.render.previews import image_note, search_result, shared_link
from pagegrade.render.prose import parse_prose
from pagegrade.render.rendered_view import request_table
from pagegrade.report.compare import Change, carrier
from pagegrade.report.serialize import format_timestamp, timestamp

ENGLISH_TAG: Final = "en"
LONG: Final = 2048
"""Characters of an address that are shown: all of it, for any that a server accepts."""
BODY_BUDGET: Final = 16_000
"""Characters of evidence and advice that a page of findings holds; the rest is loaded when it is opened."""
SHORT: Final = 70
"""Characters of a URL in a table."""

_INDENT: Final = re.compile(r"^[ \t]+", re.MULTILINE)
_EPOCH: Final = datetime(1970, 1, 1, tzinfo=UTC)
_IMPORTANCE_NAMES: Final = {
    "critical": N_("critical"),
    "high": N_("high"),
    "medium": N_("medium"),
    "low": N_("low"),
    "informative": N_("informative"),
}
_RESULT_NAMES: Final = {
    "good": N_("good"),
    "decent": N_("decent"),
    "bad": N_("bad"),
    "incomplete": N_("no grade"),
    "failed": N_("not analyzed"),
}
_RESOURCE_NAMES: Final = {
    "document": N_("Documents"),
    "stylesheet": N_("Stylesheets"),
    "script": N_("Scripts"),
    "image": N_("Images"),
    "font": N_("Fonts"),
    "media": N_("Video and sound"),
    "other": N_("Other"),
}


_FILE_TYPES: Final = {
    "document": N_("Document"),
    "stylesheet": N_("Stylesheet"),
    "script": N_("Script"),
    "image": N_("Image"),
    "font": N_("Font"),
    "media": N_("Media"),
    "other": N_("Other"),
}


class Unindented(Extension):
    """Templates without their indentation, a tenth of a page; values that come in keep theirs."""

    def preprocess(self, source: str, name: str | None, filename: str | None = None) -> str:  # noqa: ARG002 - Jinja's
        """The template's text as it is compiled."""
        return _INDENT.sub("", source)


class Translated(Extension):
    """Messages without values are translated while a template is compiled, not wherever they stand on each page."""

    def filter_stream(self, stream: TokenStream) -> Iterator[Token]:
        """The tokens, with one string in place of each ``_("message")``."""
        texts = cast("Texts", self.environment.globals["texts"])
        tokens = list(stream)
        at = 0
        while at < len(tokens):
            match tokens[at : at + 4]:
                case [
                    Token(type="name", value="_"),
                    Token(type="lparen"),
                    Token(type="string") as message,
                    Token(type="rparen"),
                ]:
                    yield Token(message.lineno, "string", texts.gettext(message.value))
                    at += 4
                case _:
                    yield tokens[at]
                    at += 1


def make_environment(tag: str, loader: BaseLoader, *extensions: type[Extension]) -> Environment:
    """Templates in one of ``i18n.LOCALES``, with the filters that all of them use."""
    texts = texts_for(tag)
    made = Environment(
        loader=loader,
        extensions=["jinja2.ext.i18n", Translated, *extensions],
        autoescape=True,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
        keep_trailing_newline=True,
    )
    made.install_gettext_translations(texts.catalogue, newstyle=True)  # type: ignore[attr-defined]
    made.globals.update(
        texts=texts,
        project_url=PROJECT_URL,
        importance_names={name: texts.gettext(shown) for name, shown in _IMPORTANCE_NAMES.items()},
        result_names={name: texts.gettext(shown) for name, shown in _RESULT_NAMES.items()},
        long=LONG,
        gauge_radius=charts.GAUGE_RADIUS,
        gauge_track=charts.arc(100),
    )
    made.filters.update(
        visible=visible,
        arc=charts.arc,
        href=safe_href,
        prose=parse_prose,
        iso=timestamp,
        en=_no_mark if tag == ENGLISH_TAG else _mark_of_english,
    )
    return made


@cache
def environment(tag: str) -> Environment:
    """The templates with the words of one of ``i18n.LOCALES``."""
    texts = texts_for(tag)

    def translated(names: Mapping[Any, str]) -> dict[Any, str]:
        return {name: texts.gettext(shown) for name, shown in names.items()}

    made = make_environment(tag, PackageLoader("pagegrade.render"), Unindented)
    made.filters.update(
        host=unicode_host,
        timestamp=format_timestamp,
        points=lambda number: view.points(number, texts),
        ms=lambda milliseconds: format_ms(milliseconds, texts),
        bytes=lambda number: format_bytes(number, texts),
        short_url=_short_url,
        at_ms=_milliseconds,
        in_language=_identity if (finding := finding_texts(tag)) is None else finding.translate,
    )
    made.globals.update(
        view=view,
        rendered_view=rendered_view,
        engine_name=rendered_view.engine_name,
        why_not_compared=why_not_compared,
        charts=charts,
        categories=CATEGORIES,
        resource_names=translated(_RESOURCE_NAMES),
        file_types=translated(_FILE_TYPES),
        category_names=translated(view.CATEGORY_NAMES),
        criterion_statuses=translated(STATUS_NAMES),
        by_criterion=by_criterion,
        criterion_remark=remark,
        manual_remark=manual_remark,
        machine_share=machine_share,
        measured=measured,
        hosts=_hosts,
        table_of=table_of,
        grouped=_grouped,
        change_since=change_since,
        chart_of=chart_of,
        finished=finished,
        height_of=WHOLE_SCALE.height,
        chart_height=HEIGHT,
        spark_of=spark_of,
        spark_size=SPARK_SIZE,
        key_figures=key_figures,
        loaded_bytes=loaded_bytes,
        tls_facts=tls_facts,
        retry_advice=retry_advice,
        request_table=request_table,
        none_selected=frozenset(),
        body_budget=BODY_BUDGET,
        list_findings=list_findings,
        results_with=results_with,
        views=translated(VIEWS),
        statuses=translated(STATUSES),
        severity_names=translated(SEVERITY_NAMES),
        sorts=translated(SORTS),
        request_sorts=translated(REQUEST_SORTS),
        image_note=image_note,
        search_result=search_result,
        shared_link=shared_link,
        way_out=way_out,
        has_to_let_us_in=has_to_let_us_in,
        cause=cause,
        user_agent=user_agent,
    )
    return made


def _no_mark(text: str) -> Markup:  # noqa: ARG001 - on an English page nothing is marked
    return Markup("")


def _mark_of_english(text: str) -> Markup:
    """The attribute of an element whose text is English on a page in another language."""
    return Markup(' lang="en"') if isinstance(text, Untranslated) else Markup("")


def _identity(text: str) -> str:
    return text


def _hosts(report: Report) -> tuple[str, ...]:
    """The hosts of the report's addresses in their own script, where that differs."""
    return tuple(dict.fromkeys(host for url in (report.url, report.final_url) if (host := unicode_host(url))))


def _short_url(url: str) -> str:
    """Host and path of a URL, its middle left out where it is long: the file name says most."""
    bare = visible(url.partition("?")[0].removeprefix("https://").removeprefix("http://"), 2 * LONG)
    return bare if len(bare) <= SHORT else f"{bare[: SHORT // 2]}…{bare[-SHORT // 2 :]}"


def _grouped(changes: Sequence[Change]) -> tuple[tuple[tuple[Result, tuple[Evidence, ...]], ...], ...]:
    """Changes by finding, in their order; of each: (result, places) of its checks, the charged one first."""
    found: dict[str, dict[str, tuple[Result, list[Evidence]]]] = {}
    for change in changes:
        result = change.result
        checks = found.setdefault(carrier(result), {})
        _, places = checks.setdefault(result.check, (result, []))
        places.extend([change.evidence] if change.evidence is not None else [])
    return tuple(
        tuple(
            (result, tuple(places))
            for result, places in sorted(
                checks.values(), key=lambda pair: (pair[0].counted_in is not None, -pair[0].lost)
            )
        )
        for checks in found.values()
    )


def _milliseconds(moment: datetime) -> int:
    aware = moment if moment.tzinfo is not None else moment.replace(tzinfo=UTC)
    return (aware - _EPOCH) // timedelta(milliseconds=1)
