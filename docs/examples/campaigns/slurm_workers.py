"""Workers as jobs of Slurm: ``python slurm_workers.py`` prints the address for ``--cluster`` and lasts until Ctrl-C.

Needs dask-jobqueue. Each job is one worker with one accelerator, restarted by Slurm when its time is over.
"""

import signal
import sys

from dask_jobqueue import SLURMCluster

with SLURMCluster(
    queue="accelerators",
    cores=2,
    processes=1,
    memory="8GB",
    walltime="04:00:00",
    job_extra_directives=["--gres=npu:1"],
    worker_extra_args=["--nthreads", "1", "--resources", "accelerator=1"],
) as cluster:
    cluster.scale(jobs=8)
    sys.stdout.write(f"{cluster.scheduler_address}\n")
    sys.stdout.flush()
    signal.pause()
