"""What is kept on disk: results with their provenance and digests, journals, caches, whole files."""
