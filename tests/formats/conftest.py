"""Puts this folder on the path, so that the tests of each format find `format_cases`."""
