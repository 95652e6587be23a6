"""A report as HTML: the ``<article>`` of a page, two of its runs beside each other, and one self-contained file.

The file has no scripts and loads nothing; it is light and dark, and made for paper, too. A page adds what only a server
knows: earlier runs, addresses of its own, the reader's language and time zone. In the templates, which are made for one
language each, everything is escaped (XSS), and what is missing is an error.
"""

from __future__ import annotations

import base64
import hashlib
import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from datetime import UTC, datetime, timedelta
from functools import cache
from importlib.resources import files
from typing import Any, Final, cast

import msgspec
from jinja2 import BaseLoader, Environment, PackageLoader, StrictUndefined
from jinja2.ext import Extension
from jinja2.lexer import Token, TokenStream
from markupsafe import Markup
from msgspec.structs import replace

from pagegrade.model.account import Brand
from pagegrade.model.identity import PROJECT_URL
from pagegrade.model.outcome import Evidence
from pagegrade.model.report import CATEGORIES, Report, Result
from pagegrade.render import charts, rendered_view, view
from pagegrade.render.account import NO_BRAND, brand_css, logo_url, shown_name
from pagegrade.render.criteria import STATUS_NAMES, by_criterion, machine_share, manual_remark, remark
from pagegrade.render.english import N_
from pagegrade.render.escape import address, safe_href, unicode_host, visible
from pagegrade.render.evidence_rows import table_of
from pagegrade.render.failure_advice import cause, has_to_let_us_in, retry_advice, user_agent, way_out
from pagegrade.render.figures import format_bytes, format_ms, key_figures, loaded_bytes, measured, tls_facts
from pagegrade.render.finding_list import (
    REQUEST_SORTS,
    SEVERITY_NAMES,
    SORTS,
    STATUSES,
    VIEWS,
    ReportQuery,
    list_findings,
    results_with,
)
from pagegrade.render.finding_texts import Untranslated, comparison_in_language, finding_texts, in_language
from pagegrade.render.history import (
    HEIGHT,
    SPARK_SIZE,
    WHOLE_SCALE,
    RunPoint,
    change_since,
    chart_of,
    finished,
    spark_of,
    why_not_compared,
)
from pagegrade.render.i18n import Texts, texts_for
from pagegrade.render.previews import image_note, search_result, shared_link
from pagegrade.render.prose import parse_prose
from pagegrade.render.rendered_view import request_table
from pagegrade.report.compare import Change, Comparison, carrier
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
        address=address,
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


def _no_check_url(check: str) -> str | None:  # noqa: ARG001 - of nothing, whatever is asked
    return None


class Extras(msgspec.Struct, frozen=True, kw_only=True):
    """Context of a page beside the report."""

    history: tuple[RunPoint, ...] = ()
    """Runs of the same report, newest first."""
    shown_number: int | None = None
    """The run whose report this is; ``None`` where runs have no numbers."""
    timezone: str = "UTC"
    """IANA name, for every time that is shown."""
    run_url: Callable[[int], str] | None = None
    """Number of a run -> where it is shown; ``None``: nowhere."""
    compare_url: Callable[[int, int], str] | None = None
    """(older, newer) -> where they are compared; ``None``: nowhere."""
    check_url: Callable[[str], str | None] = _no_check_url
    """Id of a check -> our page about it; ``None``: there is none, and its source is named instead."""
    picture_url: Callable[[str], str] | None = None
    """Name of a picture of the page -> its address; ``None``: it is not to be had."""
    finding_file: Callable[[str, str], str] | None = None
    """(``md`` or ``prompt``, id of a check) -> one finding as a file; ``None``: not to be had."""
    ignore_url: Callable[[str], str] | None = None
    """Id of a check -> the page where its finding is ignored; ``None``: not for this reader."""
    criterion_url: Callable[[str], str] | None = None
    """Number of a criterion -> the page where a person records its result; ``None``: not for this reader."""
    query: ReportQuery | None = None
    """State of the page; ``None``: everything stands on one page, below each other."""
    now_ms: int | None = None
    """The time now; ``None``: ages are not shown."""


NOTHING: Final = Extras()


def render_article(report: Report, texts: Texts, extras: Extras = NOTHING) -> Markup:
    """The whole report as an ``<article>`` with the page's ``<h1>``: completed, failed or blocked."""
    shown = in_language(report, texts.tag)
    return _macro(texts, "article.html.jinja", "article")(shown, _with_known_view(shown, extras))


def render_comparison(
    comparison: Comparison, before: RunPoint, after: RunPoint, texts: Texts, extras: Extras = NOTHING
) -> Markup:
    """Render the changes between two runs of a report as an ``<article>`` with the page's ``<h1>``."""
    shown = comparison_in_language(comparison, texts.tag)
    return _macro(texts, "comparison.html.jinja", "compared")(shown, before, after, extras)


def _with_known_view(report: Report, extras: Extras) -> Extras:
    """Return the findings in place of a view that has no tab here."""
    query = extras.query
    if query is None:
        return extras
    has_history = len(finished(extras.history)) > 1
    missing = (query.view == "score" and report.score is None) or (query.view == "history" and not has_history)
    return replace(extras, query=replace(query, view="findings")) if missing else extras


def _macro(texts: Texts, template: str, name: str) -> Callable[..., Markup]:
    macro: Callable[..., Markup] = getattr(environment(texts.tag).get_template(template).module, name)
    return macro


_POLICY: Final = "default-src 'none'; style-src 'sha256-{digest}'; img-src data:; base-uri 'none'; form-action 'none'"


def render_html(
    reports: Sequence[Report],
    *,
    comparisons: Sequence[Comparison | None] = (),
    tag: str = ENGLISH_TAG,
    brand: Brand = NO_BRAND,
) -> str:
    """The reports as a document that needs nothing but itself.

    Args:
        reports: At least one.
        comparisons: To the report at the same place, the difference from an older one.
        tag: Language of the document, one of ``i18n.LOCALES``.
    """
    padded = [*comparisons, *[None] * (len(reports) - len(comparisons))]
    return (
        environment(tag)
        .get_template("report.html.jinja")
        .render(
            reports=[
                (in_language(report, tag), one and comparison_in_language(one, tag))
                for report, one in zip(reports, padded, strict=True)
            ],
            title=_title(reports, texts_for(tag), shown_name(brand)),
            extras=NOTHING,
            **look(brand),
        )
    )


def look(brand: Brand) -> dict[str, object]:
    """Values for the templates of documents that need nothing but themselves: style sheet, policy, name and logo."""
    css = stylesheet() + brand_css(brand.color)
    # Ours, and without text of a page.
    return {"css": Markup(css), "policy": content_policy(css), "brand": brand, "logo": logo_url(brand)}  # noqa: S704


def content_policy(css: str) -> str:
    """A policy for a document that has one style sheet inside it and loads nothing.

    The style sheet is named by its hash: no style that a page smuggled in could ever apply.
    """
    digest = base64.b64encode(hashlib.sha256(css.encode()).digest()).decode()
    return _POLICY.format(digest=digest)


def _title(reports: Sequence[Report], texts: Texts, name: str) -> str:
    if len(reports) != 1:
        return f"{name}: {texts.ngettext('%(num)s page', '%(num)s pages', len(reports))}"
    report = reports[0]
    score = texts.gettext(view.grade_word(report))
    if report.score is not None:
        score = texts.gettext("%(score)s of 100", score=report.score)
    return f"{visible(report.url, 100)}: {score} · {name}"


@cache
def stylesheet() -> str:
    """The style sheet of reports."""
    return files("pagegrade.render").joinpath("templates/report.css").read_text(encoding="utf-8")
