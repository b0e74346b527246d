"""Tables and figures of the HiSM paper (Stathis, Vassiliadis, Cotofana, IPDPS 2003)."""
