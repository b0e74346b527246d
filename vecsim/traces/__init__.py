"""What a run did, cycle by cycle, as a file that a trace viewer opens (docs/traces.md).

======================  ======================================================================
``recording``           From the engine to a file: which format, what is asked of the engine
``stream``              Instructions in program order, each with its starts, while the run goes on
``listing``             What an instruction is called, reads and writes
``chrome``, ``events``  The Chrome Trace Event Format, which Perfetto opens
``kanata``              The Kanata log format, which Konata opens
``window``              The cycles that are wanted
======================  ======================================================================
"""

from vecsim.traces.recording import recording
from vecsim.traces.window import WHOLE, Window, read_window

__all__ = ["WHOLE", "Window", "read_window", "recording"]
