"""Verdicts in as few bits as they take, for runs over numbered deals.

Neither layouts nor evidence are stored. A deal is dealt and solved again whenever somebody asks for it, and what comes
out is compared with what is kept: a bit or two for its verdict in the pack of its job, and the digest of its block,
evidence included. Jobs are whole blocks, up to the last one. Only the errors of what failed are rows, for nothing would
give them again.
"""
