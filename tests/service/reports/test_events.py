from __future__ import annotations

import asyncio
import contextlib
import threading

from pagegrade.service.reports.events import Changes, Wait, Waits


async def settle() -> None:
    """Let everything happen that was asked for from other threads."""
    for _ in range(3):
        await asyncio.sleep(0)


def test_who_watches_a_report_is_woken() -> None:
    """All who watch it, from any thread; who watches another report sleeps on."""

    async def scenario() -> tuple[bool, bool, bool]:
        changes = Changes()
        with changes.watch(1) as one, changes.watch(1) as same, changes.watch(2) as other:
            teller = threading.Thread(target=changes.notify, args=(1,))
            teller.start()
            await asyncio.wait_for(one.wait(), 20)
            teller.join()
            await settle()
            return one.is_set(), same.is_set(), other.is_set()

    assert asyncio.run(scenario()) == (True, True, False)


def test_a_change_between_watching_and_waiting_is_not_missed() -> None:
    """Watch, read, wait: in this order nothing is lost."""

    async def scenario() -> bool:
        changes = Changes()
        with changes.watch(1) as changed:
            changes.notify(1)
            await settle()
            return await asyncio.wait_for(changed.wait(), 20)

    assert asyncio.run(scenario())


def test_ended_waits_are_forgotten() -> None:
    """Also canceled ones; notifying then is no error."""

    async def scenario() -> dict[int, object]:
        changes = Changes()

        async def wait() -> None:
            with changes.watch(1) as changed:
                await changed.wait()

        async with asyncio.TaskGroup() as tasks:
            waiting = tasks.create_task(wait())
            await settle()
            waiting.cancel()
        changes.notify(1)
        await settle()
        return dict(changes._watchers)

    assert asyncio.run(scenario()) == {}


def test_notifying_is_possible_at_any_time() -> None:
    """Before the first wait, and after the loop has ended: a worker may finish last."""
    changes = Changes()
    changes.notify(1)

    async def scenario() -> None:
        with changes.watch(1):
            await settle()

    asyncio.run(scenario())
    changes.notify(1)

    assert dict(changes._watchers) == {}


class Loudspeaker:
    """Notifies other processes, as ``store.pubsub.notifications`` does."""

    def __init__(self) -> None:
        self.healthy = True
        self.sent: list[int] = []

    def send(self, report_id: int) -> None:
        """One more."""
        self.sent.append(report_id)


def test_a_change_is_sent_to_others_and_one_that_was_heard_is_not() -> None:
    """Or two processes would notify each other for ever."""

    async def scenario() -> tuple[list[int], bool, bool]:
        changes = Changes()
        speaker = Loudspeaker()
        changes.sender = speaker
        with changes.watch(1) as notified, changes.watch(2) as heard:
            changes.notify(1)
            changes.hear((2, 3))
            await settle()
            return speaker.sent, notified.is_set(), heard.is_set()

    assert asyncio.run(scenario()) == ([1], True, True)


def test_a_change_is_sent_without_local_listeners() -> None:
    """Before the loop runs, and in a process that only works."""
    changes = Changes()
    speaker = Loudspeaker()
    changes.sender = speaker
    changes.notify(1)

    assert speaker.sent == [1]


def test_a_gap_wakes_all_waits() -> None:
    """All of them: it is not known what was missed."""

    async def scenario() -> None:
        changes = Changes()
        with changes.watch(1) as one, changes.watch(2) as other:
            teller = threading.Thread(target=changes.bridge_gap)
            teller.start()
            await asyncio.wait_for(one.wait(), 20)
            await asyncio.wait_for(other.wait(), 20)
            teller.join()
        changes.bridge_gap()

    asyncio.run(scenario())


def test_all_waits_end_at_once_when_the_process_ends() -> None:
    """Without another turn of the loop."""

    async def scenario() -> tuple[bool, bool]:
        changes = Changes()
        with changes.watch(1) as one, changes.watch(2) as other:
            changes.wake_all()
            return one.is_set(), other.is_set()

    assert asyncio.run(scenario()) == (True, True)


def test_others_are_heard_while_the_sender_is_healthy() -> None:
    """Without a sender there are no others to hear."""
    changes = Changes()
    alone = changes.hears_others
    speaker = Loudspeaker()
    changes.sender = speaker
    healthy = changes.hears_others
    speaker.healthy = False

    assert (alone, healthy, changes.hears_others) == (False, True, False)


def test_the_account_with_most_waits_gives_up_its_longest() -> None:
    """Whatever keys and addresses its requests come from; a wait that has ended counts no more."""

    async def scenario() -> list[str]:
        waits, ended = Waits(), list[str]()
        with contextlib.ExitStack() as stack:
            held: dict[str, Wait] = {}
            for name in ("b1", "a1", "a2", "a3", "b2"):
                held[name] = stack.enter_context(waits.hold(ord(name[0]), asyncio.Event()))
            for _ in range(6):
                waits.end_one()
                ended += [name for name, wait in held.items() if wait.is_over and name not in ended]
        return ended

    assert asyncio.run(scenario()) == ["a1", "b1", "a2", "b2", "a3"]


def test_without_waits_there_is_none_to_end() -> None:
    """Also after all of them have come to their end."""

    async def scenario() -> None:
        waits = Waits()
        waits.end_one()
        with waits.hold(1, asyncio.Event()):
            pass
        waits.end_one()

    asyncio.run(scenario())
