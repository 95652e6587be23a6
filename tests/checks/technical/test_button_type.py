from __future__ import annotations

import pytest

from pagegrade.checks.technical.button_type import button_type
from tests.builders import evaluated, outcome


@pytest.mark.parametrize(
    ("html", "count"),
    [
        ("<form><button>Send</button></form>", 1),
        ("<form><select><button><selectedcontent></selectedcontent></button><option>a</select></form>", 0),
        ("<form><p><b><button class=x>Send</button></b></form>", 1),
        ("<form id=f></form><button form=f>Send</button>", 1),
        ("<form role=search><button>Find</button></form>", 1),
        ("<form><button type=send>Send</button></form>", 1),
        ("<form><button type>Send</button></form>", 1),
        ("<form><button type=button>Menu</button></form>", 0),
        ("<form><button type=reset>Clear</button></form>", 0),
        ("<form><button TYPE=submit>Send</button></form>", 0),
        ("<button type=menu>Menu</button>", 1),
        ("<button type=''>Menu</button>", 1),
        ("<button type=Submit>Send</button>", 0),
        ("<button>Menu</button>", 0),
        ("<form></form><button>Menu</button>", 0),
        ("<form role=button><input type=submit></form><button>Menu</button>", 0),
        ("<form><input type=submit></form>", 0),
        ("<form><template><button>x</button></template></form>", 0),
        ("", 0),
    ],
)
def test_buttons_of_forms_without_a_type(html: str, count: int) -> None:
    """None inside a form or tied to one, or an unknown one anywhere; other buttons submit nothing."""
    found = outcome(button_type, "<form><button type=submit>Go</button></form>" + html)

    assert (found.value, found.state) == (count, "untyped" if count else "typed")


def test_it_costs_nothing_and_shows_a_hundred() -> None:
    """Submitting is often what is wanted."""
    found = evaluated(button_type, "<form>" + "<button>x</button>" * 300)

    assert found.outcome == "informative"
    assert len(outcome(button_type, "<form>" + "<button>x</button>" * 300).evidence) == 100
