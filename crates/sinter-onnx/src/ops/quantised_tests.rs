//! Integer products with zero points against their definition, and what is refused of quantised operators.

use std::path::Path;

use rand::rngs::SmallRng;
use rand::{Rng, SeedableRng};
use sinter_loops::tensor::Tensor;
use sinter_loops::types::ElementType::{F32, I8, I32, U8};
use sinter_loops::types::{ElementType, TensorType};
use sinter_ops::Graph;
use sinter_reference::evaluate;

use crate::ImportOptions;
use crate::error::ImportError;
use crate::file::Files;
use crate::importer::Importer;
use crate::proto::{
    AttributeProto, Dimension, DimensionProto, GraphProto, NodeProto, TensorProto,
    TensorShapeProto, TensorTypeProto, TypeProto, ValueInfoProto, attribute_kind as kind,
};

/// An operand: its values, and whether the model knows them.
struct Operand(Tensor, bool);

fn code(element: ElementType) -> i32 {
    match element {
        U8 => 2,
        I8 => 3,
        I32 => 6,
        _ => 1,
    }
}

fn proto(name: &str, value: &Tensor) -> TensorProto {
    TensorProto {
        name: name.into(),
        dims: value.ty().shape.clone(),
        data_type: code(value.ty().element),
        raw_data: Some(value.bytes().clone()),
        ..Default::default()
    }
}

fn import(
    op_type: &str,
    operands: &[Operand],
    attributes: &[AttributeProto],
) -> Result<Graph, ImportError> {
    let name = |n: usize| format!("v{n}");
    let input = |(n, o): (usize, &Operand)| {
        let extent = |&e: &i64| DimensionProto {
            value: Some(Dimension::Value(e)),
        };
        ValueInfoProto {
            name: name(n),
            ty: Some(TypeProto {
                tensor_type: Some(TensorTypeProto {
                    elem_type: code(o.0.ty().element),
                    shape: Some(TensorShapeProto {
                        dim: o.0.ty().shape.iter().map(extent).collect(),
                    }),
                }),
            }),
        }
    };
    let all = || operands.iter().enumerate();
    let graph = GraphProto {
        node: vec![NodeProto {
            name: "n".into(),
            op_type: op_type.into(),
            input: (0..operands.len()).map(name).collect(),
            output: vec!["y".into()],
            attribute: attributes.to_vec(),
            ..Default::default()
        }],
        initializer: all()
            .filter(|(_, o)| o.1)
            .map(|(n, o)| proto(&name(n), &o.0))
            .collect(),
        input: all().filter(|(_, o)| !o.1).map(input).collect(),
        output: vec![ValueInfoProto {
            name: "y".into(),
            ty: None,
        }],
        ..Default::default()
    };
    let files = Files::beside(Path::new("model.onnx"));
    Importer::new("test".into(), 21, &files).run(&graph, &ImportOptions::default())
}

/// What the graph of one node computes.
fn run(op_type: &str, operands: &[Operand], attributes: &[AttributeProto]) -> Tensor {
    let graph = import(op_type, operands, attributes).unwrap();
    let given = operands.iter().filter(|o| !o.1).map(|o| o.0.clone());
    let given: Vec<_> = given.collect();
    evaluate(&graph, &given).unwrap().remove(0)
}

/// Draws of one test.
struct Draw(SmallRng);

impl Draw {
    fn int(&mut self, low: i64, high: i64) -> i64 {
        self.0.random_range(low..=high)
    }

    /// Any values of an 8-bit type.
    fn bytes(&mut self, element: ElementType, shape: &[i64]) -> Tensor {
        let ty = TensorType::new(element, shape);
        let values: Vec<_> = (0..ty.elements()).map(|_| self.int(0, 255)).collect();
        Tensor::from_i64s(ty, &values)
    }

    fn element(&mut self) -> ElementType {
        [I8, U8][usize::from(self.0.random::<bool>())]
    }

    fn operand(&mut self, value: Tensor) -> Operand {
        Operand(value, self.0.random())
    }
}

fn ints(name: &str, values: &[i64]) -> AttributeProto {
    AttributeProto {
        name: name.into(),
        ints: values.to_vec(),
        kind: kind::INTS,
        ..Default::default()
    }
}

fn int(name: &str, value: i64) -> AttributeProto {
    AttributeProto {
        name: name.into(),
        i: value,
        kind: kind::INT,
        ..Default::default()
    }
}

