"""The rendering modes of the HTML standard's table."""

from __future__ import annotations

from types import SimpleNamespace

import pytest

from pagegrade.model.document import Doctype
from pagegrade.parse.html.doctype import is_malformed, rendering_mode
from tests.builders import make_document

XHTML_STRICT = '"-//W3C//DTD XHTML 1.0 Strict//EN" "http://www.w3.org/TR/xhtml1/DTD/xhtml1-strict.dtd"'
XHTML_TRANSITIONAL = (
    '"-//W3C//DTD XHTML 1.0 Transitional//EN" "http://www.w3.org/TR/xhtml1/DTD/xhtml1-transitional.dtd"'
)


@pytest.mark.parametrize(
    ("markup", "mode"),
    [
        ("<!doctype html>", "no-quirks"),
        ("<!DOCTYPE HTML>", "no-quirks"),
        ('<!doctype html SYSTEM "about:legacy-compat">', "no-quirks"),
        (f"<!DOCTYPE html PUBLIC {XHTML_STRICT}>", "no-quirks"),
        (f"<!DOCTYPE html PUBLIC {XHTML_TRANSITIONAL}>", "limited-quirks"),
        ('<!DOCTYPE html PUBLIC "-//W3C//DTD HTML 4.01//EN" "http://www.w3.org/TR/html4/strict.dtd">', "no-quirks"),
        ('<!DOCTYPE html PUBLIC "-//W3C//DTD HTML 4.01 Transitional//EN" "http://x">', "limited-quirks"),
        ('<!DOCTYPE html PUBLIC "-//W3C//DTD HTML 4.01 Transitional//EN">', "quirks"),
        ('<!DOCTYPE html PUBLIC "-//IETF//DTD HTML 2.0//EN">', "quirks"),
        ('<!DOCTYPE html PUBLIC "-//W3C//DTD HTML 3.2 Final//EN">', "quirks"),
        ('<!DOCTYPE html PUBLIC "HTML">', "quirks"),
        ("<!DOCTYPE svg>", "quirks"),
        ("<!DOCTYPE>", "quirks"),
        ("", "quirks"),
        ("text first <!doctype html>", "quirks"),
        ("<!-- a comment --><!doctype html>", "no-quirks"),
        ("<!doctypehtml>", "no-quirks"),
        ('<!doctype html SYSTEM"about:legacy-compat">', "no-quirks"),
        ('<!doctype html SYSTEM "about:legacy-compat" more>', "no-quirks"),
        ("<!doctype html><!doctype html more>", "no-quirks"),
        ("<!doctype html><p><!doctype>", "no-quirks"),
        ("<!doctype html more>", "quirks"),
        ("<!doctype html SYSTEM>", "quirks"),
        ("<!doctype html PUBLIC>", "quirks"),
        ("<!doctype html SYSTEM about:legacy-compat>", "quirks"),
        ("<!doctype html SYSTEM 'about:legacy-compat\">", "quirks"),
        ('<!doctype html PUBLIC "-//W3C//DTD HTML 4.01//EN"', "quirks"),
        ('<!doctype html PUBLIC "x"y>', "quirks"),
        ('<!doctype html [<!ENTITY a "b">]>', "quirks"),
        ("<!doctype html more><!doctype html>", "quirks"),
    ],
)
def test_mode_is_what_browsers_choose(markup: str, mode: str) -> None:
    """By public and system identifier, not by how the line looks."""
    assert make_document(f"{markup}<title>x</title>").mode == mode


@pytest.mark.parametrize(
    "code", ["unexpected-character-after-doctype-system-identifier", "missing-whitespace-before-doctype-name"]
)
def test_slips_that_browsers_overlook_change_no_mode(code: str) -> None:
    """Only some mistakes in the declaration give quirks mode."""
    assert not is_malformed([SimpleNamespace(code=code, line=1, col=5)], {code})


def test_old_system_identifier_means_quirks() -> None:
    """One system identifier alone has the old mode."""
    system = "http://www.ibm.com/data/dtd/v11/ibmxhtml1-transitional.dtd"

    assert rendering_mode(Doctype(name="html", public_id=None, system_id=system, line=1)) == "quirks"
