"""Graded exercises: a statement, a start, a checker each (``vecsim grade``, docs/exercises.md).

======================  ======================================================================
``exercise``            what an exercise is, and its cases
``registry``            the exercises
``vectors``             the cases of those on vectors
``workspace``           arrays in memory, and who wrote where it must not
``grading``             runs a program on all cases and says what to look at
``starters``            the texts to begin with; the comment on top is the statement
``solutions``           one right text each
======================  ======================================================================
"""
