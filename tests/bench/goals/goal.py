# SPDX-License-Identifier: Apache-2.0
"""What was to be reached, what was measured, and whether that is enough."""
from dataclasses import dataclass


@dataclass
class Goal:
    number: int
    what: str
    measured: float
    unit: str
    at_least: float = None
    at_most: float = None

    @property
    def met(self):
        if self.at_least is None and self.at_most is None:
            return None
        return (self.at_least is None or self.measured >= self.at_least) and (self.at_most is None or self.measured <= self.at_most)

    @property
    def wanted(self):
        if self.met is None:
            return "printed"
        word, bound = ("at least", self.at_least) if self.at_least is not None else ("at most", self.at_most)
        return f"{word} {bound:g} {self.unit}".rstrip()

    @property
    def verdict(self):
        return {None: "-", True: "met", False: "MISSED"}[self.met]

    @property
    def found(self):
        digits = 0 if self.measured >= 100 else 1 if self.measured >= 10 else 2
        return f"{self.measured:.{digits}f} {self.unit}".rstrip()
