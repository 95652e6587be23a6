"""Finds what a writing assistant said about its own answer, and gaps that it or a form left, in texts nobody read."""

from __future__ import annotations

import re
from collections.abc import Iterator
from itertools import islice
from typing import Final

import msgspec
from turbohtml import Element

from pagegrade.model.document import Document, Node
from pagegrade.parse.byte_search import ByteSearch
from pagegrade.parse.source_text import texts_outside_code
from pagegrade.parse.url import strip_fragment

MIN_KINDS: Final = 2
"""Kinds of such sentences from which on nobody else wrote them."""
MIN_GAPS: Final = 3
"""Values that were left to a reader, from which on a text is a draft."""
MAX_OPENING: Final = 8
"""Paragraphs of a page in which an answer begins."""
MAX_FOUND: Final = 200
_MAX_TEXT: Final = 4_000
_SELF: Final = (  # casefolded, as the texts are: Greek without its final letter
    "as an ai language model, i", "as an ai language model i", "as a language model, i", "as an ai, i",
    "as a large language model, i", "as a large language model i", "as an ai assistant, i", "als ki-sprachmodell",
    "als ki-modell kann ich", "als ki-modell habe ich", "als ki-modell bin ich", "als ki kann ich",
    "en tant que modèle de langage", "en tant qu'ia, je", "en tant qu'ia je",
    "como modelo de lenguaje", "como un modelo de lenguaje", "como modelo de linguagem",
    "como um modelo de linguagem", "in quanto modello linguistico", "come modello linguistico", "als ai-taalmodel",
    "som ai-språkmodell", "som en ai-språkmodell", "som ki-språkmodell", "som en ai-sprogmodel", "tekoälykielimallina",
    "jako model językowy", "jako jazykový model", "как языковая модель", "як мовна модель", "ωσ γλωσσικό μοντέλο",
    "yapay zeka dil modeli olarak", "作为ai语言模型", "作为一个ai语言模型", "作为一个人工智能", "作為ai語言模型",
    "作為一個ai語言模型", "ai言語モデルとして", "ai 언어 모델로서", "كنموذج لغوي", "בתור מודל שפה", "כמודל שפה",
    "एआई भाषा मॉडल के रूप में",
)  # fmt: skip
_LIMIT: Final = (
    "my knowledge cutoff", "my knowledge has a cutoff", "my last knowledge update", "my training data",
    "meine trainingsdaten", "meiner trainingsdaten", "mes données d'entraînement", "mis datos de entrenamiento",
    "meus dados de treinamento", "miei dati di addestramento", "mijn trainingsdata", "моих обучающих данных",
    "我的训练数据", "我的知识截止", "私の学習データ", "제 학습 데이터", "بيانات تدريبي",
)  # fmt: skip
_OPENING: Final = (
    r"(?:certainly|sure|of course|absolutely)[!,.] (?:here(?:'s| is| are)|below is)",
    r"(?:gerne?|natürlich|selbstverständlich|klar)[!,.] hier (?:ist|sind|kommt)",
    r"(?:bien sûr|certainement|avec plaisir) ?[!,.] voici",
    r"¡?(?:claro|claro que sí|por supuesto|desde luego)[!,.] (?:aquí|a continuación)",
    r"(?:claro|com certeza|certamente)[!,.] (?:aqui|segue)",
    r"(?:certo|certamente|volentieri)[!,.] ecco",
    r"(?:natuurlijk|zeker)[!,.] hier (?:is|zijn)",
    r"(?:självklart|absolut|visst|selvfølgelig)[!,.] (?:här|her) (?:är|er|kommer)",
    r"(?:oczywiście|jasne|jistě|samozřejmě)[!,.] (?:oto|zde|tady)",
    r"(?:конечно|разумеется|звичайно|звісно)[!,.] (?:вот|ось)",
    r"(?:tabii(?: ki)?|elbette)[!,.] işte",
    r"(?:βεβαίωσ|φυσικά)[!,.] (?:εδώ|ακολουθεί|ορίστε)",
    r"(?:当然|當然|好的|没问题|沒問題)(?:可以)?[!！,，。] ?(?:以下|这是|這是|下面)",
    r"(?:もちろんです|承知しました|かしこまりました)[。！!] ?(?:以下|こちら)",
    r"(?:물론입니다|물론이죠|네)[!,.] (?:다음은|아래)",
    r"(?:بالطبع|بالتأكيد)[!،,.] (?:إليك|فيما يلي|هذا|هذه)",
    r"(?:בטח|כמובן|בהחלט)[!,.] הנה",
    r"(?:ज़रूर|बिल्कुल|निश्चित रूप से)[!,।] (?:यहाँ|यहां|यह)",
)
_CLOSING: Final = (
    r"let me know if you(?:'d| would) like me to",
    r"would you like me to",
    r"(?:soll|kann) ich (?:den text|ihn|das noch|noch etwas|es noch)",
    r"(?:lass|lassen sie) (?:es )?mich wissen, (?:wenn|ob|falls) ich",
    r"(?:souhaitez-vous|voulez-vous|souhaites-tu|veux-tu|si vous souhaitez|si vous voulez) que je",
    r"(?:quieres?|deseas?|(?:te|le) gustaría) que (?:l[oae] |te )?(?:haga|añada|ajuste|acorte|adapte|cambie)",
    r"(?:gostaria|quer|queres|deseja) que eu",
    r"(?:vuoi|vuole|desidera|desideri) che (?:l[oa] )?(?:aggiunga|modifichi|accorci|adatti|renda|riscriva)",
    r"(?:wil je|wilt u|als je wilt) dat ik",
    r"vill du att jag|vil du at jeg|(?:vil du ha|ønsker du) at jeg",
    r"czy chcesz, (?:że|a)bym|chcete, abych",
    r"хотите, чтобы я|хочете, щоб я",
    r"(?:kısaltmamı|eklememi|değiştirmemi|uyarlamamı) ister misin",
    r"θέλετε να (?:το|τον|την) (?:προσαρμόσω|συντομεύσω|αλλάξω)",
    r"(?:如果|如)(?:您|你)(?:需要|想要?|希望|願意|愿意)[^。]{0,30}(?:我可以|请告诉我|請告訴我)",
    r"(?:調整|短く|修正|変更|追加)[^。]{0,12}(?:必要|ご希望)[^。]{0,12}(?:お知らせ|お申し付け)",
    r"원하시면[^.]{0,40}(?:드릴게요|드리겠습니다|드릴 수 있습니다)",
    r"هل (?:تريد|ترغب في|تود) أن أ",
    r"(?:תרצה|תרצי|תרצו) ש(?:אוסיף|אקצר|אשנה|אתאים)",
    r"क्या आप चाहते हैं कि मैं",
)
_BEGINS: Final = re.compile("|".join(_OPENING))
_ENDS: Final = re.compile("|".join(_CLOSING))
_GAP: Final = re.compile(
    r"[\[［](?!(?:sic|edit|\.\.\.|…)[\]］])(?:[^\W\d_a-zß-ÿ]|[^\W\d_][^\[\]［］=/|<>\"]{1,60})[\]］](?![\[(:])"
)
"""Words in brackets in place of a value; neither a footnote, nor a link or a mark of what was left out."""
_ASKS: Final = re.compile(
    r"\b(?:insert|enter|fill in|einfügen|einsetzen|eintragen|insére[rz]|saisissez|insertar?|inserte|introduzca|inserir"
    r"|insira|inserire|inserisci|invullen|infoga|ange|indsæt|sett inn|wstaw|wpisz|vložte|girin|buraya|masukkan|chèn"
    r"|вставьте|введите|укажите|вставте|введіть|εισαγάγετε)\b"
    r"|أدخل|הכנס|लिखें|请(?:填写|输入|插入)|請(?:填寫|輸入|插入)|を(?:ここに)?(?:入力|記入|挿入)|입력하세요|삽입하세요"
)
"""Words that tell a writer to put a value there, in small letters; alone they are the name of a key or a button."""
_YOURS: Final = re.compile(
    r"\b(?:your|ihr(?:e[nmrs]?)?|dein(?:e[nmrs]?)?|votre|vos|sua?|tua?|tuo|seu|vostr[oa]|uw|jouw|din|ditt|twoj[aąe]|twój"
    r"|vaš[ei]|váš|anda|ваш[аеиу]?|σας)\b|[您你]的|貴社|御社|귀사|귀하|שלך|आपक|अपन|اسمك|مدينتك|شركتك"
)
_VALUES: Final = re.compile(
    r"name|firm|compan|business|city|town|phone|number|street|address|e-?mail|stadt|\bort\b|unternehmen|kanzlei|telefon"
    r"|stra(?:ß|ss)e|adress|anschrift|ville|\bnom\b|entreprise|société|téléphone|ciudad|nombre|empresa|teléfono|dirección|cidade"
    r"|\bnome\b|endereço|città|azienda|indirizzo|\bstad\b|naam|bedrijf|telefoon|\badres|namn|företag|navn|miast|imię|nazw"
    r"|měst|jméno|şehir|nama|kota|perusahaan|город|имя|назван|компани|телефон|адрес|міст|назв|πόλη|όνομα|τηλέφων"
    r"|اسم|مدين|شرك|שם|עיר|חברה|नाम|शहर|कंपनी|城市|姓名|公司|电话|電話|地址|名|住所|이름|도시|주소"
)
"""Both are in a gap for a value that the author has to fill in, in small letters."""
MIN_ASKING: Final = 2
"""Different gaps that say so, that of the name among them: one may be the label of a button."""
MIN_BLANKS: Final = 10
"""Different gaps of a form from which on nobody filled it in."""
MIN_CERTAIN: Final = 5
"""The same where all of them ask for a value, behind a colon or alone."""
MIN_OPEN: Final = 3
"""Those of them that stand behind a colon, or alone."""
_MAX_VALUE: Final = 4
"""Words of a gap that may name a value; what a play or a credit has in brackets is longer."""
_COLONS: Final = ("", ":", "：")
_FOOTERS: Final = "footer, [role=contentinfo], [class*=footer], [id*=footer]"
_SINGLE: Final = frozenset("'‘’‹›")
"""Signs before a quotation that stand for other things, too."""
_SENTENCE: Final = re.compile(r"[.!?:。！？।؟]\s*$")
_NAMED: Final = re.compile(
    r"(?<![^\W_])(?:ai|ki|ia|ии|ші|llms?|gpt|yapay|prompts?)(?![^\W_])"
    r"|ai(?=[\u3040-\u9fff\uac00-\ud7af])|(?<=[\u3040-\u9fff])ai"
    r"|chat-?gpt|chat-?bot|assistant|assistent|asistent|language model|sprachmodell|modèle de langage|modelo de l"
    r"|modello ling|taalmodel|språkmodel|sprogmodel|языков|нейросет|чат-бот|人工智能|人工知能|人工智慧|生成|大模型"
    r"|언어 모델|인공지능|ذكاء|نموذج لغوي|בינה|एआई"
    r"|template|vorlage|muster|modèle|plantilla|modelo|modello|sjabloon|szablon|шаблон|образец|模板|範本|テンプレート"
    r"|ひな形|서식"
)
"""Names of assistants, and of texts with gaps on purpose."""
_LETTERS: Final = re.compile(
    r"(?<![^\W_])(?:letter|lettre|lettera|brief|carta|cit(?:e|ing|ation|ieren|er)|credit(?:s|ing)?|письм[оа]|форм[аы]|бланк)"
    r"(?![^\W_])|(?<![^\W_])form(?![^\W_])|formul[aiá]r|sample|example|beispiel|exemple|ejemplo|exemplo|esempio|voorbeeld|書式|表格"
)
"""In the name of a page that shows its readers what to write."""
_QUOTES: Final = '"“”„«»「」『』'
_MORE: Final = re.compile(r"[.!?。！？؟।]\s")


