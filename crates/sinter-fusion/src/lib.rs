//! Equality saturation, legality, candidates, extraction, decisions.
