//! Device files, kernel prices and the schedules they assume.
