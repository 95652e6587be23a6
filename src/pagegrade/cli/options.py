"""Options that several commands share, declared once."""

from __future__ import annotations

from enum import Enum
from typing import Annotated

import typer

from pagegrade.render import FORMATS


class Devices(Enum):
    """Devices that a browser imitates."""

    MOBILE = "mobile"
    DESKTOP = "desktop"


class Networks(Enum):
    """Lines that a browser is given."""

    MOBILE = "mobile"
    DESKTOP = "desktop"
    NONE = "none"


class Scopes(Enum):
    """Scopes of a crawl."""

    HOST = "host"
    DOMAIN = "domain"
    FOLDER = "folder"


Formats = Annotated[
    list[str] | None,
    typer.Option(
        "--format",
        "-f",
        metavar="FORMAT",
        help=f"{', '.join(FORMATS)}. Repeat for several; text by default.",
    ),
]
Outputs = Annotated[
    list[str] | None,
    typer.Option(
        "--output",
        "-o",
        metavar="FILE",
        help="Write to FILE instead of the terminal. Repeat: the first --output takes the first --format, and so on. "
        "Without --format, the file extension decides.",
    ),
]
Sources = Annotated[
    list[str] | None,
    typer.Option(
        "--source",
        metavar="URL=PATH",
        help="For sarif: where the source of a page, and of those below it, is in the repository. A PATH that ends in "
        "/ is a folder laid out as the site is. Repeatable.",
    ),
]
FailOn = Annotated[
    list[str] | None,
    typer.Option(
        "--fail-on",
        metavar="EXPR",
        help="Exit with 1 if this is true: score<80, severity>=high, high>0, check.noindex, coverage<0.9, result=bad, "
        "category.seo<70, lcp_ms>2500, transfer_bytes>1500000, and with --baseline: score drop>=5, "
        "transfer_bytes rise>=20%. Repeat for several.",
    ),
]
Baseline = Annotated[
    str | None,
    typer.Option(
        "--baseline",
        metavar="FILE",
        help="Compare with an earlier report, saved with --format json or jsonl.",
    ),
]
FailOnNew = Annotated[
    str | None,
    typer.Option(
        "--fail-on-new",
        metavar="SEVERITY",
        help="Exit with 1 if the page has a finding of at least this severity (low, medium, high, "
        "critical) that the baseline does not have, or one that became worse.",
    ),
]
Config = Annotated[
    str | None,
    typer.Option(
        "--config",
        metavar="FILE",
        help="File with ignore rules; pagegrade.toml of the current folder by default, if there is one.",
    ),
]
Quiet = Annotated[
    bool,
    typer.Option(
        "--quiet",
        "-q",
        help="No progress and no warnings; text is one line per page.",
    ),
]
Users = Annotated[
    str | None,
    typer.Option(
        "--user",
        "-u",
        metavar="NAME[:PASSWORD]",
        help="Basic authentication, sent to the origin of each URL only; @FILE reads it from a file.",
    ),
]
Headers = Annotated[
    list[str] | None,
    typer.Option(
        "--header", "-H", metavar="'Name: value'", help="Header sent there; @FILE has one a line. Repeatable."
    ),
]
Cookies = Annotated[
    list[str] | None,
    typer.Option("--cookie", "-b", metavar="'a=b; c=d'", help="Cookies sent there; or @FILE. Repeatable."),
]
UserAgents = Annotated[
    str | None,
    typer.Option("--user-agent", "-A", metavar="TEXT", help="User agent sent there instead of Pagegrade's own."),
]
Authorities = Annotated[
    str | None,
    typer.Option("--cacert", metavar="FILE", help="Certificates (PEM) to trust, too: of your own authority or server."),
]
Format = Annotated[str, typer.Option("--format", "-f", metavar="FORMAT", help="text or json.")]
AccessOrigins = Annotated[
    list[str] | None,
    typer.Option(
        "--access-origin",
        metavar="ORIGIN",
        help="Send user, headers, cookies and user agent there, not to the origin of each URL. Repeatable.",
    ),
]
Proxy = Annotated[
    str | None,
    typer.Option(
        "--proxy", metavar="URL", help="Reach sites through this proxy: http://HOST:3128, https:// or socks5h://."
    ),
]
