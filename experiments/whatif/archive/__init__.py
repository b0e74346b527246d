"""Results as archives that a paper can cite and that `vecsim rerun` verifies on another machine."""

from experiments.whatif.archive.contents import archive_files

__all__ = ["archive_files"]
