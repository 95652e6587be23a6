"""Rights that a helper process gives up for good: files, programs, connections and other processes.

Two walls of the Linux kernel, of which each is used where it exists: Landlock decides about files by their paths, and
about TCP, signals and other processes; a seccomp filter decides about system calls. Neither needs root or a library.
``gather.browser.isolation`` loads this module by its path, without the package: it imports the standard library only.

Source: https://docs.kernel.org/userspace-api/landlock.html, https://docs.kernel.org/userspace-api/seccomp_filter.html,
linux/audit.h, asm/unistd_64.h, asm-generic/unistd.h.
"""

from __future__ import annotations

import ctypes
import errno
import os
import platform
import struct
import sys
from collections.abc import Iterable
from contextlib import suppress
from pathlib import Path
from typing import Final

_CREATE_RULESET, _ADD_RULE, _RESTRICT_SELF = 444, 445, 446
_VERSION_FLAG: Final = 1
_PATH_BENEATH: Final = 1
_EXECUTE, _WRITE_FILE, _READ_FILE, _READ_DIR = 1, 2, 4, 8
_ALL_BY_VERSION: Final = {1: (1 << 13) - 1, 2: (1 << 14) - 1, 3: (1 << 15) - 1, 5: (1 << 16) - 1}
"""Version of Landlock -> every right about files that it knows, from this version on."""
_OF_FILES: Final = _EXECUTE | _WRITE_FILE | _READ_FILE | 1 << 14 | 1 << 15
"""Rights that a rule about a file, not a folder, may grant."""
_TCP: Final = 0b11
_TCP_VERSION: Final = 4
_SCOPES: Final = 0b11
"""Abstract Unix sockets and signals of processes outside."""
_SCOPES_VERSION: Final = 6

_NEW_USER, _NEW_NETWORK = 0x10000000, 0x40000000
_PR_SET_SECCOMP: Final = 22
_PR_SET_NO_NEW_PRIVS: Final = 38
_FILTER: Final = 2
_LOAD, _JUMP_EQUAL, _JUMP_AT_LEAST, _JUMP_ANY_BIT, _RETURN = 0x20, 0x15, 0x35, 0x45, 0x06
_ALLOW: Final = 0x7FFF0000
_REFUSE: Final = 0x00050000 | errno.EPERM
_NUMBER, _ARCHITECTURE, _ARGUMENT = 0, 4, 16
"""Offsets in what a filter sees: ``struct seccomp_data``."""
_WRITES: Final = os.O_WRONLY | os.O_RDWR | os.O_CREAT | os.O_TRUNC
_X32: Final = 0x40000000
"""From this number on calls are of another kind, which nothing here makes."""

