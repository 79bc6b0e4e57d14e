//! The types of a model's inputs: what the file says, completed by the options.

use std::collections::{BTreeMap, BTreeSet};

use sinter_loops::types::TensorType;

use crate::error::ImportError;
use crate::proto::{Dimension, GraphProto, ValueInfoProto};
use crate::weights::{checked_type, element};

/// What the file says about one extent.
#[derive(Clone, Debug, PartialEq)]
enum Extent {
    Known(i64),
    Named(String),
    Unknown,
}

/// The inputs that a caller has to give, with their types.
///
/// A name of a size that one `--shape` fixes is fixed for all inputs.
///
/// # Errors
/// When a size stays unknown, a given shape does not fit, or an input is not a tensor.
pub(crate) fn inputs(
    graph: &GraphProto,
    shapes: &BTreeMap<String, Vec<i64>>,
) -> Result<Vec<(String, TensorType)>, ImportError> {
    let weights: BTreeSet<&str> = graph.initializer.iter().map(|w| w.name.as_str()).collect();
    let open: Vec<_> = graph
        .input
        .iter()
        .filter(|i| !weights.contains(i.name.as_str()))
        .collect();
    for (place, info) in graph.input.iter().enumerate() {
        if graph.input[..place].iter().any(|i| i.name == info.name) {
            return Err(ImportError::BadInterface {
                what: format!(
                    "input '{}' is declared twice: export the model again",
                    info.name
                ),
            });
        }
    }
    if let Some(name) = shapes
        .keys()
        .find(|name| open.iter().all(|i| i.name != **name))
    {
        let known: Vec<_> = open.iter().map(|i| format!("'{}'", i.name)).collect();
        return Err(ImportError::BadShape {
            input: name.clone(),
            cause: format!("the model has no such input, only {}", known.join(", ")),
        });
    }
    let declared = open
        .iter()
        .map(|i| declared(i))
        .collect::<Result<Vec<_>, _>>()?;
    let mut sizes = BTreeMap::new();
    for (info, extents) in open.iter().zip(&declared) {
        if let Some(shape) = shapes.get(&info.name) {
            bind(&info.name, extents.as_deref(), shape, &mut sizes)?;
        }
    }
    open.iter()
        .zip(&declared)
        .map(|(info, extents)| {
            let shape = match shapes.get(&info.name) {
                Some(shape) => shape.clone(),
                None => known(&info.name, extents.as_deref(), &sizes)?,
            };
            Ok((info.name.clone(), input_type(info, &shape)?))
        })
        .collect()
}

/// Refuses an output whose declaration is not what the nodes make; sizes that are names or unknown are any.
///
/// # Errors
/// Says what is declared and what is made.
pub(crate) fn check_output(info: &ValueInfoProto, made: &TensorType) -> Result<(), ImportError> {
    let Some(tensor) = info.ty.as_ref().and_then(|t| t.tensor_type.as_ref()) else {
        return Ok(());
    };
    let refused = |declared: String| {
        let (name, way) = (
            &info.name,
            "export the model again, or give another --shape",
        );
        let what =
            format!("output '{name}' is declared {declared}, but its node makes {made}: {way}");
        Err(ImportError::BadInterface { what })
    };
    match tensor.elem_type {
        0 => {}
        code => match element(code) {
            Ok(element) if element == made.element => {}
            Ok(element) => return refused(format!("of {element}")),
            Err(cause) => return refused(format!("as what {cause}")),
        },
    }
    let Some(extents) = declared(info)? else {
        return Ok(());
    };
    let fits = |(extent, size): (&Extent, &i64)| match extent {
        Extent::Known(n) => n == size,
        _ => true,
    };
    if extents.len() == made.rank() && extents.iter().zip(&made.shape).all(fits) {
        return Ok(());
    }
    let text = |extent: &Extent| match extent {
        Extent::Known(n) => n.to_string(),
        _ => "?".to_owned(),
    };
    let shape: Vec<_> = extents.iter().map(text).collect();
    refused(format!("of shape [{}]", shape.join(", ")))
}

