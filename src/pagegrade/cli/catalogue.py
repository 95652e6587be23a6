"""``pagegrade explain`` and ``pagegrade checks``."""

from __future__ import annotations

import json
import os
import sys
from difflib import get_close_matches

import typer

from pagegrade.checks import all_checks
from pagegrade.cli.output import color_wanted, terminal_width, write_stdout
from pagegrade.model.report import CATEGORIES
from pagegrade.render.prose import parse_prose
from pagegrade.render.text import render_markup
from pagegrade.render.view import CATEGORY_NAMES, points
from pagegrade.service.catalogue import check_entries, check_prices


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
    price = check_prices()[check.id]
    cost = f"costs up to {points(price)}" if price else "costs nothing"
    lines = [
        f"{check.title}  [{check.id}]",
        f"{CATEGORY_NAMES[check.category]} · {check.severity.label} · {cost} · since {check.since}",
    ]
    if check.cap is not None:
        lines.append(f"While it fails the score is at most {check.cap.max_score}.")
    if check.requires:
        lines.append(f"It cannot hold while {' or '.join(check.requires)} fails.")
    sections = [*check.documentation.items()]
    text = "\n".join(lines) + "\n\n" + render_markup(parse_prose(check.summary), width=width, color=color)
    for heading, body in sections:
        text += f"\n{heading}\n" + render_markup(parse_prose(body), width=width, color=color, indent=2)
    text += "\nWhat it can say\n"
    for state in check.states:
        loss = "costs nothing" if state.highest == 0 else f"costs up to {points(price * state.highest)}"
        text += render_markup(
            parse_prose(f"- `{state.name}` {state.message} ({loss})"), width=width, color=color, indent=2
        )
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
    cost = check_prices()
    catalogue = all_checks()
    text = ""
    longest = max((len(name) for name in catalogue), default=0)
    for category in CATEGORIES:
        members = [check for check in catalogue.values() if check.category == category]
        if not members:
            continue
        text += f"\n{CATEGORY_NAMES[category]} ({CATEGORIES[category]} of 100 points)\n"
        for check in members:
            price = f"{cost[check.id]:5.2f}" if cost[check.id] else "    –"
            text += f"  {check.id:<{longest}}  {check.severity.label:<11}  {price}  {check.title}\n"
    text += f"\n{len(catalogue)} checks. The number is what a check can cost. More: pagegrade explain CHECK\n"
    write_stdout(text.lstrip("\n"))
