"""Local Spark and Ray clusters with two workers each."""

import os
import pathlib
import secrets
import sys

import pytest

# Helpers shared with the tests of the bindings.
sys.path.append(str(pathlib.Path(__file__).parents[1] / "tests"))
# Workers must run the same Python.
os.environ.update(PYSPARK_PYTHON=sys.executable, SPARK_LOCAL_IP="127.0.0.1")
# Turn off telemetry.
os.environ.update(RAY_USAGE_STATS_ENABLED="0", HAYSTACK_TELEMETRY_ENABLED="False", DO_NOT_TRACK="1")
os.environ.update(ANONYMIZED_TELEMETRY="False")
# Ray reads this on import. Without a token it would generate one, and store it in the home directory.
os.environ.update(RAY_AUTH_MODE="token", RAY_AUTH_TOKEN=secrets.token_hex(32))


@pytest.fixture(scope="session")
def spark():
    from pyspark.sql import SparkSession

    session = (
        SparkSession.builder.master("local-cluster[2,1,1024]")
        .config("spark.ui.enabled", "false")
        .config("spark.sql.shuffle.partitions", "8")
        .getOrCreate()
    )
    yield session
    session.stop()


@pytest.fixture(scope="session")
def ray_cluster():
    """Start a cluster of two nodes with one core each, and return its address."""
    from ray.cluster_utils import Cluster

    cluster = Cluster()
    for _ in range(2):
        cluster.add_node(num_cpus=1, object_store_memory=200 * 1024 * 1024)
    cluster.wait_for_nodes()
    yield cluster.address
    cluster.shutdown()


def pytest_terminal_summary(terminalreporter):
    from scale import REPORT

    for line in REPORT:
        terminalreporter.write_line(line)
