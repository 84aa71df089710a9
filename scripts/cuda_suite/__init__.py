"""What `scripts/cuda-suite` knows of single suites."""
