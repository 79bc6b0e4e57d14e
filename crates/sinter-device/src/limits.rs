//! What the numbers of a device file may be: a table, and the check of a file's text against it.
//!
//! Prices divide by rates, tiles by steps, so that every number is checked where the file is read: its type and
//! its range. What several fields have to agree on is checked by [`load`](crate::load).

use toml::Spanned;
use toml::de::{DeTable, DeValue};

/// What a number may be.
#[derive(Clone, Copy, Debug, PartialEq)]
enum Range {
    /// A whole number.
    Whole(u64, u64),
    /// A power of two.
    Power(u64, u64),
    /// Any number.
    Number(f64, f64),
    /// A power of two or `"native"`.
    NativePower(u64, u64),
    /// A whole number or `"native"`.
    NativeWhole(u64, u64),
}

use Range::{NativePower, NativeWhole, Number, Power, Whole};

/// A time in nanoseconds: at most a second.
const TIME: Range = Number(0.0, 1e9);
/// A rate in Gop/s or GB/s, by which prices divide.
const RATE: Range = Number(0.001, 1e9);
/// A price in other operations.
const COST: Range = Number(0.001, 1e6);
/// A count of something that a core has.
const COUNT: Range = Whole(1, 1024);
/// Most bytes of anything: a pebibyte.
const MOST_BYTES: u64 = 1 << 50;

/// Fields and what they may be. An element of an array has the field of the array; `*` is any name.
const LIMITS: &[(&str, Range)] = &[
    ("version", Whole(1, 1_000_000)),
    ("cores", Whole(1, 65536)),
    ("core_group.vector", COUNT),
    ("core_group.matrix", Whole(0, 1024)),
    ("launch_ns", TIME),
    ("barrier_ns", TIME),
    ("block_ns", TIME),
    ("constant_reuse_bytes", Whole(0, MOST_BYTES)),
    ("first_cache.way_bytes", Power(1, 1 << 30)),
    ("first_cache.ways", COUNT),
    ("transfer_block_bytes", Whole(1, 1 << 20)),
    ("channel_block", Whole(2, 4096)),
    ("transfer_half_bytes", Whole(0, 1 << 30)),
    // Of the widest element, eight bytes, a vector holds a power of two. Of 512 bytes is code that still compiles: of stores of
    // single halves of vectors of 1024 LLVM 22 makes nothing, and ends the process.
    ("vector.bytes", NativePower(8, 512)),
    ("vector.registers", NativeWhole(4, 1024)),
    ("vector.fma_gflops", RATE),
    ("vector.scalar_gops", RATE),
    ("vector.loads_per_fma", Number(0.001, 1000.0)),
    ("vector.fma_latency_steps", COUNT),
    ("vector.step_overhead", Number(0.0, 1e6)),
    ("vector.proportional_bytes", NativePower(1, 1024)),
    ("vector.byte_dot", COST),
    ("vector.bf16_dot", COST),
    ("vector.exposed", Number(0.0, 1.0)),
    ("vector.register_tile.registers", COUNT),
    ("vector.register_tile.rows", COUNT),
    ("vector.register_tile.vectors", COUNT),
    ("vector.register_tile.unroll", COUNT),
    ("vector.register_tile.efficiency", Number(0.001, 1.0)),
    ("vector.functions.*", COST),
    ("matrix.m", Whole(1, 4096)),
    ("matrix.n", Whole(1, 4096)),
    ("matrix.k", Whole(1, 4096)),
    ("matrix.f16_gflops", RATE),
    ("matrix.f32_gflops", RATE),
    ("space.bytes", Whole(1, MOST_BYTES)),
    ("space.align", Power(1, 4096)),
    ("space.latency_ns", TIME),
    ("space.levels.footprint_bytes", Whole(1, MOST_BYTES)),
    ("space.levels.gbps", RATE),
    ("space.levels.gbps_all", RATE),
];

impl Range {
    fn holds(self, value: &DeValue<'_>) -> bool {
        match self {
            Whole(least, most) | NativeWhole(least, most) => {
                whole(value).is_some_and(|n| (least.into()..=most.into()).contains(&n))
            }
            Power(least, most) | NativePower(least, most) => whole(value)
                .is_some_and(|n| (least.into()..=most.into()).contains(&n) && n.count_ones() == 1),
            Number(least, most) => number(value).is_some_and(|n| (least..=most).contains(&n)),
        }
    }

