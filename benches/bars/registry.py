"""What a bar is, and the list of all of them.

Adding one is one function::

    @bar(issue=1, name="size", about="boardd's size, stripped")
    def size(ctx: Context) -> list[Figure]:
        return [Figure("boardd", ctx.boardd.stat().st_size / 1024, below(600), "KiB")]
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Callable, Optional

if TYPE_CHECKING:
    from .context import Context


class Void(Exception):
    """The run says nothing: its gate was not met, or it could not be taken at all."""


@dataclass(frozen=True)
class Limit:
    """A figure's bound, printed as it is written in the issue."""

    sign: str
    bound: float

    def holds(self, value: float) -> bool:
        """Whether the value keeps to it."""
        return {
            "<=": value <= self.bound,
            "<": value < self.bound,
            ">=": value >= self.bound,
        }[self.sign]

    def __str__(self) -> str:
        return f"{self.sign} {self.bound:g}"


def at_most(bound: float) -> Limit:
    """The figure may equal the bound."""
    return Limit("<=", bound)


def below(bound: float) -> Limit:
    """The figure may not equal the bound."""
    return Limit("<", bound)


def at_least(bound: float) -> Limit:
    """The figure may equal the bound."""
    return Limit(">=", bound)


@dataclass
class Figure:
    """One measured number; without a limit it is printed and not judged."""

    name: str
    value: float
    limit: Optional[Limit] = None
    unit: str = ""
    detail: dict[str, Any] = field(default_factory=dict)

    @property
    def met(self) -> bool:
        """True, too, for what is not judged."""
        return self.limit is None or self.limit.holds(self.value)

    def line(self) -> str:
        """The line printed: name, figure, bar, verdict."""
        if self.limit is None:
            verdict = "(not judged)"
        else:
            verdict = "met" if self.met else "MISSED"
        limit = str(self.limit) if self.limit else ""
        return f"  {self.name:34} {self.value:>11.4g} {self.unit:8} {limit:10} {verdict}"


Measure = Callable[["Context"], "list[Figure]"]


@dataclass(frozen=True)
class Bar:
    """A measuring function and what it belongs to."""

    issue: int
    name: str
    about: str
    measure: Measure


BARS: list[Bar] = []


def bar(issue: int, name: str, about: str) -> Callable[[Measure], Measure]:
    """Registers the function below it as the measurement of this bar. Bars run in the order they are written."""

    def register(measure: Measure) -> Measure:
        if any(known.name == name for known in BARS):
            raise ValueError(f"two bars are called {name}")
        BARS.append(Bar(issue, name, about, measure))
        return measure

    return register