#[test]
fn products_of_matrices() {
    let mut draw = Draw(SmallRng::seed_from_u64(1));
    for _ in 0..200 {
        let (m, k, n) = (draw.int(1, 4), draw.int(1, 9), draw.int(1, 4));
        let batch = draw.int(1, 2);
        let (left, right) = (draw.element(), draw.element());
        let a = draw.bytes(left, &[batch, m, k]);
        let b = draw.bytes(right, &[k, n]);
        let (rows, columns) = (draw.int(0, 1) == 1, draw.int(0, 1) == 1);
        let za = draw.bytes(left, if rows { std::slice::from_ref(&m) } else { &[] });
        let zb = draw.bytes(
            right,
            if columns {
                std::slice::from_ref(&n)
            } else {
                &[]
            },
        );
        let mut expected = Vec::new();
        let (av, bv, zav, zbv) = (a.to_i64s(), b.to_i64s(), za.to_i64s(), zb.to_i64s());
        for row in 0..batch * m {
            for column in 0..n {
                let za = zav[if rows { row % m } else { 0 } as usize];
                let zb = zbv[if columns { column } else { 0 } as usize];
                let product = |i: i64| {
                    (av[(row * k + i) as usize] - za) * (bv[(i * n + column) as usize] - zb)
                };
                expected.push((0..k).map(product).sum::<i64>());
            }
        }
        let operands = [a, b, za, zb].map(|value| draw.operand(value));
        let found = run("MatMulInteger", &operands, &[]);
        assert_eq!(found.ty(), &TensorType::new(I32, [batch, m, n]));
        assert_eq!(found.to_i64s(), expected);
    }
}

#[test]
fn products_of_vectors() {
    let values = |v: &[i64]| Tensor::from_i64s(TensorType::new(U8, [v.len() as i64]), v);
    let zero = |v| Tensor::from_i64s(TensorType::new(U8, []), &[v]);
    let operands = [values(&[1, 2, 255]), values(&[4, 5, 6]), zero(3), zero(250)];
    let found = run("MatMulInteger", &operands.map(|v| Operand(v, false)), &[]);
    assert_eq!(found.ty(), &TensorType::new(I32, []));
    assert_eq!(found.to_i64s(), [2 * 246 + 245 - 252 * 244]);
}

#[test]
fn convolutions() {
    let mut draw = Draw(SmallRng::seed_from_u64(2));
    for _ in 0..200 {
        let groups = draw.int(1, 2);
        let (batch, inputs, outputs) = (draw.int(1, 2), draw.int(1, 3), draw.int(1, 3));
        let (length, taps) = (draw.int(3, 6), draw.int(1, 3));
        let (stride, pads) = (draw.int(1, 2), [draw.int(0, 2), draw.int(0, 2)]);
        let (data, weights) = (draw.element(), draw.element());
        let x = draw.bytes(data, &[batch, groups * inputs, length]);
        let w = draw.bytes(weights, &[groups * outputs, inputs, taps]);
        let zx = draw.bytes(data, &[]);
        let each = draw.int(0, 1) == 1;
        let channels = groups * outputs;
        let zw = draw.bytes(
            weights,
            if each {
                std::slice::from_ref(&channels)
            } else {
                &[]
            },
        );
        let (xv, wv, zxv, zwv) = (x.to_i64s(), w.to_i64s(), zx.to_i64s(), zw.to_i64s());
        let mut expected = Vec::new();
        let results = (length + pads[0] + pads[1] - taps) / stride + 1;
        for n in 0..batch {
            for co in 0..channels {
                for o in 0..results {
                    let mut sum = 0;
                    for (ci, tap) in (0..inputs).flat_map(|ci| (0..taps).map(move |t| (ci, t))) {
                        let at = o * stride + tap - pads[0];
                        if !(0..length).contains(&at) {
                            continue;
                        }
                        let channel = co / outputs * inputs + ci;
                        let x = xv[((n * groups * inputs + channel) * length + at) as usize];
                        let w = wv[((co * inputs + ci) * taps + tap) as usize];
                        sum += (x - zxv[0]) * (w - zwv[if each { co } else { 0 } as usize]);
                    }
                    expected.push(sum);
                }
            }
        }
        let operands = [x, w, zx, zw].map(|value| draw.operand(value));
        let attributes = [
            ints("pads", &pads),
            ints("strides", &[stride]),
            int("group", groups),
        ];
        let found = run("ConvInteger", &operands, &attributes);
        assert_eq!(
            found.ty(),
            &TensorType::new(I32, [batch, channels, results])
        );
        assert_eq!(found.to_i64s(), expected);
    }
}

