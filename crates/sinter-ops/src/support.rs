//! What operator files share, also those of other crates: checks, index iteration, nests and bodies
//! built tersely.

mod code;
mod data;
mod moves;
mod nests;
mod reduction;
mod shape;
mod window;

pub use code::{Code, wide};
pub use data::{Data, floats, from_floats, ints, maximum, minimum};
pub use moves::{copy, place, rearranged};
pub use nests::{
    Point, affine, broadcast_index, identity, iter, pointwise, scaled, sum, with_offset,
};
pub use reduction::{
    Reduced, combine, contraction, contraction_finish, contraction_of, empty_contraction, highest,
    lowest, product_type,
};
pub use shape::{
    axis_index, broadcast, broadcast_offsets, checked_elements, count, each_index, err, one_dtype,
    require, require_arity, require_float, same_rank, types_of,
};
pub(crate) use window::{MAX_WINDOW, Run, Window, require_bias, weighted_window};