_PHRASES: Final = ByteSearch([phrase.encode() for phrase in (*_SELF, *_LIMIT)])


class AssistantAnswer(msgspec.Struct, frozen=True, gc=False):
    """A text of an assistant that nobody read before it was published."""

    sentences: tuple[tuple[Node, str], ...]
    """(element, beginning of its text) of what it said about itself or its answer."""
    kinds: int
    """Different kinds of these sentences, 1 to 4."""
    gaps: tuple[tuple[Node, str], ...]
    """(element, text in brackets) of values that it did not know."""


def find_assistant_answer(document: Document) -> AssistantAnswer | None:
    """Find it; linear in the text, and without a walk where no such sentence is in it.

    One sentence in which a writer calls itself a model is enough, and otherwise two kinds of what only answers say:
    that here comes the text, that it could be changed, and what was not learned. Quotations and code do not count, nor
    does a page whose title, description or headings speak of assistants or templates.
    """
    text = _folded(document.folded_text).encode("utf-8", "replace")
    says = _opens(document, MAX_OPENING) or next(_PHRASES.places(text, 1), None) is not None
    if not says or _is_about_assistants(document):
        return None
    kinds: dict[str, list[tuple[Node, str]]] = {}
    gaps: list[tuple[Node, str]] = []
    for node, part in _prose(document):
        written = _folded(part.casefold())
        for kind in _kinds(written):
            kinds.setdefault(kind, []).append((node, part[:200]))
        gaps += ((node, match[0]) for match in islice(_GAP.finditer(part), MAX_FOUND))
    if "self" not in kinds and len(kinds) < MIN_KINDS:
        return None
    sentences = [one for found in kinds.values() for one in found]
    return AssistantAnswer(tuple(sentences[:MAX_FOUND]), len(kinds), tuple(gaps[:MAX_FOUND]))


