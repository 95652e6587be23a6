from __future__ import annotations

import pytest

from pagegrade.checks.security.directory_listing import directory_listing
from tests.builders import outcome

URL = "https://example.com/files/"
APACHE = """<html><head><title>Index of /files</title></head><body><h1>Index of /files</h1><table><tr><th><a href="?C=N;O=D">Name</a></th>
<th><a href="?C=M;O=A">Last modified</a></th></tr><tr><td><a href="/">Parent Directory</a></td></tr>
<tr><td><a href="plan.pdf">plan.pdf</a></td><td>2026-10-01 11:20</td></tr></table></body></html>"""
NGINX = """<html><head><title>Index of /files/</title></head><body><h1>Index of /files/</h1><hr><pre><a href="../">../</a>
<a href="a-very-long-name-of-a-file-that-nginx-cuts-off-at-fifty.tar.gz">a-very-long-name-of-a-file-that-nginx-cuts-off-..&gt;</a> 01-Oct-2026 11:20 12
</pre></body></html>"""
IIS = """<html><head><title>example.com - /files/</title></head><body><H1>example.com - /files/</H1><hr><pre><A HREF="/">[To Parent Directory]</A>
 10/1/2026 11:20 AM 12 <A HREF="/files/plan.pdf">plan.pdf</A></pre></body></html>"""
PYTHON = """<html><head><title>Directory listing for /files/</title></head><body><h1>Directory listing for /files/</h1><ul>
<li><a href="a.txt">a.txt</a></li><li><a href="b/">b/</a></li></ul></body></html>"""
SECRET = APACHE.replace("plan.pdf", "backup-2026.sql.gz")


@pytest.mark.parametrize("html", [APACHE, NGINX, IIS, PYTHON])
def test_listing_is_found(html: str) -> None:
    """Of several servers."""
    assert outcome(directory_listing, html, url=URL).state == "open"


@pytest.mark.parametrize(
    "name", [".env", "backup.zip", "dump.sql", "id_rsa", "wp-config.php~", "customers.sql.gz", "server.key"]
)
def test_confidential_names_have_a_state_of_their_own(name: str) -> None:
    """Backups, keys and configuration."""
    found = outcome(directory_listing, APACHE.replace("plan.pdf", name), url=URL)

    assert found.state == "sensitive"
    assert found.evidence[0].url.endswith(name)


@pytest.mark.parametrize(
    "html",
    [
        "<title>Index of /: open folders</title><h1>Index of / explained</h1><p><a href=/guide>Guide</a>",
        "<title>Index of articles</title><h1>Index of articles</h1>"
        + "".join(f"<a href=/a/{n}>Story {n}</a>" for n in range(20)),
        "<title>Downloads</title><h1>Downloads</h1>"
        + "".join(f"<a href=v{n}.zip>v{n}.zip</a>" for n in range(9))
        + "<a href=/>Home</a>",
        "<title>Example.com - / - Home</title><h1>Home</h1><a href=/about>About</a>",
        "<title>Tags</title>" + "".join(f"<a href=tag{n}>tag{n}</a>" for n in range(30)),
        "<title>x</title><p>Nothing",
    ],
)
def test_page_with_links_is_no_listing(html: str) -> None:
    """Indexes, downloads and tags are pages."""
    assert outcome(directory_listing, html, url=URL).state == "closed"


def test_files_without_a_title_are_a_listing_only_with_dates_and_a_way_up() -> None:
    """Some servers have a title of their own."""
    rows = "".join(f"<a href=v{n}.zip>v{n}.zip</a> 2026-10-0{n} 11:20<br>" for n in range(1, 7))

    assert outcome(directory_listing, f"<title>files</title><a href=../>..</a>{rows}", url=URL).state == "open"
    assert outcome(directory_listing, f"<title>files</title>{rows}", url=URL).state == "closed"
