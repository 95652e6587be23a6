from __future__ import annotations

from typing import Any

from devtools.refresh_languages import module, read_registry
from pagegrade.parse.data import language_subtags

REGISTRY = """File-Date: 2026-09-17
%%
Type: language
Subtag: de
Description: German
Added: 2005-10-16
%%
Type: language
Subtag: el
Description: Modern Greek
  (1453-)
Added: 2005-10-16
%%
Type: language
Subtag: qaa..qtz
Description: Private use
Added: 2005-10-16
%%
Type: language
Subtag: gsw
Description: Swiss German
Added: 2006-03-08
%%
Type: extlang
Subtag: aao
Added: 2009-07-29
Prefix: ar
%%
Type: script
Subtag: Latn
Added: 2005-10-16
%%
Type: region
Subtag: CH
Added: 2005-10-16
%%
Type: region
Subtag: 419
Added: 2005-10-16
%%
Type: variant
Subtag: 1901
Added: 2005-10-16
Prefix: de
%%
Type: grandfathered
Tag: i-klingon
Added: 1999-05-26
"""
"""In the format of RFC 5646, section 3.1.1, with a folded line and a range."""


def tables(text: str) -> dict[str, Any]:
    """The names that a module defines."""
    names: dict[str, Any] = {}
    exec(compile(text, "language_subtags", "exec"), names)  # noqa: S102 - what the caller generated
    return names


def test_subtags_are_packed_by_their_kind() -> None:
    """Lower case, sorted, without ranges for private use."""
    found = tables(module(read_registry(REGISTRY)))

    assert found["TWO_LETTER_LANGUAGES"] == "de el"
    assert found["THREE_LETTER_LANGUAGES"] == "gsw"
    assert found["EXTENDED_LANGUAGES"] == "aao"
    assert found["SCRIPTS"] == "latn"
    assert (found["TWO_LETTER_REGIONS"], found["NUMERIC_REGIONS"]) == ("ch", "419")
    assert (found["VARIANTS"], found["GRANDFATHERED"]) == ("1901", "i-klingon")
    assert (found["DATE"], found["LICENSE"]) == ("2026-09-17", "CC0-1.0")


def test_letters_that_share_their_start_stand_together() -> None:
    """As the committed table has them, in lines that are not too long."""
    records = "".join(f"%%\nType: language\nSubtag: {first}{second}\n" for first in "abc" for second in "xyz")
    others = "\n".join(line for line in REGISTRY.split("%%\nType: language\nSubtag: de\n")[1].splitlines()[2:])
    text = module(read_registry(f"File-Date: 2026-09-17\n{records}{others}\n"))

    assert tables(text)["TWO_LETTER_LANGUAGES"].startswith("axyz bxyz cxyz")
    assert max(map(len, text.splitlines())) <= 120


def test_the_committed_table_reads_back() -> None:
    """Each word has a start and at least one last letter."""
    assert all(len(word) >= 2 for word in language_subtags.TWO_LETTER_LANGUAGES.split())
    assert all(len(word) >= 3 for word in language_subtags.THREE_LETTER_LANGUAGES.split())
    assert "i-klingon" in language_subtags.GRANDFATHERED.split()
