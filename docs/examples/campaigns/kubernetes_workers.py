"""Workers as pods: ``python kubernetes_workers.py`` prints the address for ``--cluster`` and lasts until Ctrl-C.

Needs dask-kubernetes and its operator in the Kubernetes cluster. The image has nnvet[cluster] and the driver in it.
"""

import signal
import sys

from dask_kubernetes.operator import KubeCluster

with KubeCluster(
    name="nnvet",
    image="registry.example.com/npu-driver-tests:latest",
    n_workers=8,
    resources={"limits": {"example.com/npu": "1", "memory": "8Gi"}},
    worker_command=["dask-worker", "--nthreads", "1", "--resources", "accelerator=1"],
) as cluster:
    sys.stdout.write(f"{cluster.scheduler_address}\n")
    sys.stdout.flush()
    signal.pause()
