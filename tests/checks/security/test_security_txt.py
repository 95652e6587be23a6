from __future__ import annotations

import pytest

from pagegrade.checks.security.security_txt import security_txt
from pagegrade.model.outcome import NotRun
from tests.builders import evaluated, make_well_known, outcome, run

URL = "https://example.com/.well-known/security.txt"
CONTACT = "Contact: mailto:a@example.com\n"
EXPIRES = "Expires: 2026-06-01T00:00:00Z\n"


def state(body: str, *, status: int = 200, content_type: str = "text/plain; charset=utf-8") -> str:
    """The state of the check for a file; the page was gathered in January 2026."""
    file = make_well_known(body, url=URL, status=status, headers=(("Content-Type", content_type),))
    found = run(security_txt, security_txt=file)
    return "not run" if isinstance(found, NotRun) else outcome(security_txt, security_txt=file).state


@pytest.mark.parametrize(
    ("body", "expected"),
    [
        (CONTACT + EXPIRES, "valid"),
        (EXPIRES.upper() + CONTACT * 3, "valid"),
        ("# Hello\n\n" + CONTACT + EXPIRES + "Preferred-Languages: en, cs\n", "valid"),
        (CONTACT + "Expires: 2026-01-05T12:00:00Z", "expired"),
        (CONTACT + "Expires: 2020-01-01T00:00:00Z", "expired"),
        (CONTACT, "invalid"),
        (EXPIRES, "invalid"),
        ("Contact:\n" + EXPIRES, "invalid"),
        (CONTACT + EXPIRES * 2, "invalid"),
        (CONTACT + "Expires: next year", "invalid"),
        ("Contact : mailto:a@example.com\n" + EXPIRES, "invalid"),
        ("Contact:mailto:a@example.com\n" + EXPIRES, "invalid"),
        ("Contact: a@example.com\n" + EXPIRES, "invalid"),
        ("Contact: http://example.com/report\n" + EXPIRES, "invalid"),
        ("Contact: tel:+1-201-555-0123\n" + EXPIRES, "valid"),
        (CONTACT + EXPIRES + "Policy: http://example.com/policy\n", "invalid"),
        (CONTACT + EXPIRES + "Unknown: anything\n", "valid"),
        (CONTACT + EXPIRES + f"Canonical: {URL}\n", "valid"),
        (
            CONTACT + EXPIRES + f"Canonical: https://a.example/security.txt\nCanonical: {URL.upper()[:19]}{URL[19:]}\n",
            "valid",
        ),
        (CONTACT + EXPIRES + "Canonical: https://a.example/.well-known/security.txt\n", "invalid"),
        (CONTACT + EXPIRES + "Canonical: /.well-known/security.txt\n", "invalid"),
        (CONTACT + EXPIRES + ": mailto:b@example.com\n", "invalid"),
        (CONTACT + EXPIRES + "just words\n", "invalid"),
        (CONTACT + EXPIRES + "Preferred-Languages: en\nPreferred-Languages: de\n", "invalid"),
        (CONTACT + "Expires: Thu, 15 Sep 2033 06:03:46 -0700\n", "invalid"),
        (
            f"-----BEGIN PGP SIGNED MESSAGE-----\nHash: SHA256\n\n{CONTACT}- {EXPIRES}"
            "-----BEGIN PGP SIGNATURE-----\nxyz\n-----END PGP SIGNATURE-----\n",
            "valid",
        ),
        ("nothing here", "absent"),
        ("", "absent"),
        ("<!DOCTYPE html><title>App</title>Contact: x\nExpires: y", "absent"),
        ("\n <html><p>Contact: x", "absent"),
    ],
)
def test_what_the_file_has_to_hold(body: str, expected: str) -> None:
    """A contact and one date in the future; a page in its place is no file."""
    assert state(body) == expected


def test_type_is_plain_text() -> None:
    """Anything else is a fault, though it may be read."""
    assert state(CONTACT + EXPIRES, content_type="text/html") == "invalid"
    assert state(CONTACT + EXPIRES, content_type="Text/Plain") == "valid"


@pytest.mark.parametrize(("status", "expected"), [(404, "absent"), (410, "absent"), (403, "not run"), (500, "not run")])
def test_other_answers(status: int, expected: str) -> None:
    """Only a missing file is missing."""
    assert state(CONTACT, status=status) == expected


def test_it_costs_nothing_and_is_not_guessed() -> None:
    """Not even an expired one; and a file that was not asked for is not evaluated."""
    file = make_well_known(CONTACT, url=URL, headers=(("Content-Type", "text/plain"),))

    assert evaluated(security_txt, security_txt=file).outcome == "informative"
    assert isinstance(run(security_txt), NotRun)
