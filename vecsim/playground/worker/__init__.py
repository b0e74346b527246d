"""What the page asks of vecsim. It runs in Pyodide, in a worker of the page.

===============  =============================================================================
``begin``        begins a classroom in Pyodide
``stand_in/``    the part of NumPy that it needs, which Pyodide has not
``host``         runs the engine as WebAssembly
``lesson``       a program, a product or an exercise to begin with
``exercise``     checks a text on the cases of an exercise
``classroom``    assembles, runs, steps, and checks exercises
===============  =============================================================================
"""
