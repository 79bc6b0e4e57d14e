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

/// Which of the forms of a placed kernel one is that was coalesced and scheduled.
pub fn form_of(kernel: &Kernel, placed: &Kernel, device: &Device) -> Option<usize> {
    let all = forms(placed, device);
    if all.len() == 1 {
        return Some(0);
    }
    let same = |form: Kernel| {
        let form = coalesce(form);
        form.stages == kernel.stages && form.slots == kernel.slots
    };
    all.into_iter().position(same)
}

/// The cheapest form of a placed kernel, coalesced and scheduled, with its price; without
/// `reassociate` the kernel itself.
///
/// # Errors
/// The kernel's own refusal, where no form has a schedule.
pub fn cheapest_form(
    placed: &Kernel,
    device: &Device,
    reassociate: bool,
) -> Result<(Kernel, Price), Refusal> {
    let scheduled = |form: Kernel| {
        let mut kernel = coalesce(form);
        let (chosen, price) = schedule(&kernel, device)?;
        kernel.schedule = Some(chosen);
        Ok((kernel, price))
    };
    if !reassociate {
        return scheduled(placed.clone());
    }
    let mut best: Result<(Kernel, Price), Refusal> = Err(Refusal::Empty);
    for (n, form) in forms(placed, device).into_iter().enumerate() {
        let found = scheduled(form);
        best = match (best, found) {
            (_, found) if n == 0 => found,
            (Ok(a), Ok(b)) if b.1.total < a.1.total => Ok(b),
            (Err(_), Ok(b)) => Ok(b),
            (best, _) => best,
        };
    }
    best
}
