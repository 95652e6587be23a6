"""``pagegrade explain`` and ``pagegrade checks``, and ``pagegrade openapi``: what there is."""

from __future__ import annotations

import os
import sys
import textwrap
from collections.abc import Iterable, Sequence
from difflib import get_close_matches  # lint: allow slow-parser - the operator's own words
from pathlib import Path
from typing import Final

import msgspec
import typer

from pagegrade.checks import NEEDS, Check, SiteCheck, all_checks, all_site_checks
from pagegrade.cli.output import STDOUT, color_wanted, terminal_width, write_stdout
from pagegrade.model.report import CATEGORIES
from pagegrade.render.prose import parse_prose
from pagegrade.render.text import render_markup
from pagegrade.render.view import CATEGORY_NAMES, points
from pagegrade.scoring import rules_of
from pagegrade.service.catalogue import check_entries, check_penalties, site_check_entries

_EXAMPLES: Final = frozenset({"Fails on", "Passes on"})


def explain_check(name: str) -> None:
    """Print the documentation of a check.

    Raises:
        typer.BadParameter: There is no such check; the message suggests those that sound like it.
    """
    wanted = name.strip().lower().replace("_", "-").replace(" ", "-")
    catalogue = all_checks()
    if (of_site := all_site_checks().get(wanted)) is not None:
        _explain_site_check(of_site)
        return
    known = (*catalogue, *all_site_checks())
    if wanted not in catalogue:
        close = get_close_matches(wanted, known, n=3, cutoff=0.5) or [c for c in known if wanted in c][:3]
        hint = f"Did you mean {' or '.join(close)}?" if close else "`pagegrade checks` lists them all."
        raise typer.BadParameter(f"There is no check {name!r}. {hint}", param_hint="'CHECK'")
    check = catalogue[wanted]
    width, color = terminal_width(sys.stdout), color_wanted(sys.stdout, os.environ)
    price = check_penalties()[check.id]
    cost = f"costs up to {points(price)}" if price else "costs nothing"
    lines = [
        f"{check.title}  [{check.id}]",
        f"{CATEGORY_NAMES[check.category]} · {check.severity.label} · {cost} · since {check.since}",
    ]
    for cap in check.caps:
        when = f"in state {' or '.join(cap.states)}" if cap.states else "while it fails"
        of_category = "" if cap.category_max_score is None else f", that of its category {cap.category_max_score}"
        lines.append(f"The score is at most {cap.max_score}{of_category} {when}.")
    lines += _charged_with(check, catalogue.values(), width)
    rule = rules_of([check])[check.id]
    costs = [rule.penalty_tenths(state.highest) / 10 for state in check.states]
    _write_explanation(check, lines, costs, width=width, color=color)


def _explain_site_check(check: SiteCheck) -> None:
    width, color = terminal_width(sys.stdout), color_wanted(sys.stdout, os.environ)
    costs = [check.severity.value * state.highest for state in check.states]
    most = max(costs)
    lines = [
        f"{check.title}  [{check.id}]",
        f"Site · {check.severity.label} · "
        f"{f'costs up to {points(most)} of a site' if most else 'costs nothing'} · since {check.since}",
    ]
    lines += [f"Not evaluated where: {NEEDS[need]}" for need in check.needs]
    lines += _charged_with(check, all_site_checks().values(), width)
    _write_explanation(check, lines, costs, width=width, color=color)


def _charged_with(check: Check | SiteCheck, others: Iterable[Check | SiteCheck], width: int) -> list[str]:
    same = [other.id for other in others if other.cause == check.cause and other is not check]
    if check.cause is None or not same:
        return []
    return textwrap.wrap(f"Charged once together with {', '.join(same)}.", width, break_on_hyphens=False)


def _write_explanation(
    check: Check | SiteCheck, lines: Sequence[str], costs: Sequence[float], *, width: int, color: bool
) -> None:
    """Write the documentation of a check below its first lines; ``costs`` are those of its states."""
    text = "\n".join(lines) + "\n\n" + render_markup(parse_prose(check.summary), width=width, color=color)
    for heading, body in check.documentation.items():
        if isinstance(check, SiteCheck) and heading in _EXAMPLES:
            continue  # Rows of tables, which the reference shows.
        text += f"\n{heading}\n" + render_markup(parse_prose(body), width=width, color=color, indent=2)
    text += "\nWhat it can find\n"
    for state, worst in zip(check.states, costs, strict=True):
        loss = f"costs up to {points(worst)}" if worst else "costs nothing"
        text += render_markup(
            parse_prose(f"- `{state.name}` {state.message} ({loss})"), width=width, color=color, indent=2
        )
        for words in (state.why, state.fix):
            text += render_markup(parse_prose(words), width=width, color=color, indent=4) if words else ""
    text += "\nSources\n" + "".join(f"  {source}\n" for source in check.sources)
    write_stdout(text)


def list_checks(format_name: str) -> None:
    """Print every check.

    Raises:
        typer.BadParameter: The format is neither text nor json.
    """
    if format_name not in {"text", "json"}:
        raise typer.BadParameter(f"{format_name!r} is no format here. Use text or json.", param_hint="'--format'")
    if format_name == "json":
        listed = msgspec.json.encode([*check_entries(), *site_check_entries()])
        write_stdout(f"{msgspec.json.format(listed, indent=2).decode()}\n", machine=True)
        return
    cost = check_penalties()
    catalogue = all_checks()
    text = ""
    longest = max((len(name) for name in catalogue), default=0)
    for category in CATEGORIES:
        members = [check for check in catalogue.values() if check.category == category]
        if not members:
            continue
        text += f"\n{CATEGORY_NAMES[category]} (takes at most {CATEGORIES[category]} points)\n"
        for check in members:
            price = f"{cost[check.id]:5.2f}" if cost[check.id] else "    –"
            text += f"  {check.id:<{longest}}  {check.severity.label:<11}  {price}  {check.title}\n"
    sites = all_site_checks()
    longest = max(map(len, sites), default=0)
    text += "\nSite (by pagegrade audit, of the score of the site)\n"
    for of_site in sites.values():
        most = of_site.severity.value * max(state.highest for state in of_site.states)
        price = f"{most:5.2f}" if most else "    –"
        text += f"  {of_site.id:<{longest}}  {of_site.severity.label:<11}  {price}  {of_site.title}\n"
    text += (
        f"\n{len(catalogue)} checks of a page and {len(sites)} of a site, each with the most points it "
        "can cost.\nMore: pagegrade explain CHECK\n"
    )
    write_stdout(text.lstrip("\n"))


def write_description(path: str) -> None:
    """Write the description of the API to a file, or to stdout for ``-``.

    Raises:
        typer.BadParameter: The file cannot be written.
    """
    # Only this command needs the web, which takes long to load.
    from pagegrade.web.routes import describe_api

    text = describe_api()
    if path == STDOUT:
        write_stdout(text, machine=True)
        return
    try:
        Path(path).write_text(text, encoding="utf-8")
    except OSError as error:
        raise typer.BadParameter(f"{path} cannot be written: {error.strerror}.", param_hint="'--output'") from error