    /// What is allowed, in words.
    fn words(self) -> String {
        let (what, least, most) = match self {
            Whole(least, most) | NativeWhole(least, most) => {
                ("a whole number", least.to_string(), most.to_string())
            }
            Power(least, most) | NativePower(least, most) => {
                ("a power of two", least.to_string(), most.to_string())
            }
            Number(least, most) => ("a number", least.to_string(), most.to_string()),
        };
        let native = match self {
            NativeWhole(..) | NativePower(..) => "\"native\" or ",
            _ => "",
        };
        format!("{native}{what} from {least} to {most}")
    }

    fn is_native(self, value: &DeValue<'_>) -> bool {
        matches!(self, NativeWhole(..) | NativePower(..)) && value.as_str() == Some("native")
    }
}

fn whole(value: &DeValue<'_>) -> Option<i128> {
    let integer = value.as_integer()?;
    i128::from_str_radix(&integer.as_str().replace('_', ""), integer.radix()).ok()
}

fn number(value: &DeValue<'_>) -> Option<f64> {
    match value.as_float() {
        Some(float) => float.as_str().replace('_', "").parse().ok(),
        None => whole(value).map(|n| n as f64),
    }
}

/// Checks the numbers of a file that is TOML.
///
/// # Errors
/// One line that names the first field with a wrong type or out of its range, the value and what is allowed.
pub(crate) fn check(table: &DeTable<'_>, text: &str) -> Result<(), String> {
    let mut file = File { text, fault: None };
    file.table(table, "", "");
    file.fault.map_or(Ok(()), |(_, fault)| Err(fault))
}

struct File<'t> {
    text: &'t str,
    /// The first fault by where it stands.
    fault: Option<(usize, String)>,
}

impl File<'_> {
    /// `field` as in the table, `shown` as in messages.
    fn table(&mut self, table: &DeTable<'_>, field: &str, shown: &str) {
        let below = |of: &str, key: &str| match of {
            "" => key.to_owned(),
            of => format!("{of}.{key}"),
        };
        for (key, value) in table {
            let key = key.get_ref().as_ref();
            self.value(value, &below(field, key), &below(shown, key));
        }
    }

    fn value(&mut self, value: &Spanned<DeValue<'_>>, field: &str, shown: &str) {
        if let Some(&(_, range)) = LIMITS.iter().find(|(name, _)| matches(name, field)) {
            let inside = value.get_ref();
            if !range.holds(inside) && !range.is_native(inside) {
                self.refuse(value, shown, range);
            }
            return;
        }
        match value.get_ref() {
            DeValue::Table(table) => self.table(table, field, shown),
            DeValue::Array(values) => {
                for (n, value) in values.iter().enumerate() {
                    let name = value.get_ref().get("name");
                    let name = name.and_then(|name| name.get_ref().as_str());
                    let name = name.map_or_else(|| n.to_string(), str::to_owned);
                    self.value(value, field, &format!("{shown}[{name}]"));
                }
            }
            _ => {}
        }
    }

    fn refuse(&mut self, value: &Spanned<DeValue<'_>>, shown: &str, range: Range) {
        let span = value.span();
        let text = self.text.get(span.clone()).unwrap_or_default();
        let first = text.lines().next().unwrap_or_default();
        let short: String = first.chars().take(MOST_SHOWN).collect();
        let more = if short.len() < text.len() { "..." } else { "" };
        let before = self.text.get(..span.start).unwrap_or_default();
        let line = before.matches('\n').count() + 1;
        let allowed = range.words();
        let fault = format!("line {line}: {shown} must be {allowed}, not {short}{more}");
        if self.fault.as_ref().is_none_or(|(at, _)| span.start < *at) {
            self.fault = Some((span.start, fault));
        }
    }
}

/// Characters of a refused value that a message shows.
const MOST_SHOWN: usize = 40;

