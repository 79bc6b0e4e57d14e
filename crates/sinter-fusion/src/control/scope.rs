//! Which rules may be applied, and to what.

use std::collections::BTreeSet;

use sinter_ops::Mark;

use super::{Control, nearest, selector};
use crate::error::FusionError;
use crate::options::{Numerics, Options};

/// A rule as controls see it.
#[derive(Clone, Copy, Debug)]
pub(crate) struct RuleFacts<'a> {
    pub(crate) name: &'a str,
    pub(crate) topic: &'a str,
    pub(crate) numerics: Numerics,
}

/// What rules may do.
#[derive(Clone, Debug)]
pub(crate) struct Scope<'a> {
    options: &'a Options,
}

impl<'a> Scope<'a> {
    /// The scope that options set, of the given rules, for a graph with these names.
    ///
    /// # Errors
    /// When a rule or a class is named that does not exist.
    pub(crate) fn new(
        options: &'a Options,
        rules: &[RuleFacts<'_>],
        names: &[String],
    ) -> Result<Self, FusionError> {
        let control = &options.control;
        let mut marked = Vec::new();
        for mark in Mark::of(names) {
            match mark {
                Mark::Disable(pattern) => marked.push(pattern),
                Mark::Numerics(class) => {
                    class
                        .parse::<Numerics>()
                        .map_err(|cause| FusionError::Config {
                            file: "attribute graph.numerics".to_owned(),
                            cause,
                        })?;
                }
                _ => {}
            }
        }
        let listed = control
            .disable
            .iter()
            .chain(control.rules.iter().flat_map(|r| &r.disable))
            .chain(&options.disabled_rules)
            .chain(&options.only_rules)
            .chain(&marked);
        for pattern in listed {
            let mut any = false;
            for rule in rules {
                any |= selects(pattern, rule)?;
            }
            if !any {
                let names = rules.iter().flat_map(|r| [r.name, r.topic]);
                let names: BTreeSet<_> = names.collect();
                return Err(FusionError::UnknownRule {
                    name: pattern.clone(),
                    nearest: nearest(pattern, names.into_iter()),
                });
            }
        }
        Ok(Self { options })
    }

    /// Whether a rule may be applied at all.
    ///
    /// # Errors
    /// When a pattern is no glob.
    pub(crate) fn allows(&self, rule: &RuleFacts<'_>) -> Result<bool, FusionError> {
        let options = self.options;
        let disabled = any(&options.disabled_rules, rule)? || any(&options.control.disable, rule)?;
        let wanted = options.only_rules.is_empty() || any(&options.only_rules, rule)?;
        Ok(wanted && !disabled && rule.numerics <= options.numerics_limit())
    }

    /// The numbers of the names (of ONNX nodes, or marks) to whose operators a rule is not applied.
    ///
    /// # Errors
    /// When a pattern is no glob.
    pub(crate) fn exempt(
        &self,
        rule: &RuleFacts<'_>,
        names: &[String],
    ) -> Result<BTreeSet<u32>, FusionError> {
        let mut out = BTreeSet::new();
        for control in &self.options.control.rules {
            let limited = control.numerics.is_some_and(|limit| rule.numerics > limit);
            if !limited && !any(&control.disable, rule)? {
                continue;
            }
            for pattern in &control.nodes {
                let wanted = selector(pattern)?;
                let found = names.iter().enumerate().filter(|(_, n)| wanted.matches(n));
                out.extend(found.map(|(number, _)| number as u32));
            }
        }
        for (number, name) in names.iter().enumerate() {
            let applies = match name.parse() {
                Ok(Mark::Numerics(class)) => class
                    .parse()
                    .is_ok_and(|limit: Numerics| rule.numerics > limit),
                Ok(Mark::Disable(pattern)) => selects(&pattern, rule)?,
                _ => false,
            };
            out.extend(applies.then_some(number as u32));
        }
        Ok(out)
    }
}

impl Options {
    /// The options with what the control says of all kernels and layouts.
    pub(crate) fn controlled(&self) -> Self {
        let mut out = self.clone();
        out.fixed_layouts |= self.control.fixed_layouts;
        let kernels = self.control.kernels.unwrap_or_default();
        for (limit, stated) in [
            (&mut out.limits.kernel_operators, kernels.operators),
            (&mut out.limits.kernel_inputs, kernels.inputs),
            (&mut out.limits.kernel_outputs, kernels.outputs),
            (&mut out.limits.kernel_anchors, kernels.anchors),
        ] {
            *limit = stated.unwrap_or(*limit);
        }
        out
    }

    /// The limit that rewrites and lowerings keep to everywhere.
    pub fn numerics_limit(&self) -> Numerics {
        let stated = self.control.numerics;
        stated.map_or(self.numerics, |limit| limit.min(self.numerics))
    }
}

fn any(patterns: &[String], rule: &RuleFacts<'_>) -> Result<bool, FusionError> {
    for pattern in patterns {
        if selects(pattern, rule)? {
            return Ok(true);
        }
    }
    Ok(false)
}

/// Whether a pattern is a rule's topic or matches its name.
fn selects(pattern: &str, rule: &RuleFacts<'_>) -> Result<bool, FusionError> {
    Ok(pattern == rule.topic || selector(pattern)?.matches(rule.name))
}

impl Control {
    /// Whether nothing is wished.
    pub fn is_empty(&self) -> bool {
        *self == Self::default()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const RULE: RuleFacts<'static> = RuleFacts {
        name: "silu-from-product",
        topic: "activation",
        numerics: Numerics::Rounding,
    };

    fn options(control: &str) -> Options {
        Options {
            control: Control::parse(control).unwrap(),
            ..Options::default()
        }
    }

    #[test]
    fn rules_are_disabled_by_name_glob_topic_and_class() {
        for (control, allowed) in [
            ("", true),
            ("disable = ['silu-from-product']", false),
            ("disable = ['silu-*']", false),
            ("disable = ['activation']", false),
            ("numerics = 'exact'", false),
            ("numerics = 'rounding'", true),
        ] {
            let options = options(control);
            let scope = Scope::new(&options, &[RULE], &[]).unwrap();
            assert_eq!(scope.allows(&RULE), Ok(allowed), "{control}");
        }
        let error = Scope::new(&options("disable = ['silu']"), &[RULE], &[]).unwrap_err();
        assert!(error.to_string().contains("'silu-from-product'"), "{error}");
    }

    #[test]
    fn rules_are_kept_from_nodes() {
        let names = [
            "a/x",
            "b",
            "@numerics:exact",
            "@disable:activation",
            "@boundary",
        ];
        let names = names.map(str::to_owned);
        let text = "[[rules]]\nnodes = ['a/*']\ndisable = ['silu-*']";
        let options = options(text);
        let scope = Scope::new(&options, &[RULE], &names).unwrap();
        let exempt = scope.exempt(&RULE, &names).unwrap();
        assert_eq!(exempt, BTreeSet::from([0, 2, 3]));
        for mark in ["@disable:t", "@numerics:exakt"] {
            let error = Scope::new(&options, &[RULE], &[mark.to_owned()]).unwrap_err();
            assert!(
                error.to_string().contains(&mark[mark.len() - 1..]),
                "{error}"
            );
        }
    }
}
