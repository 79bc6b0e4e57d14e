#!/usr/bin/env python3
"""Makes dsp.onnx: a chain with the operators of org.example.dsp in its middle. Needs numpy and onnx."""

import os

import numpy as np
from onnx import TensorProto, helper, numpy_helper, save

HERE = os.path.dirname(os.path.abspath(__file__))
DOMAIN = "org.example.dsp"
rng = np.random.default_rng(1)


def weight(name, values):
    return numpy_helper.from_array(np.asarray(values, np.float32), name)


weights = [
    weight("gain", 1 + 0.5 * rng.standard_normal(256)),
    weight("offset", 0.1 * rng.standard_normal(256)),
    weight("epsilon", 1e-5),
]
nodes = [
    helper.make_node("Mul", ["x", "gain"], ["scaled"], name="scale"),
    helper.make_node("Add", ["scaled", "offset"], ["shifted"], name="shift"),
    helper.make_node("Squareplus", ["shifted"], ["smooth"], name="smooth", domain=DOMAIN, roundness=2.0),
    helper.make_node("Power", ["smooth"], ["power"], name="power", domain=DOMAIN, axis=-1),
    helper.make_node("Add", ["power", "epsilon"], ["positive"], name="positive"),
    helper.make_node("Sqrt", ["positive"], ["loudness"], name="loudness"),
    helper.make_node("Div", ["smooth", "loudness"], ["y"], name="level"),
]
value = lambda name: helper.make_tensor_value_info(name, TensorProto.FLOAT, [8, 256])
graph = helper.make_graph(nodes, "dsp", [value("x")], [value("y")], weights)
opsets = [helper.make_opsetid("", 17), helper.make_opsetid(DOMAIN, 1)]
save(helper.make_model(graph, opset_imports=opsets, ir_version=8), os.path.join(HERE, "dsp.onnx"))
