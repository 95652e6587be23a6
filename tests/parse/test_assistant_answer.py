"""Texts of a writing assistant that were published as they came, and texts that people wrote about one."""

from __future__ import annotations

from collections.abc import Sequence

import pytest

from pagegrade.parse.assistant_answer import (
    MIN_BLANKS,
    MIN_CERTAIN,
    MIN_GAPS,
    find_assistant_answer,
    find_named_gaps,
    find_open_blanks,
)
from tests.builders import make_document
from tests.linear import MAX_RATIO, growth

SELF = [
    "As an AI language model, I do not have access to guidelines.",
    "Als KI-Sprachmodell habe ich keinen Zugriff auf Leitlinien.",
    "Als KI-Modell kann ich keine Diagnose stellen.",
    "As a large language model, I cannot see this room.",
    "En tant que modèle de langage, je ne connais pas les doses.",
    "Como modelo de lenguaje, no puedo comprobar la dosis.",
    "Как языковая модель, я не могу проверить дозу.",
    "作为一个AI语言模型，我无法核实剂量。",
    "AI言語モデルとして、用量を確認できません。",
    "AI 언어 모델로서 복용량을 확인할 수 없습니다.",
    "كنموذج لغوي، لا أستطيع التحقق من الجرعة.",
    "כמודל שפה, אין לי גישה להנחיות.",
    "Ως γλωσσικό μοντέλο, δεν μπορώ να ελέγξω τη δόση.",
]
ENDS = [
    ("Certainly! Here is an article about fever:", "Let me know if you’d like me to add an FAQ!"),
    ("Gerne! Hier ist der Artikel über Fieber:", "Soll ich den Text noch kürzen?"),
    ("Bien sûr ! Voici un article sur la fièvre :", "Souhaitez-vous que je raccourcisse le texte ?"),
    ("¡Claro! Aquí tienes el artículo:", "¿Quieres que lo adapte a otro público?"),
    ("Конечно! Вот статья о температуре:", "Хотите, чтобы я сократил текст?"),
    ("当然！以下是一篇关于发烧的文章：", "如果您需要，我可以把它改短。"),
    ("もちろんです。以下が記事です：", "短くする必要があればお知らせください。"),
    ("بالطبع! إليك مقالًا عن الحمى:", "هل تريد أن أختصر النص؟"),
]
PAGE = "<title>Fever</title><main><h1>Fever</h1>{}<p>Most fevers pass.</p>{}</main>"


@pytest.mark.parametrize("sentence", SELF)
def test_writer_that_calls_itself_a_model(sentence: str) -> None:
    """At the beginning of a text or of a sentence in it; not where it is quoted."""
    said = (sentence, f"Fever is common. {sentence}", f"熱はよくあります。{sentence}")
    places = ("It said: “{}”", "« {} »", "<q>{}</q>", "<code>{}</code>", "<blockquote>{}</blockquote>")
    quoted = [place.format(sentence) for place in places]
    kinds = [
        found and found.kinds
        for text in (*said, *quoted)
        for found in [find_assistant_answer(make_document(PAGE.format(f"<p>{text}</p>", "")))]
    ]

    assert kinds == [1] * len(said) + [None] * len(quoted)


@pytest.mark.parametrize("sentence", SELF)
def test_answers_in_place_of_names_are_about_nothing(sentence: str) -> None:
    """With a comma or without; but a heading that goes on about chatbots is about them."""
    bare = sentence.replace(",", "").replace("،", "").rstrip(".。")
    page = "<title>Baskets</title><h1>Baskets</h1><h2>{} - Grey</h2><p>{}</p><h2>{}</h2>"

    assert find_assistant_answer(make_document(page.format(bare, sentence, "Sizes"))) is not None
    assert find_assistant_answer(make_document(page.format(bare, sentence, "Why chatbots say so"))) is None
    assert find_assistant_answer(make_document(page.format(f"{sentence} Why chatbots say so", sentence, ""))) is None


@pytest.mark.parametrize(
    "text",
    [
        "As an AI image library, Otterline draws maps.",
        "As an AI is no person, it has no rights.",
        "As an AI I spent six years at the Artificial Insemination station.",
        "As a language model I chose the letters of my aunt.",
        "Als KI-Modell erkennt die Kamera Vögel.",
        "Als KI-Modell gibt es die Uhr in zwei Farben.",
    ],
)
def test_what_a_program_is_called_says_nothing_of_the_writer(text: str) -> None:
    """The letter behind the words belongs to another word."""
    assert find_assistant_answer(make_document(PAGE.format(f"<p>{text}</p>", ""))) is None