def find_named_gaps(document: Document) -> tuple[tuple[Node, str], ...]:
    """(element, gap) of an answer with gaps in the name of its page, in whichever language; empty for any other.

    The page begins as an answer does: letters to fill in, stories in which readers put their names, and manuals of keys
    have such gaps on purpose. One of them stands in its title or first heading and in its text again, where there are
    ``MIN_GAPS`` different ones. ``MIN_ASKING``, that one among them, say that a value belongs there.
    """
    if not _opens(document, 1) or _is_about_assistants(document):
        return ()
    names = [one.text[:1_000] for one in document.titles[:1]]
    names += [one.text[:1_000] for one in document.headings[:1] if not one.hidden]
    named = {one[0] for name in names for one in _GAP.finditer(name) if _asks(one[0])}
    found = [(node, one[0]) for node, part in _prose(document) for one in islice(_GAP.finditer(part), MAX_FOUND)]
    gaps = {gap for _, gap in found}
    if len(gaps) < MIN_GAPS or named.isdisjoint(gaps) or sum(map(_asks, gaps)) < MIN_ASKING:
        return ()
    return tuple(found[:MAX_FOUND])


def find_open_blanks(document: Document) -> tuple[tuple[Node, str], ...]:
    """(element, gap) of a form with gaps in brackets that a site took for its own page; empty for any other.

    The footer of the site leads to the page itself, as it does to an imprint, to terms and to what is said about
    privacy: letters to fill in have their place elsewhere. There are ``MIN_BLANKS`` different gaps, ``MIN_OPEN`` of
    them stand behind a colon or alone, and a third say that a value belongs there: a text with notes in brackets has
    fewer of these. ``MIN_CERTAIN`` are enough where all do both. Linear.
    """
    names = [one.text for one in document.titles[:1]] + [one.text for one in document.headings[:1]]
    if (
        not any(one in document.main_text for one in "[［")
        or not _is_of_footer(document)
        or _is_about_assistants(document)
        or any(_LETTERS.search(one[:500].casefold()) is not None for one in names)
    ):
        return ()
    found: list[tuple[Node, str]] = []
    is_open: set[str] = set()
    for node, part in _prose(document):
        for one in islice(_GAP.finditer(part), MAX_FOUND):
            found.append((node, one[0]))
            if part[: one.start()].rstrip()[-1:] in _COLONS:
                is_open.add(one[0])
    gaps = {gap for _, gap in found}
    said = (gap[1:-1].casefold() for gap in gaps)
    asking = sum(
        _ASKS.search(one) is not None or (len(one.split()) <= _MAX_VALUE and _VALUES.search(one) is not None)
        for one in said
    )
    least = MIN_CERTAIN if asking == len(is_open) == len(gaps) else MIN_BLANKS
    if len(gaps) < least or len(is_open) < MIN_OPEN or 3 * asking < len(gaps):
        return ()
    return tuple(found[:MAX_FOUND])


