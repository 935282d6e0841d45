"""The time that runtimes take to load and run models. Files of all exporters alternate in one process, so that other
load affects them equally."""

import time
from statistics import median

from downstream.tools import Case, together
from downstream.tools.runtimes import feed, runner, session_of

TIMES = "times"
ROUNDS = 7
# Some kernels count processor time in ticks of 4 ms: short work is repeated.
LEAST = 0.1


def processor_seconds(function, times: int = 1) -> float:
    begin = time.process_time()
    for _ in range(times):
        function()
    return (time.process_time() - begin) / times


def how_often(function) -> int:
    """How many calls take LEAST seconds."""
    times = 1
    while (seconds := processor_seconds(function, times)) * times < LEAST / 4:
        times *= 4
    return max(1, round(LEAST / seconds))


def in_turn(functions: list) -> list:
    """The median time of each function, None without a function. Runs for warm-up and calibration do not count."""
    known = [function for function in functions if function]
    times = max(map(how_often, known), default=0)
    rounds = [[processor_seconds(function, times) for function in known] for _ in range(ROUNDS)]
    found = iter([median(values) for values in zip(*rounds)])
    return [next(found) if function else None for function in functions]


def timed(cases: list, load, ready) -> list:
    """load(case) makes the object to run; ready(case, made) returns a function that runs it once. A file that does not
    load, or does not run, has no times."""
    loads, runs = [], []
    for case in cases:
        try:
            run = ready(case, load(case))
            run()
        except Exception:  # another tool reports why
            loads.append(None)
            runs.append(None)
            continue
        loads.append(lambda case=case: load(case))
        runs.append(run)
    return [
        {"load": loaded, "latency": latency} if loaded is not None else {}
        for loaded, latency in zip(in_turn(loads), in_turn(runs))
    ]


@together("onnxruntime, times", TIMES)
def onnxruntime(cases: list) -> list:
    def ready(case: Case, session):
        run = runner(session)
        return lambda: run(case.first)

    return timed(cases, lambda case: session_of(case.path), ready)


@together("OpenVINO, times", TIMES)
def openvino(cases: list) -> list:
    import openvino as ov

    core = ov.Core()
    hints = {"INFERENCE_PRECISION_HINT": "f32", "INFERENCE_NUM_THREADS": 1}

    def ready(case: Case, compiled):
        inputs = feed([item.any_name for item in compiled.inputs], case.first)
        return lambda: compiled(inputs)

    return timed(cases, lambda case: core.compile_model(str(case.path), "CPU", hints), ready)
