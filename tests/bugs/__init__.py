"""Reports of bugs in other people's code, restated through our doors: each gets its right answer."""
