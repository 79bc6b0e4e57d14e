//! Pass trait, options, registry and named pipelines.