@pytest.mark.parametrize(("opening", "closing"), ENDS)
def test_beginning_and_end_of_an_answer(opening: str, closing: str) -> None:
    """Both say that nobody read it; one of them is what people write, too."""
    found = find_assistant_answer(make_document(PAGE.format(f"<p>{opening}</p>", f"<p>{closing}</p>")))

    assert found is not None
    assert found.kinds == 2
    assert [text for _, text in found.sentences] == [opening, closing]
    assert find_assistant_answer(make_document(PAGE.format(f"<p>{opening}</p>", ""))) is None
    assert find_assistant_answer(make_document(PAGE.format("", f"<p>{closing}</p>"))) is None


@pytest.mark.parametrize(("opening", "closing"), ENDS)
def test_whole_answer_in_one_paragraph(opening: str, closing: str) -> None:
    """A sentence of its own in place of the colon is enough there, and nowhere else."""
    opening = opening.rstrip(":： ") + ("。" if "：" in opening else ".")
    found = find_assistant_answer(make_document(PAGE.format(f"<p>{opening} 39 °C. {closing}</p>", "")))

    assert found is not None
    assert found.kinds == 2
    assert find_assistant_answer(make_document(PAGE.format(f"<p>{opening} 39 °C.</p>", f"<p>{closing}</p>"))) is None
    assert find_assistant_answer(make_document(PAGE.format(f"<p>39 °C. {opening} {closing}</p>", ""))) is None
    assert find_assistant_answer(make_document(PAGE.format(f"<p>{opening} {closing} 39 °C.</p>", ""))) is None


@pytest.mark.parametrize(
    "title",
    [
        "What ChatGPT cannot do",
        "Prompts für den Alltag",
        "KI im Unterricht",
        "L’IA en classe",
        "ИИ в школе",
        "生成AIの使い方",
        "AI를 쓰는 법",
        "Letter templates",
        "Vorlage für eine Kündigung",
    ],
)
def test_page_about_assistants_or_templates(title: str) -> None:
    """Its subject is how they speak, or a text to fill in."""
    page = PAGE.format(f"<p>{SELF[0]}</p>", f"<p>{ENDS[0][1]}</p>")

    assert find_assistant_answer(make_document(page.replace("<title>Fever", f"<title>{title}"))) is None
    assert find_assistant_answer(make_document(page.replace("<h1>Fever", f"<h1>{title}"))) is None
    assert find_assistant_answer(make_document(page)) is not None


@pytest.mark.parametrize(
    ("text", "gaps"),
    [
        ("within [NUMBER] days, [X] times a day", ["[NUMBER]", "[X]"]),
        ("ab [Alter einfügen], höchstens [Dosis] mg", ["[Alter einfügen]", "[Dosis]"]),
        ("от [возраст] лет", ["[возраст]"]),
        ("［年齢］歳から", ["［年齢］"]),
        ("已[插入年龄]岁", ["[插入年龄]"]),
        ("he [sic] said [...] and […], see [1] and [a], [x] done, [text](/a), a[i], [b=1], [edit]", []),
        ("<code>[FILE]</code> <sup>[Note]</sup> <a href=/a>[Edit]</a> <q>[The king] went</q>", []),
    ],
)
def test_gaps_where_a_value_belongs(text: str, gaps: list[str]) -> None:
    """In any language; footnotes, notes of editors, links and code are none."""
    found = find_assistant_answer(make_document(PAGE.format(f"<p>{SELF[0]}</p>", f"<p>{text}</p>")))

    assert found is not None
    assert [gap for _, gap in found.gaps] == gaps


def test_gaps_alone_are_a_form() -> None:
    """Letters and contracts to fill in have them on purpose."""
    assert find_assistant_answer(make_document(PAGE.format("<p>Dear [Name], on [date]</p>", ""))) is None


OPENING = "<p>Certainly! Here is a landing page. Replace what stands in brackets.</p>"
NAMED = f"<title>{{0}}</title><main>{OPENING}<h1>x</h1><p>{{0}}, {{1}}</p></main>"
GAPS = "[Your firm's name] [Phone] [Street]"


