//! NumPy's `.npy` files, versions 1 to 3.

use std::fs;
use std::path::{Path, PathBuf};

use bytes::Bytes;

use crate::tensor::Tensor;
use crate::types::{ElementType, TensorType};

const MAGIC: &[u8] = b"\x93NUMPY";

/// Why a `.npy` file cannot be read.
#[derive(Debug, thiserror::Error)]
pub enum NpyError {
    /// The file system said no.
    #[error("cannot access '{path}': {cause}")]
    Io {
        /// File.
        path: PathBuf,
        /// What the system said.
        cause: std::io::Error,
    },
    /// The content is not a dense C-order array of a known element type.
    #[error("'{path}' is not a usable .npy file: {cause}")]
    Format {
        /// File.
        path: PathBuf,
        /// What is wrong, and what would help.
        cause: String,
    },
}

/// Reads an array.
///
/// # Errors
/// When the file cannot be read, is malformed, in Fortran order or of an unsupported element type.
pub fn read(path: impl AsRef<Path>) -> Result<Tensor, NpyError> {
    let path = path.as_ref();
    let io = |cause| NpyError::Io {
        path: path.into(),
        cause,
    };
    sinter_io::regular(path).map_err(io)?;
    let data = fs::read(path).map_err(io)?;
    parse(data.into()).map_err(|cause| NpyError::Format {
        path: path.into(),
        cause,
    })
}

/// Reads an array from the bytes of a file; the values are shared, not copied.
///
/// # Errors
/// As [`read`], with the cause alone.
pub fn parse(data: Bytes) -> Result<Tensor, String> {
    if !data.starts_with(&MAGIC[..data.len().min(MAGIC.len())]) {
        return Err("it does not start with NumPy's magic bytes".into());
    }
    if data.len() < 12 {
        return Err("its header is cut off".into());
    }
    let (start, length) = match data[6] {
        1 => (10, usize::from(u16::from_le_bytes([data[8], data[9]]))),
        2 | 3 => (
            12,
            u32::from_le_bytes([data[8], data[9], data[10], data[11]]) as usize,
        ),
        version => return Err(format!("version {version} is not known")),
    };
    let header = data
        .get(start..start + length)
        .ok_or("its header is cut off")?;
    let header = String::from_utf8_lossy(header).into_owned();
    if !field(&header, "fortran_order")?.starts_with("False") {
        return Err("it is in Fortran order: save it with numpy.ascontiguousarray".into());
    }
    let ty = TensorType::new(element(&header)?, shape(&header)?);
    let values = data.slice(start + length..);
    let wanted = ty
        .shape
        .iter()
        .try_fold(ty.element.bytes() as i64, |n, &d| n.checked_mul(d));
    if wanted != i64::try_from(values.len()).ok() {
        return Err(match wanted {
            Some(wanted) => format!("{ty} has {wanted} bytes, the file {}", values.len()),
            None => format!("{ty} does not have {} bytes", values.len()),
        });
    }
    Ok(Tensor::from_bytes(ty, values))
}

/// The bytes of a `.npy` file (version 1) that holds the array.
///
/// # Errors
/// When the element type has no NumPy name (bfloat16).
pub fn format(tensor: &Tensor) -> Result<Vec<u8>, String> {
    let ty = tensor.ty();
    let descr = descr(ty.element).ok_or_else(|| format!("NumPy has no type for {}", ty.element))?;
    let mut extents = String::new();
    for extent in &ty.shape {
        extents += &format!("{extent}, ");
    }
    let shape = if ty.rank() == 1 {
        extents.trim_end()
    } else {
        extents.trim_end_matches(", ")
    };
    let mut header =
        format!("{{'descr': '{descr}', 'fortran_order': False, 'shape': ({shape}), }}");
    // The values start at a multiple of 64 bytes.
    let padding = (64 - (10 + header.len() + 1) % 64) % 64;
    header.extend(std::iter::repeat_n(' ', padding));
    header.push('\n');
    let length =
        u16::try_from(header.len()).map_err(|_| format!("{ty} has too many dimensions"))?;
    let mut out = MAGIC.to_vec();
    out.extend_from_slice(&[1, 0]);
    out.extend_from_slice(&length.to_le_bytes());
    out.extend_from_slice(header.as_bytes());
    out.extend_from_slice(tensor.bytes());
    Ok(out)
}

const ELEMENTS: [(&str, ElementType); 8] = [
    ("<f4", ElementType::F32),
    ("<f8", ElementType::F64),
    ("<f2", ElementType::F16),
    ("<i8", ElementType::I64),
    ("<i4", ElementType::I32),
    ("|i1", ElementType::I8),
    ("|u1", ElementType::U8),
    ("|b1", ElementType::Bool),
];

fn descr(element: ElementType) -> Option<&'static str> {
    ELEMENTS
        .iter()
        .find(|(_, e)| *e == element)
        .map(|(name, _)| *name)
}

fn element(header: &str) -> Result<ElementType, String> {
    let text = field(header, "descr")?.trim_start_matches(['\'', '"']);
    let name = text.split(['\'', '"']).next().unwrap_or_default();
    let found = ELEMENTS.iter().find(|(descr, _)| *descr == name);
    found
        .map(|(_, e)| *e)
        .ok_or_else(|| format!("element type '{name}' is not supported"))
}

fn shape(header: &str) -> Result<Vec<i64>, String> {
    let text = field(header, "shape")?
        .strip_prefix('(')
        .ok_or("its shape is not a tuple")?;
    let text = text.split(')').next().unwrap_or_default();
    let extents = text.split(',').map(str::trim).filter(|t| !t.is_empty());
    extents
        .map(|t| {
            t.parse::<u32>()
                .map(i64::from)
                .map_err(|_| format!("'{t}' is not an extent"))
        })
        .collect()
}

fn field<'a>(header: &'a str, key: &str) -> Result<&'a str, String> {
    let start = header
        .find(&format!("'{key}'"))
        .ok_or_else(|| format!("it has no '{key}'"))?;
    let rest = &header[start + key.len() + 2..];
    Ok(rest.trim_start_matches([':', ' ']))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn arrays_survive_a_round_trip() {
        for ty in [
            TensorType::f32([2, 3]),
            TensorType::new(ElementType::I64, [4]),
            TensorType::new(ElementType::Bool, []),
            TensorType::new(ElementType::F16, [0, 5]),
        ] {
            let values: Vec<f64> = (0..ty.elements()).map(|i| i as f64).collect();
            let tensor = Tensor::from_f64s(ty, &values);
            assert_eq!(parse(format(&tensor).unwrap().into()).unwrap(), tensor);
        }
    }

    #[test]
    fn malformed_files_say_what_is_wrong() {
        let whole = format(&Tensor::from_f32([2], &[1.0, 2.0])).unwrap();
        let cut = parse(Bytes::copy_from_slice(&whole[..whole.len() - 1])).unwrap_err();
        assert_eq!(cut, "tensor<2xf32> has 8 bytes, the file 7");
        for length in 0..whole.len() {
            let cut = parse(Bytes::copy_from_slice(&whole[..length])).unwrap_err();
            let header = cut == "its header is cut off";
            assert!(
                header || cut.ends_with(&format!("the file {}", length.saturating_sub(128))),
                "{cut}"
            );
        }
        assert!(parse(Bytes::from_static(b"PK\x03\x04 and more than that")).is_err());
    }
}
