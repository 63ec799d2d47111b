"""Evidence about leases: the shipped reference keeps what is owed.

With ``pytest --pyargs meshspec.properties --policy mypkg.locks:Locks --meshspec-role lease`` the same is put to a
lease of one's own. The runs have up to four calls; ``meshspec check`` makes those of five, and more longer ones.
"""

from meshspec import suite

LEASE = suite(role="lease")
