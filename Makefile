# Every target works as the only command typed on a fresh clone: it makes .venv and installs what it needs.
PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin
STAMP := $(VENV)/.installed

.PHONY: run test test-fast test-all slurm wheel zoo-accuracy fuzz-smoke agent-fuzz fuzz-corpora fuzz-bugs first-drivers scoreboard capabilities attack soak lint types docs specs coverage mutants oracle-study second-opinion levels random-zoo rule-counts clean

$(STAMP): pyproject.toml
	$(PYTHON) -m venv $(VENV)
	$(BIN)/python -m pip install --quiet --disable-pip-version-check --editable '.[cluster,dev,docs,fast,fuzz,litert,models,ndk,onnx,torch]'
	touch $(STAMP)

run: $(STAMP)
	$(BIN)/nnvet run -d reference --jobs 2 --bench --out out

# Tests start hundreds of commands: without compiled modules each would compile 700 of them again.
test test-fast test-all: export PYTHONDONTWRITEBYTECODE :=

# Three processes on two cores: a third of the time of the tests is waiting, for drivers that hang, sleep or start.
# Each takes neighbours, so that what a module builds for its tests is built once, and work of others when it has none.
PYTEST := $(BIN)/python -m pytest -n 3 --dist worksteal

# Every behaviour once. What takes long, such as attacks, clusters and the rarer bugs, is in test-all.
test: $(STAMP)
	$(PYTEST) -m "not long"

# For other machines: dist/nnvet-*.whl.
wheel: $(STAMP)
	$(BIN)/python -m pip wheel --quiet --disable-pip-version-check --no-deps --wheel-dir dist .

# Contract, kernels, generators, oracle and reports: what starts hardly any process.
FAST := diagnostics driver driver_kit formats generators graphs hal kernels models oracle reports tools training
test-fast: $(STAMP)
	$(PYTEST) -m "not long" $(FAST:%=tests/%)

test-all: $(STAMP)
	$(PYTEST)

# The example of docs/campaigns.md on a Slurm of one machine; as root, with slurmctld, slurmd, slurm-client and munge installed.
slurm: $(STAMP)
	$(BIN)/python -m pytest tests/conformance/cluster/test_slurm.py -rs

# Every harness for a few seconds, a minute in all; fails if something is found, or nothing is instrumented.
fuzz-smoke: $(STAMP)
	$(BIN)/nnvet fuzz -d reference --minutes 1 --jobs 2 --corpus out/fuzz/corpus --out out/fuzz

# The seconds in which each planted bug of fuzzing is found, at most five minutes each.
fuzz-bugs: $(STAMP)
	$(BIN)/python benchmarks/fuzz_bugs.py --minutes 5

