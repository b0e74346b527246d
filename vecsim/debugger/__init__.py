"""A debugger: a program on a machine, stopped between any two cycles, forwards and backwards.

What it knows is apart from how it is shown:

======================  ======================================================================
``target``              what is debugged: text, memory, machine
``debugger``            a session that can be assembled again, and what is shown of it
``session``             steps, stops, goes back; breakpoints and watchpoints
``position``            where it has stopped: registers, memory and record as plain arrays
``operands``            registers and places in memory by name
``readiness``           from which cycle on what is shown is ready
``conditions``          ``x5 == 3``, ``float(Y+4) > 0.5``
``activity``            what each of the last instructions is at
``waiting``             what each unit, and issue, waits for
``strips``              registers as strips of cells, by size
``panels``              what is shown, as lines of text
``commands``            the language of its command line, and of scripts
``app``                 the same in a terminal (textual, the extra ``teach``)
``save_folder``         where ``save`` writes
``web``                 the terminal in a browser, on this computer, for who knows the address
``admission``           who that is: the secret of each start
``page_session``        the process after each page, which ends with its connection
======================  ======================================================================
"""