_ARCHITECTURES: Final[dict[str, tuple[int, dict[str, int]]]] = {
    "x86_64": (
        0xC000003E,
        {
            "read": 0, "write": 1, "open": 2, "close": 3, "stat": 4, "fstat": 5, "lstat": 6, "poll": 7, "lseek": 8,
            "mmap": 9, "mprotect": 10, "munmap": 11, "brk": 12, "rt_sigaction": 13, "rt_sigprocmask": 14,
            "rt_sigreturn": 15, "ioctl": 16, "pread64": 17, "readv": 19, "writev": 20, "access": 21,
            "sched_yield": 24, "mremap": 25, "madvise": 28, "pause": 34, "nanosleep": 35, "getpid": 39, "clone": 56,
            "exit": 60,
            "kill": 62, "uname": 63,
            "fcntl": 72, "getcwd": 79, "readlink": 89, "gettimeofday": 96, "getrlimit": 97, "getrusage": 98,
            "sysinfo": 99, "times": 100, "getuid": 102, "getgid": 104, "geteuid": 107, "getegid": 108, "getppid": 110,
            "sigaltstack": 131, "setrlimit": 160, "gettid": 186, "time": 201, "futex": 202, "sched_getaffinity": 204,
            "getdents64": 217, "restart_syscall": 219, "clock_gettime": 228, "clock_getres": 229,
            "clock_nanosleep": 230, "exit_group": 231, "tgkill": 234, "openat": 257, "newfstatat": 262,
            "readlinkat": 267, "faccessat": 269, "set_robust_list": 273, "prlimit64": 302, "getrandom": 318,
            "membarrier": 324, "statx": 332, "rseq": 334, "clone3": 435, "faccessat2": 439,
        },
    ),
    "aarch64": (
        0xC00000B7,
        {
            "getcwd": 17, "fcntl": 25, "ioctl": 29, "faccessat": 48, "openat": 56, "close": 57, "getdents64": 61,
            "lseek": 62, "read": 63, "write": 64, "readv": 65, "writev": 66, "pread64": 67, "ppoll": 73,
            "readlinkat": 78, "newfstatat": 79, "fstat": 80, "exit": 93, "exit_group": 94, "futex": 98,
            "set_robust_list": 99, "nanosleep": 101, "clock_gettime": 113, "clock_getres": 114,
            "clock_nanosleep": 115, "sched_getaffinity": 123, "sched_yield": 124, "restart_syscall": 128,
            "kill": 129,
            "tgkill": 131, "sigaltstack": 132, "rt_sigaction": 134, "rt_sigprocmask": 135, "rt_sigreturn": 139,
            "times": 153, "uname": 160, "getrlimit": 163, "setrlimit": 164, "getrusage": 165, "gettimeofday": 169,
            "getpid": 172, "getppid": 173, "getuid": 174, "geteuid": 175, "getgid": 176, "getegid": 177,
            "gettid": 178, "sysinfo": 179, "brk": 214, "munmap": 215, "mremap": 216, "clone": 220, "mmap": 222,
            "mprotect": 226, "madvise": 233, "prlimit64": 261, "getrandom": 278, "membarrier": 283,
            "statx": 291, "rseq": 293,
            "clone3": 435, "faccessat2": 439,
        },
    ),
}  # fmt: skip
"""Machine -> its number in an audit, and the calls of a process that computes, reads and writes what it has open."""
FILTERED_MACHINES: Final = tuple(_ARCHITECTURES)
"""Machines whose system calls can be filtered, as ``platform.machine()`` names them."""
_OPENERS: Final = {"open": 1, "openat": 2}
"""Calls that are allowed for reading -> which argument says what for."""
_THREAD: Final = 0x00010000
"""Flag of ``clone`` for a thread of this process; without it, a new process begins."""
_NOT_THERE: Final = 0x00050000 | errno.ENOSYS
"""Answer to ``clone3``, whose flags a filter cannot see: libraries then use ``clone``. Typst works with threads."""
_OF_ONESELF: Final = {"kill": 0, "tgkill": 0, "prlimit64": 0}
"""Calls that are allowed about this process -> which argument names it; 0 is oneself as well."""


class _Program(ctypes.Structure):
    _fields_ = (("length", ctypes.c_ushort), ("filter", ctypes.c_void_p))


def landlock_version() -> int:
    """Return the version of Landlock that the kernel has; 0 where it has none."""
    if sys.platform != "linux":
        return 0
    return max(0, int(_library().syscall(_CREATE_RULESET, None, 0, _VERSION_FLAG)))


def restrict_paths(
    *, readable: Iterable[Path], writable: Iterable[Path] = (), runs_programs: bool = False, connects: bool = False
) -> bool:
    """Leave this process, and all that it starts, nothing but these paths; paths that do not exist are left out.

    Processes outside can then be neither traced nor signaled, where the kernel knows how.

    Args:
        readable: Folders and files that may be read, with all that is in them.
        writable: The same for changes as well.
        runs_programs: What may be read may also be run.
        connects: TCP stays possible.

    Returns:
        True once it holds; False where the kernel has no Landlock.
    """
    version = landlock_version()
    if not version:
        return False
    every = _ALL_BY_VERSION[max(known for known in _ALL_BY_VERSION if known <= version)]
    attributes = struct.pack(
        "QQQ",
        every,
        _TCP if version >= _TCP_VERSION and not connects else 0,
        _SCOPES if version >= _SCOPES_VERSION else 0,
    )
    size = 24 if version >= _SCOPES_VERSION else 16 if version >= _TCP_VERSION else 8
    rules = _library().syscall(_CREATE_RULESET, attributes, size, 0)
    if rules < 0:
        return False
    try:
        for paths, rights in (
            (readable, _READ_FILE | _READ_DIR | (_EXECUTE if runs_programs else 0)),
            (writable, every & ~(0 if runs_programs else _EXECUTE)),
        ):
            for path in paths:
                with suppress(OSError):
                    _add_rule(rules, path, rights)
        give_up_privileges()
        return bool(_library().syscall(_RESTRICT_SELF, rules, 0) == 0)
    finally:
        os.close(rules)