fn matches(name: &str, field: &str) -> bool {
    match name.strip_suffix('*') {
        Some(prefix) => field
            .strip_prefix(prefix)
            .is_some_and(|key| !key.is_empty()),
        None => name == field,
    }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use toml::{Table, Value};

    use super::*;
    use crate::built_in::BUILT_IN;
    use crate::load::parse;

    /// Fields for which zero says something.
    const MAY_BE_ZERO: &[&str] = &[
        "core_group.matrix",
        "launch_ns",
        "barrier_ns",
        "block_ns",
        "constant_reuse_bytes",
        "transfer_half_bytes",
        "vector.step_overhead",
        "vector.exposed",
        "space.latency_ns",
    ];

    /// Every number in a value: its field, and the way to it.
    fn numbers(value: &Value, field: &str, way: &[String], out: &mut Vec<(String, Vec<String>)>) {
        let with = |step: &str| [way, &[step.to_owned()]].concat();
        match value {
            Value::Table(table) => {
                for (key, value) in table {
                    let field = format!("{field}.{key}");
                    numbers(value, field.trim_start_matches('.'), &with(key), out);
                }
            }
            Value::Array(values) => {
                for (n, value) in values.iter().enumerate() {
                    numbers(value, field, &with(&n.to_string()), out);
                }
            }
            Value::Integer(_) | Value::Float(_) => out.push((field.to_owned(), way.to_vec())),
            Value::String(text) if text == "native" => out.push((field.to_owned(), way.to_vec())),
            _ => {}
        }
    }

    fn at<'v>(value: &'v mut Value, way: &[String]) -> &'v mut Value {
        way.iter().fold(value, |value, step| match value {
            Value::Array(values) => &mut values[step.parse::<usize>().unwrap()],
            value => &mut value[step.as_str()],
        })
    }

    /// Zero, a negative number, no number, numbers beyond any machine and a wrong type, for every number of
    /// every file that is shipped.
    #[test]
    fn every_number_has_its_limits() {
        let mut seen = BTreeSet::new();
        for (name, text) in BUILT_IN {
            let whole = Value::Table(text.parse::<Table>().unwrap());
            let mut all = Vec::new();
            numbers(&whole, "", &[], &mut all);
            for (field, way) in all {
                let limit = LIMITS.iter().find(|(name, _)| matches(name, &field));
                assert!(limit.is_some(), "{name}: {field} has no limits");
                seen.extend(limit.map(|(name, _)| *name));
                for wrong in [
                    Value::Integer(0),
                    Value::Integer(-1),
                    Value::Float(f64::NAN),
                    Value::Float(f64::INFINITY),
                    Value::Float(1e300),
                    Value::Integer(i64::MAX),
                    Value::String("many".to_owned()),
                    Value::Array(vec![Value::Integer(1)]),
                    Value::Boolean(true),
                ] {
                    let zero = wrong == Value::Integer(0);
                    if zero && MAY_BE_ZERO.contains(&field.as_str()) {
                        continue;
                    }
                    let mut file = whole.clone();
                    *at(&mut file, &way) = wrong.clone();
                    let text = toml::to_string(&file).unwrap();
                    let fault = parse("t", &text).unwrap_err().to_string();
                    let last = way.last().unwrap();
                    assert!(fault.contains(&format!("{last} must be ")), "{fault}");
                    let shown: String = wrong.to_string().chars().take(MOST_SHOWN).collect();
                    assert!(fault.contains(&format!(", not {shown}")), "{fault}");
                    assert_eq!(fault.lines().count(), 1, "{fault}");
                }
            }
        }
        let names = LIMITS.iter().map(|(name, _)| *name);
        let unseen: Vec<_> = names.filter(|name| !seen.contains(name)).collect();
        assert!(unseen.is_empty(), "no shipped file has {unseen:?}");
    }

    #[test]
    fn a_message_says_field_value_and_what_is_allowed() {
        let text = BUILT_IN[0].1;
        let fault = |from: &str, to: &str| {
            assert!(text.contains(from));
            parse("t", &text.replace(from, to)).unwrap_err().to_string()
        };
        assert_eq!(
            fault("cores = 2", "cores = -1"),
            "device file t: line 11: cores must be a whole number from 1 to 65536, not -1"
        );
        let vector = fault("bytes = \"native\"", "bytes = 20");
        assert!(
            vector.ends_with(
                "vector.bytes must be \"native\" or a power of two from 8 to 512, not 20"
            ),
            "{vector}"
        );
        let wrong = fault("bytes = \"native\"", "bytes = \"natives\"");
        assert!(wrong.ends_with(", not \"natives\""), "{wrong}");
        let rate = fault("gbps = 45.0", "gbps = nan");
        assert!(
            rate.ends_with(
                "space[gm].levels[3].gbps must be a number from 0.001 to 1000000000, not nan"
            ),
            "{rate}"
        );
    }
}
