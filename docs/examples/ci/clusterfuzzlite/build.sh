#!/bin/bash -eu
# One program for each harness, with its corpus and its dictionary. DRIVER is the selector of the driver that is fuzzed.
driver=${DRIVER:-reference}
python3 -m pip install '.[fuzz]'
for harness in $(python3 -c 'from nnvet.fuzz.harness import HARNESSES; print(*HARNESSES)'); do
    cat >"$SRC/fuzz_$harness.py" <<PROGRAM
import sys

import atheris

with atheris.instrument_imports(include=["nnvet"]):
    from nnvet.conformance.engine.target import Target
    from nnvet.fuzz.raw import raw_crossover, raw_mutation
    from nnvet.fuzz.harness import HARNESSES

harness = HARNESSES["$harness"]
words = tuple(harness.words())


def mutate(data, size, seed):
    new = harness.mutator(data, size, seed)
    return raw_mutation(data, size, seed, words) if new is None else new


def cross(data, other, size, seed):
    new = harness.crossover(data, other, size, seed)
    return raw_crossover(data, other, size, seed) if new is None else new


with harness.opens(Target("$driver", in_process=True)) as one_input:
    hooks = {"custom_mutator": mutate} if harness.mutator else {}
    if harness.crossover:
        hooks["custom_crossover"] = cross
    atheris.Setup(sys.argv, one_input, **hooks)
    atheris.Fuzz()
PROGRAM
    compile_python_fuzzer "$SRC/fuzz_$harness.py"
    python3 - "$OUT" <<DICTIONARY
import sys
from pathlib import Path

from nnvet.fuzz.corpus_files import dictionary_file
from nnvet.fuzz.harness import HARNESSES

folder = Path(sys.argv[1])
if file := dictionary_file(HARNESSES["$harness"], folder):
    file.rename(folder / "fuzz_$harness.dict")
DICTIONARY
    if [ -d "fuzz/corpora/$harness" ]; then
        zip -q -j -r "$OUT/fuzz_${harness}_seed_corpus.zip" "fuzz/corpora/$harness"
    fi
done
