import re
import unicodedata
from typing import Final

from pagegrade.checks._check import State, Verdict, check
from pagegrade.model.artifacts import Artifacts
from pagegrade.model.document import Document
from pagegrade.model.outcome import Detail, Evidence, NotApplicable, Outcome, Severity

TAIL_CHARS: Final = 2_000
"""Visible text at the end of the page in which a footer is searched for."""
NEAR_CHARS: Final = 40
"""Characters after the mark in which its years stand."""
_MARK: Final = re.compile(r"©|\(c\)(?=\s?(?:19|20)\d\d)|\bcopyright\b", re.IGNORECASE)
_YEAR: Final = re.compile(
    r"(?<![\d./:-])(?:19[89]|20\d)\d(?![-/]\d\d?[-/]|\d| \d{3})(?:\s?[-–—/]\s?((?:20)?\d\d)(?!\d))?"
    r"([-–—][^\W\d]|\s[-–—]\s(?:now|present|today)\b)?",
    re.IGNORECASE,
)
"""A year, or a first and a last one; not that of a date or the beginning of a number. The last group begins a word:
a range without an end, such as `2019-present` or `2019 - today`."""
_DAY: Final = re.compile(r"(?:\b\d\d?\.?\s\w{3,12}\.?|\b\w{3,12}\.?\s\d\d?,)\s$")
"""Day and month before the year of a date."""
_YEAR_BEFORE: Final = re.compile(r"(?<![\d./:-])(?:(?:19[89]|20\d)\d\s?[-–—/]\s?)?(?:19[89]|20\d)\d,?\s{0,2}$")
_YEAR_CHARS: Final = 16
"""Characters before the mark in which a year, or a first and a last one, stand."""
_END: Final = re.compile(r"\s[|·•]|[!?。।]|\.\s+(?!\d)|\s(?=©)")
"""End of a notice: a year behind it is that of another statement, such as when the company was founded."""
_SHORT_YEAR_CHARS: Final = 2
_HOLDER: Final = 2
"""Words of a mark and the shortest name of a holder."""
_CENTURY: Final = 2_000
_JANUARY: Final = 1


@check(
    id="copyright-year",
    title="Copyright year",
    severity=Severity.INFO,
    since="0.1.0",
    states=(
        State("current", "The copyright notice names the current year."),
        State(
            "stale",
            "The copyright notice names a past year.",
            title="Outdated copyright year",
            why="Visitors take the year for the age of the content, and an old one makes the site look abandoned.",
            fix=(
                "Let the template insert the current year, or leave the year out. A notice that states the year of "
                "first publication on purpose can stay."
            ),
        ),
    ),
    sources=("https://www.copyright.gov/circs/circ03.pdf",),
)
def copyright_year(document: Document, artifacts: Artifacts) -> Verdict:
    """An old year in the footer makes a page look abandoned.

    ## What it checks

    The years in the copyright notices (`©`, `(c)` or the word "copyright") of the last 2,000 characters of the visible
    text: right before the mark or in the same sentence after it. Only the latest year counts, so `2009-2026` is current
    in 2026, in the digits of any script. The year is compared with the date of the analysis, and all of January is
    allowed for the change. A notice without a year is fine and not evaluated, and so are a year that a script inserts,
    a range without an end (`2019-present`), and the year of a date or of another event (`© Oak, founded 1999`). Some
    notices state the year of first publication on purpose, so this is informative and costs nothing.

    ## Fails on

    ```html
    <!doctype html>
    <title>Garden furniture</title>
    <main><p>Benches and tables made of oak.</p></main>
    <footer>© 2009-2021 Oak & Sons</footer>
    ```

    ## Passes on

    ```html
    <!doctype html>
    <title>Garden furniture</title>
    <main><p>Benches and tables made of oak.</p></main>
    <footer>© 2009-2026 Oak & Sons</footer>
    ```
    """
    tail = document.text[-TAIL_CHARS:]
    plain = _with_plain_digits(tail)
    notices = {
        tail[start:end]: latest
        for start, end in _notices(plain)
        if (latest := _latest_year(plain[start:end])) is not None
    }
    if not notices:
        return NotApplicable("The page ends without a copyright notice that names a year.")
    notice, year = max(notices.items(), key=lambda entry: entry[1])
    today = artifacts.gathered_at
    least = today.year - 1 if today.month == _JANUARY else today.year
    return Outcome(
        "current" if year >= least else "stale",
        value=year,
        evidence=(Evidence(snippet=notice.strip(), value=f"copyright {year}", reason="latest year of the notice"),),
        details=(Detail(code="copyright_year", actual=year, limit=least),),
        message="" if year >= least else f"The copyright notice names {year} as its latest year.",
    )


def _with_plain_digits(text: str) -> str:
    """Write the decimal digits of every script as 0 to 9; each character stays in its place."""
    digits = {one for one in set(text) if not one.isascii() and one.isdecimal()}
    return text.translate({ord(one): str(unicodedata.decimal(one)) for one in digits}) if digits else text


def _notices(text: str) -> list[tuple[int, int]]:
    """Find the place of each notice: what follows the mark up to the end of its sentence, and a year before it."""
    found = []
    for mark in _MARK.finditer(text):
        after = text[mark.end() : mark.end() + NEAR_CHARS]
        end = _END.search(after)
        before = _YEAR_BEFORE.search(text[max(0, mark.start() - _YEAR_CHARS) : mark.start()])
        start = mark.start() - (len(before[0]) if before else 0)
        found.append((start, mark.end() + (end.start() if end else len(after))))
    return found


def _latest_year(notice: str) -> int | None:
    years: list[int] = []
    for match in _YEAR.finditer(notice):
        if match[2] is not None:
            return None  # up to today
        if not years and _is_of_another_statement(notice[: match.start()]):
            continue
        years.append(int(match[0][:4]))
        if match[1] is not None:
            end = int(match[1])
            years.append(end + _CENTURY if len(match[1]) == _SHORT_YEAR_CHARS else end)
    return max(years, default=None)


def _is_of_another_statement(before: str) -> bool:
    """Return whether a year behind the holder's name is that of a date, or of what happened to the holder then."""
    words = before.split()
    last = words[-1] if words else ""
    return _DAY.search(before) is not None or (len(words) > _HOLDER and last.isalpha() and last.islower())
