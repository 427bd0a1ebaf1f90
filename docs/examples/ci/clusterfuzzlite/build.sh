#!/bin/bash -eu
# One program for each harness, with its corpus. DRIVER is the selector of the driver that is fuzzed.
driver=${DRIVER:-reference}
python3 -m pip install '.[fuzz]'
for harness in $(python3 -c 'from nnvet.fuzz.registry import HARNESSES; print(*HARNESSES)'); do
    cat >"$SRC/fuzz_$harness.py" <<PROGRAM
import sys

import atheris

with atheris.instrument_imports(include=["nnvet"]):
    from nnvet.fuzz.registry import HARNESSES
    from nnvet.fuzz.target import DriverChoice

harness = HARNESSES["$harness"]
with harness.opens(DriverChoice("$driver")) as one_input:
    hooks = {}
    if harness.mutator:
        hooks["custom_mutator"] = lambda data, size, seed: harness.mutator(data, size, seed) or atheris.Mutate(data, size)
    atheris.Setup(sys.argv, one_input, **hooks)
    atheris.Fuzz()
PROGRAM
    compile_python_fuzzer "$SRC/fuzz_$harness.py"
    if [ -d "fuzz/corpora/$harness" ]; then
        zip -q -j -r "$OUT/fuzz_${harness}_seed_corpus.zip" "fuzz/corpora/$harness"
    fi
done
