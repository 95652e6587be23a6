from typing import Final

from pagegrade.checks._check import Cap, State, check
from pagegrade.checks._offenders import Offender, evidence_of
from pagegrade.model.document import Document
from pagegrade.model.outcome import Detail, Outcome, Severity
from pagegrade.parse.html.card_skimmers import find_skimmers
from pagegrade.parse.html.concealed_text import ConcealedText
from pagegrade.parse.html.hidden_orders import find_hidden_orders
from pagegrade.parse.html.injected_content import Injection, find_injections, foreign_links
from pagegrade.parse.html.injected_lures import find_lures
from pagegrade.parse.party import Parties
from pagegrade.parse.url import host, registrable_domain

MIN_SPAM_LINKS: Final = 3
"""Hidden links for typical goods that are no accident."""
MIN_MOVED_LINKS: Final = 6
"""Links to other sites that are moved off the screen, whatever they are about."""
MIN_MOVED_SITES: Final = 3
_REASONS: Final = {
    "hidden-link": "hidden link to another site",
    "disguised-script": "script that hides what it runs",
    "disguised-address": "script that hides the URL of another site",
    "mining-script": "script that mines coins in the visitor's browser",
    "skimming-script": "script that copies fields to another site",
    "pop-under": "script that opens another site at any click",
    "foreign-keywords": "title and links in another script than the page",
    "link-spam": "followed link to another site, one of many",
    "invisible-frame": "invisible frame of another site",
    "defacement": "message of an intruder",
    "click-layer": "invisible link to another site over the whole window",
    "paste-command": "puts a command into the clipboard that hides what it does",
    "web-shell": "form for commands with their output",
    "link-farm": "link to a seller of such goods, in a block of many",
    "back-trap": "script that sends who goes back to another site",
    "dialog-loop": "script that shows one dialog after the other without an end",
    "forced-download": "brings a program to visitors who did not ask for it",
    "wallet-request": "script that asks for money from a wallet by itself",
    "permission-trap": "script that asks for a permission by itself and brings what it gets to another site",
    "referrer-trap": "script that sends visitors of search engines to another site",
    "form-hijack": "script that sends what visitors enter to another site",
    "copy-swap": "script that replaces what visitors copy",
    "field-trap": "field for a card where no one sees it",
    "hidden-orders": "hidden text that gives orders to programs",
    "taken-canonical": "sends search engines to another site that the page does not know",
    "imitation": "secret asked for on a page that is made to look like this site",
    "stray-form": "secret asked for in a folder for files",
    "forbidden-field": "secret asked for that no site needs",
    "key-logger": "script that sends each key that is pressed to another site",
    "held-visitor": "script that keeps visitors from leaving",
}
_CERTAIN: Final = frozenset(
    {
        "back-trap",
        "click-layer",
        "copy-swap",
        "defacement",
        "dialog-loop",
        "disguised-address",
        "forbidden-field",
        "forced-download",
        "held-visitor",
        "field-trap",
        "foreign-keywords",
        "form-hijack",
        "hidden-orders",
        "imitation",
        "key-logger",
        "link-farm",
        "link-spam",
        "mining-script",
        "paste-command",
        "permission-trap",
        "pop-under",
        "referrer-trap",
        "skimming-script",
        "stray-form",
        "taken-canonical",
        "wallet-request",
        "web-shell",
    }
)
"""Kinds of which one is enough."""


