from __future__ import annotations

import pytest

from pagegrade.checks.accessibility.aria_hidden_body import MIN_HIDDEN, aria_hidden_body
from tests.builders import outcome


@pytest.mark.parametrize(
    ("html", "state"),
    [
        ("<body aria-hidden=true>x", "hidden"),
        ("<body aria-hidden=' TRUE '>x", "hidden"),
        ("<html aria-hidden=true><body>x", "hidden"),
        ("<body aria-hidden=false>x", "open"),
        ("<body aria-hidden>x", "open"),
        ("<body>x", "open"),
        ("<body inert>x", "inert"),
        ("<html inert=''><body aria-hidden=true>x", "inert"),
        ("<body><dialog inert>x</dialog>", "open"),
        ("<body><p>b</p><div inert>aaaa</div>", "inert"),
        ("<body><p>bb</p><div inert>aaaa</div>", "open"),
        ("<body><div inert>aaaa</div><script src=/a.js></script>", "open"),
        ("<body><div aria-hidden=true>x</div>", "open"),
        (f"<body><main aria-hidden=true>{'a' * MIN_HIDDEN}</main>", "hidden"),
        (f"<body><main aria-hidden=true>{'a' * (MIN_HIDDEN - 1)}</main>", "open"),
        (f"<body><main aria-hidden=true>{'a' * MIN_HIDDEN}</main><script src=/a.js></script>", "open"),
        (f"<body><main aria-hidden=true>{'a' * MIN_HIDDEN}</main><p>{'b' * MIN_HIDDEN}", "open"),
    ],
)
def test_only_the_whole_page_counts(html: str, state: str) -> None:
    """Parts may be hidden, and an empty value hides nothing."""
    assert outcome(aria_hidden_body, html).state == state
