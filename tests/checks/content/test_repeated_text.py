"""The traps of ``repeated-text``; what holds for every check is in ``tests/contract/test_checks.py``."""

from __future__ import annotations

import pytest

from pagegrade.checks.content.repeated_text import MIN_COLUMNS, MIN_PARTS, MIN_SAME, MIN_VERSES, OFTEN, WHOLE
from pagegrade.model.outcome import NotApplicable, Outcome
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
    sung = " ".join(["Et la mer revient, revient toujours, et la mer revient."] * (OFTEN - 1))

    assert isinstance(run("repeated-text", f"<main><p>{sung[:700]}</p></main>"), NotApplicable)
    assert outcome("repeated-text", f"<main><p>{sung}</p></main>").state == "varied"
    assert outcome("repeated-text", f"<main><p>{sung} {sung[:56]}</p></main>").state == "nothing-else"


def test_same_message_in_each_part_says_nothing_else() -> None:
    """From four parts on; what stands in each card of a list beside its name and price is a detail."""
    message = "[an error occurred while processing this directive]"
    parts = [f"<h2>Part {n}</h2><p>{message}</p>" for n in range(MIN_SAME)]
    items = "".join(f"<li>{part}</li>" for part in parts)
    cards = [
        f"<h3>Armchair number {n}</h3><p>In stock, sent within two days</p><a>Add to cart {n}</a>" for n in range(20)
    ]

    assert outcome("repeated-text", f"<main>{''.join(parts)}</main>").state == "nothing-else"
    assert outcome("repeated-text", f"<main><ul>{items}</ul></main>").state == "nothing-else"
    assert isinstance(run("repeated-text", f"<main>{''.join(parts[1:])}</main>"), NotApplicable)
    assert outcome("repeated-text", f"<main>{''.join(cards)}</main>").state == "varied"


@pytest.mark.parametrize(
    "message",
    [
        "KOTA TERJEMAHAN HARI INI HABIS, COBA LAGI BESOK PAGI",
        "本日の翻訳の上限に達しました。本日の翻訳の上限に",
        "Лимит переводов на сегодня исчерпан, попробуйте завтра",
    ],
)
def test_same_message_in_items_counts_beside_that_in_paragraphs(message: str) -> None:
    """In the items alone it says nothing of the text: a list may repeat the state of its goods."""
    part = "<h2>Teil {n}</h2><p>{m}</p><ul><li>22 m²</li><li>{m}</li><li>{m}</li></ul>"
    parts = "".join(part.format(n=n, m=message) for n in range(MIN_SAME))
    alone = parts.replace(f"<p>{message}</p>", "<p>4</p>")

    assert outcome("repeated-text", f"<main>{parts}</main>").state == "nothing-else"
    assert isinstance(run("repeated-text", f"<main>{alone}</main>"), NotApplicable)


@pytest.mark.parametrize(
    "message",
    [
        "Not available this week, and free again from the eighth on",
        "今週は満室のためご予約いただけませんのでご了承ください",
        "На этой неделе занято, свободно снова с восьмого числа",
        "غير متاح هذا الأسبوع، ويعود متاحاً من اليوم الثامن من الشهر",
    ],
)
@pytest.mark.parametrize(
    "form",
    [
        "<table><tr>" + "<td>{m}</td>" * 18 + "<td><p>{m}</p></td>" * 6 + "</tr></table>",
        "<table><tr>" + "<td><p>{m}</p></td>" * 24 + "</tr></table>",
        "<ul>" + "<li><p>{m}</p></li>" * 24 + "</ul>",
        "<dl>" + "<dt>Foz</dt><dd><p>{m}</p></dd>" * 24 + "</dl>",
        "<h2>Lapa</h2><p>{m}</p>" * (MIN_SAME - 1) + "<ul>" + "<li>{m}</li>" * 20 + "</ul>",
        "<h2>Lapa</h2><p>{m}</p>" * MIN_SAME + "<p>A room above the river</p>" + "<ul>" + "<li>{m}</li>" * 20 + "</ul>",
    ],
)
def test_tables_and_lists_repeat_a_state(form: str, message: str) -> None:
    """However their cells and items are written, and beside fewer paragraphs that say it."""
    found = run("repeated-text", f"<main><h1>July</h1>{form.format(m=message)}</main>")

    assert isinstance(found, NotApplicable) or found == Outcome("varied", value=0)


@pytest.mark.parametrize(
    "state",
    [
        "Operational, no incidents.",
        "Sold out – returns at the box office",
        "Bis Ende September belegt, danach wieder frei.",
        "Открыто с девяти до шести без обеда",
        "本日は満席です。次は金曜日です。",
        "مفتوح من السابعة صباحاً حتى العاشرة",
        "다음 주 월요일부터 예약할 수 있습니다",
        "เปิดทุกวันเจ็ดโมงเช้าถึงสี่ทุ่ม",
    ],
)
def test_state_of_each_thing_is_no_message(state: str) -> None:
    """Of the parts of a service, of rooms, of days."""
    parts = "".join(f"<section><h2>Nr. {n}</h2><p>{state}</p></section>" for n in range(6))

    assert isinstance(run("repeated-text", f"<main><h1>Kite</h1>{parts}</main>"), NotApplicable)


@pytest.mark.parametrize(("columns", "headings", "is_all"), [(0, 0, True), (-1, 0, False), (0, -1, False)])
def test_only_a_message_of_this_width_below_so_many_headings_is_all(
    columns: int, headings: int, *, is_all: bool
) -> None:
    """At both limits and one past them; a round repeats its text below one name."""
    message = "a message of a fault that stands in place of what follows"[: MIN_COLUMNS + columns]
    parts = "".join(f"<h2>{n}</h2>" for n in range(MIN_PARTS + headings))
    found = run("repeated-text", f"<main><h1>x</h1>{f'<p>{message}</p>' * MIN_SAME}{parts}</main>")
    verses = run("repeated-text", f"<main><h1>x</h1>{f'<p>{message}</p>' * MIN_VERSES}</main>")
    fewer = run("repeated-text", f"<main><h1>x</h1>{f'<p>{message}</p>' * (MIN_VERSES - 1)}</main>")

    assert (isinstance(found, Outcome) and found.state == "nothing-else") == is_all
    assert (isinstance(verses, Outcome) and verses.state == "nothing-else") == (columns == 0)
    assert isinstance(fewer, NotApplicable)
