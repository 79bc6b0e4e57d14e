//! The parts of a report that concern the model's author: kernels that he wrote, and advice.

use serde::{Deserialize, Serialize};
use sinter_device::Time;
use sinter_fusion::{Advice, OwnChoice};

use crate::report::Report;

/// What to change in the model.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct AdviceReport {
    /// `layout`, `fragment` or `size`.
    pub kind: String,
    /// ONNX nodes, or the input or output.
    pub nodes: Vec<String>,
    /// The change, as an instruction.
    pub change: String,
    /// What the price of the program would sink by.
    pub saved_ns: f64,
}

/// Whether a kernel that the user wrote for a unit is a part of the program.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct OwnKernelReport {
    /// Symbol of the kernel.
    pub kernel: String,
    /// Name of the unit.
    pub unit: String,
    /// ONNX nodes of the units that it computes.
    pub nodes: Vec<String>,
    /// Whether it computes them; else their operators do.
    pub taken: bool,
    /// Price of the program with it, where there is such a program.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub price_ns: Option<f64>,
    /// Price of the program with the operators in its place.
    pub instead_of_ns: f64,
    /// Why, with figures.
    pub message: String,
}

impl OwnKernelReport {
    pub(crate) fn new(choice: &OwnChoice) -> Self {
        Self {
            kernel: choice.kernel.clone(),
            unit: choice.unit.clone(),
            nodes: choice.nodes.clone(),
            taken: choice.taken,
            price_ns: choice.price.map(Time::ns),
            instead_of_ns: choice.instead_of.ns(),
            message: choice.message.clone(),
        }
    }
}

impl Report {
    /// The report with advice.
    pub fn with_advice(mut self, advice: &[Advice]) -> Self {
        let advice = advice.iter().map(|a| AdviceReport {
            kind: a.kind.to_string(),
            nodes: a.nodes.clone(),
            change: a.change.clone(),
            saved_ns: a.saved.ns(),
        });
        self.advice = advice.collect();
        self
    }
}
