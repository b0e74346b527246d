"""Where vecsim keeps what it can make or fetch again: downloaded matrices, compiled code."""

import os
from pathlib import Path

CACHE_FOLDER = "VECSIM_CACHE"
"""Environment variable that names the folder."""


def cache_folder() -> Path:
    """Return the folder: ``VECSIM_CACHE``, or ``vecsim`` in the user's cache folder. It need not exist."""
    named = os.environ.get(CACHE_FOLDER)
    if named:
        return Path(named)
    from platformdirs import user_cache_path

    return user_cache_path("vecsim", appauthor=False)
