"""Workers as pods: ``python kubernetes_workers.py`` prints the address for ``--cluster`` and lasts until Ctrl-C.

Needs dask-kubernetes and its operator in the Kubernetes cluster. The image has nnvet[cluster] and the driver in it.
"""

import signal
import sys

from dask_kubernetes.operator import KubeCluster, make_cluster_spec

spec = make_cluster_spec(
    name="nnvet",
    image="registry.example.com/npu-driver-tests:latest",
    n_workers=8,
    resources={"limits": {"example.com/npu": "1", "memory": "8Gi"}},
    env=[],
    worker_command=["dask-worker", "--nthreads", "1", "--resources", "accelerator=1"],
)
# The same resources stand at the scheduler, which would take an accelerator away from the workers.
spec["spec"]["scheduler"]["spec"]["containers"][0]["resources"] = {"limits": {"memory": "8Gi"}}

with KubeCluster(custom_cluster_spec=spec) as cluster:
    sys.stdout.write(f"{cluster.scheduler_address}\n")
    sys.stdout.flush()
    signal.pause()
