"""The playground: vecsim in a web page, without a server (docs/reference/playground.md).

===============  =============================================================================
``build``        the folder that any web server can serve
``packages``     what comes from the registries of npm and PyPI, by version
``python_files`` the Python that the page runs: vecsim itself
``lessons``      programs, products and exercises with their memory, for the page
``worker/``      what the page asks, in Python: it runs in Pyodide and in any other Python
``page/``        drawing and glue, in JavaScript
===============  =============================================================================
"""
