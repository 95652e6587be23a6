"""The traps of ``repeated-text``; what holds for every check is in ``tests/contract/test_checks.py``."""

from __future__ import annotations

import pytest

from pagegrade.checks.content.repeated_text import OFTEN, WHOLE
from pagegrade.model.outcome import NotApplicable
from tests.builders import outcome, run


@pytest.mark.parametrize(
    "sentence",
    [
        "O gato dorme na secção de filosofia.",
        "Музей открыт каждый день кроме понедельника.",
        "工房は標高千メートルの集落にあり夜明け前から窯に火を入れます。",
        "हमारा पुस्तकालय नीम के पेड़ के नीचे शुरू हुआ।",
    ],
)
def test_page_that_repeats_one_sentence_says_nothing_else(sentence: str) -> None:
    """In any script, in one paragraph or in many."""
    often = f"<h1>x</h1><p>{f'{sentence} ' * 60}</p>"

    assert outcome("repeated-text", f"<main>{often}</main>").state == "nothing-else"
    assert outcome("repeated-text", f"<main>{f'<p>{sentence}</p>' * 60}</main>").state == "nothing-else"


def test_refrains_and_short_texts_are_content() -> None:
    """Less than 70 % of the text, less than 800 characters, and fewer than thirty times."""
    long = "<p>" + " ".join(f"Une phrase longue et nouvelle, la {n}e de ce texte." for n in range(20)) + "</p>"

    assert outcome("repeated-text", f"<main>{long * (WHOLE - 1)}</main>").state == "varied"
    assert outcome("repeated-text", f"<main>{long * WHOLE}</main>").state == "nothing-else"
    refrain = "<p>Et la mer revient, revient toujours, et la mer revient.</p>"
    verses = [f"<p>Le vent numéro {n} porte une barque nouvelle vers le phare {n}</p>{refrain}" for n in range(40)]

    assert outcome("repeated-text", f"<main>{''.join(verses)}</main>").state == "varied"
    assert isinstance(run("repeated-text", f"<main>{refrain * 7}</main>"), NotApplicable)
    assert outcome("repeated-text", f"<main>{refrain * (OFTEN - 1)}</main>").state == "varied"
    assert outcome("repeated-text", f"<main>{refrain * OFTEN}</main>").state == "nothing-else"
