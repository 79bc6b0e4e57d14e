"""Exports torchvision models with seeded random weights to ONNX: export_torchvision.py FOLDER MODEL..."""

import os
import sys

import torch
import torchvision

SEED = 0
BATCHES = 3
BATCH = 4


def calibrate(model):
    """Gives batch norms the statistics of a few batches: with the initial ones deep models return about 1e-8."""
    norms = [m for m in model.modules() if isinstance(m, torch.nn.modules.batchnorm._BatchNorm)]
    if not norms:
        return
    for norm in norms:
        norm.momentum = None
    model.train()
    with torch.no_grad():
        for _ in range(BATCHES):
            model(torch.randn(BATCH, 3, 224, 224))


def export(folder, name):
    torch.manual_seed(SEED)
    options = {"init_weights": True, "aux_logits": False} if name == "googlenet" else {}
    model = getattr(torchvision.models, name)(weights=None, **options)
    calibrate(model)
    model.eval()
    path = os.path.join(folder, name + ".onnx")
    torch.onnx.export(
        model,
        torch.randn(1, 3, 224, 224),
        path + ".part",
        opset_version=17,
        input_names=["input"],
        output_names=["output"],
    )
    os.replace(path + ".part", path)


if __name__ == "__main__":
    for model in sys.argv[2:]:
        export(sys.argv[1], model)
