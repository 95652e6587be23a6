from __future__ import annotations

import base64
import codecs
import quopri
from random import Random
from urllib.parse import quote

import pytest

from pagegrade.parse.html.garbled_text import find_garbled_text
from tests.builders import make_document


def tags(page: str) -> list[str]:
    """The elements that hold text in the wrong encoding."""
    return [node.tag for node, _ in find_garbled_text(make_document(page)).places]


def test_element_of_each_place_is_known() -> None:
    """Title and description first."""
    page = "<title>MÃ¼nchen</title><meta name=description content='MÃ¼nchen'><p>a<b>MÃ¼nchen</b> MÃ¼nchen"

    assert tags(page) == ["title", "meta", "b", "p"]


@pytest.mark.parametrize("tag", ["pre", "code", "samp", "kbd", "blockquote", "textarea", "script", "style", "template"])
def test_examples_and_what_is_not_seen_are_left_out(tag: str) -> None:
    """Also beside a place that counts."""
    assert tags(f"<p>MÃ¼nchen</p><{tag}>Ã¤ Ã¼</{tag}>") == ["p"]


def test_hidden_text_alone_is_not_seen() -> None:
    """And a page without such text has none."""
    assert tags("<p hidden>MÃ¼nchen</p><p>Oak.") == []
    assert tags("<p>München") == []


@pytest.mark.parametrize("language", ["சந்தையில் கடை ", "ქალაქის ცენტრში ", "ಮಾರುಕಟ್ಟೆ ಅಂಗಡಿ ", "在城市中心 "])
def test_question_marks_in_the_place_of_letters_are_lost_text(language: str) -> None:
    """A database that could not hold them."""
    lost = "".join("?" if ord(one) > 0x7F else one for one in language * 20)

    assert find_garbled_text(make_document(f"<p>{lost}</p>")).share > 0.9
    assert not find_garbled_text(make_document(f"<p>{language * 20}</p>")).places


def test_question_marks_of_sentences_are_no_lost_text() -> None:
    """Nor are those of code and of a few words."""
    assert not find_garbled_text(make_document(f"<p>{'Really?? You did??? ' * 20}</p>")).places
    assert not find_garbled_text(make_document(f"<p>{'a ?? b, and so on for all values; ' * 9}</p>")).places


VIETNAMESE = "Phở là món ăn truyền thống của người Việt, thường dùng vào buổi sáng. "


@pytest.mark.parametrize(
    "text",
    [
        VIETNAMESE.encode("ascii", "xmlcharrefreplace").decode(),
        "K&aacute;v&eacute;z&oacute; a v&aacute;ros k&ouml;zep&eacute;n ",
        "<p>Fresh <b>bread</b> from our <a href='/oven'>oven</a></p> ",
    ],
)
def test_what_was_escaped_twice_is_shown_as_it_is_written(text: str) -> None:
    """References and tags in place of characters and elements, in any language; code is an example."""
    shown = (text * 8).replace("&", "&amp;").replace("<", "&lt;")

    assert find_garbled_text(make_document(f"<div>{shown}</div>")).share > 0.3
    assert not find_garbled_text(make_document(f"<pre>{shown}</pre>")).places
    assert not find_garbled_text(make_document(f"<div>{text * 8}</div>")).places


def test_a_few_references_are_no_text_that_was_escaped_twice() -> None:
    """One in ten words, and ten of them: at the limit, and one less."""
    words = "bread and butter from our own oven every day "
    pages = [f"<p>{f'R&amp;amp;D {words}' * count}</p>" for count in (9, 10)]

    assert [bool(find_garbled_text(make_document(page)).places) for page in pages] == [False, True]


