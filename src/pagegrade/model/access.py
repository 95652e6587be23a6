"""Access to pages that are not for everybody: what a run sends to the origins of a page so that they let it in."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Annotated, Final

import msgspec

from pagegrade.model.schema import about

MAX_ORIGINS: Final = 20
MAX_HEADERS: Final = 20
MAX_COOKIES: Final = 50
MAX_QUERY: Final = 20
MAX_CERTIFICATES: Final = 20
MAX_PROFILES: Final = 100
"""Of one account."""
MAX_NAME: Final = 100
NO_ACCESS: Final = 0
"""In place of the id of a profile: nothing is sent, whatever profiles there are."""


class VisitorView(msgspec.Struct, frozen=True, kw_only=True):
    """Description of what visitors without the access get at the URL of the page."""

    status: Annotated[int, about("Status of the answer behind redirects.", 401, minimum=100, maximum=999)]
    url: Annotated[str, about("URL of that answer, without query and fragment.", "https://staging.example/")]
    is_elsewhere: Annotated[bool, about("True if it is another URL than that of the page.", False)]  # noqa: FBT003
    indexable: Annotated[
        bool | None, about("False if it asks search engines not to index it; null for an error.", None)
    ]

    @property
    def is_closed(self) -> bool:
        """True if visitors do not get the page: an error, or another page such as a sign-in."""
        return self.indexable is None or self.is_elsewhere


class AccessNote(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True):
    """Description of what let the run in."""

    name: Annotated[str, about("Name of the access profile; empty for what was typed at a terminal.", "Staging")]
    origins: Annotated[
        tuple[str, ...],
        about("Origins that it was sent to, if anything was asked for there.", ["https://staging.example"]),
    ]
    sent: Annotated[
        tuple[str, ...],
        about(
            "Kinds of what was sent: `basic`, `headers`, `cookies`, `user_agent`, `query`; and `certificates` where "
            "some were trusted.",
            ["basic", "headers"],
        ),
    ]
    visitors: Annotated[VisitorView | None, about("The page as everybody sees it; absent if that is not known.")] = None

    @property
    def lets_in(self) -> bool:
        """True if anything is sent that could let a run in."""
        return any(kind != "certificates" for kind in self.sent)

    @property
    def signs_in(self) -> bool:
        """True if anything is sent that expires or can be wrong: more than a user agent."""
        return any(kind not in {"certificates", "user_agent"} for kind in self.sent)


@dataclass(frozen=True, slots=True, kw_only=True)
class Access:
    """Texts that are sent to some origins, and to no other.

    Texts have passed ``parse.http.access``, so that none of them can begin another header line.
    """

    name: str = ""
    """Of the access profile; empty where there is none, on the command line and in the library."""
    origins: tuple[str, ...] = ()
    """``scheme://host[:port]`` as ``parse.url.origin`` writes them; for none, nothing is sent."""
    user: str = ""
    """For Basic authentication, with the password; both empty: none."""
    password: str = field(default="", repr=False)
    headers: tuple[tuple[str, str], ...] = field(default=(), repr=False)
    """(name, value), each name once."""
    cookies: tuple[tuple[str, str], ...] = field(default=(), repr=False)
    """(name, value), each name once."""
    user_agent: str = ""
    """Instead of Pagegrade's own; empty: its own."""
    query: tuple[tuple[str, str], ...] = field(default=(), repr=False)
    """(name, value) of parameters that are added to URLs which do not have them."""
    certificates: str = field(default="", repr=False)
    """In PEM, of authorities, or of a server that signed its own: trusted by the run besides those of everyone. They
    let no one in, and are no secret."""

    @property
    def note(self) -> AccessNote:
        """The part of it that a report may show."""
        kinds = {
            "basic": bool(self.user or self.password),
            "headers": bool(self.headers),
            "cookies": bool(self.cookies),
            "user_agent": bool(self.user_agent),
            "query": bool(self.query),
            "certificates": bool(self.certificates),
        }
        return AccessNote(
            name=self.name, origins=self.origins, sent=tuple(kind for kind, is_sent in kinds.items() if is_sent)
        )


@dataclass(frozen=True, slots=True, kw_only=True)
class StoredAccess:
    """An access profile as it is kept, without its secrets."""

    id: int
    account_id: int
    name: str
    origins: tuple[str, ...]
    user: str
    """Empty: no Basic authentication."""
    has_password: bool
    headers: tuple[str, ...]
    """Names of the headers that are sent; likewise the next ones."""
    cookies: tuple[str, ...]
    query: tuple[str, ...]
    user_agent: str
    certificates: tuple[str, ...]
    """Subjects of the certificates that are trusted."""
    sealed: bytes = field(repr=False)
    """Its secrets, encrypted."""
    created_at_ms: int
    updated_at_ms: int
    revision: int
