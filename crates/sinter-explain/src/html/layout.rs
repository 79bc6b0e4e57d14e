//! A layered drawing of a directed acyclic graph: layers by longest path, order within a layer by
//! barycentres, positions by isotonic regression.
//!
//! K. Sugiyama, S. Tagawa, M. Toda: Methods for visual understanding of hierarchical system structures,
//! 1981. Crates that do this iterate over hashed sets, so that the same graph is drawn in different
//! ways; this one gives the same drawing every time.

/// Space between boxes of a layer.
const GAP_X: f64 = 24.0;
/// Space between layers.
const GAP_Y: f64 = 34.0;
/// Space around everything.
const MARGIN: f64 = 16.0;
/// Width that an edge takes where it passes a layer.
const PASSAGE: f64 = 10.0;
/// Rounds over all layers.
const ROUNDS: usize = 12;
/// How much straighter edges that pass several layers are than others.
const PASSAGE_WEIGHT: f64 = 4.0;

/// Where everything is, in pixels.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Drawing {
    /// Left upper corner of each box.
    pub boxes: Vec<(f64, f64)>,
    /// Points of each edge, from the lower border of one box to the upper border of another.
    pub edges: Vec<Vec<(f64, f64)>>,
    /// Width of everything.
    pub width: f64,
    /// Height of everything.
    pub height: f64,
}

/// Draws boxes of the given sizes (width, height) and edges between them. An edge must lead from a
/// lower number to a higher one; others are ignored.
pub fn layered(sizes: &[(f64, f64)], edges: &[(usize, usize)]) -> Drawing {
    let mut graph = Layers::new(sizes, edges);
    graph.order();
    graph.place();
    graph.drawing(sizes)
}

/// A box, or the passage of an edge through a layer.
#[derive(Clone, Debug)]
struct Node {
    layer: usize,
    width: f64,
    /// Centre.
    x: f64,
    weight: f64,
    above: Vec<usize>,
    below: Vec<usize>,
}

struct Layers {
    nodes: Vec<Node>,
    layers: Vec<Vec<usize>>,
    /// Nodes of each edge, both ends included; empty for one that is ignored.
    paths: Vec<Vec<usize>>,
}

impl Layers {
    fn new(sizes: &[(f64, f64)], edges: &[(usize, usize)]) -> Self {
        let valid = |&(a, b): &(usize, usize)| a < b && b < sizes.len();
        let mut layer = vec![0; sizes.len()];
        let mut sorted: Vec<_> = edges.iter().copied().filter(valid).collect();
        sorted.sort_unstable_by_key(|&(a, b)| (b, a));
        for &(a, b) in &sorted {
            layer[b] = layer[b].max(layer[a] + 1);
        }
        // What reads nothing stands just above its first reader.
        for node in 0..sizes.len() {
            if sorted.iter().all(|e| e.1 != node) {
                let readers = sorted.iter().filter(|e| e.0 == node).map(|e| layer[e.1]);
                layer[node] = readers.min().map_or(0, |l| l - 1);
            }
        }
        let node = |(n, &(width, _)): (usize, &(f64, f64))| Node {
            layer: layer[n],
            width,
            x: 0.0,
            weight: 1.0,
            above: Vec::new(),
            below: Vec::new(),
        };
        let mut out = Self {
            nodes: sizes.iter().enumerate().map(node).collect(),
            layers: Vec::new(),
            paths: Vec::new(),
        };
        for edge in edges {
            let path = if valid(edge) {
                out.path(*edge)
            } else {
                Vec::new()
            };
            out.paths.push(path);
        }
        let count = out.nodes.iter().map(|n| n.layer + 1).max().unwrap_or(0);
        out.layers = vec![Vec::new(); count];
        for n in 0..out.nodes.len() {
            out.layers[out.nodes[n].layer].push(n);
        }
        out
    }

    /// Adds passages for an edge.
    fn path(&mut self, (from, to): (usize, usize)) -> Vec<usize> {
        let mut path = vec![from];
        for layer in self.nodes[from].layer + 1..self.nodes[to].layer {
            path.push(self.nodes.len());
            self.nodes.push(Node {
                layer,
                width: PASSAGE,
                x: 0.0,
                weight: PASSAGE_WEIGHT,
                above: Vec::new(),
                below: Vec::new(),
            });
        }
        path.push(to);
        for pair in path.windows(2) {
            self.nodes[pair[0]].below.push(pair[1]);
            self.nodes[pair[1]].above.push(pair[0]);
        }
        path
    }

