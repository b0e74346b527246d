"""Grades of a whole course: ``vecsim grade --batch``.

- ``submissions``: who has handed in what
- ``forked``: grades many texts side by side, each in a process with limits
- ``gradebook``: grades kept one by one, so that a batch goes on where it was stopped
- ``points``: what a grade earns
- ``tables``: CSV for the teacher and for Moodle, JSON for Gradescope
- ``pages``: a page for each student, and a summary for the teacher
"""
