"""Single patterns as ONNX models: matrix products, convolutions, pointwise chains, rows, transposes, attention."""

import os

import numpy as np
import onnx
from onnx import TensorProto, helper, numpy_helper

OPSET = 17


class Model:
    """A graph that is written down node by node."""

    def __init__(self):
        self.nodes, self.weights, self.inputs = [], [], []
        self.random = np.random.default_rng(1)

    def input(self, *shape):
        name = f"x{len(self.inputs)}"
        self.inputs.append(helper.make_tensor_value_info(name, TensorProto.FLOAT, shape))
        return name

    def weight(self, *shape):
        values = self.random.uniform(-1, 1, shape) / max(1, np.prod(shape[1:])) ** 0.5
        return self.constant(values.astype(np.float32))

    def constant(self, values):
        name = f"w{len(self.weights)}"
        self.weights.append(numpy_helper.from_array(np.asarray(values), name))
        return name

    def __call__(self, operator, *inputs, **attributes):
        name = f"v{len(self.nodes)}"
        self.nodes.append(helper.make_node(operator, list(inputs), [name], name=name, **attributes))
        return name

    def save(self, file, output):
        results = [helper.make_tensor_value_info(output, TensorProto.FLOAT, None)]
        graph = helper.make_graph(self.nodes, "pattern", self.inputs, results, self.weights)
        model = helper.make_model(graph, opset_imports=[helper.make_opsetid("", OPSET)], ir_version=10)
        onnx.save(onnx.shape_inference.infer_shapes(model), file)


def matmul(m, size):
    return m("MatMul", m.input(size, size), m.weight(size, size))


def row_by_matrix(m, depth, columns):
    return m("MatMul", m.input(1, depth), m.weight(depth, columns))


def max_pool(m, channels, size, kernel, stride):
    x = m.input(1, channels, size, size)
    return m("MaxPool", x, kernel_shape=[kernel] * 2, strides=[stride] * 2, pads=[kernel // 2] * 4)


def conv(m, channels, size, kernel, out, stride=1, groups=1):
    x = m.input(1, channels, size, size)
    w = m.weight(out, channels // groups, kernel, kernel)
    y = m("Conv", x, w, m.weight(out), strides=[stride] * 2, pads=[kernel // 2] * 4, group=groups)
    return m("Relu", y)


def chain(m, *shape):
    x, y = m.input(*shape), m.input(*shape)
    v = m("Add", m("Mul", x, y), x)
    return m("Sigmoid", m("Sub", m("Relu", v), y))


def layer_norm(m, *shape):
    x = m.input(*shape)
    return m("LayerNormalization", x, m.weight(shape[-1]), m.weight(shape[-1]), axis=-1)


def attention(m, heads, length, width):
    q, k, v = (m.input(1, heads, length, width) for _ in range(3))
    scores = m("MatMul", q, m("Transpose", k, perm=[0, 1, 3, 2]))
    scores = m("Mul", scores, m.constant(np.float32(width**-0.5)))
    return m("MatMul", m("Softmax", scores, axis=-1), v)


def quantised(m, x):
    """A value as bytes, its scale and its zero point."""
    scale, zero = m.constant(np.float32(0.02)), m.constant(np.uint8(3))
    return m("QuantizeLinear", x, scale, zero), scale, zero


def byte_weight(m, *shape):
    return m.constant(m.random.integers(-128, 128, shape).astype(np.int8))


def quantised_matmul(m, size):
    q, scale, zero = quantised(m, m.input(size, size))
    y = m("MatMulInteger", q, byte_weight(m, size, size), zero)
    return m("Mul", m("Cast", y, to=TensorProto.FLOAT), scale)


def quantised_convs(m, channels, size, kernel, count):
    q, scale, zero = quantised(m, m.input(1, channels, size, size))
    for _ in range(count):
        w_scale = m.constant(m.random.uniform(0.001, 0.01, channels).astype(np.float32))
        w = byte_weight(m, channels, channels, kernel, kernel)
        w_zero = m.constant(np.zeros(channels, np.int8))
        q = m("QLinearConv", q, scale, zero, w, w_scale, w_zero, scale, zero, pads=[kernel // 2] * 4)
    return m("DequantizeLinear", q, scale, zero)


PATTERNS = {
    "matmul 512": lambda m: matmul(m, 512),
    "matmul 1024": lambda m: matmul(m, 1024),
    "matmul 2048": lambda m: matmul(m, 2048),
    "row 4096 by 4096x4096": lambda m: row_by_matrix(m, 4096, 4096),
    "conv 1x1 64-256 @56": lambda m: conv(m, 64, 56, 1, 256),
    "conv 3x3 64 @56": lambda m: conv(m, 64, 56, 3, 64),
    "conv 3x3 512 @7": lambda m: conv(m, 512, 7, 3, 512),
    "conv 7x7 stride 2 3-64 @224": lambda m: conv(m, 3, 224, 7, 64, stride=2),
    "conv 3x3 stride 2 128-256 @28": lambda m: conv(m, 128, 28, 3, 256, stride=2),
    "depthwise 3x3 144 @56": lambda m: conv(m, 144, 56, 3, 144, groups=144),
    "depthwise 5x5 480 @14": lambda m: conv(m, 480, 14, 5, 480, groups=480),
    "grouped 3x3 8 groups 208 @14": lambda m: conv(m, 208, 14, 3, 208, groups=8),
    "max pool 3x3 stride 2 64 @112": lambda m: max_pool(m, 64, 112, 3, 2),
    "quantised matmul 512": lambda m: quantised_matmul(m, 512),
    "three quantised convs 3x3 64 @56": lambda m: quantised_convs(m, 64, 56, 3, 3),
    "pointwise chain 64x1024x1024": lambda m: chain(m, 64, 1024, 1024),
    "pointwise chain 64x1024": lambda m: chain(m, 64, 1024),
    "softmax 16384x2048": lambda m: m("Softmax", m.input(16384, 2048), axis=-1),
    "softmax 128x128": lambda m: m("Softmax", m.input(128, 128), axis=-1),
    "layer norm 16384x2048": lambda m: layer_norm(m, 16384, 2048),
    "layer norm 128x384": lambda m: layer_norm(m, 128, 384),
    "reduce rows 16384x2048": lambda m: m("ReduceSum", m.input(16384, 2048), m.constant(np.array([1])), keepdims=0),
    "reduce columns 16384x2048": lambda m: m("ReduceSum", m.input(16384, 2048), m.constant(np.array([0])), keepdims=0),
    "transpose 4096x4096": lambda m: m("Transpose", m.input(4096, 4096), perm=[1, 0]),
    "transpose 64x56x56": lambda m: m("Transpose", m.input(1, 64, 56, 56), perm=[0, 2, 3, 1]),
    "attention 12x128x32": lambda m: attention(m, 12, 128, 32),
    "attention 12x512x64": lambda m: attention(m, 12, 512, 64),
}


def write(folder):
    """The patterns as (title, file, shapes)."""
    os.makedirs(folder, exist_ok=True)
    cases = []
    for title, build in PATTERNS.items():
        file = os.path.join(folder, title.replace(" ", "-") + ".onnx")
        if not os.path.exists(file):
            model = Model()
            model.save(file, build(model))
        cases.append((title, file, []))
    return cases
