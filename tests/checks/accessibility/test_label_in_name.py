from __future__ import annotations

import pytest

from pagegrade.checks.accessibility.label_in_name import label_in_name
from pagegrade.model.outcome import NotApplicable
from tests.builders import outcome, run


@pytest.mark.parametrize(
    "html",
    [
        "<a href=/ aria-label='Buy now: boat'>Buy now</a>",
        "<a href=/ aria-label='buy NOW'>Buy now!</a>",
        "<button aria-label=Close>×</button>",
        "<button aria-label=Next>→</button>",
        "<button aria-label=Close>x</button>",
        "<b id=l>Read more about it</b><a href=/ aria-labelledby=l>Read more</a>",
        "<button aria-label='Search by date'>Search by date (DD.MM.YYYY)</button>",
        "<a href=/ aria-label='Report (PDF)'>(PDF)</a>",
        "<a href=/ aria-label='Shop, new window'>Shop (new window)</a>",
        "<button aria-label='model AB12'>Ｍｏｄｅｌ ＡＢ１２</button>",
        "<a href=/ aria-label=新しい会社概要>会社概要</a>",
        "<a href=/ aria-label='Read on'>Read <b class='x sr-only'>about boats</b> on</a>",
        "<a href=/ aria-label=Leave><i class=material-icons>exit_to_app</i></a>",
        "<button aria-label=Leave><i class=material-symbols-rounded>logout</i></button>",
        "<link rel=stylesheet href='//fonts.test/icon?family=Material+Icons'><button aria-label=Find>search</button>",
        "<div role=tab aria-label='Prices and terms'>Prices</div>",
        "<details><summary aria-label='More about it'>More</summary></details>",
    ],
)
def test_what_is_right_passes(html: str) -> None:
    """Symbols are no text, and punctuation does not count."""
    assert outcome(label_in_name, html).state == "same"


@pytest.mark.parametrize(
    "html",
    [
        "<a href=/ aria-label=Checkout>Buy now</a>",
        "<button aria-label='Now buy'>Buy now</button>",
        "<div role=link tabindex=0 aria-label=a>Buy</div>",
        "<button aria-label=Discover>Disco</button>",
        "<div role=tab aria-label=a>Prices</div>",
        "<div role=option aria-labelledby=l>Red</div><b id=l>Blue</b>",
        "<div role=menuitemcheckbox aria-label=a>Wrap</div>",
        "<div role=gridcell aria-label=a>Paid</div>",
        "<details><summary aria-label=a>More</summary></details>",
        "<button aria-label=Leave>search</button>",
        "<a href=/ aria-label=Rates><i aria-hidden=true>Prices</i></a>",
        "<a href=/ aria-label='Page two'>Page 2</a>",
        "<a href=/ aria-label=non-standard>nonstandard</a>",
    ],
)
def test_what_is_wrong_is_shown_where_it_stands(html: str) -> None:
    """Whole words, in their order."""
    found = outcome(label_in_name, html)

    assert found.state == "different"
    assert found.evidence[0].selector
    assert found.evidence[0].reason


@pytest.mark.parametrize(
    "html",
    [
        "<a href=/>x</a>",
        "<a href=/ aria-label=x></a>",
        "<a aria-label=x>Buy</a>",
        "<button aria-label=x hidden>Buy</button>",
        "<div role=tooltip aria-label=a>Next</div>",
        "<div role=tab>Next</div>",
        "<div role=tab aria-label=a hidden>Next</div>",
        "<summary aria-label=a>Next</summary>",
    ],
)
def test_page_without_anything_to_evaluate_is_not_evaluated(html: str) -> None:
    """Nothing of the kind, or only hidden ones: there is no verdict, and no loss."""
    assert isinstance(run(label_in_name, html), NotApplicable)


def test_buttons_of_input_elements_show_their_value() -> None:
    """The attribute is what people see."""
    assert outcome(label_in_name, "<input type=submit value=Send aria-label=Go>").state == "different"
    assert outcome(label_in_name, "<input type=button value=Send aria-label='Send mail'>").state == "same"


def test_value_of_a_combobox_is_no_label() -> None:
    """It changes with the choice."""
    html = "<button role=combobox aria-label=Country>Germany</button>"

    assert isinstance(run(label_in_name, html), NotApplicable)
