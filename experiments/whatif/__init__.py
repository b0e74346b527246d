"""What-if questions: sweeps, what they show, why a program takes its cycles, and four studies."""
