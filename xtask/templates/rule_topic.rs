//! @words@: write what the rules of this topic have in common.

use super::pattern::View;
use super::{Expr, Rule};
use crate::egraph::Term;
use crate::options::Numerics;

pub(super) const RULES: &[Rule] = &[
    // One entry per rule.
@entry@];
