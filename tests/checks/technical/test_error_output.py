from __future__ import annotations

from pagegrade.checks.technical.error_output import error_output
from tests.builders import evaluated, outcome

WARNING = "<b>Warning</b>: x in <b>/a/b.php</b> on line <b>3</b><br>"
FATAL = "<b>Fatal error</b>: Uncaught x in <b>/a/b.php</b> on line <b>3</b><br>"


def test_a_warning_costs_less_than_an_error_that_stopped_the_page() -> None:
    """Beside the content, or in its place."""
    warning = evaluated(error_output, f"<title>x</title><h1>Shop</h1><p>Benches {WARNING}")
    fatal = evaluated(error_output, f"<title>x</title>{WARNING}{FATAL}")

    assert warning.loss is not None
    assert 0 < warning.loss < 1
    assert fatal.loss == 1


def test_messages_are_shown() -> None:
    """With what they say, so that the owner finds them in the code."""
    found = outcome(error_output, f"<title>x</title>{FATAL}{WARNING}")

    assert [one.snippet for one in found.evidence] == [
        "Fatal error: Uncaught x in /a/b.php on line 3",
        "Warning: x in /a/b.php on line 3",
    ]
    assert found.total == 2


def test_ordinary_page_is_clean() -> None:
    """Most pages are."""
    assert outcome(error_output, "<title>x</title><p>Benches").state == "clean"


ROWS = (("DOCUMENT_ROOT", "/var/www/shop"), ("$_SERVER['REMOTE_ADDR']", "203.0.113.9"), ("Build Date", "Jun 14"))


def test_variables_of_the_server_beside_their_values_are_public() -> None:
    """A table that explains them has words there."""
    page = "<title>Школа</title><h1>Новости</h1><p>Расписание и обеды.</p><table>{}</table>"
    dumped = "".join(f"<tr><td>{name}</td><td>{value}</td></tr>" for name, value in ROWS)
    explained = "".join(f"<tr><td>{name}</td><td>Holds a part of the request</td></tr>" for name, _ in ROWS)

    assert outcome(error_output, page.format(dumped)).state == "environment"
    assert outcome(error_output, page.format(explained)).state == "clean"


def test_toolbar_of_a_framework_shows_the_environment() -> None:
    """On a public page; the machine of a developer is none."""
    page = "<title>Boats</title><h1>Boats</h1><p>For hire.</p><div id=djDebug><div id=djDebugToolbar></div></div>"

    assert outcome(error_output, page, url="https://otterline.example/").state == "environment"
    assert outcome(error_output, page, url="http://localhost:8000/").state == "clean"
