"""Runs as one HTML page that a browser shows without a network (docs/view.md).

======================  ======================================================================
``recording``           Runs a program and keeps what the page shows
``values``              What registers and pieces of memory held
``html``                The page, with its style and its scripts in it
``page/``               Style and scripts
======================  ======================================================================
"""

from vecsim.data.memory_files import Piece
from vecsim.viewer.html import page_of
from vecsim.viewer.recording import Recorded, Subject, record

__all__ = ["Piece", "Recorded", "Subject", "page_of", "record"]
