from __future__ import annotations

import subprocess
import sys
from ipaddress import ip_network

import pytest

from pagegrade.model.errors import InvalidInput
from pagegrade.service.runs.options import parse_networks


def test_networks_are_read_or_refused_with_the_way_out() -> None:
    """A CIDR, an address, or an error that shows how to write one."""
    assert parse_networks(["10.0.0.0/8", " fd00::/8 ", "127.0.0.1"]) == (
        ip_network("10.0.0.0/8"),
        ip_network("fd00::/8"),
        ip_network("127.0.0.1/32"),
    )
    with pytest.raises(InvalidInput, match=r"10\.0\.0\.0/8"):
        parse_networks(["intranet"])


def test_commands_that_read_settings_import_no_parser() -> None:
    """Half of the start of ``pagegrade keys`` would be the parser of HTML, the checks and the client."""
    heavy = ("pagegrade.checks", "pagegrade.gather.http", "pagegrade.parse.html", "turbohtml", "pycurl", "dns")
    imported = "pagegrade.cli.commands.keys_and_members"
    script = f"import sys, {imported}; print([name for name in {heavy} if name in sys.modules])"
    found = subprocess.run([sys.executable, "-c", script], capture_output=True, encoding="utf-8", check=True)

    assert found.stdout == "[]\n"


@pytest.mark.parametrize("text", ["localhost", "localhost:8000", " LOCALHOST "])
def test_this_machine_is_not_taken_for_a_private_network(text: str) -> None:
    """Its name is no network, and that of a company would not allow it."""
    with pytest.raises(InvalidInput, match=r"Write it like 127\.0\.0\.0/8 or ::1/128"):
        parse_networks([text])
