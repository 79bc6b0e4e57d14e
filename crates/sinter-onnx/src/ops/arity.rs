//! How many operands ONNX gives each operator at most.

/// Operators by the most operands that any of the known operator sets gives them; those with any number are
/// not listed.
const MOST: [(usize, &[&str]); 8] = [
    (0, &["Constant"]),
    (
        1,
        &[
            "Abs",
            "ArgMax",
            "ArgMin",
            "AveragePool",
            "BitwiseNot",
            "Cast",
            "Ceil",
            "Celu",
            "ConstantOfShape",
            "Cos",
            "DepthToSpace",
            "DynamicQuantizeLinear",
            "Elu",
            "Erf",
            "Exp",
            "EyeLike",
            "Flatten",
            "Floor",
            "Gelu",
            "GlobalAveragePool",
            "GlobalMaxPool",
            "HardSigmoid",
            "HardSwish",
            "Identity",
            "If",
            "IsInf",
            "IsNaN",
            "LRN",
            "LeakyRelu",
            "Log",
            "LogSoftmax",
            "LpNormalization",
            "MaxPool",
            "MeanVarianceNormalization",
            "Mish",
            "Neg",
            "NonZero",
            "Not",
            "Reciprocal",
            "Relu",
            "Round",
            "Selu",
            "Shape",
            "Sigmoid",
            "Sign",
            "Sin",
            "Size",
            "Softmax",
            "Softplus",
            "Softsign",
            "SpaceToDepth",
            "Sqrt",
            "Swish",
            "Tan",
            "Tanh",
            "ThresholdedRelu",
            "Transpose",
        ],
    ),
    (
        2,
        &[
            "Add",
            "And",
            "BitwiseAnd",
            "BitwiseOr",
            "BitwiseXor",
            "CastLike",
            "CumProd",
            "CumSum",
            "Div",
            "Equal",
            "Expand",
            "Gather",
            "GatherElements",
            "Greater",
            "GreaterOrEqual",
            "Less",
            "LessOrEqual",
            "MatMul",
            "Mod",
            "Mul",
            "Or",
            "PRelu",
            "Pow",
            "RMSNormalization",
            "ReduceL1",
            "ReduceL2",
            "ReduceLogSum",
            "ReduceLogSumExp",
            "ReduceMax",
            "ReduceMean",
            "ReduceMin",
            "ReduceProd",
            "ReduceSum",
            "ReduceSumSquare",
            "Reshape",
            "Split",
            "Squeeze",
            "Sub",
            "Tile",
            "Trilu",
            "Unsqueeze",
            "Upsample",
            "Xor",
        ],
    ),
    (
        3,
        &[
            "Clip",
            "Conv",
            "ConvTranspose",
            "DequantizeLinear",
            "Dropout",
            "Gemm",
            "GroupNormalization",
            "InstanceNormalization",
            "LayerNormalization",
            "OneHot",
            "QuantizeLinear",
            "Range",
            "ScatterND",
            "Where",
        ],
    ),
    (4, &["ConvInteger", "MatMulInteger", "Pad", "Resize"]),
    (5, &["BatchNormalization", "Slice"]),
    (8, &["QLinearMatMul"]),
    (9, &["QLinearConv"]),
];

/// The most operands of an operator; `None` where there is no limit.
pub(super) fn most_operands(operator: &str) -> Option<usize> {
    let listed = MOST.iter().find(|(_, names)| names.contains(&operator));
    listed.map(|(most, _)| *most)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_operator_but_the_variadic_ones_is_listed_once() {
        let names = crate::supported_operators();
        let open: Vec<_> = names
            .iter()
            .filter(|n| most_operands(n).is_none())
            .collect();
        assert_eq!(open, [&"Concat", &"Max", &"Mean", &"Min", &"Sum"]);
        let listed: usize = MOST.iter().map(|(_, names)| names.len()).sum();
        assert_eq!(listed + open.len(), names.len());
    }
}
