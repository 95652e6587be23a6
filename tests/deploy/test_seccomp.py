"""The seccomp profile of containers with a browser: namespaces are allowed, administration of the kernel is not."""

from __future__ import annotations

import json

import pytest

from tests.deploy.files import DEPLOY, dockerfile

PROFILE = json.loads((DEPLOY / "seccomp-browser.json").read_text(encoding="utf-8"))


def denied() -> set[str]:
    """The calls that fail."""
    return {name for rule in PROFILE["syscalls"] if rule["action"] == "SCMP_ACT_ERRNO" for name in rule["names"]}


@pytest.mark.parametrize("call", ["unshare", "clone", "clone3", "chroot", "capset", "seccomp", "prctl", "setns"])
def test_what_isolates_a_browser_is_allowed(call: str) -> None:
    """Our namespaces, and Chromium's sandbox within them."""
    assert call not in denied()


@pytest.mark.parametrize(
    "call",
    ["mount", "move_mount", "open_tree", "bpf", "keyctl", "init_module", "kexec_load", "perf_event_open"],
)
def test_what_administers_the_kernel_fails(call: str) -> None:
    """A user namespace would otherwise put most of it within reach of a page that broke out of the browser."""
    assert call in denied()


def test_a_call_that_fails_can_be_handled() -> None:
    """With an error, as for a call that is not permitted, instead of the death of the process."""
    assert PROFILE["defaultAction"] == "SCMP_ACT_ALLOW"
    assert {rule["errnoRet"] for rule in PROFILE["syscalls"]} == {1}
    assert all(rule["names"] == sorted(set(rule["names"])) for rule in PROFILE["syscalls"])


def test_the_image_has_a_browser_only_where_one_is_asked_for() -> None:
    """The argument is empty by default."""
    arguments = [arguments for instruction, arguments in dockerfile() if instruction == "ARG"]

    assert 'BROWSER=""' in arguments
