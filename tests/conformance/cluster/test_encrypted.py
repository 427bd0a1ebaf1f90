"""Clusters that ask for certificates, by dask's own configuration; and those of this machine, which always do."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest
from distributed import Client, Security

from nnvet.conformance.cluster.connect import open_cluster
from tests.conformance.cluster.conftest import Cluster

_PREFIX = "DASK_DISTRIBUTED__COMM__"


@pytest.fixture
def certificates(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """One certificate for scheduler, workers and clients, which is its own authority, as the page says."""
    made = Security.temporary()
    for name, text in (("key", made.tls_client_key), ("cert", made.tls_client_cert)):
        (tmp_path / f"{name}.pem").write_text(str(text))
    monkeypatch.setenv(f"{_PREFIX}DEFAULT_SCHEME", "tls")
    monkeypatch.setenv(f"{_PREFIX}REQUIRE_ENCRYPTION", "True")
    monkeypatch.setenv(f"{_PREFIX}TLS__CA_FILE", str(tmp_path / "cert.pem"))
    for role in ("SCHEDULER", "WORKER", "CLIENT"):
        monkeypatch.setenv(f"{_PREFIX}TLS__{role}__CERT", str(tmp_path / "cert.pem"))
        monkeypatch.setenv(f"{_PREFIX}TLS__{role}__KEY", str(tmp_path / "key.pem"))


def ended(cluster: Cluster, environment: dict[str, str]) -> tuple[int, str]:
    """Exit code and output of a run on the cluster, by a process with these variables: dask reads them as it begins."""
    command = [sys.executable, "-m", "nnvet.commands", "run", "-d", "reference", "--only", "BasicTest/*"]
    done = subprocess.run(
        [*command, "--cluster", cluster.address, "--out", str(cluster.folder / "out")],
        check=False,
        capture_output=True,
        text=True,
        env=environment,
    )
    return done.returncode, done.stdout + done.stderr


@pytest.mark.long
def test_a_cluster_that_asks_for_certificates(certificates: None, cluster: Cluster) -> None:
    """Whoever has one runs there; whoever has none gets a message, and one of another authority is refused."""
    assert cluster.address.startswith("tls://")
    cluster.add_worker("first")
    code, said = ended(cluster, dict(os.environ))
    assert (code, "8 cases judged" in said) == (0, True), said
    bare = {name: value for name, value in os.environ.items() if not name.startswith(_PREFIX)}
    code, said = ended(cluster, bare)
    assert (code, "no certificate for clients" in said) == (2, True), said
    assert "Traceback" not in said
    other = Security.temporary()
    for name, text in (("other-key", other.tls_client_key), ("other-cert", other.tls_client_cert)):
        (cluster.folder / f"{name}.pem").write_text(str(text))
    stranger = {
        **os.environ,
        f"{_PREFIX}TLS__CLIENT__CERT": str(cluster.folder / "other-cert.pem"),
        f"{_PREFIX}TLS__CLIENT__KEY": str(cluster.folder / "other-key.pem"),
    }
    code, said = ended(cluster, stranger)
    assert (code, "Traceback" in said) == (2, False), said


def test_workers_of_this_machine_let_nobody_in() -> None:
    """Another user who finds the port cannot connect without the certificate, which is in no file."""
    with open_cluster("local:1") as fleet:
        address = fleet.client.scheduler.address
        assert address.startswith("tls://127.0.0.1:")
        for known in (address.replace("tls", "tcp"), address):
            security = Security() if known.startswith("tcp") else Security.temporary()
            with pytest.raises(OSError):  # noqa: PT011 - dask's words differ with what goes wrong first
                Client(known, security=security, timeout=5, set_as_default=False)
