"""Extensions of the machine that come with vecsim (docs/extending-time.md), each taken by its name.

======================  ======================================================================
``open_rows``           banks of dynamic memory, each with a row that is open
``gather_cache``        a set-associative cache in front of gathers
``coalescing``          elements of a gather that lie in one block are fetched together
======================  ======================================================================
"""
