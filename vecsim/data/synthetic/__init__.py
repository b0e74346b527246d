"""Generated matrices: grids, meshes, graphs and random patterns."""
