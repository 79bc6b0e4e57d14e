//! What became of a model, on one line.

use crate::compile::Compiled;

impl Compiled {
    /// Kernels, their price, and how far it can be above that of any other choice of kernels.
    pub fn summary(&self) -> String {
        let s = &self.statistics;
        let gap = match s.lower_bound_ns > 0.0 {
            true => format!("{:.2} % above the lower bound", s.gap * 100.0),
            false => "no lower bound".to_owned(),
        };
        format!(
            "{} operators in {} kernels, {:.1} us by price, {gap}",
            s.operators,
            s.kernels,
            s.price_ns / 1e3
        )
    }
}
