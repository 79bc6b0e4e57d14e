//! What the commands share.
