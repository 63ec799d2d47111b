"""Small files, a folder for each reader, that a fuzzer led by coverage came to; ``soak --keep`` chooses them."""

from pathlib import Path

CORPUS = Path(__file__).parent
