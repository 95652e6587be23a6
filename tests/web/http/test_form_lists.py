from __future__ import annotations

import pytest

from pagegrade.web.http.form_lists import with_lists
from pagegrade.web.http.forms import parse_pairs


@pytest.mark.parametrize(
    ("body", "expected"),
    [
        (b"urls=a&urls=b", {"urls": ["a", "b"]}),
        (b"urls[]=a&urls%5B%5D=b+c", {"urls": ["a", "b c"]}),
        (b"urls[0]=a&x=1&urls%5B1%5D=%C3%A9", {"urls": ["a", "\u00e9"], "x": "1"}),
        (b"urls=&urls[]=", {"urls": []}),
        (b"urls[]=&urls=a", {"urls": ["a"]}),
        (b"x=1", {"x": "1"}),
        (b"urls[a]=1&other[]=2&urls[1", {"urls[a]": "1", "other[]": "2", "urls[1": ""}),
        (b"", {}),
    ],
)
def test_every_value_of_a_list_is_kept(body: bytes, expected: dict[str, object]) -> None:
    """However libraries write lists into forms; other fields are as they were."""
    assert with_lists(parse_pairs(body, "The form"), body, ("urls",)) == expected
