"""``pagegrade explain`` and ``pagegrade checks``."""

from __future__ import annotations

import json
import os
import sys
import textwrap
from difflib import get_close_matches  # lint: allow slow-parser - the operator's own words

import typer

from pagegrade.checks import all_checks
from pagegrade.cli.output import color_wanted, terminal_width, write_stdout
from pagegrade.model.report import CATEGORIES
from pagegrade.render.prose import parse_prose
from pagegrade.render.text import render_markup
from pagegrade.render.view import CATEGORY_NAMES, points
from pagegrade.scoring import rules_of
from pagegrade.service.catalogue import check_entries, check_penalties


def explain_check(name: str) -> None:
    """Print the documentation of a check.

    Raises:
        typer.BadParameter: There is no such check; the message suggests those that sound like it.
    """
    wanted = name.strip().lower().replace("_", "-").replace(" ", "-")
    catalogue = all_checks()
    if wanted not in catalogue:
        close = get_close_matches(wanted, catalogue, n=3, cutoff=0.5) or [c for c in catalogue if wanted in c][:3]
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
    same = [other.id for other in catalogue.values() if other.cause == check.cause and other is not check]
    if check.cause is not None and same:
        lines += textwrap.wrap(f"Charged once together with {', '.join(same)}.", width, break_on_hyphens=False)
    sections = [*check.documentation.items()]
    text = "\n".join(lines) + "\n\n" + render_markup(parse_prose(check.summary), width=width, color=color)
    for heading, body in sections:
        text += f"\n{heading}\n" + render_markup(parse_prose(body), width=width, color=color, indent=2)
    rule = rules_of([check])[check.id]
    text += "\nWhat it can find\n"
    for state in check.states:
        worst = rule.penalty_tenths(state.highest) / 10
        loss = f"costs up to {points(worst)}" if worst else "costs nothing"
        text += render_markup(
            parse_prose(f"- `{state.name}` {state.message} ({loss})"), width=width, color=color, indent=2
        )
        if state.fix:
            text += render_markup(parse_prose(state.fix), width=width, color=color, indent=4)
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
        write_stdout(json.dumps(check_entries(), ensure_ascii=False, indent=2) + "\n", machine=True)
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
    text += f"\n{len(catalogue)} checks, each with the most points it can cost. More: pagegrade explain CHECK\n"
    write_stdout(text.lstrip("\n"))
