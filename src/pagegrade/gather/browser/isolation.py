"""Program that becomes a browser inside its own user and network namespace; run by path, without site packages.

``pagegrade.gather.browser.process`` starts it as ``python -I -S isolation.py CHANNEL COMMANDS ANSWERS AUTHORITIES USER
FOLDER PROGRAM ARGUMENTS...``. The first four are inherited file descriptors:

- ``CHANNEL``: a Unix socket to the parent;
- ``COMMANDS``: the pipe that the browser reads commands from;
- ``ANSWERS``: the pipe that it writes answers to;
- ``AUTHORITIES``: a file of the operator's own authorities (PEM, may be empty).

``FOLDER`` is empty, or a folder for the browser's files where no file system can be mounted. The program

1. gives up root (Chromium's sandbox does not start as root),
2. enters new user, network and mount namespaces, in which only a loopback interface exists,
3. listens there on 127.0.0.1:1080 and passes the listening socket to the parent, whose proxy is the only way out,
4. mounts a file system in memory for the browser's files, which ends with the browser, however that ends,
5. puts the authorities where Chromium looks for those that a user trusts besides its own, a database of NSS,
6. leaves itself no files but those of the system and its own folder, and no process outside, where the kernel has
   Landlock,
7. replaces itself by the browser, which ends with the parent.

Everything that it needs is imported before root is given up, because the interpreter's files may be unreadable
afterwards. On failure it sends one line, ``STEP ERRNO``, to the parent and exits with status 1.

Source: user_namespaces(7), prctl(2), unix(7) (SCM_RIGHTS), netdevice(7),
https://chromium.googlesource.com/chromium/src/+/main/docs/linux/cert_management.md
"""

from __future__ import annotations

import ctypes
import errno
import fcntl
import os
import re
import resource
import signal
import socket
import ssl
import struct
import sys
from importlib.util import module_from_spec, spec_from_file_location
from pathlib import Path
from typing import TYPE_CHECKING, ClassVar, Final

if TYPE_CHECKING:
    from pagegrade.gather import confinement
else:
    # The package is out of reach here (-I -S); its folder would hide modules of the standard library.
    _SPEC = spec_from_file_location("confinement", Path(__file__).parents[1] / "confinement.py")
    confinement = module_from_spec(_SPEC)
    _SPEC.loader.exec_module(confinement)

PROXY_PORT: Final = 1080
"""Port of the proxy on the browser's own loopback interface."""
COMMAND_FD: Final = 3
ANSWER_FD: Final = 4
"""Descriptors of ``--remote-debugging-pipe``."""
_CLONE_NEWUSER: Final = 0x10000000
_CLONE_NEWNS: Final = 0x00020000
_MS_NOSUID, _MS_NODEV, _MS_REC, _MS_PRIVATE = 0x2, 0x4, 0x4000, 0x40000
_MOUNT_POINTS: Final = tuple(map(Path, ("/tmp", "/var/tmp", "/dev/shm", "/mnt")))  # noqa: S108 - hidden, not used
"""Folders of every system, of which one is hidden by the file system in memory."""
_MEMORY: Final = b"size=600m,mode=700"
_CLONE_NEWNET: Final = 0x40000000
_PR_SET_PDEATHSIG: Final = 1
_PR_SET_DUMPABLE: Final = 4
_SIOCSIFFLAGS: Final = 0x8914
_IFF_UP_RUNNING: Final = 0x1 | 0x40
_VALID_CA: Final = 1 << 3
_TRUSTED_CA: Final = 1 << 4
"""``CERTDB_VALID_CA`` and ``CERTDB_TRUSTED_CA`` of NSS."""
_PEM_END: Final = "-----END CERTIFICATE-----"
_MAX_OPEN_FILES: Final = 4_096
_OOM_SCORE: Final = 800
"""The browser is what the system ends first when its memory is used up; -1000 (never) to 1000 (first)."""
_BACKLOG: Final = 128
_MAX_SCRIPT_BYTES: Final = 65_536
_SYSTEM: Final = tuple(
    map(
        Path,
        (
            "/bin",
            "/etc/alternatives",
            "/etc/chromium",
            "/etc/chromium.d",
            "/etc/fonts",
            "/etc/group",
            "/etc/hosts",
            "/etc/ld.so.cache",
            "/etc/localtime",
            "/etc/machine-id",
            "/etc/nsswitch.conf",
            "/etc/opt",
            "/etc/passwd",
            "/etc/pki",
            "/etc/ssl",
            "/lib",
            "/lib32",
            "/lib64",
            "/nix/store",
            "/opt",
            "/sbin",
            "/snap",
            "/sys",
            "/usr",
            "/var/cache/fontconfig",
        ),
    )
)
"""Paths that a browser reads: programs, libraries, fonts and certificates, and nothing that people keep."""
_DEVICES: Final = tuple(map(Path, ("/proc", "/dev")))
"""Changed by its sandbox, and by whatever opens ``/dev/null``; their own rights decide about the rest."""


