"""Requests of clients of the interface, byte for byte, with blanks where a test fills something in.

``{host}``, ``{key}``, ``{id}`` are filled in; ``{length}`` is the length of the body; ``{url}`` in a body is the page,
percent-encoded, and ``{plain_url}`` as it is. Lines end with CRLF on the wire. Where a head ends with
``Expect: 100-continue``, the body waits for the interim answer, as in the client.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

Call = Literal["create", "update", "list", "show", "delete", "account"]


@dataclass(frozen=True, slots=True)
class Recording:
    """One request of one client."""

    client: str
    call: Call
    head: str
    body: str = ""
    chunked: bool = False

    @property
    def name(self) -> str:
        """For the name of a test."""
        return f"{self.client}-{self.call}"


def _lines(text: str) -> str:
    return "\r\n".join(text.strip().splitlines()) + "\r\n"


_MULTIPART = _lines(
    """
--------------------------d74496d66958873e
Content-Disposition: form-data; name="url"

{plain_url}
--------------------------d74496d66958873e
Content-Disposition: form-data; name="privacy"

2
--------------------------d74496d66958873e
Content-Disposition: form-data; name="password"

päss wörd
--------------------------d74496d66958873e--
"""
)
_BROWSER = _lines(
    """
------WebKitFormBoundary7MA4YWxkTrZu0gW
Content-Disposition: form-data; name="privacy"

2
------WebKitFormBoundary7MA4YWxkTrZu0gW
Content-Disposition: form-data; name="password"

päss wörd
------WebKitFormBoundary7MA4YWxkTrZu0gW
Content-Disposition: form-data; name="results"

0
------WebKitFormBoundary7MA4YWxkTrZu0gW--
"""
)
_FORM = "url={url}&privacy=2&password=p%C3%A4ss+w%C3%B6rd"
_CHANGE = "privacy=2&password=p%C3%A4ss+w%C3%B6rd&results=0"

RECORDINGS = (
    Recording(
        "php-curl-array",
        "create",
        """
POST /api/v1/reports HTTP/1.1
Host: {host}
Authorization: Bearer {key}
Accept: */*
Content-Length: {length}
Expect: 100-continue
Content-Type: multipart/form-data; boundary=------------------------d74496d66958873e
""",
        _MULTIPART,
    ),
    Recording(
        "php-curl-string",
        "create",
        """
POST /api/v1/reports HTTP/1.1
Host: {host}
Accept: */*
Authorization: Bearer {key}
Content-Length: {length}
Content-Type: application/x-www-form-urlencoded
""",
        _FORM,
    ),
    Recording(
        "php-curl-no-accept",
        "create",
        """
POST /api/v1/reports HTTP/1.1
Host: {host}
Authorization: Bearer {key}
Content-Type: application/x-www-form-urlencoded
Content-Length: {length}
""",
        _FORM,
    ),
    Recording(
        "php-curl-posts-updates",
        "update",
        """
POST /api/v1/reports/{id} HTTP/1.1
Host: {host}
Accept: */*
Authorization: Bearer {key}
Content-Length: {length}
Content-Type: application/x-www-form-urlencoded
""",
        _CHANGE,
    ),
    Recording(
        "php-curl-put",
        "update",
        """
PUT /api/v1/reports/{id} HTTP/1.1
Host: {host}
Authorization: Bearer {key}
Content-Type: application/x-www-form-urlencoded
Content-Length: {length}
""",
        _CHANGE,
    ),
    Recording(
        "php-stream",
        "create",
        """
POST /api/v1/reports HTTP/1.0
Authorization: Bearer {key}
Host: {host}
Connection: close
Content-Length: {length}
Content-type: application/x-www-form-urlencoded
""",
        _FORM,
    ),
    Recording(
        "php-stream",
        "list",
        """
GET /api/v1/reports?search=&project=&result=&per_page=25 HTTP/1.0
Host: {host}
Accept: application/json
Authorization: Bearer {key}
""",
    ),
    Recording(
        "guzzle",
        "create",
        """
POST /api/v1/reports HTTP/1.1
Content-Length: {length}
User-Agent: GuzzleHttp/7
Content-Type: application/x-www-form-urlencoded
Host: {host}
Authorization: Bearer {key}
""",
        _FORM,
    ),
    Recording(
        "wordpress",
        "create",
        """
POST /api/v1/reports HTTP/1.1
Host: {host}
User-Agent: WordPress/6.7; https://example.org
Accept: */*
Accept-Encoding: deflate, gzip, br
Referer: http://{host}/api/v1/reports
Authorization: Bearer {key}
Content-Type: application/x-www-form-urlencoded; charset=UTF-8
Connection: close
Content-Length: {length}
""",
        _FORM,
    ),
    Recording(
        "python-requests",
        "create",
        """
