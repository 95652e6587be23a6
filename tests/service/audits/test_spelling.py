"""Spellings of a URL are told apart until pages have shown that they need not be."""

from __future__ import annotations

from pagegrade.model.audit import PROVED_BY, SpellingRule, WaitingURL
from pagegrade.service.audits.spelling import Answer, broken, find_spelled, is_verified, learn, others_of
from pagegrade.store.repositories.crawl_urls import SAMPLE, ShownPage


def answer(key: int, other: int, digest: int | None) -> Answer:
    """A page whose other spelling has another final slash."""
    return Answer(key, ShownPage(0, digest), [("slash", other)])


def pairs(*digests: tuple[int | None, int | None]) -> list[Answer]:
    """Both spellings of as many pages."""
    found = []
    for at, (one, other) in enumerate(digests):
        found += [answer(2 * at, 2 * at + 1, one), answer(2 * at + 1, 2 * at, other)]
    return found


def test_five_pages_prove_a_rule_and_four_do_not() -> None:
    """In whichever batches they come."""
    answers = pairs(*((digest, digest) for digest in range(1, PROVED_BY + 1)))
    whole = learn((), answers, {})
    begun = learn((), answers[:-2], {})
    gone_on = learn(begun, answers[-1:], {answers[-2].key: answers[-2].page})

    assert [one.is_proved for one in whole] == [True]
    assert [one.is_proved for one in begun] == [False]
    assert gone_on == whole


def test_what_proves_nothing() -> None:
    """The same content everywhere, as an app shows it before its scripts; and two answers that nothing is there."""
    same = learn((), pairs(*[(5, 5)] * 20), {})
    gone = learn((), pairs(*[(None, None)] * 20), {})

    assert [(one.is_proved, one.disproved) for one in same] == [(False, False)]
    assert gone == ()


def test_one_difference_ends_a_rule() -> None:
    """Other content, or none at all; the host of a rule that was proved is named."""
    proved = learn((), pairs(*((digest, digest) for digest in range(1, PROVED_BY + 1))), {})
    other = learn(proved, pairs((8, 9)), {})
    gone = learn(proved, pairs((8, None)), {})

    assert [one.is_proved for one in other] == [one.is_proved for one in gone] == [False]
    assert broken(proved, other) == broken(proved, gone) == {0}
    assert broken(proved, proved) == frozenset()
    assert broken((), learn((), pairs((8, 9)), {})) == frozenset()


def test_spellings_of_hosts_need_a_known_origin() -> None:
    """A page on another origin that the site does not have is no twin."""
    numbers = {"http://example.com/tea": 1, "http://www.example.com/tea": 2, "http://example.com/tea/": 3}
    ways = others_of("http://example.com/tea", {"http://www.example.com"}, lambda url: numbers.get(url, 0))

    assert ways == [("slash", 3), ("www", 2)]


def test_a_page_that_is_under_way_is_waited_for() -> None:
    """Of two spellings the first is fetched; one that showed no page stands for nothing."""
    rows = [WaitingURL(at, str(at), 0, 1, 0, 0, 0) for at in range(1, 6)]
    others = {1: [2], 2: [1], 3: [30], 4: [40], 5: [50]}
    shown = {30: ShownPage(0, 7), 40: ShownPage(0, None)}
    found = find_spelled(rows, [WaitingURL(50, "50", 0, 1, 0, 0, 0)], others, shown, int)

    assert (found.shown, found.under_way) == ({3}, {2, 5})


def test_one_of_fifty_is_fetched_all_the_same() -> None:
    """So a rule that no longer holds is noticed."""
    assert sum(map(is_verified, range(10 * SAMPLE))) == 10
    assert SpellingRule(0, "slash", tuple(range(PROVED_BY)), disproved=True).is_proved is False
