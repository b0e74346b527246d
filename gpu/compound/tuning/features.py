"""What is known of a matrix before anything is compiled: what a prediction may look at."""

from dataclasses import asdict

import numpy as np

from gpu.compound.compound_matrix import CompoundMatrix
from gpu.compound.outer_layout import OUTER_LAYOUTS
from gpu.compound.pattern_statistics import pattern_statistics
from gpu.compound.tuning.traffic_model import TrafficModel

PLACES = "places_"
"""Begins the names of the features that count places for entries; the outer layout follows."""


def features_of(matrix: CompoundMatrix) -> dict[str, float]:
    """Return the features of a matrix by name.

    Parameters
    ----------
    matrix
        The matrix.

    Returns
    -------
    dict of str to float
        Rows, columns and entries; bytes and components of an entry, components of an element, bytes of a
        component; of row lengths (``length_``) mean, standard deviation and five numbers, of bandwidths the
        five numbers (`gpu.compound.pattern_statistics`); and for each outer layout with a thread a row its
        places for entries, padding included.
    """
    entry, statistics = matrix.entry, pattern_statistics(matrix)
    lengths = np.diff(matrix.indptr)
    result = {
        "rows": float(matrix.shape[0]),
        "columns": float(matrix.shape[1]),
        "entries": float(matrix.nnz),
        "entry_bytes": float(entry.entry_bytes(matrix.dtype)),
        "entry_components": float(len(entry.entry)),
        "vector_components": float(len(entry.vector)),
        "component_bytes": float(matrix.dtype.itemsize),
        "length_mean": float(lengths.mean()) if len(lengths) else 0.0,
        "length_deviation": float(lengths.std()) if len(lengths) else 0.0,
    }
    for what, numbers in (("length", statistics.row_lengths), ("bandwidth", statistics.bandwidths)):
        result |= {f"{what}_{name}": value for name, value in asdict(numbers).items()}
    model = TrafficModel(matrix)
    return result | {f"{PLACES}{outer}": float(model.places(outer)) for outer in OUTER_LAYOUTS}