def _call(function: str, *arguments: int | bytes | None) -> None:
    libc = ctypes.CDLL(None, use_errno=True)
    if getattr(libc, function)(*arguments) < 0:
        code = ctypes.get_errno()
        raise OSError(code, os.strerror(code))


def _give_up_root(user: int) -> None:
    if os.geteuid() == 0:
        os.setgroups([])
        os.setresgid(user, user, user)
        os.setresuid(user, user, user)


def _enter_namespaces() -> None:
    # Without it /proc/self belongs to root after a change of the user, and the maps below could not be written.
    _call("prctl", _PR_SET_DUMPABLE, 1, 0, 0, 0)
    user, group = os.getuid(), os.getgid()
    _call("unshare", _CLONE_NEWUSER | _CLONE_NEWNET)
    Path("/proc/self/setgroups").write_text("deny", encoding="ascii")
    Path("/proc/self/uid_map").write_text(f"{user} {user} 1", encoding="ascii")
    Path("/proc/self/gid_map").write_text(f"{group} {group} 1", encoding="ascii")


def _mount(folders: set[Path]) -> Path:
    """Mount a file system in memory, for this process alone, where it hides none of the folders."""
    _call("unshare", _CLONE_NEWNS)
    for place in _MOUNT_POINTS:
        if place.is_dir() and not any(folder.is_relative_to(place) for folder in folders):
            _call("mount", b"none", b"/", None, _MS_REC | _MS_PRIVATE, None)
            _call("mount", b"pagegrade", os.fsencode(place), b"tmpfs", _MS_NOSUID | _MS_NODEV, _MEMORY)
            return place
    raise OSError(errno.ENOENT, os.strerror(errno.ENOENT))


def _listen() -> socket.socket:
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as interface:
        fcntl.ioctl(interface, _SIOCSIFFLAGS, struct.pack("16sH14x", b"lo", _IFF_UP_RUNNING))
    listener = socket.socket(socket.AF_INET, socket.SOCK_STREAM)
    listener.bind(("127.0.0.1", PROXY_PORT))
    listener.listen(_BACKLOG)
    return listener


class _Item(ctypes.Structure):
    _fields_: ClassVar = [("type", ctypes.c_uint), ("data", ctypes.c_char_p), ("length", ctypes.c_uint)]


class _Trust(ctypes.Structure):
    _fields_: ClassVar = [("tls", ctypes.c_uint), ("mail", ctypes.c_uint), ("code", ctypes.c_uint)]


def _trust(authorities: list[bytes], home: Path) -> None:
    """Make a database of NSS in which these certificates are trusted as authorities for servers, and only for them.

    The browser checks names and dates of what they sign as it does for every other authority. Its own library writes
    the database, so that it is one that it can read.
    """
    folder = home / ".pki" / "nssdb"
    folder.mkdir(parents=True, mode=0o700)
    nss = ctypes.CDLL("libnss3.so")
    for name in ("PK11_GetInternalKeySlot", "CERT_GetDefaultCertDB", "CERT_NewTempCertificate"):
        getattr(nss, name).restype = ctypes.c_void_p

    def demand(done: bool) -> None:  # noqa: FBT001 - the outcome of a call
        if not done:
            raise OSError(errno.EIO, os.strerror(errno.EIO))

    demand(nss.NSS_InitReadWrite(f"sql:{folder}".encode()) == 0)
    slot = ctypes.c_void_p(nss.PK11_GetInternalKeySlot())
    if nss.PK11_NeedUserInit(slot):
        demand(nss.PK11_InitPin(slot, None, b"") == 0)
    database = ctypes.c_void_p(nss.CERT_GetDefaultCertDB())
    for number, der in enumerate(authorities):
        item = ctypes.byref(_Item(0, der, len(der)))
        certificate = ctypes.c_void_p(nss.CERT_NewTempCertificate(database, item, None, 0, 1))
        demand(bool(certificate))
        demand(nss.PK11_ImportCert(slot, certificate, ctypes.c_ulong(0), b"authority %d" % number, 0) == 0)
        trust = _Trust(_VALID_CA | _TRUSTED_CA, 0, 0)
        demand(nss.CERT_ChangeCertTrust(database, certificate, ctypes.byref(trust)) == 0)
        nss.CERT_DestroyCertificate(certificate)
    nss.PK11_FreeSlot(slot)
    demand(nss.NSS_Shutdown() == 0)


