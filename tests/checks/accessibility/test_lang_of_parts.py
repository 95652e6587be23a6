from __future__ import annotations

import pytest

from pagegrade.checks.accessibility.lang_of_parts import lang_of_parts
from tests.builders import outcome


@pytest.mark.parametrize(
    "html",
    [
        "<p lang=de>Hallo</p>",
        "<p lang=''>Kwa</p>",
        "<p lang='en-XX-bogus'>x</p>",
        "<p lang=xyzzy></p>",
        "<p lang=germn hidden>x</p>",
        "<div lang=qqqq><p lang=fr>Bonjour</p></div>",
        "<p lang=zxx>x</p>",
        "<p lang=qaa>x</p>",
        "<p lang=germn style='display:none'>x</p>",
        "<p lang=en-US-GB>x</p>",
        "<p xml:lang=germn>x</p>",
        "<p lang=germn><span style='display:none'>x</span></p>",
        "<div lang=germn><img alt='' src=a></div>",
        "<svg lang=germn><text>x</text></svg>",
        "<iframe lang=germn></iframe>",
    ],
)
def test_what_is_right_passes(html: str) -> None:
    """Only the language itself is evaluated, and only where something is to be read."""
    assert outcome(lang_of_parts, "<i lang=fr>oui</i>" + html).state == "known"


@pytest.mark.parametrize(
    "html",
    [
        "<p lang=germn>Hallo</p>",
        "<p lang='  '>x</p>",
        "<p lang=en_US>x</p>",
        "<p lang=x-pig>x</p>",
        "<p lang=i-klingon>x</p>",
        "<p lang=gr>x</p>",
        "<div lang=qqqq><img alt='Two boats' src=b></div>",
        "<div lang=qqqq><p><b>x</b></p></div>",
        "<p lang=eng>x</p>",
        "<div lang=english><p aria-hidden=true>x</p></div>",
        "<p lang=english style='position:absolute;top:-9999px'>x</p>",
        "<iframe lang=germn title=Karte></iframe>",
    ],
)
def test_what_is_wrong_is_shown_where_it_stands(html: str) -> None:
    """Unregistered languages, underscores and blanks name nothing."""
    found = outcome(lang_of_parts, html)

    assert found.state == "unknown"
    assert found.evidence[0].selector
    assert found.evidence[0].reason


@pytest.mark.parametrize(("count", "loss"), [(1, 0.5), (10, 1.0), (30, 1.0)])
def test_loss_grows_up_to_ten(count: int, loss: float) -> None:
    """The first costs most, and more than ten cost no more than ten."""
    found = outcome(lang_of_parts, "<p lang=germn>x</p>" * count)

    assert found.loss == pytest.approx(loss)
    assert found.total == count
