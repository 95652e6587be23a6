"""The queue of runs: enqueue, claim, lease, finish, and recovery of lost leases."""
