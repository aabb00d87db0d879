//! Command lines of processes to the origin of a session, and the bridge id of a worker.
