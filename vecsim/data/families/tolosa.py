"""The Tolosa matrix of the NEP collection: the stability of an aeroplane's model in flight."""

import tomllib
from pathlib import Path
from typing import Any

import numpy as np

from vecsim.data.families.assembly import csr


def tolosa(more: int) -> Any:
    """Return the Tolosa matrix of order 90 + 5 `more`.

    Five by five blocks of order m = 18 + `more`: the identity in block (1, 2); Y_1 to Y_5 along the second
    row; below it the identity in block column 2 and beta_i times the identity on the diagonal. Y_i begins
    with the data block X_i of order 18; Y_1 and Y_2 go on with -omega_k^2 and -2 alpha_k omega_k on the
    diagonal, k = 1, ..., `more`, where omega_k = 150 + 6 k, alpha_k = c (k - 1) + 0.001,
    c = 0.299 / `more`. Source: S. Godet-Thobie, CERFACS, 1991, as MVMTLS in the NEP collection.

    Compared with: tols90, every entry (it is where X and beta come from); tols340, tols1090, tols2000 and
    tols4000, the collection's index.
    """
    m = 18 + more
    data = tomllib.loads((Path(__file__).parent / "tolosa.toml").read_text())
    x = np.array(data["x"])
    beta = np.repeat(data["beta"], m)

    block = np.arange(m)
    k = np.arange(1, more + 1)
    omega = 150.0 + 6 * k
    alpha = 0.299 / max(more, 1) * (k - 1) + 0.001
    x_row, x_column = (index.ravel() for index in np.indices(x.shape))
    # Column 18 b + c of X belongs to column c of block b.
    x_column = x_column // 18 * m + x_column % 18
    below = np.arange(2 * m, 5 * m)
    rest = m + block[18:]
    rows = [block, m + x_row, rest, rest, below, below]
    columns = [m + block, x_column, rest - m, rest, m + below % m, below]
    values = [1.0, x.ravel(), -(omega**2), -2 * alpha * omega, 1.0, beta]
    return csr((5 * m, 5 * m), rows, columns, values)
