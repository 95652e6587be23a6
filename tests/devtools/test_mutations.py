from __future__ import annotations

import pytest

from devtools.mutations import COUNTED, GRAVE, WHOLE

PAGE = (
    '<!doctype html><html lang="en"><head><title>Pond</title><style>p {color: red}</style></head>'
    "<body><nav><a href=/>Home</a></nav><main><h1>The garden pond</h1><p>It needs care in every season.</p>"
    "<script>let a = '<p>text</p>'</script></main></body></html>"
)
BARE = "<p>A page without a head, a body or a main part of its own."


@pytest.mark.parametrize("fault", COUNTED)
@pytest.mark.parametrize("html", [PAGE, BARE])
def test_a_counted_fault_is_added_as_often_as_asked_for(fault: str, html: str) -> None:
    """And everything that was there stays."""
    once, often = COUNTED[fault](html, 1), COUNTED[fault](html, 7)

    assert len(html) < len(once) < len(often)
    assert COUNTED[fault](html, 0) == html


@pytest.mark.parametrize("fault", WHOLE)
@pytest.mark.parametrize("html", [PAGE, BARE])
def test_a_fault_of_the_whole_page_changes_it(fault: str, html: str) -> None:
    """Also a page that leaves out what it may; scripts and styles are no text."""
    changed = WHOLE[fault](html)

    assert changed != html
    assert html != PAGE or fault == "emptied main" or "<script>let a = '<p>text</p>'</script>" in changed


def test_grave_faults_are_some_of_them() -> None:
    """More than thirty kinds together."""
    assert set(WHOLE) > GRAVE
    assert len({*COUNTED, *WHOLE}) >= 30
