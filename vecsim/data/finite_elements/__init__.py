"""Matrices of finite elements: assembled on triangle meshes from files, or on grids that need none.

`mesh` reads meshes, `grids` makes them; `shell`, `solid` and `flow` hold kinds of elements and return the
assembled matrix, `surface_operators` those of a surface; `assembly` adds element matrices up.
"""

from vecsim.data.finite_elements.flow import driven_cavity
from vecsim.data.finite_elements.grids import rippled_torus, subdivided
from vecsim.data.finite_elements.mesh import TriangleMesh, can_read_meshes, find_mesh, mesh_folders, read_mesh
from vecsim.data.finite_elements.shell import cylindrical_shell, membrane, shell
from vecsim.data.finite_elements.solid import elastic_brick
from vecsim.data.finite_elements.surface_operators import laplace_beltrami, squared_dirac

__all__ = [
    "TriangleMesh",
    "can_read_meshes",
    "cylindrical_shell",
    "driven_cavity",
    "elastic_brick",
    "find_mesh",
    "laplace_beltrami",
    "membrane",
    "mesh_folders",
    "read_mesh",
    "rippled_torus",
    "shell",
    "squared_dirac",
    "subdivided",
]
