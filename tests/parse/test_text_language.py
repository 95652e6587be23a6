"""Languages of texts, in many scripts."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pagegrade.parse.text_language import (
    MIN_DIFFERENT,
    MIN_LETTERS,
    detect_language,
    is_same_language,
    right_to_left_ratio,
)

SENTENCES = {
    "en": "We water the garden every morning, and in autumn we collect the fallen leaves from the pond. ",
    "de": "Wir gießen den Garten jeden Morgen, und im Herbst sammeln wir das Laub aus dem Teich. ",
    "fr": "Nous arrosons le jardin tous les matins, et en automne nous ramassons les feuilles mortes de l’étang. ",
    "pl": "Każdego ranka podlewamy ogród, a jesienią zbieramy z oczka wodnego opadłe liście. ",
    "fi": "Kastelemme puutarhaa joka aamu, ja syksyllä keräämme pudonneet lehdet lammesta. ",
    "vi": "Chúng tôi tưới vườn mỗi buổi sáng, và vào mùa thu chúng tôi nhặt lá rụng trong ao. ",
    "el": "Ποτίζουμε τον κήπο κάθε πρωί και το φθινόπωρο μαζεύουμε τα πεσμένα φύλλα από τη λίμνη. ",
    "ru": "Каждое утро мы поливаем сад, а осенью собираем опавшие листья из пруда. ",
    "ar": "نسقي الحديقة كل صباح، وفي الخريف نجمع الأوراق المتساقطة من البركة. ",
    "he": "אנחנו משקים את הגינה בכל בוקר, ובסתיו אוספים את העלים שנשרו אל הבריכה. ",
    "hi": "हम हर सुबह बगीचे में पानी देते हैं और पतझड़ में तालाब से गिरे हुए पत्ते इकट्ठा करते हैं। ",
    "th": "เรารดน้ำสวนทุกเช้า และในฤดูใบไม้ร่วงเราเก็บใบไม้ที่ร่วงลงในสระน้ำ ",
    "ja": "毎朝庭に水をやり、秋には池に落ちた葉を集めます。冬の前に水草を切りそろえます。",
    "ko": "우리는 매일 아침 정원에 물을 주고 가을에는 연못에 떨어진 낙엽을 모읍니다. ",
    "zh": "我们每天早上给花园浇水，秋天把落在池塘里的树叶收集起来，冬天之前修剪水草。",
}


@pytest.mark.parametrize("language", SENTENCES)
def test_a_language_is_recognized(language: str) -> None:
    """A few sentences are enough in any script."""
    assert detect_language(SENTENCES[language] * 10) == language


@pytest.mark.parametrize(
    "text",
    [
        "",
        "We water the garden.",
        SENTENCES["en"] * 10 + SENTENCES["ja"] * 20,
        "1234 5678 — 90 % ★ " * 40,
        "Lorem ipsum dolor sit amet, consectetur adipiscing elit, sed do eiusmod tempor. " * 10,
        "def gather(url): return guard.fetch(url, ttl=30)\n" * 2,
        "\ud800" * MIN_LETTERS,
    ],
)
def test_what_is_not_certain_has_no_language(text: str) -> None:
    """Short and mixed texts, numbers and signs."""
    assert detect_language(text) == ""


@pytest.mark.parametrize("declared", ["de", "lb", "tlh", "mul"])
def test_what_may_be_in_the_expected_language_is_not_examined_further(declared: str) -> None:
    """The languages that are hardly distinguishable from it, and those that the detector does not know, count too."""
    text = SENTENCES["de"] * 10

    assert detect_language(text, unless=("fr", declared)) == ""
    assert detect_language(text, unless=("fr", "en")) == "de"


@given(st.text(max_size=2_000))
def test_any_text_is_examined(text: str) -> None:
    """Text comes from the world, halves of surrogate pairs and controls included."""
    assert detect_language(text) == detect_language(text)
    assert 0 <= right_to_left_ratio(text) <= 1


@pytest.mark.parametrize(
    ("declared", "detected", "expected"),
    [
        ("en", "en", True),
        ("en", "de", False),
        ("ja", "zh", False),
        ("nb", "no", True),
        ("nn", "da", True),
        ("yue", "zh", True),
        ("iw", "he", True),
        ("hr", "sr", True),
        ("tlh", "de", True),
        ("mul", "de", True),
        ("", "de", True),
    ],
)
def test_close_and_unknown_languages_are_no_contradiction(declared: str, detected: str, expected: bool) -> None:  # noqa: FBT001 - a table
    """A detector exchanges Danish and Norwegian, and does not know Klingon."""
    assert is_same_language(declared, detected) is expected


@pytest.mark.parametrize(
    ("text", "ratio"), [("", 0), ("garden 12", 0), ("גינה", 1), ("גן ab", 0.5), ("حَدِيقَة", 1), ("𞤀𞤣𞤤𞤢𞤥", 1), ("庭", 0)]
)
def test_letters_from_right_to_left_are_counted(text: str, ratio: float) -> None:
    """Marks, digits and punctuation have no direction of their own."""
    assert right_to_left_ratio(text) == ratio


def test_text_in_another_script_than_the_detected_language_has_none() -> None:
    """The detector takes some Georgian for Hindi."""
    text = (
        "Skip to content ბიბლიოთეკის საათები ბიბლიოთეკა ღიაა ორშაბათიდან პარასკევამდე დილის ათი საათიდან საღამოს შვიდ "
        "საათამდე. შაბათს ველოდებით ბავშვებს და მშობლებს, კითხვის წრე იწყება თორმეტ საათზე დიდ დარბაზში. წიგნის წაღება "
        "შეიძლება სამი კვირით, ვადის გაგრძელება კი ტელეფონითაც არის შესაძლებელი. "
    )

    assert detect_language(text, unless=["en"]) in {"", "ka"}


def test_labels_that_are_repeated_are_no_text() -> None:
    """The detector takes these for Swedish, and a sentence that is repeated for what it is."""
    menu = (
        "Overflow Active Parent Active Item Header" + " Item" * 17 + " Active Parent Active Item Header" + " Item" * 17
    )
    start = "Subnav Divider Pill Icon Active Item Item Active Item Item Active Item Item Wrap Active"
    labels = f"{start}{' Item' * 15} Active{' Item' * 16} Active{' Item' * 14} {menu} Active Parent Active Item Header"
    labels += " Item" * 17

    assert detect_language(labels, unless=["en"]) == ""
    assert len(" ".join(dict.fromkeys(labels.split()))) < MIN_DIFFERENT <= len(SENTENCES["fi"].strip())
