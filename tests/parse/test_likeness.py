"""Pages that say the same are alike in any script; sharing a site's surroundings does not make them so."""

from __future__ import annotations

import pytest

from pagegrade.parse.likeness import (
    ALIKE,
    MAX_ABOUT,
    MIN_ABOUT,
    digest_of,
    is_about_another,
    likeness,
    may_be_alike,
    own_share,
    simhash_of,
)
from tests.builders import make_document, make_response

AROUND = (
    "<header><a href=/>Kestrelford</a><nav><a href=/a>Ένα</a><a href=/b>Δύο</a></nav></header><main>{}</main>"
    "<footer>2026</footer>"
)


def alike(one: str, other: str) -> float:
    """The likeness of two main parts with the same surroundings."""
    return likeness(make_document(AROUND.format(one)), make_document(AROUND.format(other)))


@pytest.mark.parametrize(
    "text",
    [
        "<h1>Nothing is kept at {}</h1><p>Begin again on the front page, or use the search.</p>",
        "<h1>Эта страница {} закрыта</h1><p>Вернитесь завтра, мы работаем над сайтом.</p>",
        "<h1>الموقع مغلق</h1><p>عد غدا من فضلك، رقم الطلب {}.</p>",
        "<h1>ご覧のページはありません</h1><p>{} は削除されたか、場所が変わりました。</p>",
        "<h1>ไม่พบสิ่งนี้</h1><p>{} อาจถูกย้ายไปแล้ว กลับไปหน้าแรกเพื่อเริ่มใหม่อีกครั้ง</p>",
        "<h1>यह यहाँ नहीं है</h1><p>{} हटा दिया गया है, मुख पृष्ठ से फिर आरंभ करें।</p>",
    ],
)
def test_the_same_page_with_another_name_and_number_is_alike(text: str) -> None:
    """Addresses and numbers of requests change from one answer to the next."""
    assert alike(text.format("4471"), text.format("90312")) >= ALIKE


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("<p>We plane each board by hand.</p>", "<p>Nothing is kept at this address.</p>"),
        ("<p>毎朝パンを焼いています。</p>", "<p>ページが見つかりません。</p>"),
        ("<p>Ψήνουμε ψωμί κάθε πρωί.</p>", "<p>Αυτή η σελίδα δεν υπάρχει.</p>"),
    ],
)
def test_pages_that_share_their_surroundings_are_not_alike(one: str, other: str) -> None:
    """Header, menu and footer are those of the whole site."""
    assert alike(one, other) < 0.6


def test_nothing_is_alike_to_nothing() -> None:
    """Shells without text say nothing about each other."""
    assert alike("", "") == 1.0  # their surroundings are all that they say
    assert likeness(make_document("<div id=root></div>"), make_document("<div id=root></div>")) == 0.0


@pytest.mark.parametrize(
    ("sizes", "expected"), [((100, 120), True), ((100, 900), False), ((0, 0), False), ((0, 9), False)]
)
def test_only_answers_of_about_one_size_are_compared(sizes: tuple[int, int], *, expected: bool) -> None:
    """A parse costs more than a look at the number of bytes."""
    one, other = (make_response(b"x" * size) for size in sizes)

    assert may_be_alike(one, other) is expected


def test_own_share_is_what_the_other_page_does_not_have() -> None:
    """Header and footer, which both have, leave what the page says by itself."""
    frame = "<p>ერთი ორი სამი</p>{}<p>ოთხი</p>"
    page = make_document(frame.format("<h1>ახალი ამბავი</h1><p>დღეს წვიმს</p>"))

    assert own_share(page, make_document(frame.format("<h1>404</h1>"))) == 0.5
    assert own_share(page, page) == 0.0
    assert own_share(make_document(""), page) == 0.0


WORDS = [f"w{chr(97 + index % 26)}{chr(97 + index // 26)}" for index in range(400)]


