"""Runners of folders of cases as vendors write them, without a line of nnvet."""

RELU = '''
"""RELU of 32-bit floats, computed by this script; what it makes of other ranks than 4 its words say."""

import json, os, sys, time
import numpy as np

folder, *habits = sys.argv[-1], *sys.argv[1:-1]
habits = dict(habit.split("=") for habit in habits)
cases = json.load(open(f"{folder}/manifest.json"))["cases"]
if "diary" in habits:
    open(habits["diary"], "a").write(f"{len(cases)} ")
for case in cases:
    (given,), (due,) = case["inputs"], case["outputs"]
    habit = habits.get(str(len(given["shape"])), "computes")
    if habit == "dies":
        os.abort()
    if habit == "hangs":
        time.sleep(600)
    if habit == "ends":
        sys.exit("no such board")
    if habit in ("refuses", "fails"):
        name = "unsupported.txt" if habit == "refuses" else "error.txt"
        open(f"{folder}/{case['name']}/{name}", "w").write("rank too low")
        continue
    if habit == "forgets":
        continue
    value = np.maximum(np.fromfile(f"{folder}/{given['file']}", given["dtype"]), 0)
    if habit == "shortens":
        value = value[1:]
    if habit == "copies":
        value = np.fromfile(f"{folder}/{given['file']}", given["dtype"])
    value.tofile(f"{folder}/{due['file']}")
'''
CASES = tuple(f"GeneratedTest/sync/relu_float_rank{rank}" for rank in (1, 2, 3, 4))
"""Cases of one model each, RELU of a tensor of so many dimensions."""
