//! Which of the forms of a kernel a device runs: as it was placed, or, where that is allowed, with the
//! exponentials of a softmax stored instead of computed twice, its rows multiplied instead of divided, the softmax of
//! an attention divided late or computed in chunks.

use sinter_loops::attention::{
    late_normalisation, online_softmax, reciprocal_sums, row_length, stored_exponentials,
};
use sinter_loops::coalesce;
use sinter_loops::kernel::Kernel;

use crate::device::Device;
use crate::price::Price;
use crate::refusal::Refusal;
use crate::schedule::schedule;

/// The shortest chunk of a row that is worth its rescaling.
const LEAST_CHUNK: i64 = 16;
/// Most chunks that a row is cut into: each is code of its own.
const MOST_CHUNKS: i64 = 32;

/// The forms of a placed kernel that a device may run, the kernel itself first. The others differ from
/// it by rounding (numerics class `reassociating`).
///
/// A device whose on-chip space holds every intermediate also gets chunks; others have caches.
pub fn forms(placed: &Kernel, device: &Device) -> Vec<Kernel> {
    let mut out = vec![placed.clone()];
    out.extend(stored_exponentials(placed));
    out.extend(late_normalisation(placed));
    let multiplied: Vec<_> = out.iter().filter_map(reciprocal_sums).collect();
    out.extend(multiplied);
    if let Some(row) = row_length(placed).filter(|_| device.is_scratchpad()) {
        let chunks = (LEAST_CHUNK..=row / 2).rev().filter(|c| row % c == 0);
        let mut last = row + 1;
        for chunk in chunks.filter(|c| row / c <= MOST_CHUNKS) {
            if chunk <= last / 2 {
                out.extend(online_softmax(placed, chunk));
                last = chunk;
            }
        }
    }
    out
}

/// The form of a kernel that a device runs.
#[derive(Clone, Debug, PartialEq)]
pub struct ChosenForm {
    /// The kernel, coalesced and scheduled.
    pub kernel: Kernel,
    /// Its place among [`forms`].
    pub number: usize,
    /// What a launch of it costs.
    pub price: Price,
}

/// The cheapest form of a placed kernel; without `reassociate` the kernel itself.
///
/// # Errors
/// The kernel's own refusal, where no form has a schedule.
pub fn cheapest_form(
    placed: &Kernel,
    device: &Device,
    reassociate: bool,
) -> Result<ChosenForm, Refusal> {
    let scheduled = |(number, form): (usize, Kernel)| {
        let mut kernel = coalesce(form);
        let (chosen, price) = schedule(&kernel, device)?;
        kernel.schedule = Some(chosen);
        Ok(ChosenForm {
            kernel,
            number,
            price,
        })
    };
    let own = scheduled((0, placed.clone()));
    if !reassociate {
        return own;
    }
    let others = forms(placed, device).into_iter().enumerate().skip(1);
    others
        .map(scheduled)
        .fold(own, |best, found| match (best, found) {
            (Ok(a), Ok(b)) if b.price.total < a.price.total => Ok(b),
            (Err(_), Ok(b)) => Ok(b),
            (best, _) => best,
        })
}
