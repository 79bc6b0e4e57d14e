//! ONNX tensors as host tensors; raw data is shared with the mapped file.

use bytes::Bytes;
use half::{bf16, f16};
use sinter_loops::tensor::Tensor;
use sinter_loops::types::{ElementType, TensorType};

use crate::file::Files;
use crate::proto::{EXTERNAL, TensorProto};

/// The largest tensor that is taken, in bytes: sizes beyond it are taken for damage.
pub(crate) const MAX_TENSOR_BYTES: i64 = 1 << 40;

/// The element type of an ONNX `TensorProto.DataType`.
///
/// # Errors
/// When Sinter has no such type.
pub(crate) fn element(data_type: i32) -> Result<ElementType, String> {
    Ok(match data_type {
        1 => ElementType::F32,
        2 => ElementType::U8,
        3 => ElementType::I8,
        6 => ElementType::I32,
        7 => ElementType::I64,
        9 => ElementType::Bool,
        10 => ElementType::F16,
        11 => ElementType::F64,
        16 => ElementType::Bf16,
        0 => return Err("has no element type: export the model again".into()),
        other => {
            let name = NAMES
                .iter()
                .find(|(n, _)| *n == other)
                .map_or("unknown", |(_, name)| name);
            return Err(format!(
                "has element type {name} ({other}), which is not supported: cast it"
            ));
        }
    })
}

const NAMES: [(i32, &str); 8] = [
    (4, "uint16"),
    (5, "int16"),
    (8, "string"),
    (12, "uint32"),
    (13, "uint64"),
    (14, "complex64"),
    (15, "complex128"),
    (17, "float8"),
];

/// A type, when its extents are not negative and its size is within [`MAX_TENSOR_BYTES`].
///
/// # Errors
/// Says which of the two fails.
pub(crate) fn checked_type(element: ElementType, shape: &[i64]) -> Result<TensorType, String> {
    if shape.iter().any(|&d| d < 0) {
        return Err(format!("shape {shape:?} has a negative extent"));
    }
    // Zero extents do not hide others that are out of range.
    let bytes = shape
        .iter()
        .try_fold(element.bytes() as i64, |n, &d| n.checked_mul(d.max(1)))
        .filter(|&n| n <= MAX_TENSOR_BYTES);
    match bytes {
        Some(_) => Ok(TensorType::new(element, shape)),
        None => Err(format!(
            "shape {shape:?} is larger than {MAX_TENSOR_BYTES} bytes"
        )),
    }
}

/// The tensor that a message holds.
///
/// # Errors
/// When the type is not supported or the data does not fit it.
pub(crate) fn tensor(proto: &TensorProto, files: &Files) -> Result<Tensor, String> {
    let ty = checked_type(element(proto.data_type)?, &proto.dims)?;
    if proto.data_location == EXTERNAL {
        return from_raw(ty, external(proto, files)?);
    }
    match &proto.raw_data {
        Some(raw) => from_raw(ty, raw.clone()),
        None => from_fields(ty, proto),
    }
}

fn external(proto: &TensorProto, files: &Files) -> Result<Bytes, String> {
    let entry = |key: &str| {
        proto
            .external_data
            .iter()
            .find(|e| e.key == key)
            .map(|e| &*e.value)
    };
    let number = |key: &str| {
        entry(key)
            .map(|text| {
                text.parse::<usize>()
                    .map_err(|_| format!("its {key} '{text}' is no number"))
            })
            .transpose()
    };
    let location = entry("location").ok_or("its data is in another file that is not named")?;
    files.part(location, number("offset")?.unwrap_or(0), number("length")?)
}

fn from_raw(ty: TensorType, raw: Bytes) -> Result<Tensor, String> {
    if raw.len() as i64 != ty.bytes() {
        let (wanted, found) = (ty.bytes(), raw.len());
        return Err(wrong_length(&ty, &format!("{found} bytes"), wanted));
    }
    if ty.element == ElementType::Bool && raw.iter().any(|&b| b > 1) {
        let bytes: Vec<u8> = raw.iter().map(|&b| u8::from(b != 0)).collect();
        return Ok(Tensor::from_bytes(ty, bytes.into()));
    }
    // Protobuf aligns nothing; whoever reads elements in place needs them aligned.
    let aligned = (raw.as_ptr() as usize).is_multiple_of(ty.element.bytes());
    let data = if aligned {
        raw
    } else {
        Bytes::copy_from_slice(&raw)
    };
    Ok(Tensor::from_bytes(ty, data))
}

fn from_fields(ty: TensorType, proto: &TensorProto) -> Result<Tensor, String> {
    let bytes: Vec<u8> = match ty.element {
        ElementType::F32 => proto
            .float_data
            .iter()
            .flat_map(|v| v.to_le_bytes())
            .collect(),
        ElementType::F64 => proto
            .double_data
            .iter()
            .flat_map(|v| v.to_le_bytes())
            .collect(),
        ElementType::I64 => proto
            .int64_data
            .iter()
            .flat_map(|v| v.to_le_bytes())
            .collect(),
        ElementType::I32 => proto
            .int32_data
            .iter()
            .flat_map(|v| v.to_le_bytes())
            .collect(),
        ElementType::I8 | ElementType::U8 => proto.int32_data.iter().map(|&v| v as u8).collect(),
        ElementType::Bool => proto.int32_data.iter().map(|&v| u8::from(v != 0)).collect(),
        ElementType::F16 => {
            let bits = |&v: &i32| f16::from_bits(v as u16).to_le_bytes();
            proto.int32_data.iter().flat_map(bits).collect()
        }
        ElementType::Bf16 => {
            let bits = |&v: &i32| bf16::from_bits(v as u16).to_le_bytes();
            proto.int32_data.iter().flat_map(bits).collect()
        }
    };
    if bytes.len() as i64 != ty.bytes() {
        let count = bytes.len() / ty.element.bytes();
        return Err(wrong_length(&ty, &format!("{count} values"), ty.elements()));
    }
    Ok(Tensor::from_bytes(ty, bytes.into()))
}

