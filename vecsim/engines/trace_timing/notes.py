"""What is noted of the words of an access, on machines whose memory is more than banks.

With one port, which word finds its line or opens a row does not depend on time. So what happens to a word is
noted once for all machines with the same caches, banks, rows and merging: after the event of its access, how
many integers there are in all, the number of its first loaded word among those that do not go along, and of
each word a note: a number times ``KINDS``, and its kind.

============  ========================================================================================
``OFF``       it is masked off
``ALONG``     it goes along with an earlier one
``BANK``      it goes to main memory; the number is its bank
``OPENS``     the same, and it opens its row
``REQUEST``   it goes to a cache, whose bank is the number; a look-up follows
``THROUGH``   the same of a store that goes on to what follows the cache: the note on that follows
============  ========================================================================================

A look-up begins with the place of the line in its cache times ``PLACES``, twice as many lines as are
prefetched, times 2, and 1 of a miss. A line that a cache brings, missed or prefetched, begins with its place
times ``PLACES``, and 1 if a changed line is written to main memory. For a prefetched line that is a number of
its own, for a missed one the look-up's. Where it comes from follows: of ``l1`` before ``l2`` the bank of
``l2`` and its look-up, otherwise a line of main memory, twice its first bank, and 1 if it opens a row. The
line that is written to main memory comes after that. Then the lines that are prefetched follow.
"""

OFF, ALONG, BANK, OPENS, REQUEST, THROUGH = range(6)
KINDS = 8
"""Kinds of notes have this many numbers."""
HEAD = 2
"""Integers before the notes of an access."""
MISS, WRITES, AHEAD, MOST_AHEAD = 1, 2, 2, 31
"""Of a look-up or a line: it misses; a changed line is written; the bit from which on there is how many lines
are prefetched, and the most."""
PLACES = 7
"""The bit from which on the place of a line is."""
