"""The rendering modes of the HTML standard's table."""

from __future__ import annotations

import pytest

from pagegrade.model.document import Doctype
from pagegrade.parse.doctype import rendering_mode
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
    ],
)
def test_mode_is_what_browsers_choose(markup: str, mode: str) -> None:
    """By public and system identifier, not by how the line looks."""
    assert make_document(f"{markup}<title>x</title>").mode == mode


def test_old_system_identifier_means_quirks() -> None:
    """One system identifier alone has the old mode."""
    system = "http://www.ibm.com/data/dtd/v11/ibmxhtml1-transitional.dtd"

    assert rendering_mode(Doctype(name="html", public_id=None, system_id=system, line=1)) == "quirks"
