"""Is every kernel right? Every format over the suite of the GPU benchmark, against float64."""