# The parser of nnvet-agent, by libFuzzer for 20 minutes; needs clang++.
agent-fuzz:
	mkdir -p out/agent-fuzz/corpus
	clang++ -std=c++17 -g -O1 -fsanitize=address,undefined -fno-sanitize-recover=undefined -pthread \
		-o out/agent-fuzz/mutate agent/fuzz/*.cpp $(filter-out %/main.cpp %/process.cpp,$(wildcard agent/*.cpp))
	out/agent-fuzz/mutate $(CURDIR)/out/agent-fuzz/corpus/conversation
	clang++ -std=c++17 -g -O1 -fsanitize=fuzzer,address,undefined -fno-sanitize-recover=undefined -pthread \
		-o out/agent-fuzz/fuzzer $(filter-out %/mutate.cpp,$(wildcard agent/fuzz/*.cpp)) \
		$(filter-out %/main.cpp %/process.cpp,$(wildcard agent/*.cpp))
	out/agent-fuzz/fuzzer -max_total_time=1200 -max_len=16384 -len_control=0 -close_fd_mask=3 -artifact_prefix=out/agent-fuzz/ out/agent-fuzz/corpus

# Chooses the inputs of fuzz/corpora anew.
fuzz-corpora: $(STAMP)
	$(BIN)/python -m nnvet.fuzz.corpus_files

# The whole usual run of the documentation's driver, an empty and a new one: what authors begin with has no failure.
first-drivers: $(STAMP)
	$(BIN)/nnvet run -d python:docs/examples/minimal_driver.py:AddDevice -n 2 --out out/minimal
	$(BIN)/nnvet run -d python:nnvet.driver_kit.base_device:BaseDevice -n 2 --out out/empty
	rm -rf out/my-npu && $(BIN)/nnvet new-driver my-npu --in out
	$(BIN)/nnvet run -d python:out/my-npu/my_npu.py:MyNpu -n 2 --out out/my-npu/out
	rm -rf out/my-service && $(BIN)/nnvet new-driver my-service --kind cpp --in out
	cd out/my-service && cmake --preset plain && cmake --build --preset plain
	$(BIN)/nnvet run -d exec:out/my-service/build/plain/service -n 2 --out out/my-service/out

# Nine runtimes and back ends side by side, with latency, of those that the machine has; what is missing is named:
# out/scoreboard/index.html can be published. A run of hours: `make scoreboard RUN="--suite Accuracy"` is a part of it.
scoreboard: $(STAMP)
	-$(BIN)/python -m tools.scoreboard -n 2 $(RUN)

# Measures what the bundled driver answers to getCapabilities; on a machine that does nothing else.
capabilities: $(STAMP)
	$(BIN)/nnvet capabilities -d reference --seconds 3 --out reference_driver/performance.json

# Labels of the bundled classifiers on all pictures: the bundled driver's and LiteRT's, with those that differ.
zoo-accuracy: $(STAMP)
	$(BIN)/python -m tests.models.zoo_accuracy

# Every main command at its default size on the bundled driver, then the first drivers, about an hour in all: each must end
# without a fault. `make -k verify` goes on after a failure. Run it before an issue is called resolved, on a machine that does nothing else.
VERIFY := run random stress fuzz bench smoke campaign first-drivers
.PHONY: verify $(VERIFY:%=verify-%)
verify: $(VERIFY:%=verify-%)

verify-run: $(STAMP)
	$(BIN)/nnvet run -d reference -n 2 --out out/verify/run

verify-random: $(STAMP)
	$(BIN)/nnvet random -d reference --count 2000 --seed $$(date +%s) --out out/verify/random

verify-stress: $(STAMP)
	$(BIN)/nnvet stress -d reference --out out/verify/stress

verify-fuzz: $(STAMP)
	$(BIN)/nnvet fuzz -d reference --jobs 2 --corpus out/verify/corpus --out out/verify/fuzz

verify-bench: $(STAMP)
	$(BIN)/nnvet bench -d reference --out out/verify/bench

verify-smoke: $(STAMP)
	$(BIN)/nnvet smoke -d reference

verify-campaign: $(STAMP)
	$(BIN)/nnvet campaign docs/examples/campaigns/two_workers.toml

verify-first-drivers: first-drivers

# The long form of tests/attack: the suite under attack, with figures for docs/reliability.md.
attack: $(STAMP)
	$(BIN)/python -m tests.attack

# Usual runs, random models, fuzzing and stress in turn for MINUTES, with slopes of what runner and services take.
MINUTES ?= 120
soak: $(STAMP)
	$(BIN)/python -m tools.soak --minutes $(MINUTES)

lint: $(STAMP)
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/lint-imports

types: $(STAMP)
	$(BIN)/mypy

# Generated pages first, then the site, out/site/index.html; it is there to be opened as a file, or served.
docs: $(STAMP)
	$(BIN)/python -m docs.generate
	NO_MKDOCS_2_WARNING=1 $(BIN)/python -m mkdocs build --strict

# Writes the generated part of the spec corpus, from the meaning of the operations.
specs: $(STAMP)
	$(BIN)/python -m nnvet.generators.corpus

# Counts again how many spec cases break each rule on purpose; `nnvet rules` shows the counts.
rule-counts: $(STAMP)
	$(BIN)/python -m nnvet.conformance.rule_counts

clean:
	rm -rf $(VENV) out build *.egg-info

# Coverage of kernels and declarations by the spec corpus alone, without unit tests.
coverage: $(STAMP)
	$(BIN)/coverage run --branch --source=nnvet.reference_driver.kernels,nnvet.hal.operations -m nnvet.commands run -d reference \
		--in-process --full --only '*/sync/*' --only 'InfiniteLoopTimeoutTest/*' --out out/coverage
	$(BIN)/coverage report --fail-under=95 --sort=miss --show-missing

# Honest drivers that no bound may blame, planted errors that it has to find; tables of docs/oracle.md. Goes on where it was.
oracle-study: $(STAMP)
	$(BIN)/python -m tools.oracle_study --page

# The oracle beside the reference model of TOSA, in an environment of its own: that wants other versions of NumPy and flatbuffers.
second-opinion:
	$(PYTHON) -m venv out/second-opinion
	out/second-opinion/bin/python -m pip install --quiet --disable-pip-version-check --editable '.[tosa]' pytest-timeout
	out/second-opinion/bin/python -m pytest -rs tests/tools/test_second_opinion.py

# Wrong kernels and declarations against the specs; the tables of docs/power.md. What was tried before is known.
mutants: $(STAMP)
	$(BIN)/python -m tools.mutants --part kernels --page
	$(BIN)/python -m tools.mutants --part declarations --page

# The corpus on the bundled driver of every feature level: models that need more are refused, all others right.
levels: $(STAMP)
	for level in 1 2 3 4 5 6 7; do $(BIN)/nnvet run -d reference:level_$$level --jobs 2 --full --only 'TestCompliance/*' \
		--only 'GeneratedTest/sync/*' --out out/level_$$level || exit 1; done

# Every wrong driver with a numeric fault against a campaign of random models: models, seconds, operations that are left.
random-zoo: $(STAMP)
	$(BIN)/python -m tests.zoo.campaigns
