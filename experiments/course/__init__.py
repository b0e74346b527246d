"""Graded exercises: a statement, a starter and a checker each (``vecsim grade``, docs/tutorial/exercises.md).

- ``exercise``: what an exercise is, and its cases
- ``registry``: the exercises
- ``vectors``: the random cases of those on vectors
- ``matrices``: the random matrices of the others
- ``workspace``: arrays in memory, and who wrote where it must not
- ``draws``: the cases of an exercise by a seed
- ``submission``: reads a text, from a regular file alone
- ``grading``: runs a text on all cases
- ``insistence``: whether an instruction did the work
- ``grades``: what comes of a text, and what to look at
- ``confined``: grades in a process with ``limits``, which executes ``judge``
- ``debugging``: a case in the debugger
- ``starters``: the texts to begin with; the comment on top is the statement
- ``solutions``: one right text each
"""
