//! Seeded test inputs: the same values here and in `scripts/oracle`.

use crate::tensor::Tensor;
use crate::types::TensorType;

const GOLDEN: u64 = 0x9e37_79b9_7f4a_7c15;

/// A tensor for the input `name`: floats uniform in [-1, 1) in steps of 2^-23, integers and booleans 0 or 1.
///
/// Element `i` is the `i`-th output of SplitMix64 started from `mix(seed) ^ fnv1a(name)`, so inputs of
/// one run differ and do not depend on their order.
pub fn tensor(ty: &TensorType, name: &str, seed: u64) -> Tensor {
    let start = mix(seed) ^ fnv1a(name);
    let values: Vec<f64> = (1..=ty.elements().max(0) as u64)
        .map(|i| {
            let bits = mix(start.wrapping_add(i.wrapping_mul(GOLDEN)));
            if ty.element.is_float() {
                (bits >> 40) as f64 / f64::from(1 << 23) - 1.0
            } else {
                (bits >> 63) as f64
            }
        })
        .collect();
    Tensor::from_f64s(ty.clone(), &values)
}

fn mix(mut z: u64) -> u64 {
    z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
    z ^ (z >> 31)
}

fn fnv1a(text: &str) -> u64 {
    text.bytes().fold(0xcbf2_9ce4_8422_2325, |h, b| {
        (h ^ u64::from(b)).wrapping_mul(0x100_0000_01b3)
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn values_are_those_of_the_oracle_script() {
        let x = tensor(&TensorType::f32([3]), "x", 7);
        assert_eq!(x.to_f32s(), [0.099185586, 0.49698246, 0.8769505]);
    }

    #[test]
    fn inputs_of_one_seed_differ() {
        let ty = TensorType::f32([16]);
        assert_ne!(tensor(&ty, "a", 1), tensor(&ty, "b", 1));
        assert_ne!(tensor(&ty, "a", 1), tensor(&ty, "a", 2));
        assert!(
            tensor(&ty, "a", 1)
                .to_f32s()
                .iter()
                .all(|v| (-1.0..1.0).contains(v))
        );
    }
}
