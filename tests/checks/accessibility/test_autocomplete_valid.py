from __future__ import annotations

import pytest

from pagegrade.checks.accessibility.autocomplete_valid import autocomplete_valid
from pagegrade.model.outcome import NotApplicable
from tests.builders import outcome, run


@pytest.mark.parametrize(
    "html",
    [
        "<input autocomplete='on'>",
        "<input autocomplete='off'>",
        "<input autocomplete='email'>",
        "<input autocomplete='EMAIL'>",
        "<input autocomplete='section-a shipping street-address'>",
        "<input autocomplete='work email'>",
        "<input autocomplete='billing home tel'>",
        "<input autocomplete='username webauthn'>",
        "<input autocomplete='current-password'>",
        "<input autocomplete='cc-exp-month'>",
        "<input autocomplete='address-level4'>",
        "<input autocomplete='pager impp'>",
        "<input autocomplete='fax tel-national'>",
        "<input autocomplete='section-b billing fax tel webauthn'>",
        "<input autocomplete='one-time-code'>",
        "<input autocomplete='none'>",
        "<input autocomplete='false'>",
        "<select autocomplete=country></select>",
        "<textarea autocomplete=street-address></textarea>",
    ],
)
def test_what_is_right_passes(html: str) -> None:
    """Words of the standard in their order, and switches without harm."""
    assert outcome(autocomplete_valid, html).state == "valid"


@pytest.mark.parametrize(
    "html",
    [
        "<input autocomplete='foo'>",
        "<input autocomplete='e-mail'>",
        "<input autocomplete='work name'>",
        "<input autocomplete='section- email'>",
        "<input autocomplete='home work tel'>",
        "<input autocomplete='shipping on'>",
        "<input autocomplete='email,name'>",
        "<input autocomplete='webauthn'>",
        "<input autocomplete='email name'>",
        "<input autocomplete='mobile section-x tel'>",
        "<input autocomplete='nope'>",
        "<input autocomplete='device-imei'>",
        "<input autocomplete='name email'>",
        "<input autocomplete='shipping'>",
        "<input autocomplete=foo role=banner tabindex=0>",
        "<input autocomplete=foo role=combobox tabindex=-1>",
        "<input autocomplete=foo tabindex=-1>",
    ],
)
def test_what_is_wrong_is_shown_where_it_stands(html: str) -> None:
    """Unknown words, wrong order, and places for what is no contact."""
    found = outcome(autocomplete_valid, html)

    assert found.state == "invalid"
    assert found.evidence[0].selector
    assert found.evidence[0].reason


@pytest.mark.parametrize(
    "html",
    [
        "<input>",
        "<input autocomplete=''>",
        "<input autocomplete=foo disabled>",
        "<input autocomplete=foo hidden>",
        "<input autocomplete=foo type=hidden>",
        "<input autocomplete=foo aria-disabled=true>",
        "<input autocomplete=foo readonly>",
        "<input autocomplete=foo aria-readonly=true>",
        "<input autocomplete=foo role=none tabindex=-1>",
        "<input autocomplete=foo role=banner tabindex=-1>",
        "<form autocomplete=foo></form>",
    ],
)
def test_page_without_anything_to_evaluate_is_not_evaluated(html: str) -> None:
    """Nothing of the kind, or only hidden ones: there is no verdict, and no loss."""
    assert isinstance(run(autocomplete_valid, html), NotApplicable)


@pytest.mark.parametrize(("count", "loss"), [(1, 0.5), (10, 1.0), (30, 1.0)])
def test_loss_grows_up_to_ten(count: int, loss: float) -> None:
    """The first costs most, and more than ten cost no more than ten."""
    found = outcome(autocomplete_valid, "<input autocomplete=foo>" * count)

    assert found.loss == pytest.approx(loss)
    assert found.total == count
