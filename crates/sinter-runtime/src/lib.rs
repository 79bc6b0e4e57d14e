//! Loads, runs and profiles offline models.
