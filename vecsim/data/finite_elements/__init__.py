"""Matrices of finite elements: assembled on triangle meshes from files, or on grids that need none.

`mesh` reads meshes, `grids` makes them; `laplace`, `membrane`, `shell`, `solid` and `flow` hold one kind of
element each and return the assembled matrix, `spin` one of quaternions; `surfaces` makes closed meshes;
`assembly` adds element matrices up.
"""

from vecsim.data.finite_elements.flow import driven_cavity
from vecsim.data.finite_elements.laplace import laplace_beltrami
from vecsim.data.finite_elements.membrane import membrane
from vecsim.data.finite_elements.mesh import TriangleMesh, can_read_meshes, find_mesh, mesh_folders, read_mesh
from vecsim.data.finite_elements.shell import cylindrical_shell, shell
from vecsim.data.finite_elements.solid import elastic_brick
from vecsim.data.finite_elements.spin import squared_dirac
from vecsim.data.finite_elements.surfaces import rippled_torus, subdivided

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
