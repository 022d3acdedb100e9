"""`python -m linkworth`."""

from linkworth.cli import entry

# Not in the other processes of an mpi4py.futures job, which import this module under another name.
if __name__ == "__main__":
    entry()
