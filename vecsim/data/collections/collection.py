"""The two collections and the settings that say where they lie."""

import os
from dataclasses import dataclass

from vecsim.data.addresses import RULE, is_safe
from vecsim.support.errors import UserError


@dataclass(frozen=True)
class Collection:
    """A public collection.

    Attributes
    ----------
    name
        What messages call it.
    variable
        Environment variable that names another server: a mirror, or one for tests.
    default_url
        What stands there without it.
    suffix
        Of its files.
    folder
        Of its files, in the cache.
    """

    name: str
    variable: str
    default_url: str
    suffix: str
    folder: str

    def url(self, path: str) -> str:
        """Give the address of the matrix ``GROUP/NAME``, or ``COLLECTION/SET/NAME``.

        Raises
        ------
        UserError
            If the environment variable names no address, or one that is not safe.
        """
        base = os.environ.get(self.variable) or self.default_url
        if not is_safe(base):
            raise UserError(f"{self.variable}: '{base}' is no address of a server: {RULE}")
        return f"{base.rstrip('/')}/{path}{self.suffix}"


SUITESPARSE = Collection(
    "SuiteSparse",
    "VECSIM_SUITESPARSE_URL",
    "https://suitesparse-collection-website.herokuapp.com/MM",
    ".tar.gz",
    "suitesparse",
)
MATRIX_MARKET = Collection(
    "Matrix Market",
    "VECSIM_MATRIX_MARKET_URL",
    "https://math.nist.gov/pub/MatrixMarket2",
    ".mtx.gz",
    "matrix-market",
)
