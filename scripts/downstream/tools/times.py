"""How long runtimes take to load models and to run them. The files of all exporters are timed in turn in
one process, so that what else the machine does meets them alike."""

import time
from statistics import median

from downstream.tools import Case, together
from downstream.tools.runtimes import feed, runner, session_of

TIMES = "times"
ROUNDS = 7
# Some kernels count processor time in ticks of 4 ms: what takes less than many of them is done again and
# again.
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
    """The median of each function's seconds, None where there is no function. What is run first, to warm
    up and to see how often, does not count."""
    known = [function for function in functions if function]
    times = max(map(how_often, known), default=0)
    rounds = [[processor_seconds(function, times) for function in known] for _ in range(ROUNDS)]
    found = iter([median(values) for values in zip(*rounds)])
    return [next(found) if function else None for function in functions]


def timed(cases: list, load, ready) -> list:
    """load(case) makes what is run; ready(case, made) is a function that runs it once. A file that is not
    loaded, or does not run, has no times."""
    loads, runs = [], []
    for case in cases:
        try:
            run = ready(case, load(case))
            run()
        except Exception:  # another tool tells why
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