@pytest.mark.parametrize(
    ("title", "others", "gaps"),
    [
        ("Lawyers in [Insert city]", "[Your firm's name], [Phone]", MIN_GAPS),
        ("Lawyers in [Insert city]", "[Phone], [Enter name]", MIN_GAPS),
        ("Lawyers in [Insert city]", "[Phone], [Name]", 0),
        ("Lawyers in [Insert city]", "[Your name]", 0),
        ("Lawyers in [Insert city]", "[Your name] [Your name]", 0),
        ("Anwälte in [Ihre Stadt]", "[Name der Kanzlei einfügen] [Telefon]", MIN_GAPS),
        ("Avocats à [votre ville]", "[insérer le nom] [téléphone]", MIN_GAPS),
        ("Адвокаты: [ваш город]", "[введите название] [телефон]", MIN_GAPS),
        ("محامون في [أدخل المدينة]", "[اسمك] [الهاتف]", MIN_GAPS),
        ("弁護士［市名を入力］", "［事務所名を入力］［電話番号］", MIN_GAPS),
        ("वकील [आपका शहर]", "[अपना नाम] [पता]", MIN_GAPS),
        ("[Insert city]", GAPS, 4),
        ("grep [OPTION]", GAPS, 0),
        ("Plans of [1921]", GAPS, 0),
        ("Template for [Your name]", GAPS, 0),
        ("[Solved] Printer is off [Windows 11]", "[Screenshot] [Log]", 0),
        ("HTTP semantics [RFC 9110]", "[RFC 9111] [RFC 9112]", 0),
        ("River [Live Version]", "[Verse 1] [Chorus]", 0),
        ("Blanket [Large]", "[Small] [Medium]", 0),
        ("clone [repository]", "[directory] [branch]", 0),
        ("Press [Enter]", "[Insert] [Page Down] [Esc]", 0),
        ("Using [Your Library]", "[Your Episodes] [Settings]", 0),
        ("［設定］画面", "［入力］［電話番号］［保存］", 0),
        ("Menü [Datei öffnen]", "[Einfügen] [Übernehmen]", 0),
    ],
)
def test_gaps_in_the_name_of_a_page(title: str, others: str, gaps: int) -> None:
    """Sources, keys, editions, labels, arguments of commands and templates have brackets on purpose."""
    page = NAMED.format(title, others)

    assert len(find_named_gaps(make_document(page))) == gaps
    assert find_named_gaps(make_document(page.replace(OPENING, ""))) == ()


@pytest.mark.parametrize(
    "page",
    [
        "<title>Letter</title><h1>Letter to a landlord</h1><p>Dear [Landlord], I, [Name], leave [Street] on [date]",
        f"<title>Lawyers in [Insert city]</title><h1>x</h1>{OPENING}<p>{GAPS}",
        f"<title>Lawyers in [Insert city]</title><h1>x</h1>{OPENING}<pre>[Insert city] {GAPS}</pre>",
        f"<title>Lawyers in [Insert city]</title><h1>x</h1>{OPENING}<p><q>[Insert city] {GAPS}</q></p>",
        "<title>Levi x [Your Name]</title><h1>Levi x [Your Name]</h1><p>[Your Name] [Your last name] [eye color]",
        "<title>Keys</title><h1>The [Insert key] and the [Enter key]</h1><p>[Insert key] [Enter key] [Esc key]",
        "<title>Cover letter: [Your Name]</title><p>[Your Name] [Your Address] [Hiring Manager]",
        f"<title>Mail to [Your Name]</title><p>It says [Your Name].</p>{OPENING}<p>[Your Name] [Your Address] [City]",
    ],
)
def test_texts_with_gaps_on_purpose(page: str) -> None:
    """Forms have a name of their own, letters and stories are no answers, and code and quotations do not count."""
    assert find_named_gaps(make_document(page)) == ()


@pytest.mark.parametrize("part", ["[a", "certainly! here is ", "let me know if you'd like me to ", "as an ai, i ", '"'])
def test_linear_time(part: str) -> None:
    """Beginnings of gaps, and sentences again and again."""
    pages = {
        size: make_document(PAGE.format(f"<p>{SELF[0]}</p>", f"<p>{part * size}</p>" * 3))
        for size in (1_000, 2_000, 4_000)
    }

    assert growth(lambda size: find_assistant_answer(pages[size]), 1_000) <= MAX_RATIO


