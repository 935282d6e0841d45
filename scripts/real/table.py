"""The packages, their files, and expectations. Nothing of theirs is in this repository.

To add a file, add a row: digests are those of `pip hash` and sha256sum, arguments those that the package's own code
passes.
"""

from dataclasses import dataclass, field

from zoo.inputs import Argument

CALLS = 20  # of a model with state


@dataclass(frozen=True)
class Case:
    """One export of a file. Axes of arguments have names; each entry of sizes has a size for all of them.

    flags are those of htp-trace beside --module and --method: none if it finds the inputs itself. numbers are
    arguments other than tensors. carried: the output (by number) that becomes an argument of the next call. refused:
    part of the message if no exporter could do better.
    """

    name: str
    arguments: tuple
    sizes: tuple
    flags: tuple = ()
    numbers: dict = field(default_factory=dict)
    module: str = ""
    method: str = "forward"
    calls: int = 1
    carried: dict = field(default_factory=dict)
    refused: str = ""

    def all_flags(self) -> list:
        module = ["--module", self.module] if self.module else []
        method = ["--method", self.method] if self.method != "forward" else []
        return [*module, *method, *self.flags]


@dataclass(frozen=True)
class File:
    """A TorchScript file in a package: its name there, and the SHA-256 of its bytes."""

    member: str
    sha256: str
    cases: tuple


@dataclass(frozen=True)
class Package:
    """python is a version that the package requires if it excludes later ones: its files are read, none of its code
    runs. sha256 is the wheel's."""

    name: str
    version: str
    licence: str
    subject: str
    sha256: str
    files: tuple
    python: str = ""


# ---- speech --------------------------------------------------------------------------------------


def flags(*inputs) -> tuple:
    return tuple(part for text in inputs for part in ("--input", text))


BATCHES = tuple({"batch": size} for size in (2, 1, 5))


def chunks(rate: int, samples: int) -> Case:
    """The whole model, which keeps state. It takes chunks of one length per rate."""
    return Case(
        name=f"{rate} Hz",
        arguments=(Argument("x", ("batch", samples), "normal"),),
        sizes=BATCHES,
        flags=flags(f"x:float32[batch=2,{samples}]", f"sr:int={rate}"),
        numbers={"sr": rate},
        calls=CALLS,
    )


def network(module: str, samples: int) -> Case:
    """The inner model for one of the rates: it gets its last state as an argument."""
    return Case(
        name=f"submodule {module}",
        arguments=(
            Argument("x", ("batch", samples), "normal"),
            Argument("state", (2, "batch", 128), "normal"),
        ),
        sizes=BATCHES,
        flags=flags(f"x:float32[batch=2,{samples}]", "state:float32[2,batch=2,128]"),
        module=module,
        calls=CALLS,
        carried={"state": 1},
    )


def recording(rate: int) -> Case:
    """A method of the whole model that splits a recording of any length."""
    return Case(
        name=f"whole recordings, {rate} Hz",
        arguments=(Argument("x", (1, "samples"), "normal"),),
        sizes=tuple({"samples": size} for size in (2048, 5000, 1025)),
        flags=flags("x:float32[1,samples=2048]", f"sr:int={rate}"),
        numbers={"sr": rate},
        method="audio_forward",
    )


SPEECH = Package(
    name="silero-vad",
    version="6.2.3",
    licence="MIT",
    subject="audio: where speech is",
    sha256="7b7f5436cfcb02fae583a05b512ea96467fd449fe54cb49a5e4f06c51a1e43b8",
    files=(
        File(
            "silero_vad/data/silero_vad.jit",
            "e1122837f4154c511485fe0b9c64455f7b929c96fbb8d79fbdb336383ebd3720",
            (
                chunks(16000, 512),
                chunks(8000, 256),
                network("_model", 576),
                network("_model_8k", 288),
                recording(16000),
            ),
        ),
    ),
)


# ---- pictures ------------------------------------------------------------------------------------

PICTURES = (
    Case(
        name="pictures",
        arguments=(Argument("x", ("batch", 3, "height", "width"), "normal"),),
        sizes=(
            {"batch": 2, "height": 224, "width": 224},
            {"batch": 1, "height": 256, "width": 320},
            {"batch": 3, "height": 97, "width": 161},
        ),
    ),
)

KELP = Package(
    name="hakai-segmentation",
    version="0.4.1",
    licence="MIT",
    subject="vision: kelp and mussels seen from drones",
    sha256="a0b4124798536099fa18df214c48daf9be0afe82254db48d0169dfc65a65d44b",
    files=(
        File(
            "hakai_segmentation/data/LRASPP_MobileNetV3_kelp_presence_jit.pt",
            "052cce5365d62563cba11ad9e0d64dbd1fa964ebe316e3f88b4726f1c162dc9b",
            PICTURES,
        ),
        File(
            "hakai_segmentation/data/LRASPP_MobileNetV3_kelp_species_jit_miou=0.9634.pt",
            "7239ec87e6efa1fe10fe0d169e15ce5833a2ca5cb3836e7c40368c109666ed5b",
            PICTURES,
        ),
        File(
            "hakai_segmentation/data/LRASPP_MobileNetV3_mussel_presence_jit_v2.pt",
            "040d0ecd21d1b5d82696704f37aa1414411997a23c218f48cb5d292e72a787f8",
            PICTURES,
        ),
    ),
    python="3.9",
)

PACKAGES = (SPEECH, KELP)