@check(
    id="hacked-page",
    title="Signs of a hacked page",
    severity=Severity.CRITICAL,
    since="0.1.0",
    states=(
        State("clean", "The page shows no signs of an intruder."),
        State(
            "suspicious",
            "The page holds code that hides what it does.",
            loss=0.2,
            title="Scripts hide what they run",
            why=(
                "Malware is hidden in this way, and so are some advertisements; visitors cannot see what runs in "
                "their browser."
            ),
            fix=(
                "Find out who added each listed element and what for. Remove what no one knows, then check the "
                "site for changed "
                "files and unknown users."
            ),
        ),
        State(
            "hacked",
            "The page holds hidden links or code of the kind that intruders add.",
            loss=1.0,
            title="The page shows signs of a hack",
            why=(
                "Search engines warn of hacked sites or drop them, and visitors can be led to fraud or malware. "
                "An intruder who added "
                "this can change everything else as well."
            ),
            fix=(
                "Restore the site from a clean backup or remove the listed code, update all software, change all "
                "passwords and "
                "remove unknown users. Then ask for a review in the search engines' webmaster tools."
            ),
        ),
    ),
    cap=Cap(49, states=("hacked",)),
    sources=(
        "https://developers.google.com/search/docs/essentials/spam-policies#hacked-content",
        "https://web.dev/articles/hacked",
    ),
)
def hacked_page(document: Document, parties: Parties, concealed_text: ConcealedText) -> Outcome:
    """Intruders add links that only search engines see, and scripts that hide what they do.

    ## What it checks

    Links to other sites that are hidden by any means that style sheets have, or moved off the screen: three of them for
    typical goods of spammers (pills, casinos, copies of brands), or six to at least three sites, whatever they are
    about. Inline scripts that decode an address of another site from numbers, Base64 or escapes and load it, that mine
    coins, that open another site at any click, or that read all fields of a page with a password or a card and send
    them to another site in Base64 count as a hack, and so do those that read all fields or two of a card and send them
    to a site that the page loads nothing from, if they do not send the form themselves or hide the names or the
    address. Those count as well that send the code of a card to a chat, by the address at which it takes messages of
    programs with a token, or a password that they hand to no server of the page and no library; orders and calls for
    help that are sent there do not. So do those that send who goes back to another site, show dialogs without an end,
    send each key to another site, lead visitors to another site by the page that they come from, give the page's own
    forms an address of another site when they are sent, replace what visitors copy, and, without waiting for a click,
    download a program of another site that no link offers or ask a wallet for money. A refresh that leads to a program
    counts, too, and so does a script that keeps visitors from leaving in two ways, by a question when they close the
    page, by bringing them back, by putting the page into the history many times, by taking every key or by filling the
    screen at any click. Scripts that are packed, or run what they decode, are suspicious, and together with an
    invisible frame of an unknown site they count as a hack; such a frame alone does not, because trackers use it. A
    title and a description in another script than the page's language, heading and text, or with links in that script,
    counts, and so do thirty followed links to fifteen sites beside a form for comments or with a few names for all of
    them, if they are three times as many as the page's own. A short page whose title or heading is an intruder's
    message counts as well, and so do an empty link to another site, or an unseen frame of one, that lies over the whole
    window, fields for a card that are drawn out of sight beside others so that browsers fill them in, a script that
    puts a command into the clipboard which hides its window or what it runs, a form for commands beside the output of
    one, a block of links to fifteen sites that sell such goods, and fields for a password, a card or a PIN on a page
    that wears the name of another site, in its host name or its title, with pictures and links of that site and none of
    its own. So do such fields in a folder for files, as `/wp-includes/` is one, in a form that is sent to a page of
    such a folder; to the page itself as well, but among the files of editors, as in `/wp-content/uploads/`, only if its
    name ends with `.php`. A form that is sent to a server counts if it names a wallet and asks for the words that
    restore it, in one field or in as many numbered ones as there are such words, or if it asks for the code and the PIN
    of a card and for a name and a password besides. Text that no one can see and that orders assistants and other
    programs to ignore their instructions, or to send files with secrets to an address, counts in any of a dozen
    languages, spelled in characters without a shape as well. So does a canonical link to another site with another
    path, to which all language versions and the AMP version lead as well, while the page's own address for networks and
    its data, its links and its files know nothing of that site. Links to social networks, to shared services and to
    privacy policies do not count, and neither do hidden links for goods that the page is about by its title and its own
    text.

    ## Fails on

    ```html
    <!doctype html><title>School</title><h1>Welcome</h1><p>Term dates and lunches.</p>
    <div style="position:absolute;left:-9999px">
    <!-- the next line 4 times -->
    <a href="https://pills-{n}.example/buy">buy viagra without prescription</a>
    </div>
    ```

    ## Passes on

    ```html
    <!doctype html><title>How hacked sites hide pills</title><h1>Hidden links</h1>
    <p>Intruders hide words such as viagra from visitors. <a href="https://search.example/help">Get help</a>.</p>
    ```
    """
    foreign = foreign_links(document, parties)
    found = (
        *find_injections(document, parties, concealed_text, foreign),
        *find_skimmers(document, parties),
        *find_lures(document, parties, foreign),
        *find_hidden_orders(document, concealed_text),
    )
    links = [one for one in found if one.kind == "hidden-link"]
    spam = [one for one in links if one.spam]
    moved = [one for one in links if one.moved]
    sites = {registrable_domain(host(one.url)) for one in moved}
    others = [one for one in found if one.kind != "hidden-link"]
    kinds = {one.kind for one in others}
    many_links = len(spam) >= MIN_SPAM_LINKS or (len(moved) >= MIN_MOVED_LINKS and len(sites) >= MIN_MOVED_SITES)
    is_hacked = many_links or not _CERTAIN.isdisjoint(kinds) or len(kinds) > 1 or bool(spam and kinds)
    if not is_hacked and "disguised-script" not in kinds:
        return Outcome("clean", value=0)
    shown: list[Injection] = [*(links if many_links or spam else ()), *others]
    return Outcome(
        "hacked" if is_hacked else "suspicious",
        value=len(shown),
        evidence=evidence_of(document, [Offender(one.node, _REASONS[one.kind], url=one.url) for one in shown]),
        total=len(shown),
        details=tuple(Detail(code=code, actual=sum(one.kind == code for one in shown), limit=0) for code in _REASONS),
    )