    /// Orders the nodes of each layer by the mean places of their neighbours, down and up.
    fn order(&mut self) {
        let mut place = vec![0.0; self.nodes.len()];
        for layer in &self.layers {
            (0..layer.len()).for_each(|i| place[layer[i]] = i as f64);
        }
        let mut best = (self.crossings(), self.layers.clone());
        for round in 0..ROUNDS {
            let down = round % 2 == 0;
            let count = self.layers.len();
            for step in 1..count {
                let layer = if down { step } else { count - 1 - step };
                let key = |&n: &usize| {
                    let node = &self.nodes[n];
                    let near = if down { &node.above } else { &node.below };
                    match near.len() {
                        0 => place[n],
                        len => near.iter().map(|&m| place[m]).sum::<f64>() / len as f64,
                    }
                };
                let mut sorted = self.layers[layer].clone();
                sorted.sort_by(|a, b| key(a).total_cmp(&key(b)));
                (0..sorted.len()).for_each(|i| place[sorted[i]] = i as f64);
                self.layers[layer] = sorted;
            }
            let crossings = self.crossings();
            if crossings < best.0 {
                best = (crossings, self.layers.clone());
            }
        }
        self.layers = best.1;
    }

    /// Pairs of edges between neighbouring layers that cross.
    fn crossings(&self) -> usize {
        let mut place = vec![0; self.nodes.len()];
        for layer in &self.layers {
            (0..layer.len()).for_each(|i| place[layer[i]] = i);
        }
        let mut total = 0;
        for layer in &self.layers {
            let ends = layer.iter().map(|&n| {
                let mut ends: Vec<_> = self.nodes[n].below.iter().map(|&m| place[m]).collect();
                ends.sort_unstable();
                ends
            });
            let mut seen: Vec<usize> = Vec::new();
            for ends in ends {
                let crossed = |&end: &usize| seen.iter().filter(|s| **s > end).count();
                total += ends.iter().map(crossed).sum::<usize>();
                seen.extend(ends);
            }
        }
        total
    }

    /// Places the nodes of each layer under the mean of their neighbours, in order, without overlap.
    fn place(&mut self) {
        for layer in self.layers.clone() {
            let mut x = 0.0;
            for n in layer {
                self.nodes[n].x = x + self.nodes[n].width / 2.0;
                x += self.nodes[n].width + GAP_X;
            }
        }
        for round in 0..2 * ROUNDS {
            let count = self.layers.len();
            for step in 0..count {
                let layer = if round % 2 == 0 {
                    step
                } else {
                    count - 1 - step
                };
                // First from one side, then from both, which straightens what is left.
                self.settle(
                    layer,
                    round >= ROUNDS || round % 2 == 0,
                    round >= ROUNDS || round % 2 == 1,
                );
            }
        }
    }

    fn settle(&mut self, layer: usize, above: bool, below: bool) {
        let nodes = &self.layers[layer];
        let wanted = |n: usize| {
            let node = &self.nodes[n];
            let sides = [(above, &node.above), (below, &node.below)];
            let near = sides.into_iter().filter(|s| s.0).flat_map(|s| s.1);
            let (sum, count) = near.fold((0.0, 0), |(sum, count), &m| {
                (sum + self.nodes[m].x, count + 1)
            });
            match count {
                0 => node.x,
                count => sum / f64::from(count),
            }
        };
        // With the space that precedes each node taken off, positions only have to ascend.
        let mut before = 0.0;
        let mut offsets = Vec::new();
        for (i, &n) in nodes.iter().enumerate() {
            if i > 0 {
                let left = &self.nodes[nodes[i - 1]];
                before += (left.width + self.nodes[n].width) / 2.0 + GAP_X;
            }
            offsets.push(before);
        }
        let targets: Vec<_> = nodes
            .iter()
            .zip(&offsets)
            .map(|(&n, offset)| (wanted(n) - offset, self.nodes[n].weight))
            .collect();
        let placed = ascending(&targets);
        for ((&n, offset), x) in self.layers[layer].iter().zip(offsets).zip(placed) {
            self.nodes[n].x = x + offset;
        }
    }