def restrict_calls() -> bool:
    """Leave this process no system calls but those of reading, computing and answering on what it has open.

    No sockets, no programs, no processes, no changes to files: such a call fails as if it were not permitted.

    Returns:
        True once it holds; False where the kernel, or this module, knows no filter for this machine.
    """
    known = _ARCHITECTURES.get(platform.machine())
    if sys.platform != "linux" or known is None:
        return False
    program = _filter(*known)
    give_up_privileges()
    filled = ctypes.create_string_buffer(program, len(program))
    wanted = _Program(len(program) // 8, ctypes.cast(filled, ctypes.c_void_p))
    return bool(_library().prctl(_PR_SET_SECCOMP, _FILTER, ctypes.byref(wanted), 0, 0) == 0)


def enter_own_namespace() -> bool:
    """Move this process into a user and a network namespace of its own, in which there is nothing to connect to.

    Returns:
        True once it holds; False where the system does not permit it, as in many containers.
    """
    return sys.platform == "linux" and bool(_library().unshare(_NEW_USER | _NEW_NETWORK) == 0)


def give_up_privileges() -> None:
    """Let no program that is started from here gain rights, such as those of its owner."""
    if sys.platform == "linux":
        _library().prctl(_PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0)


def code_folders() -> tuple[Path, ...]:
    """Return the folders from which this interpreter loads modules and libraries."""
    found = [*sys.path, sys.prefix, sys.base_prefix, "/usr/lib", "/usr/lib64", "/usr/local/lib", "/lib", "/lib64"]
    found += ["/usr/share/zoneinfo", "/etc/ld.so.cache", "/dev/urandom", str(Path(__file__).resolve().parents[1])]
    with suppress(OSError):
        # Where libraries are elsewhere, those that will be loaded are beside those that are.
        for line in Path("/proc/self/maps").read_text(encoding="utf-8", errors="surrogateescape").splitlines():
            path = line.partition("/")[2]
            if ".so" in path:
                found.append(str(Path(f"/{path}").parent))
    return tuple(Path(each) for each in dict.fromkeys(found) if each)


def _library() -> ctypes.CDLL:
    library = ctypes.CDLL(None, use_errno=True)
    library.syscall.restype = ctypes.c_long
    return library


def _add_rule(rules: int, path: Path, rights: int) -> None:
    place = os.open(path, os.O_PATH | os.O_CLOEXEC)  # lint: allow platform - Landlock is Linux's
    try:
        if not path.is_dir():
            rights &= _OF_FILES
        _library().syscall(_ADD_RULE, rules, _PATH_BENEATH, struct.pack("=Qi", rights, place), 0)
    finally:
        os.close(place)


def _filter(architecture: int, numbers: dict[str, int]) -> bytes:
    """The filter as the kernel runs it: instructions of (code, jump if true, jump if false, value)."""
    steps = [
        (_LOAD, 0, 0, _ARCHITECTURE),
        (_JUMP_EQUAL, 1, 0, architecture),
        (_RETURN, 0, 0, _REFUSE),
        (_LOAD, 0, 0, _NUMBER),
        (_JUMP_AT_LEAST, 0, 1, _X32),
        (_RETURN, 0, 0, _REFUSE),
    ]
    for name, number in numbers.items():
        if name in _OPENERS:
            argument = _ARGUMENT + 8 * _OPENERS[name]
            steps += [
                (_JUMP_EQUAL, 0, 4, number),
                (_LOAD, 0, 0, argument),
                (_JUMP_ANY_BIT, 0, 1, _WRITES),
                (_RETURN, 0, 0, _REFUSE),
                (_RETURN, 0, 0, _ALLOW),
            ]
        elif name == "clone":
            steps += [
                (_JUMP_EQUAL, 0, 4, number),
                (_LOAD, 0, 0, _ARGUMENT),
                (_JUMP_ANY_BIT, 1, 0, _THREAD),
                (_RETURN, 0, 0, _REFUSE),
                (_RETURN, 0, 0, _ALLOW),
            ]
        elif name == "clone3":
            steps += [(_JUMP_EQUAL, 0, 1, number), (_RETURN, 0, 0, _NOT_THERE)]
        elif name in _OF_ONESELF:
            steps += [
                (_JUMP_EQUAL, 0, 5, number),
                (_LOAD, 0, 0, _ARGUMENT + 8 * _OF_ONESELF[name]),
                (_JUMP_EQUAL, 2, 0, os.getpid()),
                (_JUMP_EQUAL, 1, 0, 0),
                (_RETURN, 0, 0, _REFUSE),
                (_RETURN, 0, 0, _ALLOW),
            ]
        else:
            steps += [(_JUMP_EQUAL, 0, 1, number), (_RETURN, 0, 0, _ALLOW)]
    steps.append((_RETURN, 0, 0, _REFUSE))
    return b"".join(struct.pack("HBBI", *step) for step in steps)
