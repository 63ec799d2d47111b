"""Every reader of a file, on files that nobody would write: it succeeds, or it refuses in words. Nothing else.

``readers`` lists the readers, ``changes`` spoils what their writers wrote, ``fence`` tells what a reader may not do
meanwhile; ``corpus`` keeps small files that reached something. CI replays those and tries a few thousand more;
``make fuzz`` tries a million of each, led by coverage.
"""
