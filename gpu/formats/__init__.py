"""One module a format, under the stem it has in :mod:`vecsim.formats`: its kernel and its product."""
