"""Runs a plan's tasks on a few threads, each with a slot of its own (a warm worker, say)."""

from __future__ import annotations

import contextlib
import queue
import threading
import time
from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import Generic, Protocol, TypeVar

from testmark.sandbox import stopping

_LOOK_SECONDS = 0.5
_END_SECONDS = 30.0
"""How long threads are waited for on the way out: each first ends the process that it watches."""
Task = TypeVar("Task")
Result = TypeVar("Result")


class Slot(Protocol):
    """What one thread owns while it works."""

    def close(self) -> None:
        """Give everything back; also ends what is still running."""
        ...


SlotType = TypeVar("SlotType", bound=Slot)


class Gate:
    """Lets many run side by side, or one alone: a run that timed out is tried again with the machine to itself."""

    def __init__(self) -> None:
        self._condition = threading.Condition()
        self._running = 0
        self._alone = False

    @contextlib.contextmanager
    def shared(self) -> Iterator[None]:
        """Run beside others."""
        with self._condition:
            while self._alone:
                self._condition.wait()
            self._running += 1
        try:
            yield
        finally:
            with self._condition:
                self._running -= 1
                self._condition.notify_all()

    @contextlib.contextmanager
    def alone(self) -> Iterator[None]:
        """Run when nothing else does; call it outside `shared`."""
        with self._condition:
            while self._alone or self._running:
                self._condition.wait()
            self._alone = True
        try:
            yield
        finally:
            with self._condition:
                self._alone = False
                self._condition.notify_all()


class Pool(Generic[Task, Result, SlotType]):
    """Runs tasks on `jobs` threads. Tasks are drawn one by one, so a plan of any length takes the same memory."""

    def __init__(self, jobs: int, open_slot: Callable[[], SlotType]) -> None:
        self._jobs = max(1, jobs)
        self._open_slot = open_slot
        self._lock = threading.Lock()
        self._slots: list[SlotType] = []
        self._stop = threading.Event()
        self._failure: BaseException | None = None
        self._ended: queue.SimpleQueue[None] = queue.SimpleQueue()
        self._seen = 0

    def run(
        self,
        tasks: Iterable[Task],
        work: Callable[[Task, SlotType], Result],
        done: Callable[[Task, Result], None],
    ) -> None:
        """Work through all tasks; `done` is called by one thread at a time.

        The first exception of `work` or `done` ends the plan and is raised here. So does Ctrl-C, after every slot is
        closed and every thread has put away what it had: nothing is left running, and no temporary folder.
        """
        source = iter(tasks)
        threads = [
            threading.Thread(target=self._serve, args=(source, work, done), daemon=True) for _ in range(self._jobs)
        ]
        try:
            for thread in threads:
                thread.start()
            self._wait(threads)
        except BaseException:
            self._stop.set()
            self._close_slots()
            self._wait(threads, time.monotonic() + _END_SECONDS)
            raise
        if self._failure is not None:
            raise self._failure

    def _serve(
        self,
        source: Iterator[Task],
        work: Callable[[Task, SlotType], Result],
        done: Callable[[Task, Result], None],
    ) -> None:
        slot: SlotType | None = None
        stopping.bind(self._stop)
        try:
            while not self._stop.is_set():
                with self._lock:
                    task = next(source, None)
                if task is None:
                    return
                if slot is None:
                    slot = self._open_slot()
                    with self._lock:
                        self._slots.append(slot)
                result = work(task, slot)
                with self._lock:
                    if not self._stop.is_set():
                        done(task, result)
        except BaseException as error:  # noqa: BLE001 - handed to the thread that waits
            with self._lock:
                if self._failure is None and not self._stop.is_set():
                    self._failure = error
            self._stop.set()
        finally:
            if slot is not None:
                slot.close()
            self._ended.put(None)

    def _wait(self, threads: Sequence[threading.Thread], deadline: float | None = None) -> None:
        """Wait until all that were started have ended. `Thread.join` would not do.

        One that Ctrl-C interrupts takes its thread for ended in Python 3.11 and 3.12.
        """
        while self._seen < sum(thread.ident is not None for thread in threads):
            try:
                self._ended.get(timeout=_LOOK_SECONDS)
            except queue.Empty:
                if deadline is not None and time.monotonic() > deadline:
                    return
            else:
                self._seen += 1

    def _close_slots(self) -> None:
        # A thread may hold the lock while it writes a result: that write is wanted, and short.
        with self._lock:
            slots = list(self._slots)
        for slot in slots:
            slot.close()


class NoSlot:
    """For plans whose threads own nothing."""

    def close(self) -> None:
        """Nothing to give back."""


def in_order(jobs: int, tasks: Sequence[Task], work: Callable[[Task], Result]) -> list[Result]:
    """Work through all tasks on `jobs` threads; the results in the order of the tasks. Raises as `Pool.run` does."""
    results: dict[int, Result] = {}

    def keep(task: tuple[int, Task], result: Result) -> None:
        results[task[0]] = result

    pool: Pool[tuple[int, Task], Result, NoSlot] = Pool(jobs, NoSlot)
    pool.run(enumerate(tasks), lambda task, _: work(task[1]), keep)
    return [results[number] for number in range(len(tasks))]
