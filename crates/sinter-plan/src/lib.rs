//! The buffer planner.