def _is_of_footer(document: Document) -> bool:
    """Return whether a link in the footer leads to the page itself, which is not the front page."""
    own = strip_fragment(document.url)
    return own.partition("://")[2].partition("/")[2] != "" and any(
        one.url is not None
        and strip_fragment(one.url) == own
        and isinstance(one.node, Element)
        and one.node.closest(_FOOTERS) is not None
        for one in document.anchors
    )


def _opens(document: Document, among: int) -> bool:
    """Return whether one of the first paragraphs begins as an answer does."""
    return any(_BEGINS.match(_folded(one.text[:60].casefold())) for one in document.paragraphs[:among])


def _asks(gap: str) -> bool:
    """Return whether a gap says that a value belongs there."""
    said = gap[1:-1].casefold()
    if any(one.search(said) is None for one in (_YOURS, _VALUES)):
        found = _ASKS.search(said)
        return found is not None and found[0] != said
    return True


def _folded(text: str) -> str:
    return text.replace("’", "'")


def _prose(document: Document) -> Iterator[tuple[Node, str]]:
    """Texts outside of code, links, notes and quotations."""
    for node, text in texts_outside_code(document):
        if node.tag not in {"a", "cite", "kbd", "q", "sup", "var"}:
            yield node, " ".join(text[:_MAX_TEXT].split())


