"""The programs of a course on vector machines, each a commented assembly text (docs/course.md)."""
