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
    ],
)
def test_page_without_anything_to_judge_is_not_judged(html: str) -> None:
    """Nothing of the kind, or only hidden ones: there is no verdict, and no loss."""
    assert isinstance(run(label_in_name, html), NotApplicable)
