"""What a measuring function is given: how long, how often, in which order."""

from __future__ import annotations

import random
from dataclasses import dataclass


@dataclass
class Context:
    """The conditions of a run that its caller may choose."""

    # Two cores shared by server and client are noisy: one round's ratio is off by a tenth, the median of fifteen by 2 %.
    rounds: int = 15
    seconds: float = 2.0
    # Orders are random, so that no server always follows the same one, and the same in each run.
    seed: int = 1
    quick: bool = False
    # What was only tried is not kept.
    recorded: bool = True

    def order(self, name: str) -> random.Random:
        """A source of random orders for this bar, whatever ran before it."""
        return random.Random(f"{self.seed}/{name}")

    def conditions(self) -> dict[str, object]:
        """For the record."""
        return {"rounds": self.rounds, "seconds": self.seconds, "seed": self.seed}