def main_of(words: list[str], around: str = AROUND) -> str:
    """A page with these words."""
    return around.format(f"<p>{' '.join(words)}</p>")


def test_a_changed_word_changes_few_bits_of_the_simhash() -> None:
    """And another text about half of them; the order of words counts."""
    page = simhash_of(make_document(main_of(WORDS)))
    changed = simhash_of(make_document(main_of([*WORDS[:200], "other", *WORDS[201:]])))
    turned = simhash_of(make_document(main_of(WORDS[::-1])))

    assert (page ^ changed).bit_count() <= 3
    assert 20 <= (page ^ turned).bit_count() <= 44
    assert 0 < page < 1 << 64


def test_fingerprints_are_of_the_main_content() -> None:
    """Header, menu and footer say the same on every page of a site."""
    one, other = make_document(main_of(WORDS)), make_document(main_of(WORDS, "<header>Other</header><main>{}</main>"))

    assert simhash_of(one) == simhash_of(other)
    assert digest_of(one) == digest_of(other)
    assert digest_of(one) != digest_of(make_document(main_of(WORDS[1:])))
    assert simhash_of(make_document("<main></main>")) == 0


TEXTS = {
    "de": (
        "Fahrräder reparieren in Leipzig",
        "In unserer Werkstatt leihen wir Werkzeug zum Schrauben aus.",
        "Petersilie säen wir im März, sobald der Boden warm genug ist, und nach vierzehn Tagen zeigen sich Blätter. ",
    ),
    "uk": (
        "Яблука та розсада біля Полтави",
        "Вирощуємо старі сорти дерев і продаємо саджанці навесні.",
        "Самовар гріє воду для чаю, а господиня ставить на стіл варення, бублики та мед для гостей з міста. ",
    ),
    "ar": (
        "دروس الخط العربي في عمان القديمة",
        "نعلم الكبار والصغار كتابة الحروف بالقصب والحبر.",
        "يزرع جيراننا الطماطم والخيار قرب النهر ويسقون الأرض كل صباح قبل شروق الشمس في الصيف. ",
    ),
    "ja": (
        "天然酵母の食パン",
        "長野の山間で焼菓子を販売しています。週末営業。",
        "自転車の修理は部品を外し、油を差して車輪を調整するだけです。道具は貸出しています。",
    ),
}


@pytest.mark.parametrize("language", TEXTS)
def test_text_without_a_word_of_its_name_is_about_another(language: str) -> None:
    """One word is enough, and short texts, names of few words and pages with code are not judged."""
    title, description, sentence = TEXTS[language]
    head = f"<html lang={language}><title>{title}</title><meta name=description content='{description}'>"
    name = f"{head}<h1>{title}</h1><p>{description}</p>"
    least = MIN_ABOUT // len(sentence) + 1

    def is_other(body: str, start: str = name) -> bool:
        return is_about_another(make_document(f"{start}<main><p>{body}</p></main>"))

    assert is_other(sentence * least)
    assert not is_other(f"{sentence * least} {description}")
    assert not is_other(sentence * (250 // len(sentence)))
    assert not is_other(f"{sentence * least} <code>a</code>")
    assert not is_other(sentence * least, f"<title>{title[:4]}</title><h1>{title[:4]}</h1>")
    assert not is_other(sentence * least, head)


@pytest.mark.parametrize(("more", "is_other"), [(0, False), (80, True)])
def test_beginning_of_a_text_says_what_it_is_about(more: int, *, is_other: bool) -> None:
    """A word far behind it is not found."""
    title, description, sentence = TEXTS["de"]
    filling = (sentence * (MAX_ABOUT // len(sentence) + 2))[: MAX_ABOUT - 60 + more]
    page = f"<title>{title}</title><meta name=description content='{description}'><h1>{title}</h1>"

    assert is_about_another(make_document(f"{page}<main><p>{filling} Fahrräder</p></main>")) is is_other
