"""Trying again: with longer and longer waits, as long as it brings something, and not before a server asks for it."""

from collections.abc import Callable
from datetime import UTC, datetime
from email.utils import parsedate_to_datetime
from typing import TypeVar

from tenacity import RetryCallState, Retrying, retry_if_exception_type

from factmill.errors import SourceUnavailable

_LONGEST_WAIT_SECONDS = 60.0
LONGEST_ASKED_WAIT_SECONDS = 600.0
_LEAST_GAIN = 1_000
"""A server that sends less than this before it breaks off does not get anywhere."""

Result = TypeVar("Result")


def asked_wait_seconds(text: str) -> float:
    """Return how long a server asks to wait by `Retry-After`: a number of seconds or a date.

    >>> asked_wait_seconds("120"), asked_wait_seconds("soon"), asked_wait_seconds("Mon, 01 Jan 2001 00:00:00 GMT")
    (120.0, 0.0, 0.0)
    """
    if text.isascii() and text.isdigit():
        return float(text)
    try:
        then = parsedate_to_datetime(text)
    except (ValueError, OverflowError):
        return 0.0
    return max(0.0, (then.replace(tzinfo=then.tzinfo or UTC) - datetime.now(UTC)).total_seconds())


def _nothing() -> int:
    return 0


class Patience:
    """Tries a step until this many attempts in a row brought nothing new."""

    def __init__(self, attempts: int, wait_seconds: float, tell: Callable[[str], None]) -> None:
        self._attempts = attempts
        self._wait_seconds = wait_seconds
        self._tell = tell
        self._n_fruitless = 0

    def __call__(self, step: Callable[[], Result], reached: Callable[[], int] = _nothing) -> Result:
        """Run the step until it is done; only an attempt that got clearly further than all before is fruitful."""
        furthest = reached()
        self._n_fruitless = 0

        def attempt() -> Result:
            nonlocal furthest
            try:
                return step()
            except SourceUnavailable:
                self._n_fruitless = 0 if reached() >= furthest + _LEAST_GAIN else self._n_fruitless + 1
                furthest = max(furthest, reached())
                raise

        return Retrying(
            retry=retry_if_exception_type(SourceUnavailable),
            stop=self._is_over,
            wait=self._next_wait_seconds,
            before_sleep=self._tell_trouble,
            reraise=True,
        )(attempt)

    def _is_over(self, state: RetryCallState) -> bool:
        return self._n_fruitless >= self._attempts or _wait_asked_for(state) > LONGEST_ASKED_WAIT_SECONDS

    def _next_wait_seconds(self, state: RetryCallState) -> float:
        own: float = self._wait_seconds * 2 ** max(0, self._n_fruitless - 1)
        return max(min(own, _LONGEST_WAIT_SECONDS), _wait_asked_for(state))

    def _tell_trouble(self, state: RetryCallState) -> None:
        self._tell(f"{_trouble(state)} Trying again in {state.upcoming_sleep:.0f} s.")


def _trouble(state: RetryCallState) -> BaseException | None:
    return state.outcome.exception() if state.outcome else None


def _wait_asked_for(state: RetryCallState) -> float:
    trouble = _trouble(state)
    return trouble.wait_seconds if isinstance(trouble, SourceUnavailable) else 0.0