POST /api/v1/reports HTTP/1.1
Host: {host}
User-Agent: python-requests/2.32.3
Accept-Encoding: gzip, deflate
Accept: */*
Connection: keep-alive
Authorization: Bearer {key}
Content-Length: {length}
Content-Type: application/x-www-form-urlencoded
""",
        _FORM,
    ),
    Recording(
        "python-requests-json",
        "create",
        """
POST /api/v1/reports HTTP/1.1
Host: {host}
User-Agent: python-requests/2.32.3
Accept-Encoding: gzip, deflate
Accept: */*
Connection: keep-alive
Authorization: Bearer {key}
Content-Length: {length}
Content-Type: application/json
""",
        '{{"url": "{plain_url}", "privacy": 2, "password": "p\\u00e4ss w\\u00f6rd"}}',
    ),
    Recording(
        "python-httpx",
        "update",
        """
PUT /api/v1/reports/{id} HTTP/1.1
Host: {host}
Accept: */*
Accept-Encoding: gzip, deflate, br, zstd
Connection: keep-alive
User-Agent: python-httpx/0.28.1
Authorization: Bearer {key}
Content-Length: {length}
Content-Type: application/x-www-form-urlencoded
""",
        _CHANGE,
    ),
    Recording(
        "python-urllib3",
        "delete",
        """
DELETE /api/v1/reports/{id} HTTP/1.1
Host: {host}
Accept-Encoding: identity
User-Agent: python-urllib3/2.2.3
Authorization: Bearer {key}
""",
    ),
    Recording(
        "browser-fetch",
        "create",
        """
POST /api/v1/reports HTTP/1.1
Host: {host}
Connection: keep-alive
Content-Length: {length}
sec-ch-ua-platform: "Linux"
Authorization: Bearer {key}
User-Agent: Mozilla/5.0 (X11; Linux x86_64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/131.0.0.0 Safari/537.36
Content-Type: application/x-www-form-urlencoded;charset=UTF-8
Accept: */*
Origin: https://dashboard.example.org
Sec-Fetch-Site: cross-site
Sec-Fetch-Mode: cors
Sec-Fetch-Dest: empty
Referer: https://dashboard.example.org/
Accept-Encoding: gzip, deflate, br, zstd
Accept-Language: en-US,en;q=0.9
""",
        _FORM,
    ),
    Recording(
        "browser-fetch-formdata",
        "update",
        """
PUT /api/v1/reports/{id} HTTP/1.1
Host: {host}
Connection: keep-alive
Content-Length: {length}
Authorization: Bearer {key}
Content-Type: multipart/form-data; boundary=----WebKitFormBoundary7MA4YWxkTrZu0gW
Accept: */*
Origin: https://dashboard.example.org
Sec-Fetch-Mode: cors
""",
        _BROWSER,
    ),
    Recording(
        "axios",
        "create",
        """
POST /api/v1/reports HTTP/1.1
Accept: application/json, text/plain, */*
Content-Type: application/x-www-form-urlencoded
Authorization: Bearer {key}
User-Agent: axios/1.7.9
Content-Length: {length}
Accept-Encoding: gzip, compress, deflate, br
Host: {host}
Connection: keep-alive
""",
        _FORM,
    ),
    Recording(
        "axios",
        "delete",
        """