FORMS = {
    "de": (
        "Impressum",
        [
            "Praxis: [Name der Praxis]",
            "[Straße Hausnummer]",
            "Telefax: [falls vorhanden]",
            "Kammer: [bitte ergänzen]",
            "Wir nutzen [DIENST].",
        ],
    ),
    "en": (
        "Privacy policy",
        ["Owner: [Company name]", "Address: [Street, city]", "[Insert date]", "Phone: [Number]", "We use [SERVICE]."],
    ),
    "fr": (
        "Mentions légales",
        [
            "Éditeur : [Nom de la société]",
            "Siège : [Adresse]",
            "[SIRET]",
            "Hébergeur : [à compléter]",
            "Nous utilisons [OUTIL].",
        ],
    ),
    "es": (
        "Aviso legal",
        [
            "Titular: [Nombre de la empresa]",
            "NIF: [Número]",
            "[Dirección]",
            "Registro: [Provincia]",
            "Usamos [SERVICIO].",
        ],
    ),
    "pl": (
        "Regulamin",
        ["Sprzedawca: [Nazwa firmy]", "Adres: [Miasto, ulica]", "[NIP]", "REGON: [Numer]", "Korzystamy z [USŁUGA]."],
    ),
    "ru": (
        "Политика",
        ["Оператор: [Название компании]", "Адрес: [Город, улица]", "[ИНН]", "ОГРН: [Номер]", "Мы используем [СЕРВИС]."],
    ),
    "ja": (
        "特定商取引法に基づく表記",
        ["販売業者：[会社名]", "所在地：[住所]", "[電話番号]", "責任者：[担当者]", "当社は[サービス]を使います。"],
    ),
    "ar": (
        "سياسة الخصوصية",
        ["المالك: [اسم الشركة]", "العنوان: [المدينة]", "[رقم الهاتف]", "السجل: [الرقم]", "نستخدم [الخدمة]."],
    ),
    "he": ("תקנון", ["בעלים: [שם החברה]", "כתובת: [העיר]", "[טלפון]", "ח.פ: [מספר]", "אנו משתמשים ב [שירות]."]),
    "ko": (
        "개인정보처리방침",
        ["상호: [회사 이름]", "주소: [도시]", "[전화번호]", "등록번호: [번호]", "저희는 [서비스]를 씁니다."],
    ),
}
OWN_PATH = "https://otterline.example/legal"


def blanks(name: str, lines: Sequence[str], *, footer: str = "/legal", place: str = "footer") -> int:
    """Count the different gaps that are found in a page of a site, with a link in its footer."""
    main = f"<main><h1>{name}</h1><p>{'<br>'.join(lines)}</p></main>"
    html = f"<title>{name}</title>{main}<{place}><a href={footer}>{name}</a></{place}>"
    return len({gap for _, gap in find_open_blanks(make_document(html, url=OWN_PATH))})


SURE = {
    "Impressum": ["Firma: [Firmenname]", "Sitz: [Stadt]", "Straße: [Straße]", "Telefon: [Telefon]", "Mail: [E-Mail]"],
    "Mentions légales": ["Nom : [Nom]", "Siège : [Ville]", "[Adresse]", "Tél. : [Téléphone]", "E-mail : [E-mail]"],
    "Imprint": ["Owner: [Your name]", "[Company]", "Phone: [Phone]", "City: [City]", "Address: [Address]"],
    "会社概要": ["会社：[会社名]", "所在地：[住所]", "電話：[電話]", "名前：[姓名]", "英語：[Company]"],
}
LETTERS = (
    *("Cancel an order: the letter", "Right of withdrawal and its form", "Widerrufsformular zum Ausfüllen"),
    *("How to cite our archive", "Crediting our photos", "Lettre à copier", "Письмо об отказе", "Carta de ejemplo"),
)


@pytest.mark.parametrize("name", SURE)
def test_imprint_of_few_lines(name: str) -> None:
    """Five gaps that all ask for a value; one that does not, or that stands in a sentence, may be a note."""
    lines = SURE[name]

    assert blanks(name, lines) == MIN_CERTAIN
    assert blanks(name, lines[1:]) == 0
    assert blanks(name, [*lines, "Note: [Seen again]"]) == 0
    assert blanks(name, [*lines, "We met [Name B] there."]) == 0


@pytest.mark.parametrize("language", FORMS)
@pytest.mark.parametrize("name", LETTERS)
def test_letters_that_readers_copy(name: str, language: str) -> None:
    """Pages of the footer that are named after these; a newsletter or a platform is none."""
    lines = [*FORMS[language][1], *(one.replace("]", "B]") for one in FORMS[language][1])]

    assert blanks(name, lines) == 0
    assert blanks("Newsletter platform: accredited", lines) == MIN_BLANKS


@pytest.mark.parametrize("language", FORMS)
def test_form_that_a_site_took_for_its_own_page(language: str) -> None:
    """Its footer leads there; a letter to fill in, of which the footer does not know, has its gaps on purpose."""
    name, lines = FORMS[language]
    lines = [*lines, *(one.replace("]", "B]") for one in lines)]

    assert blanks(name, lines) == MIN_BLANKS
    assert blanks(name, lines[1:]) == 0
    assert blanks(name, lines, footer="/other") == 0
    assert blanks(name, lines, place="nav") == 0
    assert blanks(f"{name} Template", lines) == 0
    assert blanks(name, [one.replace(": ", " ").replace("：", " ") + "." for one in lines]) == 0


