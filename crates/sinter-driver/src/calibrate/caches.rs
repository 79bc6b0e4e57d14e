//! Sizes of the caches, and the sets of the first.

use sinter_device::device::{FirstCache, Level};

/// Levels that each core has for itself.
pub(super) const PRIVATE: usize = 2;

/// Takes the footprints of the first three levels from what Linux says about the caches; where it
/// says nothing they stay as they are.
pub(super) fn fit(levels: &mut [Level]) {
    let sizes = [size(1), size(2), size(3)];
    let [Some(first), Some(second), Some(third)] = sizes else {
        return;
    };
    // Operands are also in the next cache; of a shared cache others want their part.
    let footprints = [first, second + second / 4, third / 4 * 3];
    let rising = footprints.windows(2).all(|w| w[0] < w[1]);
    if !rising || levels.len() != footprints.len() + 1 || footprints[2] >= levels[3].footprint_bytes
    {
        return;
    }
    for (level, footprint) in levels.iter_mut().zip(footprints) {
        level.footprint_bytes = footprint;
    }
}

/// Sets of the first-level data cache, where Linux says them.
pub(super) fn first() -> Option<FirstCache> {
    let ways: i64 = field(1, "ways_of_associativity")?.parse().ok()?;
    let bytes = size(1)?.cast_signed();
    let whole = ways > 0 && bytes % ways == 0 && (bytes / ways).count_ones() == 1;
    whole.then(|| FirstCache {
        way_bytes: bytes / ways,
        ways,
    })
}

/// Bytes of the first core's data cache of a level.
fn size(level: u32) -> Option<u64> {
    parse(&field(level, "size")?)
}

/// What Linux says about the first core's data cache of a level.
fn field(level: u32, name: &str) -> Option<String> {
    (0..8).find_map(|n| {
        let read = |name: &str| {
            let path = format!("/sys/devices/system/cpu/cpu0/cache/index{n}/{name}");
            let text = std::fs::read_to_string(path).ok()?;
            Some(text.trim().to_owned())
        };
        let data = read("type")? != "Instruction" && read("level")?.parse() == Ok(level);
        data.then(|| read(name)).flatten()
    })
}

/// `32K`, `8M` or a number of bytes.
fn parse(text: &str) -> Option<u64> {
    let (digits, unit) = match text.as_bytes().last()? {
        b'K' => (&text[..text.len() - 1], 1 << 10),
        b'M' => (&text[..text.len() - 1], 1 << 20),
        _ => (text, 1),
    };
    digits.parse::<u64>().ok().map(|n| n * unit)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sizes_have_units() {
        assert_eq!(parse("32K"), Some(32768));
        assert_eq!(parse("8M"), Some(8 << 20));
        assert_eq!(parse("512"), Some(512));
        assert_eq!(parse("K"), None);
        assert_eq!(parse(""), None);
    }
}