def test_text_whose_structure_is_shown_as_tags_is_hit_as_a_whole() -> None:
    """Few tags beside paragraphs of the page hit the words that hold them."""
    shown = "".join(f"&lt;p class=&quot;a&quot;&gt;{VIETNAMESE}&lt;/p&gt;" for _ in range(12))
    page = f"<div>{shown}</div>"

    assert find_garbled_text(make_document(page)).share > 0.8
    assert find_garbled_text(make_document(page + f"<p>{VIETNAMESE}" * 12)).share < 0.3


RUSSIAN = "Наша мастерская стоит у реки, и мы чиним часы. " * 4


@pytest.mark.parametrize(
    "text",
    [
        "".join(c if c.isascii() else f"\\u{ord(c):04x}" for c in RUSSIAN),
        quopri.encodestring(RUSSIAN.encode()).decode().replace("=\n", ""),
        quote(RUSSIAN, safe=" "),
        quote("港町の路地裏にある小さな和菓子屋です。" * 4),
    ],
)
def test_text_in_the_form_in_which_it_travels_is_unreadable(text: str) -> None:
    """In a program, a mail or an address; an address in a text is none."""
    page = f"<main><p>{{}}</p><p>{'ru ' * 10}</p></main>"

    assert find_garbled_text(make_document(page.format(text))).share > 0.3
    assert tags(page.format(f"https://example.com/{quote(RUSSIAN)}")) == []
    assert tags(page.format(f"<code>{text}</code>")) == []


def test_text_for_a_font_of_its_own_is_unreadable() -> None:
    """In a page whose language has another script; code in Latin letters is an example."""
    typed = "gekjk fo|ky; xk¡o ds chp gSA ;gk¡ d{kk rd cPps i<+rs gSaA lfCt;ksa ls d{kk,¡ ns[k ldrs "
    page = f'<html lang="hi"><h1>समाचार</h1><main><p>{typed * 4}</p></main>'

    assert find_garbled_text(make_document(page)).share > 0.6
    assert tags(page.replace('"hi"', '"en"')) == []
    assert tags(page.replace('"hi"', '"hi-Latn"')) == []


@pytest.mark.parametrize("language", ["Кніга ляжыць на стале ", "ግንቦት ወር ዝናብ ", "ძველი ხიდი მდინარეზე "])
def test_text_in_base64_or_percent_escapes_throughout_was_never_decoded(language: str) -> None:
    """Blanks included; keys, and files that are shown, were no text before."""
    coded = base64.b64encode((language * 12).encode()).decode()

    assert find_garbled_text(make_document(f"<p>{coded}</p>")).share > 0.9
    assert find_garbled_text(make_document(f"<p>{quote(language * 12)}</p>")).share > 0.5
    assert not find_garbled_text(make_document(f"<p>{base64.b64encode(bytes(range(256))).decode()}</p>")).places
    assert not find_garbled_text(make_document(f"<p>{coded[:75]}</p>")).places


SENTENCES = {
    "pl": "Pracownia ma osiem kół garncarskich i dwa piece, z których jeden opalamy drewnem przez całą noc. ",
    "ru": "Дети могут разобрать учебный самовар и понять, как он устроен, а взрослые пьют чай с вареньем. ",
    "el": "Μαζεύουμε τον καρπό με το χέρι και τον πηγαίνουμε στο λιοτρίβι το ίδιο βράδυ με το παλιό φορτηγό. ",
    "ar": "تبدأ الدروس كل يوم سبت بعد صلاة العصر في غرفة تطل على الحديقة ويتعلم الطلاب كيف يبرون القلم. ",
    "hi": "हमारा पुस्तकालय नीम के बड़े पेड़ के नीचे एक कमरे से शुरू हुआ था और अब यहाँ चार हज़ार किताबें हैं। ",
    "he": "אנחנו מתקנים כריכות קרועות ולומדים איך מכינים דבק, ומי שמאחר מביא עוגיות לכולם אחר הצהריים. ",
}


def page_of(sentence: str, number: int = 12) -> str:
    """A page of so many paragraphs."""
    return f"<main>{f'<p>{sentence}</p>' * number}</main>"