def _read_authorities(descriptor: int) -> list[bytes]:
    with os.fdopen(descriptor, "rb") as file:
        text = file.read().decode("ascii")
    return [ssl.PEM_cert_to_DER_cert(f"{each.lstrip()}{_PEM_END}\n") for each in text.split(_PEM_END)[:-1]]


def _folders_of(program: Path) -> set[Path]:
    """The folders of a browser: where it is, where links lead, and what a script that starts it names."""
    found = {program.parent, program.resolve().parent}
    with program.open("rb") as file:
        start = file.read(_MAX_SCRIPT_BYTES)
    if start.startswith(b"#!"):
        named = (Path(os.fsdecode(path)) for path in re.findall(rb"/[^\s\"'\\$;:]+", start))
        found |= {path.parent for path in named if len(path.parts) > 2}
    return found


def _limit() -> None:
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
    _, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    most = _MAX_OPEN_FILES if hard == resource.RLIM_INFINITY else min(_MAX_OPEN_FILES, hard)
    resource.setrlimit(resource.RLIMIT_NOFILE, (most, most))
    Path("/proc/self/oom_score_adj").write_text(str(_OOM_SCORE), encoding="ascii")


def main(arguments: list[str]) -> int:
    """Become the browser; return 1 when that is not possible."""
    channel = socket.socket(fileno=int(arguments[0]))
    commands, answers, named, user = (int(argument) for argument in arguments[1:5])
    given, command = arguments[5], arguments[6:]
    parent = os.getppid()
    step = "start"
    try:
        step = "authorities"
        authorities = _read_authorities(named)
        step = "limits"
        _limit()
        step = "user"
        _give_up_root(user)
        step = "namespace"
        _enter_namespaces()
        step = "program"
        folders = _folders_of(Path(command[0]))
        step = "mount"
        folder = Path(given) if given else _mount(folders)
        environment = {**os.environ, "HOME": str(folder), "TMPDIR": str(folder)}
        command.append(f"--user-data-dir={folder / 'profile'}")
        step = "authorities"
        if authorities:
            _trust(authorities, folder)
        step = "loopback"
        listener = _listen()
        step = "end"
        # After the change of the user, which clears it. Inherited by the browser, but not by what that starts; its
        # children end with it, because they find their pipes to it closed.
        _call("prctl", _PR_SET_PDEATHSIG, signal.SIGKILL, 0, 0, 0)
        if os.getppid() != parent:
            return 1
        step = "hand over"
        socket.send_fds(channel, [b"ready"], [listener.fileno()])
        listener.close()
        confinement.restrict_paths(
            readable=(*_SYSTEM, *folders),
            writable=(folder, *_DEVICES),
            runs_programs=True,
            connects=True,
        )
        step = "program"
        # Copies first: one of the three may have the number that another is to get.
        copies = [fcntl.fcntl(descriptor, fcntl.F_DUPFD_CLOEXEC, 64) for descriptor in (commands, answers)]
        channel = socket.socket(fileno=fcntl.fcntl(channel.detach(), fcntl.F_DUPFD_CLOEXEC, 64))
        os.dup2(copies[0], COMMAND_FD, inheritable=True)
        os.dup2(copies[1], ANSWER_FD, inheritable=True)
        os.execve(command[0], command, environment)  # noqa: S606 - a fixed program, without a shell
    except OSError as error:
        try:
            channel.send(f"{step} {error.errno or errno.EINVAL}".encode())
        except OSError:
            return 1
    return 1


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
