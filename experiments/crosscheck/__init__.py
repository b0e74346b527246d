"""The same products by three implementations: SciPy, the simulated vector machine, and a GPU.

`products` computes one matrix in each of them and compares the results; `vecsim crosscheck` shows that. Over
the matrices of ``matrices.toml`` the comparison answers whether the vector machine ranks the formats as a GPU
does (`ranks`, `report`).
"""
