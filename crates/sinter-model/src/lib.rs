//! The offline model container.
