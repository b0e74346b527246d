"""Settings of the whole suite."""

import os
import tempfile

from hypothesis import HealthCheck, settings

settings.register_profile(
    "vecsim", deadline=None, suppress_health_check=[HealthCheck.too_slow, HealthCheck.data_too_large]
)
settings.load_profile("vecsim")


def pytest_configure(config):
    """Compile the engine anew for each run of the suite: a cache of earlier code would prove nothing."""
    if "PYTEST_XDIST_WORKER" not in os.environ:
        folder = tempfile.TemporaryDirectory(prefix="vecsim-tests-")
        os.environ["VECSIM_CACHE"] = folder.name
        config.add_cleanup(folder.cleanup)
