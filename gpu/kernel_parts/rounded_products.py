"""Products that are rounded before they are added."""

from typing import Any

import numpy as np

from gpu.runtime.cuda import SIMULATED

if not SIMULATED:
    from numba.cuda import libdevice


def _plain_product(factor: Any, value: Any) -> Any:
    return factor * value


def rounded_product(real: Any) -> Any:
    """Give the function that multiplies and rounds: no sum takes the product in before that.

    So ``alpha a + beta b`` is what SciPy gives to the last bit, and 0 where the products cancel.

    Parameters
    ----------
    real
        np.float32 or np.float64.
    """
    if SIMULATED:
        return _plain_product
    return libdevice.fmul_rn if real is np.float32 else libdevice.dmul_rn
