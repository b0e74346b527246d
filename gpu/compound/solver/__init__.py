"""Conjugate gradients with compound entries, the paper's future work (section 6.2).

=======================  ===================================================================
``scalars``              a matrix of compound entries as one of plain numbers
``block_diagonal``       the preconditioner: the inverse of each diagonal entry
``reference``            the same algorithm by NumPy and SciPy
``kernels``              an iteration but for its product
``operators``            products that an iteration can take: ours, or cuSPARSE's
``conjugate_gradients``  the solver on the device, its iterations captured in a graph
=======================  ===================================================================
"""

from gpu.compound.solver.reference import Solution, solve_on_the_host

__all__ = ["Solution", "solve_on_the_host"]