DELETE /api/v1/reports/{id} HTTP/1.1
Accept: application/json, text/plain, */*
Authorization: Bearer {key}
User-Agent: axios/1.7.9
Accept-Encoding: gzip, compress, deflate, br
Host: {host}
Connection: keep-alive
""",
    ),
    Recording(
        "dotnet",
        "create",
        """
POST /api/v1/reports HTTP/1.1
Host: {host}
Authorization: Bearer {key}
Content-Type: application/x-www-form-urlencoded
Content-Length: {length}
""",
        _FORM,
    ),
    Recording(
        "dotnet-string-content",
        "create",
        """
POST /api/v1/reports HTTP/1.1
Host: {host}
Authorization: Bearer {key}
Transfer-Encoding: chunked
Content-Type: application/x-www-form-urlencoded; charset=utf-8
""",
        _FORM,
        chunked=True,
    ),
    Recording(
        "dotnet-quoted-charset",
        "update",
        """
PUT /api/v1/reports/{id} HTTP/1.1
Host: {host}
Authorization: Bearer {key}
Content-Type: application/x-www-form-urlencoded; charset="UTF-8"
Content-Length: {length}
""",
        _CHANGE,
    ),
    Recording(
        "dotnet-framework",
        "create",
        """
POST /api/v1/reports HTTP/1.1
Authorization: Bearer {key}
Content-Type: application/x-www-form-urlencoded
Host: {host}
Content-Length: {length}
Expect: 100-continue
Connection: Keep-Alive
""",
        _FORM,
    ),
    Recording(
        "java",
        "create",
        """
POST /api/v1/reports HTTP/1.1
Connection: Upgrade, HTTP2-Settings
Content-Length: {length}
Host: {host}
HTTP2-Settings: AAEAAEAAAAIAAAABAAMAAABkAAQBAAAAAAUAAEAA
Upgrade: h2c
User-Agent: Java-http-client/17.0.15
Authorization: Bearer {key}
Content-Type: application/x-www-form-urlencoded
""",
        _FORM,
    ),
    Recording(
        "java",
        "account",
        """
GET /api/v1/account HTTP/1.1
Connection: Upgrade, HTTP2-Settings
Content-Length: 0
Host: {host}
HTTP2-Settings: AAEAAEAAAAIAAAABAAMAAABkAAQBAAAAAAUAAEAA
Upgrade: h2c
User-Agent: Java-http-client/17.0.15
Accept: application/json
Authorization: Bearer {key}
""",
    ),
    Recording(
        "go",
        "create",
        """
POST /api/v1/reports HTTP/1.1
Host: {host}
User-Agent: Go-http-client/1.1
Content-Length: {length}
Authorization: Bearer {key}
Content-Type: application/x-www-form-urlencoded
Accept-Encoding: gzip
""",
        _FORM,
    ),
    Recording(
        "ruby",
        "create",
        """
POST /api/v1/reports HTTP/1.1
Content-Type: application/x-www-form-urlencoded
Accept-Encoding: gzip;q=1.0,deflate;q=0.6,identity;q=0.3
Accept: */*
User-Agent: Ruby
Authorization: Bearer {key}
Host: {host}
Content-Length: {length}
""",
        _FORM,
    ),
    Recording(
        "upper-case",
        "create",
        """
POST /api/v1/reports HTTP/1.1
HOST: {host}
AUTHORIZATION: bearer {key}
CONTENT-TYPE: APPLICATION/X-WWW-FORM-URLENCODED
CONTENT-LENGTH: {length}
""",
        _FORM,
    ),
    Recording(
        "lower-case",
        "create",
        """
POST /api/v1/reports HTTP/1.1
host: {host}
authorization: Bearer {key}
content-type: application/x-www-form-urlencoded
transfer-encoding: chunked
""",
        _FORM,
        chunked=True,
    ),
    Recording(
        "curl",
        "list",
        """
GET /api/v1/reports?search=&search_by=url&project=&result=&sort_by=id&sort=desc&per_page=10 HTTP/1.1
Host: {host}
User-Agent: curl/7.88.1
Accept: application/json
Authorization: Bearer {key}
""",
    ),
    Recording(
        "curl",
        "show",
        """
GET /api/v1/reports/{id} HTTP/1.1
Host: {host}
User-Agent: curl/7.88.1
Accept: application/json
Authorization: Bearer {key}
""",
    ),
    Recording(
        "bare",
        "delete",
        """
DELETE /api/v1/reports/{id} HTTP/1.1
Host: {host}
Authorization: Bearer {key}
""",
    ),
    Recording(
        "bare",
        "account",
        """
GET /api/v1/account HTTP/1.1
Host: {host}
Accept: application/json
Authorization: Bearer {key}
""",
    ),
)
