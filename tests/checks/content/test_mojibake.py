from __future__ import annotations

import pytest

from pagegrade.checks.content.mojibake import mojibake
from pagegrade.model.outcome import NotApplicable
from tests.builders import evaluated, make_artifacts, outcome, run

BAD = "<p>MÃ¼nchen"


def misread(text: str, encoding: str) -> str:
    """The text with its UTF-8 read in another encoding, where bytes without a character are lost."""
    return text.encode().decode(encoding, "replace")


def test_more_places_cost_more() -> None:
    """Single places up to three points, more by the share of the text."""
    fine = "<p>" + "Our tables are made of teak. " * 60
    losses = [evaluated(mojibake, fine + BAD * count).loss or 0 for count in (1, 4, 9, 40, 400)]

    assert losses[0] == 0.04
    assert losses == sorted(losses)
    assert losses[-1] == 1.0


@pytest.mark.parametrize(
    ("text", "encoding"),
    [
        ("Когда зацветает сад, пора открыть пруд и накормить рыб.", "cp1251"),
        ("Когда зацветает сад, пора открыть пруд и накормить рыб.", "koi8-r"),
        ("Когда зацветает сад, пора открыть пруд и накормить рыб.", "cp866"),
        ("Τον χειμώνα αφήνουμε μια τρύπα στον πάγο της λίμνης.", "cp1253"),
        ("בחורף משאירים חור בקרח של הבריכה כדי שהדגים ינשמו.", "cp1252"),
        ("في الشتاء نترك ثقبا في جليد البركة حتى تتنفس الأسماك.", "cp1256"),
        ("शीतकाल में तालाब की बर्फ में एक छेद छोड़ दें।", "cp1252"),
        ("ในฤดูหนาวให้เปิดช่องในน้ำแข็งของสระเพื่อปลา", "cp1252"),
        ("冬天要在池塘的冰面上留一个洞,让鱼呼吸。请先看这里。", "cp1252"),
        ("冬天要在池塘的冰面上留一个洞,让鱼呼吸。请先看这里。", "gb18030"),
        ("겨울에는 연못의 얼음에 구멍을 하나 남겨 두세요.", "mac-roman"),
        ("ზამთარში ტბორის ყინულში დატოვეთ ხვრელი თევზებისთვის.", "cp1250"),
    ],
)
def test_text_of_any_script_in_any_encoding_is_unreadable(text: str, encoding: str) -> None:
    """The text itself is fine."""
    pages = [f"<title>Pond</title><p>{one}" for one in (misread(f"{text} " * 4, encoding), f"{text} " * 4)]

    assert [outcome(mojibake, page).state for page in pages] == ["unreadable", "none"]


@pytest.mark.parametrize(("written", "read"), [("cp1251", "cp1252"), ("koi8-r", "cp1251")])
def test_letters_of_another_alphabet_are_unreadable(written: str, read: str) -> None:
    """Older encodings among each other make letters of letters."""
    text = "Когда зацветает сад, пора открыть пруд и накормить рыб. Зимой в нём оставляют прорубь. " * 3

    assert outcome(mojibake, "<p>" + text.encode(written).decode(read, "replace")).state == "unreadable"


def test_evidence_shows_what_was_meant() -> None:
    """With the words around it."""
    (one,) = outcome(mojibake, "<p>Aus MÃ¼nchen").evidence

    assert (one.value, one.reason, one.selector != "") == ("Aus MÃ¼nchen", "probably ü", True)


@pytest.mark.parametrize("heading", ["<title>UTF-8 explained</title>", "<h1>What is mojibake?</h1>"])
def test_pages_about_encodings_are_not_evaluated(heading: str) -> None:
    """They show it on purpose."""
    assert isinstance(run(mojibake, heading + BAD), NotApplicable)


def test_other_pages_pass() -> None:
    """Also those that only mention encodings."""
    assert outcome(mojibake, "<title>UTF-8</title><p>München").state == "none"
    assert outcome(mojibake, "<p>SÃO PAULO").state == "none"


def test_page_in_another_encoding_is_read_as_it_declares() -> None:
    """A correct declaration makes no mojibake."""
    page = "<meta charset=windows-1252><p>München don’t".encode("cp1252")
    headers = (("Content-Type", "text/html"),)

    assert outcome(mojibake, make_artifacts(page, headers=headers)).state == "none"


def test_page_with_more_than_single_places_is_not_good() -> None:
    """And one that cannot be read is bad."""
    caps = {
        state: min(cap.max_score for cap in mojibake.caps if state in cap.states) for state in mojibake.caps[1].states
    }

    assert caps == {"widespread": 79, "unreadable": 49}
