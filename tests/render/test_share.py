from __future__ import annotations

import base64
import hashlib
import re

import pytest

from pagegrade.render.html import render_html, report_policy
from pagegrade.render.share import REFRESH_S, render_gate, render_note, render_waiting, share_policy
from tests.report_builders import make_report

PAGES = {
    "gate": render_gate(max_characters=128),
    "wrong": render_gate(max_characters=128, wrong=True),
    "waiting": render_waiting(),
    "note": render_note("Nothing here", "Ask <b>somebody</b>."),
}


def style_hash(html: str) -> str:
    """What a browser computes of the page's style sheet."""
    css = re.search(r"<style>(.*?)</style>", html, re.DOTALL)
    if css is None:
        raise AssertionError("no style sheet")
    return "'sha256-" + base64.b64encode(hashlib.sha256(css[1].encode()).digest()).decode() + "'"


@pytest.mark.parametrize("name", PAGES)
def test_a_page_stands_for_itself(name: str) -> None:
    """No script, no style but the one the policy names, nothing loaded, one heading, its language."""
    html = PAGES[name]

    assert html.startswith('<!doctype html>\n<html lang="en">')
    assert "<script" not in html
    assert " style=" not in html
    assert re.findall(r'(?:src|href)="(?!data:)', html) == []
    assert html.count("<h1>") == 1
    assert style_hash(html) in share_policy()


def test_the_report_is_drawn_by_the_policy_it_is_sent_with() -> None:
    """The header and the page name the same style sheet."""
    assert style_hash(render_html([make_report()])) in report_policy()


def test_a_form_can_be_sent_from_the_gate_only() -> None:
    """To where it came from; a report has none."""
    assert "form-action 'self'" in share_policy()
    assert "form-action 'none'" in report_policy()
    assert [name for name in PAGES if "<form" in PAGES[name]] == ["gate", "wrong"]
    assert 'maxlength="128"' in PAGES["gate"]
    assert 'autocomplete="off"' in PAGES["gate"]


def test_a_wrong_password_is_told_at_the_field() -> None:
    """To those who listen to the page as well."""
    assert 'aria-describedby="problem"' in PAGES["wrong"]
    assert 'role="alert"' in PAGES["wrong"]
    assert "problem" not in PAGES["gate"].partition("</style>")[2]


def test_only_a_page_about_work_asks_again() -> None:
    """After a few seconds, without scripts."""
    assert f'<meta http-equiv="refresh" content="{REFRESH_S}">' in PAGES["waiting"]
    assert [name for name in PAGES if "http-equiv" in PAGES[name]] == ["waiting"]


def test_text_is_text() -> None:
    """Also ours."""
    assert "Ask &lt;b&gt;somebody&lt;/b&gt;." in PAGES["note"]