fn wrong_length(ty: &TensorType, found: &str, wanted: i64) -> String {
    format!("{ty} has {found} of data, not {wanted}: fetch or export the model again")
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::proto::StringStringEntryProto;

    fn files() -> Files {
        Files::beside("model.onnx".as_ref())
    }

    #[test]
    fn raw_and_typed_data_agree() {
        let raw: Vec<u8> = [1.5f32, -2.0]
            .iter()
            .flat_map(|v| v.to_le_bytes())
            .collect();
        let raw = TensorProto {
            dims: vec![2],
            data_type: 1,
            raw_data: Some(raw.into()),
            ..Default::default()
        };
        let typed = TensorProto {
            dims: vec![2],
            data_type: 1,
            float_data: vec![1.5, -2.0],
            ..Default::default()
        };
        assert_eq!(tensor(&raw, &files()), tensor(&typed, &files()));
        assert_eq!(tensor(&raw, &files()).unwrap().to_f32s(), [1.5, -2.0]);
    }

    #[test]
    fn aligned_raw_data_is_not_copied() {
        let backing = Bytes::from(vec![0u8; 64]);
        let start = backing.as_ptr().align_offset(8);
        let proto = |at: usize| TensorProto {
            dims: vec![4],
            data_type: 1,
            raw_data: Some(backing.slice(at..at + 16)),
            ..Default::default()
        };
        let shared = tensor(&proto(start), &files()).unwrap();
        assert_eq!(shared.bytes().as_ptr(), backing[start..].as_ptr());
        let moved = tensor(&proto(start + 1), &files()).unwrap();
        assert_eq!(moved.bytes().as_ptr().align_offset(4), 0);
    }

    #[test]
    fn external_data_is_a_part_of_a_file_beside_the_model() {
        let folder = tempfile::tempdir().unwrap();
        let data: Vec<u8> = [9.0f32, 1.5, -2.0]
            .iter()
            .flat_map(|v| v.to_le_bytes())
            .collect();
        std::fs::write(folder.path().join("weights.bin"), data).unwrap();
        let entry = |key: &str, value: &str| StringStringEntryProto {
            key: key.into(),
            value: value.into(),
        };
        let mut proto = TensorProto {
            dims: vec![2],
            data_type: 1,
            data_location: EXTERNAL,
            external_data: vec![entry("location", "weights.bin"), entry("offset", "4")],
            ..Default::default()
        };
        let beside = Files::beside(&folder.path().join("model.onnx"));
        assert_eq!(tensor(&proto, &beside).unwrap().to_f32s(), [1.5, -2.0]);
        proto.external_data.push(entry("length", "16"));
        let error = tensor(&proto, &beside).unwrap_err();
        assert!(error.contains("has 12 bytes and is too short"), "{error}");
    }

    #[cfg(unix)]
    #[test]
    fn links_out_of_the_folder_and_pipes_are_refused() {
        use std::os::unix::fs::symlink;
        let folder = tempfile::tempdir().unwrap();
        let (inside, outside) = (folder.path().join("model"), folder.path().join("blobs"));
        std::fs::create_dir(&inside).unwrap();
        std::fs::create_dir(&outside).unwrap();
        for name in ["weights", "graph"] {
            std::fs::write(outside.join(name), [0; 8]).unwrap();
            symlink(outside.join(name), inside.join(name)).unwrap();
        }
        let plain = Files::beside(&inside.join("model.onnx")).part("weights", 0, None);
        assert!(plain.unwrap_err().contains("outside the model's folder"));
        // A model that is itself a link brings what lies beside its target.
        let linked = Files::beside(&inside.join("graph")).part("weights", 0, None);
        assert_eq!(linked.unwrap().len(), 8);
        symlink("/dev/zero", outside.join("zero")).unwrap();
        let error = crate::file::map(&outside.join("zero"))
            .unwrap_err()
            .to_string();
        assert!(error.contains("it is no regular file"), "{error}");
    }

    #[test]
    fn half_floats_in_typed_fields_are_bits() {
        let proto = TensorProto {
            dims: vec![1],
            data_type: 10,
            int32_data: vec![i32::from(f16::from_f32(0.5).to_bits())],
            ..Default::default()
        };
        assert_eq!(tensor(&proto, &files()).unwrap().to_f32s(), [0.5]);
    }

    #[test]
    fn wrong_lengths_and_sizes_are_refused() {
        let short = TensorProto {
            dims: vec![3],
            data_type: 1,
            float_data: vec![1.0],
            ..Default::default()
        };
        let error = tensor(&short, &files()).unwrap_err();
        assert_eq!(
            error,
            "tensor<3xf32> has 1 values of data, not 3: fetch or export the model again"
        );
        let cut = TensorProto {
            dims: vec![2],
            data_type: 1,
            raw_data: Some(Bytes::from_static(&[0; 3])),
            ..Default::default()
        };
        assert_eq!(
            tensor(&cut, &files()).unwrap_err(),
            "tensor<2xf32> has 3 bytes of data, not 8: fetch or export the model again"
        );
        let huge = TensorProto {
            dims: vec![1 << 40, 1 << 40],
            data_type: 1,
            ..Default::default()
        };
        assert!(
            tensor(&huge, &files())
                .unwrap_err()
                .contains("is larger than")
        );
        let outside = Files::beside("model.onnx".as_ref()).part("../secret", 0, None);
        assert!(outside.unwrap_err().contains("outside the model's folder"));
    }
}