NO_BLANKS = {
    "mail": ["info [at] otter [dot] example", "press [at] otter [punkt] example", "[at]", "Fax: [none]"],
    "lyrics": ["[Chorus]", "[Verse]", "[Bridge]", "[Outro]", "[Solo]", "[Intro]"],
    "sounds": ["Köln: [kœln]", "Jena: [jena]", "Gera: [gera]", "Suhl: [zuːl]", "Ulm: [ʊlm]", "Trier: [triɐ]"],
    "sources": [
        "Maps: [Agency of maps]",
        "Text: [Otter society]",
        "Rivers: [Water board]",
        "Fish: [Angling club]",
        "[sic]",
    ],
    "languages": [
        "Русский: [перевод]",
        "日本語：[翻訳]",
        "Français : [traduction]",
        "Svenska: [översättning]",
        "العربية: [ترجمة]",
    ],
    "references": ["Law: [1]", "Rule: [2]", "Case: [3]", "Name: [4]", "Address: [5]"],
    "protected": [
        "Mail: [email protected]",
        "Press: [email protected]",
        "Shop: [email protected]",
        "[email protected]",
        "[email protected]",
    ],
    "keys": [
        "<code>Name: [Your name]</code>",
        "<code>City: [Your city]</code>",
        "<pre>Phone: [number]\nMail: [mail]\n[Address]</pre>",
    ],
    "links": [f"Form {one}: <a href=/{one}>[Address {one}]</a>" for one in range(6)],
    "quoted": [
        "<blockquote>Name: [Your name]<br>City: [Your city]<br>Phone: [Number]<br>[Street]<br>Firm: [It]</blockquote>"
    ],
}


READERS = {
    "Widerrufsrecht": [
        "Name: [Ihr Name]",
        "Anschrift: [Ihre Anschrift]",
        "Bestellnummer: [Nummer]",
        "Bestellt am: [Datum]",
        "Erhalten am: [Tag]",
        "Unterschrift: [nur auf Papier]",
    ],
    "Vos droits": [
        "Objet : [votre demande]",
        "Nom : [votre nom]",
        "Adresse : [votre adresse]",
        "Date : [jour]",
        "[lieu]",
    ],
    "Reporting a fault": [
        "Name: [your name]",
        "Phone: [model]",
        "Version: [number]",
        "Done: [steps]",
        "Seen: [text or picture]",
        "Network: [kind]",
        "Language: [code]",
        "Day: [date]",
        "Hour: [time]",
        "File: [trace]",
        "Again: [yes or no]",
    ],
    "How to cite": ["Author: [Surname]", "Title: [Name]", "Place: [City]", "Year: [Year]", "[Shelf mark]", "[Scale]"],
    "The play": [
        f"{chr(65 + n)}: [{one}]"
        for n, one in enumerate(
            "goes to the far street|reads the name on it|laughs|in the city below them|silence|exits|sits down|a clock"
            "|sings|with the phone in hand|sleeps|thunder".split("|")
        )
    ],
    "צור קשר": ["שם: [השם שלך]", "עיר: [העיר]", "טלפון: [מספר]", "תאריך: [יום]", "[חתימה]", "[הערות]"],
    "返品について": ["氏名：[お名前]", "住所：[ご住所]", "注文番号：[番号]", "注文日：[日付]", "[署名]", "[理由]"],
}


@pytest.mark.parametrize("name", READERS)
def test_forms_for_readers_are_finished(name: str) -> None:
    """They have a few lines, or few of them name a value, though the footer leads to their page."""
    assert blanks(name, READERS[name]) == 0


@pytest.mark.parametrize("name", NO_BLANKS)
def test_words_in_brackets_of_a_page_that_is_finished(name: str) -> None:
    """Ways to write a mail address, parts of songs, sounds, sources, notes, code and quotations."""
    assert blanks("Imprint", NO_BLANKS[name]) == 0


def test_front_page_is_no_form_of_its_footer() -> None:
    """Every footer leads there."""
    name, lines = FORMS["en"]
    html = f"<title>{name}</title><main><p>{'<br>'.join(lines)}</main><footer><a href=/>Home</a></footer>"

    assert not find_open_blanks(make_document(html, url="https://otterline.example/"))
