"""An object store of this machine that speaks S3, for the time of some tests."""

from __future__ import annotations

import logging
from collections.abc import Iterator
from contextlib import contextmanager

BUCKET = "lake"


@contextmanager
def serving() -> Iterator[dict[str, str]]:
    """Yield the environment that leads to an object store with one empty bucket."""
    from moto.server import ThreadedMotoServer
    from pyarrow import fs

    logging.getLogger("werkzeug").setLevel(logging.ERROR)
    server = ThreadedMotoServer(ip_address="127.0.0.1", port=0, verbose=False)
    server.start()
    host, port = server.get_host_and_port()
    environment = {
        "AWS_ENDPOINT_URL": f"http://{host}:{port}",
        "AWS_REGION": "us-east-1",
        "AWS_ACCESS_KEY_ID": "nobody",
        "AWS_SECRET_ACCESS_KEY": "nothing",
        "AWS_EC2_METADATA_DISABLED": "true",
    }
    try:
        maker = fs.S3FileSystem(
            region="us-east-1",
            endpoint_override=environment["AWS_ENDPOINT_URL"],
            access_key="nobody",
            secret_key="nothing",
            allow_bucket_creation=True,
        )
        maker.create_dir(BUCKET)
        maker.delete_dir_contents(BUCKET)  # one process has one set of objects, whatever its servers
        yield environment
    finally:
        server.stop()
