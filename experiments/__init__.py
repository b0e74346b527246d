"""Tables, figures and what-if sweeps. Empty until its first experiment lands."""
