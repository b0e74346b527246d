"""How the components of elements lie in one array: AoS, SoA, AoSoA, and SoA with neighbours together."""

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from vecsim.support.errors import UserError

LOAD_WIDTHS = (4, 2, 1)
"""Neighbouring components that one load brings; 128 bits hold 4 of 4 bytes, two loads 4 of 8 bytes."""


@dataclass(frozen=True)
class ComponentLayout:
    """Where component c of element p of P elements of n components stands.

    Components are divided into parts, each of `together` neighbours: of AoS there is one part of all. With A
    elements in an inner array, element i of c's part, which has w components and begins with component f,
    stands at ``(p // A) A n + f A + (p % A) w + i``.

    Attributes
    ----------
    elements
        A, a power of two: 1 for an array of structures (AoS), None for a structure of arrays (SoA, where A is
        P), others for an array of structures of arrays (AoSoA).
    together
        Components of an element that stay neighbours in SoA and AoSoA: 1, 2 or 4, for wide loads.

    Raises
    ------
    UserError
        If a number is not possible.
    """

    elements: int | None
    together: int = 1

    def __post_init__(self) -> None:
        if self.elements is not None and (self.elements < 1 or self.elements & (self.elements - 1)):
            raise UserError(f"elements {self.elements} is not possible: use a power of two, or None")
        if self.together not in LOAD_WIDTHS:
            raise UserError(f"together {self.together} is not possible: use 1, 2 or 4")
        if self.elements == 1 and self.together != 1:
            raise UserError("together is not possible with an array of structures: use together 1")

    @property
    def name(self) -> str:
        """A name as the paper has it: AoS, SoA, AoSoA-32; SoA/4 where four components stand together."""
        stem = {1: "AoS", None: "SoA"}.get(self.elements, f"AoSoA-{self.elements}")
        return stem if self.together == 1 else f"{stem}/{self.together}"

    def parts(self, components: int) -> list[tuple[int, int]]:
        """Return the first component and the width of each part."""
        if self.elements == 1:
            return [(0, components)]
        results = []
        first, width = 0, self.together
        while first < components:
            while first + width > components:
                width //= 2
            results.append((first, width))
            first += width
        return results

    def load_width(self, part_width: int) -> int:
        """Return how many components of a part one load brings: as many as are aligned."""
        return next(width for width in LOAD_WIDTHS if part_width % width == 0)

    def length(self, count: int, components: int) -> int:
        """Return the length of the array of `count` elements, padded to whole inner arrays."""
        inner = self.elements or max(1, count)
        return -(-count // inner) * inner * components

    def arranged(self, values: NDArray[Any]) -> NDArray[Any]:
        """Arrange elements of (P, n) in this layout, in one array; 0 in padding."""
        count, components = values.shape
        if not components:
            return values.ravel()
        inner = self.elements or max(1, count)
        padded = self.length(count, components) // components
        if padded > count:
            values = np.concatenate((values, np.zeros((padded - count, components), values.dtype)))
        blocks = values.reshape(-1, inner, components)
        result = np.empty((len(blocks), inner * components), values.dtype)
        for first, width in self.parts(components):
            part = blocks[:, :, first : first + width]
            result[:, first * inner : (first + width) * inner] = part.reshape(len(blocks), inner * width)
        return result.ravel()

    def separated(self, array: NDArray[Any], count: int, components: int) -> NDArray[Any]:
        """Return the elements of (P, n) that `arranged` made one array of.

        Parameters
        ----------
        array
            The array; what stands after the elements is left out.
        count, components
            P and n.
        """
        inner = self.elements or max(1, count)
        blocks = array[: self.length(count, components)].reshape(-1, inner * components)
        result = np.empty((len(blocks), inner, components), array.dtype)
        for first, width in self.parts(components):
            part = blocks[:, first * inner : (first + width) * inner]
            result[:, :, first : first + width] = part.reshape(len(blocks), inner, width)
        return result.reshape(-1, components)[:count]

    def address(self, element: str, count: str, components: int, part: tuple[int, int]) -> str:
        """Return the text of the index at which a part of an element begins.

        Parameters
        ----------
        element, count
            The texts of p and P.
        components
            n.
        part
            Of `parts`.
        """
        first, width = part
        if self.elements == 1:
            return f"{element} * {components} + {first}"
        if self.elements is None:
            return f"{first} * {count} + {element} * {width}"
        shift, inner = self.elements.bit_length() - 1, self.elements
        return (
            f"({element} >> {shift}) * {inner * components} + ({element} & {inner - 1}) * {width} "
            f"+ {first * inner}"
        )


AOS, SOA = ComponentLayout(1), ComponentLayout(None)