@pytest.mark.parametrize("language", SENTENCES)
def test_ordinary_sentences_are_not_scrambled(language: str) -> None:
    """In any of these scripts, however often they are repeated."""
    assert find_garbled_text(make_document(page_of(SENTENCES[language]))).places == ()


@pytest.mark.parametrize("language", ["pl", "ru", "el", "ar", "hi"])
def test_words_that_run_into_each_other_are_unreadable(language: str) -> None:
    """From five sentences without their blanks on; scripts without blanks have none to lose."""
    joined = SENTENCES[language].replace(" ", "")

    assert find_garbled_text(make_document(page_of(joined))).share > 0.9
    assert find_garbled_text(make_document(page_of(joined, 4))).share == 0
    assert find_garbled_text(make_document(page_of("ผ้าแต่ละผืนต้องจุ่มน้ำครามหลายครั้งกว่าจะได้สีเข้มที่ต้องการ"))).share == 0
    assert find_garbled_text(make_document(page_of("acgt" * 20))).share == 0


@pytest.mark.parametrize(
    ("language", "table"),
    [
        ("ru", {"а": "a", "е": "e", "о": "o", "р": "p"}),
        ("el", {"ο": "o", "ν": "v", "ρ": "p"}),
        ("pl", {"e": "\ue001", "a": "\ue002"}),
        ("ar", {"ا": "\uf001", "ر": "\uf002", "ع": "\uf003", "ت": "\uf004", "ي": "\uf005"}),
        ("he", {chr(one): chr(one + 0xDB00) for one in range(0x5D0, 0x5EB)}),
    ],
)
def test_letters_of_two_alphabets_in_one_word_are_unreadable(language: str, table: dict[str, str | int | None]) -> None:
    """Letters that look alike, and such as only one font has."""
    mixed = SENTENCES[language].translate(str.maketrans(table))

    assert find_garbled_text(make_document(page_of(mixed))).share > 0.5
    assert find_garbled_text(make_document(page_of(f"{mixed[:20]} {SENTENCES[language] * 8}", 1))).share == 0


@pytest.mark.parametrize(
    "text",
    [
        "sin²θ + cos²θ = 1, sin(α+β)=sinαcosβ+cosαsinβ, 2πr, Δt and dθ ",
        "Uвх = Iб·Rб, и Uвых зависит от Rн ",
        "Ищите USB-кабель, SIM-карту или SMSку ",
        "\uf015Home \uf0f5Menu \uf095Call ",
        "\uf005\uf005\uf005\uf005\uf006 very good \uf005\uf005\uf006\uf006\uf006 not so ",
    ],
)
def test_formulas_and_icons_are_not_scrambled(text: str) -> None:
    """Letters of another alphabet stand for quantities, and characters of a font beside words."""
    assert find_garbled_text(make_document(page_of(text))).places == ()


@pytest.mark.parametrize("language", ["pl", "ru", "el", "he"])
def test_words_from_the_last_letter_to_the_first_are_unreadable(language: str) -> None:
    """Capitals stand at the end, or letters that end words at the beginning."""
    words = SENTENCES[language].split()
    backwards = " ".join(one[::-1] for one in words)

    assert find_garbled_text(make_document(page_of(backwards))).share > 0.9
    assert find_garbled_text(make_document(page_of(backwards, 1))).share == 0


def test_letters_that_were_exchanged_have_hardly_a_vowel() -> None:
    """Names of functions are no sentences."""
    text = "Cada jueves llenamos las cestas con lo que la tierra ha dado esa semana, y en invierno hay coles. "
    names = "strncpy strcmp vsnprintf fgetwc mbsrtowcs"

    assert find_garbled_text(make_document(page_of(codecs.encode(text, "rot13")))).share > 0.9
    assert find_garbled_text(make_document(page_of(text))).share == 0
    assert find_garbled_text(make_document(page_of(names, 60))).share == 0