fn input_type(info: &ValueInfoProto, shape: &[i64]) -> Result<TensorType, ImportError> {
    let tensor = info.ty.as_ref().and_then(|t| t.tensor_type.as_ref());
    let data_type = tensor.map_or(0, |t| t.elem_type);
    element(data_type)
        .and_then(|element| checked_type(element, shape))
        .map_err(|cause| ImportError::BadInterface {
            what: format!("input '{}' {cause}", info.name),
        })
}

fn declared(info: &ValueInfoProto) -> Result<Option<Vec<Extent>>, ImportError> {
    let tensor = info.ty.as_ref().and_then(|t| t.tensor_type.as_ref());
    let tensor = tensor.ok_or_else(|| ImportError::BadInterface {
        what: format!(
            "input '{}' is not a tensor: export the model with tensor inputs",
            info.name
        ),
    })?;
    let extents = tensor.shape.as_ref().map(|shape| {
        let extent = |value: &Option<Dimension>| match value {
            Some(Dimension::Value(n)) if *n >= 0 => Extent::Known(*n),
            // Some exporters write unknown sizes as -1, or as names that are no names: '-1', '?'.
            Some(Dimension::Param(name))
                if name.starts_with(|c: char| c.is_alphabetic() || c == '_') =>
            {
                Extent::Named(name.clone())
            }
            _ => Extent::Unknown,
        };
        shape.dim.iter().map(|d| extent(&d.value)).collect()
    });
    Ok(extents)
}

/// Checks a given shape against the declared one and notes what it fixes.
fn bind(
    input: &str,
    declared: Option<&[Extent]>,
    shape: &[i64],
    sizes: &mut BTreeMap<String, i64>,
) -> Result<(), ImportError> {
    let bad = |cause| {
        Err(ImportError::BadShape {
            input: input.into(),
            cause,
        })
    };
    let Some(declared) = declared else {
        return Ok(());
    };
    if declared.len() != shape.len() {
        let (given, wanted) = (shape.len(), declared.len());
        return bad(format!(
            "{given} sizes are given, the model's input has {wanted}"
        ));
    }
    for (d, (extent, &size)) in declared.iter().zip(shape).enumerate() {
        if size < 0 {
            return bad(format!("size {size} of dimension {d} is negative"));
        }
        match extent {
            Extent::Known(n) if *n != size => {
                return bad(format!("dimension {d} is {n} in the model, not {size}"));
            }
            Extent::Named(name) => {
                let first = *sizes.entry(name.clone()).or_insert(size);
                if first != size {
                    return bad(format!("size '{name}' is {first} already, not {size}"));
                }
            }
            _ => {}
        }
    }
    Ok(())
}

