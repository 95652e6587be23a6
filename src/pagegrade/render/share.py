"""The pages around a shared report: the gate that asks for its password, and the notes that stand in for a report.

They say nothing of the report, because their readers may not (yet) know it.
"""

from __future__ import annotations

from functools import cache
from importlib.resources import files
from typing import Final

from jinja2 import Environment, PackageLoader, StrictUndefined
from markupsafe import Markup

from pagegrade.render.html import content_policy

REFRESH_S: Final = 3
"""A page about work in progress asks again after so many seconds."""


def render_gate(*, max_characters: int, wrong: bool = False) -> str:
    """The page that asks for the password of a report.

    Args:
        max_characters: Of a password.
        wrong: The one that was typed before is not it.
    """
    return _render(
        "This report is protected",
        ["Whoever shared it with you knows the password."],
        form=True,
        max_characters=max_characters,
        problem="That is not the password. Try again." if wrong else "",
    )


def render_waiting() -> str:
    """The page in place of a report that is still being made; asks again by itself."""
    return _render(
        "The report is being made",
        ["The page is being fetched and checked. This usually takes a few seconds; the report then appears here."],
        refresh_s=REFRESH_S,
        working=True,
    )


def render_note(heading: str, *text: str) -> str:
    """A page with a heading and a few sentences, all of them ours."""
    return _render(heading, list(text))


@cache
def share_policy() -> str:
    """The content security policy of these pages: the form may be sent to where it came from, nothing else."""
    return content_policy(_css()).replace("form-action 'none'", "form-action 'self'")


def _render(
    heading: str,
    text: list[str],
    *,
    form: bool = False,
    max_characters: int = 0,
    problem: str = "",
    refresh_s: int = 0,
    working: bool = False,
) -> str:
    return (
        _environment()
        .get_template("share.html.jinja")
        .render(
            heading=heading,
            text=text,
            form=form,
            max_characters=max_characters,
            problem=problem,
            refresh_s=refresh_s,
            working=working,
            css=Markup(_css()),  # noqa: S704 - ours
        )
    )


@cache
def _css() -> str:
    return files("pagegrade.render").joinpath("templates/share.css").read_text(encoding="utf-8")


@cache
def _environment() -> Environment:
    return Environment(
        loader=PackageLoader("pagegrade.render"),
        autoescape=True,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
        keep_trailing_newline=True,
    )
