"""PELLR: A Permutated ELLPACK-R Format for SpMV on GPUs (Wang and Gu 2020), reproduced."""
