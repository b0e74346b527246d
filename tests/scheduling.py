"""A scheduler of pytest-xdist for workers that do not all have the same tests."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from typing import Any

import pytest
from xdist.scheduler import WorkStealingScheduling


class SchedulerOfEachKind:
    """A scheduler for each kind of workers: idle workers take tests from busy ones of their kind.

    It has the methods of ``xdist.scheduler.Scheduling``, which pytest-xdist calls.
    """

    def __init__(self, session: pytest.Session, log: Any, kinds: Sequence[str]) -> None:
        self._session = session
        self._of = {kind: WorkStealingScheduling(session.config, log) for kind in kinds}
        for kind, count in Counter(kinds).items():
            self._of[kind].numnodes = count

    def _scheduler(self, node: Any) -> WorkStealingScheduling:
        return self._of[node.gateway.spec.kind]

    @property
    def nodes(self) -> list[Any]:
        return [node for scheduler in self._of.values() for node in scheduler.nodes]

    @property
    def collection_is_completed(self) -> bool:
        return all(scheduler.collection_is_completed for scheduler in self._of.values())

    @property
    def tests_finished(self) -> bool:
        return all(scheduler.tests_finished for scheduler in self._of.values())

    @property
    def has_pending(self) -> bool:
        return any(scheduler.has_pending for scheduler in self._of.values())

    def add_node(self, node: Any) -> None:
        self._scheduler(node).add_node(node)

    def add_node_collection(self, node: Any, collection: Sequence[str]) -> None:
        self._scheduler(node).add_node_collection(node, collection)

    def mark_test_complete(self, node: Any, item_index: int, duration: float = 0) -> None:
        self._scheduler(node).mark_test_complete(node, item_index, duration)

    def mark_test_pending(self, item: str) -> None:
        next(s for s in self._of.values() if item in (s.collection or ())).mark_test_pending(item)

    def remove_pending_tests_from_node(self, node: Any, indices: Sequence[int]) -> None:
        self._scheduler(node).remove_pending_tests_from_node(node, indices)

    def remove_node(self, node: Any) -> str | None:
        return self._scheduler(node).remove_node(node)

    def schedule(self) -> None:
        for scheduler in self._of.values():
            scheduler.schedule()
        # pytest-xdist takes the tests of the worker that reported last for all.
        self._session.testscollected = sum(len(s.collection or ()) for s in self._of.values())
