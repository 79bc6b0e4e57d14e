//! Transposes in registers.
//!
//! A read that jumps along the vectors but is of consecutive elements along the rows would be loaded lane by
//! lane, each from another line of the caches. Instead a square of it is loaded along the rows, every line
//! once, and turned by shuffles.

use sinter_ir::emitter::Value;
use sinter_loops::nest::Access;

use super::Generator;
use super::access::{At, Loaded};
use super::body::Evaluation;
use super::stage::Stage;
use super::sym::VectorAxis;

impl<'c> Generator<'_, 'c> {
    /// Loads and turns the reads of a register tile that are worth it.
    pub(super) fn turn_reads(&mut self, stage: &Stage<'_, 'c>, body: &mut Evaluation<'_, 'c>) {
        let (Some(axis), Some(rows)) = (stage.axis, stage.schedule.rows) else {
            return;
        };
        if stage.rows < 2 || stage.rows > axis.lanes || !axis.lanes.unsigned_abs().is_power_of_two()
        {
            return;
        }
        let along_rows = VectorAxis {
            iter: rows,
            lanes: axis.lanes,
        };
        let nest = stage.nest;
        for (argument, access) in nest.reads.iter().enumerate() {
            let point = stage.point_at(0, 0);
            let jumps = !matches!(self.step(access, &point, axis), Some(0 | 1));
            if !jumps || self.step(access, &point, along_rows) != Some(1) {
                continue;
            }
            for vector in 0..stage.vectors.len() {
                let turned = self.turned(stage, access, axis, along_rows, vector);
                for (row, value) in turned.into_iter().take(stage.rows as usize).enumerate() {
                    body.set(argument, row, vector, value);
                }
            }
        }
    }

    /// A read's vectors by row.
    fn turned(
        &mut self,
        stage: &Stage<'_, 'c>,
        access: &Access,
        axis: VectorAxis,
        along_rows: VectorAxis,
        vector: usize,
    ) -> Vec<Value<'c>> {
        let mut square: Vec<Value<'c>> = Vec::with_capacity(axis.lanes as usize);
        for lane in 0..axis.lanes {
            // Lanes past the end are never stored.
            if lane >= stage.vectors[vector] {
                square.push(square[0]);
                continue;
            }
            let mut point = stage.point_at(0, vector as i64);
            point[axis.iter] = point[axis.iter].shifted(lane);
            let at = At {
                point: &point,
                axis: Some(along_rows),
                valid: stage.rows,
                safe: &[],
            };
            square.push(match self.read(access, &at) {
                Loaded::Vector(value) => value,
                Loaded::Scalar(value) => self.e.broadcast(value, axis.lanes),
            });
        }
        self.transpose(square)
    }

    /// Turns a square of as many vectors as they have lanes, a power of two: vectors whose numbers differ in
    /// one bit exchange the lanes that do, bit by bit.
    fn transpose(&mut self, mut square: Vec<Value<'c>>) -> Vec<Value<'c>> {
        let lanes = square.len() as i64;
        let mut bit = lanes / 2;
        while bit > 0 {
            // Of the concatenation of both vectors.
            let low: Vec<i64> = (0..lanes)
                .map(|l| if l & bit == 0 { l } else { lanes + l - bit })
                .collect();
            let high: Vec<i64> = (0..lanes)
                .map(|l| if l & bit == 0 { l + bit } else { lanes + l })
                .collect();
            for first in (0..square.len()).filter(|n| *n as i64 & bit == 0) {
                let second = first + bit as usize;
                let (a, b) = (square[first], square[second]);
                square[first] = self.e.shuffle(a, b, &low);
                square[second] = self.e.shuffle(a, b, &high);
            }
            bit /= 2;
        }
        square
    }
}