def _kinds(written: str) -> Iterator[str]:
    if any(_says(written, phrase) for phrase in _SELF):
        yield "self"
    if any(_says(written, phrase, begins=False) for phrase in _LIMIT):
        yield "limit"
    closes = any(
        not _is_quoted(written, match.start()) and _MORE.search(written, match.end()) is None
        for match in _ENDS.finditer(written)
    )
    # A whole answer that was pasted into one paragraph has both.
    if (closes or written.endswith((":", "："))) and _BEGINS.match(written) is not None:
        yield "opening"
    if closes:
        yield "closing"


def _says(written: str, phrase: str, *, begins: bool = True) -> bool:
    """Return whether a text says something itself, at the beginning of a sentence where that is asked."""
    at = written.find(phrase)
    # "As an AI image library" says nothing of itself.
    goes_on = phrase.endswith(" i") and written[at + len(phrase) :][:1].isalnum()
    if at < 0 or goes_on or _is_quoted(written, at):
        return False
    before = written[max(0, at - 8) : at]
    return not begins or not before.strip() or _SENTENCE.search(before) is not None


def _is_quoted(written: str, at: int) -> bool:
    """Return whether a place of a text is inside quotation marks, as far as the text before it tells."""
    return sum(written.count(one, 0, at) for one in _QUOTES) % 2 == 1 or (at > 0 and written[at - 1] in _SINGLE)


def _is_about_assistants(document: Document) -> bool:
    names = [one.text for one in document.titles] + [one.text for one in document.headings]
    names += [one.content for one in document.metas if one.name in {"description", "keywords"}]
    for name in names:
        said = _folded(name[:500].casefold())
        # What stands as an answer in place of a name is about nothing.
        for phrase in (one for one in _SELF if _says(said, one)):
            said = said.replace(phrase, "")
        if _NAMED.search(said) is not None:
            return True
    return False
