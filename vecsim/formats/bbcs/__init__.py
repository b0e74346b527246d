"""Block Based Compression Storage."""
