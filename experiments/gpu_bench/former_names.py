"""Names that files of earlier versions of the GPU benchmark use, and what stands for them now."""

from collections.abc import Mapping
from typing import Any

FIELDS = {"floor_us": "bound_us", "share_of_floor": "share_of_bound"}
"""Of a record."""
STATUSES = {"not_at_hand": "not_found"}
FORMATS = {
    "sliced-ell-2-lanes": "sliced-ell-2-threads",
    "sliced-ell-4-lanes": "sliced-ell-4-threads",
    "sliced-ell-8-lanes": "sliced-ell-8-threads",
    "sliced-ell-32-lanes": "sliced-ell-32-threads",
    "sliced-ell-blocks-3-lanes": "sliced-ell-blocks-3-threads",
    "sliced-ell-blocks-4-lanes": "sliced-ell-blocks-4-threads",
}
"""Methods, and what `auto` took (`parameters.format`)."""


def renamed(document: Mapping[str, Any]) -> dict[str, Any]:
    """Give the document of a record as this version writes it; the document itself stays as it is."""
    entries = {FIELDS.get(name, name): value for name, value in document.items()}
    for name, former in (("status", STATUSES), ("method", FORMATS)):
        if name in entries:
            entries[name] = former.get(entries[name], entries[name])
    parameters = entries.get("parameters", {})
    if "format" in parameters:
        entries["parameters"] = {
            **parameters,
            "format": FORMATS.get(parameters["format"], parameters["format"]),
        }
    return entries