@pytest.mark.parametrize("language", SENTENCES)
def test_heaps_of_marks_make_a_text_unreadable(language: str) -> None:
    """Three on a letter and more; a letter and its accent apart are two characters of an ordinary text."""
    heaped = "".join(f"{one}\u0301\u0316\u0337" if one.isalpha() else one for one in SENTENCES[language])

    assert find_garbled_text(make_document(page_of(heaped))).share > 0.5
    assert find_garbled_text(make_document(page_of(heaped.replace("\u0316\u0337", "")))).share == 0


@pytest.mark.parametrize(
    "text",
    [
        "تبدأ الدراسة في المدرسة القديمة بعد العطلة ",
        "Ο κήπος και ο μύλος ανοίγουν το πρωί για όλους ",
    ],
)
def test_letters_that_end_words_begin_none(text: str) -> None:
    """Of Arabic and Greek, as converters of old documents write lines from their end."""
    assert find_garbled_text(make_document(page_of(text[::-1]))).share > 0.9
    assert find_garbled_text(make_document(page_of(text))).share == 0


ORDERLY = {
    "Greek": "Η βάρκα είναι στο λιμάνι και η άγκυρα είναι στο νερό. Το πρωί η θάλασσα είναι ήρεμη και ο ήλιος είναι "
    "ψηλά. Στο καφενείο οι ψαράδες λένε για τα δίχτυα και για τον καιρό, και το βράδυ γυρίζουν στο σπίτι. ",
    "Dutch": "De boot ligt in de haven en het anker ligt in de modder van de rivier. In de ochtend is de zee stil en "
    "de lucht is helder boven de dijk. De vissers praten in het café over de netten en het weer van de week. ",
    "Russian": "Лодка стоит в гавани и якорь лежит в иле на дне реки. Утром на воде тихо и в небе ясно, а в кафе на "
    "углу рыбаки говорят о сетях и о погоде. Вечером в порту и на берегу снова тихо. ",
}


@pytest.mark.parametrize("language", ORDERLY)
def test_words_in_a_random_order_are_no_sentences(language: str) -> None:
    """Whatever the language; the same words in order are."""
    words = (ORDERLY[language] * 9).replace(".", "").replace(",", "").lower().split()
    Random(7).shuffle(words)  # noqa: S311
    salad = ". ".join(" ".join(words[at : at + 9]) for at in range(0, len(words), 9)) + "."

    assert find_garbled_text(make_document(f"<main><p>{salad}</p></main>")).share > 0.9
    assert find_garbled_text(make_document(f"<main><p>{ORDERLY[language] * 9}</p></main>")).share == 0


def test_refrain_is_no_random_order() -> None:
    """Its words stand in pairs more often than by chance."""
    song = "La la la la, and the sea is the sea. Na na na, the wind and the sea. La la la la la, na na na. " * 9

    assert find_garbled_text(make_document(f"<main><p>{song}</p></main>")).share == 0


def test_enumeration_of_names_is_no_random_order() -> None:
    """One begins with the word that another ends with, as the modes of locks of a database do."""
    modes = "access share, row share, row exclusive, share update exclusive, share, share row exclusive, exclusive"
    text = "".join(
        f"<p>Conflicts with the {', '.join(modes.split(', ')[at // 2 :])}, and {mode} lock modes. It lets {mode} "
        f"locks wait. It is taken by commands that change rows. Waiting ends in {mode}.</p>"
        for at, mode in enumerate([*modes.split(", "), "access exclusive"])
    )

    assert find_garbled_text(make_document(f"<main>{text}</main>")).share == 0


def test_names_of_functions_are_no_text_without_vowels_or_blanks() -> None:
    """Their words begin with capitals."""
    names = "xslTestGetNthSrcPtr xmlSchDbgPrntTtyp xsltNsExtStrVrbCmpByLngStrngs " * 40

    assert find_garbled_text(make_document(f"<main><p>{names}</p></main>")).share == 0