fn known(
    input: &str,
    declared: Option<&[Extent]>,
    sizes: &BTreeMap<String, i64>,
) -> Result<Vec<i64>, ImportError> {
    let unknown = |size: String, template: String| {
        Err(ImportError::UnknownSize {
            input: input.into(),
            size,
            template,
        })
    };
    let Some(declared) = declared else {
        return unknown("in every dimension".into(), "...".into());
    };
    let sized: Vec<_> = declared
        .iter()
        .map(|extent| match extent {
            Extent::Known(n) => Some(*n),
            Extent::Named(name) => sizes.get(name).copied(),
            Extent::Unknown => None,
        })
        .collect();
    let Some(first) = sized.iter().position(Option::is_none) else {
        return Ok(sized.into_iter().flatten().collect());
    };
    let size = match &declared[first] {
        Extent::Named(name) => format!("'{name}'"),
        _ => format!("in dimension {first}"),
    };
    let text: Vec<_> = sized
        .iter()
        .map(|n| n.map_or("?".into(), |n| n.to_string()))
        .collect();
    unknown(size, text.join("x"))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::proto::{DimensionProto, TensorShapeProto, TensorTypeProto, TypeProto};

    fn graph(inputs: &[(&str, &[Option<Dimension>])]) -> GraphProto {
        let info = |(name, dims): &(&str, &[Option<Dimension>])| ValueInfoProto {
            name: name.to_string(),
            ty: Some(TypeProto {
                tensor_type: Some(TensorTypeProto {
                    elem_type: 1,
                    shape: Some(TensorShapeProto {
                        dim: dims
                            .iter()
                            .map(|d| DimensionProto { value: d.clone() })
                            .collect(),
                    }),
                }),
            }),
        };
        GraphProto {
            input: inputs.iter().map(info).collect(),
            ..Default::default()
        }
    }

    fn batch() -> Option<Dimension> {
        Some(Dimension::Param("N".into()))
    }

    fn message(graph: &GraphProto, shapes: &[(&str, &[i64])]) -> String {
        let shapes = shapes
            .iter()
            .map(|(n, s)| (n.to_string(), s.to_vec()))
            .collect();
        inputs(graph, &shapes).unwrap_err().to_string()
    }

    #[test]
    fn unknown_sizes_name_the_option_that_fixes_them() {
        let g = graph(&[("x", &[batch(), Some(Dimension::Value(3)), None])]);
        assert_eq!(
            message(&g, &[]),
            "input 'x' has unknown size 'N': give --shape x=?x3x?"
        );
        let mark = Some(Dimension::Param("?".into()));
        let g = graph(&[("x", &[mark])]);
        assert_eq!(
            message(&g, &[]),
            "input 'x' has unknown size in dimension 0: give --shape x=?"
        );
        let g = graph(&[("x", &[Some(Dimension::Value(-1))])]);
        assert_eq!(
            message(&g, &[]),
            "input 'x' has unknown size in dimension 0: give --shape x=?"
        );
    }

    #[test]
    fn an_input_is_declared_once() {
        let g = graph(&[("x", &[None]), ("x", &[None])]);
        assert_eq!(
            message(&g, &[]),
            "input 'x' is declared twice: export the model again"
        );
    }

    #[test]
    fn declared_outputs_are_what_is_made() {
        let g = graph(&[("y", &[batch(), Some(Dimension::Value(3))])]);
        let check = |shape: &[i64]| check_output(&g.input[0], &TensorType::f32(shape));
        assert!(check(&[7, 3]).is_ok());
        let way = "export the model again, or give another --shape";
        for (shape, made) in [(&[7, 4][..], "tensor<7x4xf32>"), (&[3], "tensor<3xf32>")] {
            assert_eq!(
                check(shape).unwrap_err().to_string(),
                format!("output 'y' is declared of shape [?, 3], but its node makes {made}: {way}")
            );
        }
        let half = TensorType::new(sinter_loops::types::ElementType::F16, [7, 3]);
        assert_eq!(
            check_output(&g.input[0], &half).unwrap_err().to_string(),
            format!("output 'y' is declared of f32, but its node makes tensor<7x3xf16>: {way}")
        );
        let absent = ValueInfoProto::default();
        assert!(check_output(&absent, &half).is_ok());
    }

    #[test]
    fn one_shape_fixes_a_named_size_everywhere() {
        let g = graph(&[
            ("x", &[batch()]),
            ("y", &[batch(), Some(Dimension::Value(2))]),
        ]);
        let shapes = BTreeMap::from([("x".to_string(), vec![4])]);
        let types = inputs(&g, &shapes).unwrap();
        assert_eq!(types[1].1, TensorType::f32([4, 2]));
        assert_eq!(
            message(&g, &[("x", &[4]), ("y", &[5, 2])]),
            "--shape y: size 'N' is 4 already, not 5"
        );
    }

    #[test]
    fn shapes_that_do_not_fit_are_refused() {
        let g = graph(&[("x", &[batch(), Some(Dimension::Value(3))])]);
        assert_eq!(
            message(&g, &[("x", &[1, 4])]),
            "--shape x: dimension 1 is 3 in the model, not 4"
        );
        assert_eq!(
            message(&g, &[("x", &[1])]),
            "--shape x: 1 sizes are given, the model's input has 2"
        );
        assert_eq!(
            message(&g, &[("z", &[1])]),
            "--shape z: the model has no such input, only 'x'"
        );
    }
}
