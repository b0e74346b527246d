"""ELL, ELLPACK-R, Sliced ELL, SELL-C-sigma, PELLR and dense blocks: one container for all arrangements."""
