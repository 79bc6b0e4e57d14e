"""One engine with one model in a process of its own, driven through its standard input.

    peer.py ENGINE MODEL.onnx THREADS INPUTS OUTPUTS

MODEL has fixed shapes; INPUTS is a folder with a .npy file per input, by the engine's order of the model's
inputs. Loads, runs once, writes the outputs to OUTPUTS and prints `{"load_ms": ..}`. Then every line with a
number N on the standard input is answered by a list of N times in milliseconds, and `memory` by the
process's highest resident size in bytes.
"""

import json
import os
import sys
import time

import numpy as np


def resident_bytes():
    """The high-water mark of resident memory of this program alone (`getrusage` counts what was there before it)."""
    with open("/proc/self/status") as status:
        line = next(line for line in status if line.startswith("VmHWM:"))
    return int(line.split()[1]) * 1024


def onnxruntime_engine(model, threads, optimised=True):
    import onnxruntime as ort

    options = ort.SessionOptions()
    level = ort.GraphOptimizationLevel
    options.graph_optimization_level = level.ORT_ENABLE_ALL if optimised else level.ORT_DISABLE_ALL
    options.intra_op_num_threads = threads
    options.inter_op_num_threads = 1
    options.log_severity_level = 3
    session = ort.InferenceSession(model, options, providers=["CPUExecutionProvider"])
    names = [value.name for value in session.get_inputs()]
    return lambda values: session.run(None, dict(zip(names, values)))


def openvino_engine(model, threads):
    import openvino as ov

    core = ov.Core()
    settings = {
        "INFERENCE_NUM_THREADS": threads,
        "PERFORMANCE_HINT": "LATENCY",
        # Zen 4 has bf16 instructions; the comparison is in f32.
        "INFERENCE_PRECISION_HINT": "f32",
        "ENABLE_CPU_PINNING": False,
    }
    request = core.compile_model(core.read_model(model), "CPU", settings).create_infer_request()

    def run(values):
        request.infer(dict(enumerate(values)), share_inputs=True, share_outputs=True)
        return [request.get_output_tensor(i).data for i in range(len(request.model_outputs))]

    return run


def iree_engine(model, threads):
    import subprocess

    from iree import runtime

    base = model.removesuffix(".onnx")
    program = f"{base}.vmfb"
    if not os.path.exists(program):
        tools = os.path.dirname(sys.executable)
        quiet = {"check": True, "stdout": subprocess.DEVNULL, "stderr": subprocess.PIPE}
        subprocess.run([f"{tools}/iree-import-onnx", model, "-o", f"{base}.mlir"], **quiet)
        flags = [
            "--iree-hal-target-device=local",
            "--iree-hal-local-target-device-backends=llvm-cpu",
            "--iree-llvmcpu-target-cpu=host",
            "--iree-opt-level=O3",
        ]
        subprocess.run([f"{tools}/iree-compile", f"{base}.mlir", *flags, "-o", program], **quiet)
    runtime.flags.parse_flags(f"--task_topology_group_count={threads}")
    # One thread runs without a pool.
    config = runtime.Config("local-sync" if threads == 1 else "local-task")
    with open(program, "rb") as file:
        module = runtime.VmModule.copy_buffer(config.vm_instance, file.read())
    context = runtime.SystemContext(vm_modules=[module], config=config)
    functions = context.modules.module
    name = next(n for n in module.function_names if not n.startswith("__") and "$" not in n)
    function = functions[name]

    def run(values):
        found = function(*values)
        found = found if isinstance(found, (list, tuple)) else [found]
        return [np.asarray(value.to_host() if hasattr(value, "to_host") else value) for value in found]

    return run


def tract_engine(model, threads):
    import tract

    if threads != 1:
        raise RuntimeError("its Python package runs on one thread")
    runnable = tract.onnx().load(model).into_model().into_runnable()
    return lambda values: [value.to_numpy() for value in runnable.run(values)]


ENGINES = {
    "reference": lambda model, threads: onnxruntime_engine(model, threads, optimised=False),
    "onnxruntime": onnxruntime_engine,
    "openvino": openvino_engine,
    "iree": iree_engine,
    "tract": tract_engine,
}


def main():
    engine, model, threads, inputs, outputs = sys.argv[1:]
    values = [np.load(os.path.join(inputs, name)) for name in sorted(os.listdir(inputs))]
    start = time.perf_counter()
    run = ENGINES[engine](model, int(threads))
    load_ms = (time.perf_counter() - start) * 1e3
    os.makedirs(outputs, exist_ok=True)
    for number, value in enumerate(run(values)):
        np.save(os.path.join(outputs, f"{number:03}.npy"), value)
    print(json.dumps({"load_ms": load_ms}), flush=True)
    for line in sys.stdin:
        if line.strip() == "memory":
            # Kilobytes on Linux.
            print(json.dumps(resident_bytes()), flush=True)
            continue
        times = []
        for _ in range(int(line)):
            start = time.perf_counter()
            run(values)
            times.append((time.perf_counter() - start) * 1e3)
        print(json.dumps(times), flush=True)


if __name__ == "__main__":
    try:
        main()
    except Exception as error:
        stderr = getattr(error, "stderr", None)
        text = stderr.decode(errors="replace") if stderr else str(error)
        lines = [line for line in text.splitlines() if line.strip()]
        sys.exit(f"{sys.argv[1]}: {lines[0] if lines else type(error).__name__}")