#[test]
fn halves_go_to_even_and_ends_saturate() {
    let x = [0.5, 1.5, 2.5, -0.5, -1.5, 300.0, -300.0, f32::INFINITY];
    let known = |value| Operand(value, true);
    let one = || known(Tensor::from_f32([], &[1.0]));
    let zero = |element, v| known(Tensor::from_i64s(TensorType::new(element, []), &[v]));
    let quantised = |zero| {
        let x = Operand(Tensor::from_f32([8], &x), false);
        run("QuantizeLinear", &[x, one(), zero], &[int("axis", 0)]).to_i64s()
    };
    assert_eq!(quantised(zero(U8, 3)), [3, 5, 5, 3, 1, 255, 0, 255]);
    assert_eq!(quantised(zero(I8, 1)), [1, 3, 3, 1, -1, 127, -128, 127]);
}

#[test]
fn refusals() {
    let known = |element, shape: &[i64]| {
        let ty = TensorType::new(element, shape);
        let ones = vec![1.0; ty.elements() as usize];
        Operand(Tensor::from_f64s(ty, &ones), true)
    };
    let refused = |operator, operands: &[Operand], attributes: &[AttributeProto]| {
        let message = import(operator, operands, attributes)
            .unwrap_err()
            .to_string();
        let (start, end) = message.split_once(": ").unwrap();
        assert_eq!(start, format!("node 'n' ({operator})"));
        assert!(!end.contains('\n') && end.contains(": "), "{end}");
        end.split_once(": ").unwrap().0.to_owned()
    };
    let x = || known(F32, &[2, 3]);
    let cases = [
        (vec![x(), known(F32, &[3]), known(U8, &[2])], int("axis", 1)),
        (vec![x(), known(F32, &[3]), known(U8, &[3])], int("axis", 2)),
        (
            vec![x(), known(F32, &[2, 1]), known(U8, &[2, 1])],
            int("axis", 1),
        ),
        (
            vec![x(), known(F32, &[]), known(U8, &[])],
            int("block_size", 3),
        ),
        (vec![x(), known(F32, &[]), known(I32, &[])], int("axis", 1)),
        (
            vec![x(), known(F32, &[]), known(U8, &[])],
            int("output_dtype", 3),
        ),
    ];
    let found: Vec<_> = cases
        .iter()
        .map(|(operands, attribute)| {
            refused("QuantizeLinear", operands, std::slice::from_ref(attribute))
        })
        .collect();
    assert_eq!(
        found,
        [
            "its zero point has 2 values for 3 along axis 1",
            "axis 2 is not one of 2 dimensions",
            "its scale is tensor<2x1xf32>, one value per block, which is not supported",
            "it is quantised in blocks of 3, which is not supported",
            "its result is of i32, which is not supported",
            "attribute 'output_dtype' is i8, the zero point is of ui8",
        ]
    );
    let integers = |zero| [known(U8, &[2, 3]), known(I8, &[3, 2]), zero];
    assert_eq!(
        refused("MatMulInteger", &integers(known(I8, &[])), &[]),
        "its zero point of the left operand is of i8, the operand of ui8"
    );
    assert_eq!(
        refused("MatMulInteger", &integers(known(U8, &[3])), &[]),
        "the zero point of its left operand has the shape [3, 1], which does not fit [2, 1]"
    );
    assert_eq!(
        refused(
            "DequantizeLinear",
            &[known(I8, &[2]), known(F32, &[]), known(U8, &[])],
            &[]
        ),
        "its zero point is of ui8, the operand of i8"
    );
    assert_eq!(
        refused("DynamicQuantizeLinear", &[known(I8, &[2])], &[]),
        "its operand is tensor<2xi8>, not of f32"
    );
    let flat = |n: usize| known(if n == 3 { I8 } else { U8 }, &[2]);
    let scale = || known(F32, &[2]);
    let one = || known(F32, &[]);
    let zero = |element| known(element, &[]);
    let operands = [
        flat(0),
        one(),
        zero(U8),
        flat(3),
        scale(),
        zero(I8),
        one(),
        zero(U8),
    ];
    assert_eq!(
        refused("QLinearConv", &operands, &[]),
        "its scale has the shape [2], not one value or one per output channel"
    );
}
