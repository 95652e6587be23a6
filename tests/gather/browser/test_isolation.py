from __future__ import annotations

import errno
import os
import shutil
import socket
import subprocess
import sys
from pathlib import Path

import pytest
import trustme

from pagegrade.gather.browser import isolation
from pagegrade.gather.confinement import landlock_version


def isolate(program: str, *arguments: str, authorities: bytes = b"") -> tuple[bytes, int, int]:
    """Run a program as if it were the browser: the message about it, the sockets it handed over, its exit status."""
    ours, theirs = socket.socketpair()
    command_read, command_write = os.pipe()
    answer_read, answer_write = os.pipe()
    named = os.memfd_create("authorities")
    os.pwrite(named, authorities, 0)
    given = (theirs.fileno(), command_read, answer_write, named)
    user = 65_534 if os.geteuid() == 0 else os.geteuid()
    with (
        ours,
        subprocess.Popen(
            [sys.executable, "-I", "-S", isolation.__file__, *map(str, given), str(user), "", program, *arguments],
            pass_fds=given,
            stdout=subprocess.PIPE,
        ) as child,
    ):
        theirs.close()
        os.close(command_read)
        os.close(answer_write)
        os.close(named)
        ours.settimeout(30)
        message, descriptors, _, _ = socket.recv_fds(ours, 200, 1)
        for descriptor in descriptors:
            with socket.socket(fileno=descriptor) as listener:
                assert listener.getsockname() == ("127.0.0.1", isolation.PROXY_PORT)
        if descriptors and child.wait(30):
            message = ours.recv(200) or message
        status = child.wait(30)
    os.close(command_write)
    os.close(answer_read)
    return message, len(descriptors), status


def test_it_hands_over_its_listening_socket_and_becomes_the_program() -> None:
    """The program sees no network but its loopback interface, and no privileges."""
    script = (
        'test "$(ls /sys/class/net 2>/dev/null | wc -l)" -ge 0 && test "$(id -u)" != 0 && '
        'test "$(grep -c : /proc/net/dev)" = 1 && test -e /proc/self/fd/3 && test -e /proc/self/fd/4 && exit 7'
    )

    assert isolate("/bin/sh", "-c", script) == (b"ready", 1, 7)


@pytest.mark.skipif(not landlock_version(), reason="the kernel has no Landlock")
def test_the_program_sees_neither_files_of_people_nor_the_memory_of_the_parent(tmp_path: Path) -> None:
    """A browser that a page took over finds the system's files, and none that are kept or worked with."""
    secret = Path.cwd() / "pyproject.toml"
    tries = (f"cat {secret}", f"ls {Path.home()}", f"cat /proc/{os.getpid()}/environ", f"kill -0 {os.getpid()}")
    script = " && ".join([*(f"! {each} >/dev/null 2>&1" for each in tries), 'test -w "$HOME"', "exit 7"])

    assert isolate("/bin/sh", "-c", script) == (b"ready", 1, 7)


def test_files_of_the_program_are_in_memory_and_leave_nothing() -> None:
    """The folder of that name outside is another one."""
    script = 'test "$HOME" = /tmp && echo 1 >"$HOME/pagegrade-left" && exit 7'

    assert isolate("/bin/sh", "-c", script) == (b"ready", 1, 7)
    assert not Path("/tmp/pagegrade-left").exists()  # noqa: S108 - which it saw as its own


@pytest.mark.skipif(shutil.which("certutil") is None, reason="certutil of NSS is not installed")
def test_authorities_of_the_operator_are_trusted_for_servers_alone() -> None:
    """NSS itself reads what its own library wrote: two authorities, for TLS and neither mail nor programs."""
    pem = b"".join(trustme.CA().cert_pem.bytes() for _ in range(2))
    script = 'certutil -L -d "sql:$HOME/.pki/nssdb" | grep -c "^authority [01] *C,," | grep -qx 2 && exit 7'

    assert isolate("/bin/sh", "-c", script, authorities=pem) == (b"ready", 1, 7)
    assert isolate("/bin/sh", "-c", 'test ! -e "$HOME/.pki" && exit 7') == (b"ready", 1, 7)


def test_a_program_that_cannot_be_run_is_reported() -> None:
    """By step and number, on the channel."""
    message, descriptors, status = isolate("/absent/browser")

    assert message == f"program {errno.ENOENT}".encode()
    assert (descriptors, status) == (0, 1)