    fn drawing(&self, sizes: &[(f64, f64)]) -> Drawing {
        let left = self.nodes.iter().map(|n| n.x - n.width / 2.0);
        let shift = MARGIN - left.fold(f64::INFINITY, f64::min);
        let right = self.nodes.iter().map(|n| n.x + n.width / 2.0);
        let width = right.fold(f64::NEG_INFINITY, f64::max) + shift + MARGIN;
        let mut tops = Vec::new();
        let mut y = MARGIN;
        for layer in &self.layers {
            tops.push(y);
            let heights = layer.iter().filter_map(|&n| sizes.get(n)).map(|s| s.1);
            y += heights.fold(0.0, f64::max) + GAP_Y;
        }
        let boxes: Vec<_> = sizes
            .iter()
            .enumerate()
            .map(|(n, size)| {
                (
                    self.nodes[n].x + shift - size.0 / 2.0,
                    tops[self.nodes[n].layer],
                )
            })
            .collect();
        let edges = self
            .paths
            .iter()
            .map(|path| self.edge(path, &boxes, sizes, &tops, shift));
        Drawing {
            edges: edges.collect(),
            boxes,
            width: if sizes.is_empty() { 0.0 } else { width },
            height: y - GAP_Y + MARGIN,
        }
    }

    fn edge(
        &self,
        path: &[usize],
        boxes: &[(f64, f64)],
        sizes: &[(f64, f64)],
        tops: &[f64],
        shift: f64,
    ) -> Vec<(f64, f64)> {
        let mut points = Vec::new();
        for (i, &n) in path.iter().enumerate() {
            let (x, layer) = (self.nodes[n].x + shift, self.nodes[n].layer);
            if i == 0 {
                points.push((x, boxes[n].1 + sizes[n].1));
            } else if i + 1 == path.len() {
                points.push((x, boxes[n].1));
            } else {
                let bottom = tops.get(layer + 1).map_or(tops[layer], |t| t - GAP_Y);
                points.push((x, tops[layer]));
                points.push((x, bottom));
            }
        }
        points
    }
}

/// The ascending numbers nearest to weighted targets (pool adjacent violators).
fn ascending(targets: &[(f64, f64)]) -> Vec<f64> {
    // Mean, weight and length of each block.
    let mut blocks: Vec<(f64, f64, usize)> = Vec::new();
    for &(target, weight) in targets {
        let mut block = (target, weight, 1);
        while let Some(&(mean, w, len)) = blocks.last()
            && mean > block.0
        {
            blocks.pop();
            let total = w + block.1;
            block = ((mean * w + block.0 * block.1) / total, total, len + block.2);
        }
        blocks.push(block);
    }
    let spread = |(mean, _, len): (f64, f64, usize)| std::iter::repeat_n(mean, len);
    blocks.into_iter().flat_map(spread).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn nearest_ascending_numbers() {
        let even = |t: &[f64]| ascending(&t.iter().map(|&t| (t, 1.0)).collect::<Vec<_>>());
        assert_eq!(even(&[1.0, 3.0, 2.0, 5.0]), [1.0, 2.5, 2.5, 5.0]);
        assert_eq!(even(&[3.0, 2.0, 1.0]), [2.0, 2.0, 2.0]);
        assert_eq!(ascending(&[(4.0, 3.0), (0.0, 1.0)]), [3.0, 3.0]);
    }

    #[test]
    fn boxes_of_a_layer_do_not_overlap_and_edges_lead_down() {
        // 0 -> 1, 2, 3 -> 4, and 0 -> 4 past them.
        let sizes = [(100.0, 20.0); 5];
        let edges = [(0, 1), (0, 2), (0, 3), (1, 4), (2, 4), (3, 4), (0, 4)];
        let drawing = layered(&sizes, &edges);
        let mut middle: Vec<_> = (1..4).map(|n| drawing.boxes[n].0).collect();
        middle.sort_by(f64::total_cmp);
        assert!(
            middle
                .windows(2)
                .all(|w| w[1] - w[0] >= 100.0 + GAP_X - 1e-9)
        );
        for points in &drawing.edges {
            assert!(points.windows(2).all(|w| w[0].1 <= w[1].1), "{points:?}");
        }
        assert_eq!(drawing.edges[6].len(), 4, "the long edge has a passage");
        assert!(
            drawing
                .boxes
                .iter()
                .all(|b| b.0 >= 0.0 && b.0 + 100.0 <= drawing.width)
        );
    }

    #[test]
    fn nothing_is_drawn_of_nothing() {
        assert_eq!(layered(&[], &[]).boxes, []);
        assert_eq!(
            layered(&[(1.0, 1.0)], &[(0, 0), (3, 9)]).edges,
            [vec![], vec![]]
        );
    }
}
