"""The mark of tests that only a real GPU can pass."""

import pytest

from gpu.runtime.cuda_driver import NoGpuError, driver


def _missing() -> str:
    try:
        driver()
    except NoGpuError as error:
        return str(error)
    return ""


MISSING = _missing()
needs_gpu = pytest.mark.skipif(bool(MISSING), reason=MISSING or "there is one")
