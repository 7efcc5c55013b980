"""A local server that plays a judge: it answers truly, slowly, badly or not at all, and remembers."""

from __future__ import annotations

import hashlib
import json
import re
import time
from collections import Counter
from collections.abc import Callable
from contextlib import suppress
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from threading import Lock, Thread
from typing import Self

Reply = dict | str | tuple[int, dict, dict]
Behaviour = Callable[["Request"], Reply]


class Request:
    """One request as the judge sees it."""

    def __init__(self, body: dict, headers: dict, seen: int) -> None:
        self.body, self.headers, self.seen = body, headers, seen
        users = [message["content"] for message in body["messages"] if message["role"] == "user"]
        self.prompt, self.is_repair = users[0], len(users) > 1
        self.is_claim = "The statement:" in self.prompt
        self.has_schema = "response_format" in body
        self.key = hashlib.sha256(self.prompt.encode()).hexdigest()

    @property
    def answer(self) -> str:
        fence = re.search(r"^BEGIN (answer-\w+)$", self.prompt, re.MULTILINE).group(1)
        return self.prompt.split(f"\nBEGIN {fence}\n")[1].split(f"\nEND {fence}\n")[0]

    @property
    def statement(self) -> str:
        return self.prompt.split("The statement:\n\n")[1].split("\n\nDoes the answer")[0]


def verdict(request: Request) -> dict:
    """What an honest judge says: a claim is made when the answer holds half of its longer words."""
    if not request.is_claim:
        told = {"score": "pass", "int_score": 4, "confidence": 0.8, "reasoning": "Files are named."}
        return told | {"quotes": [request.answer.splitlines()[1]]}
    words = {word for word in re.findall(r"\w+", request.statement.lower()) if len(word) > 3}
    held = [word for word in words if word in request.answer.lower()]
    said = "yes" if 2 * len(held) >= len(words) else "no"
    return {"stated": said, "confidence": 0.9, "quotes": [], "reasoning": "Read it."}


def honest(request: Request) -> Reply:
    return completion(json.dumps(verdict(request)))


def completion(
    text: str, *, model: str = "judge-1", finish_reason: str = "stop", usage: object = None
) -> dict:
    used = {"prompt_tokens": 100, "completion_tokens": 20, "total_tokens": 120}
    message = {"role": "assistant", "content": text}
    choice = {"index": 0, "message": message, "finish_reason": finish_reason}
    kind = {"id": "c", "object": "chat.completion", "created": 0}
    return kind | {"model": model, "choices": [choice], "usage": used if usage is None else usage}


def failure(status: int, message: str = "no", **headers: str) -> tuple[int, dict, dict]:
    return status, {"error": {"message": message, "type": "error", "code": None}}, headers


class JudgeServer:
    """The server; `requests` holds what it was asked, `counts` how often each prompt came."""

    def __init__(self, behaviour: Behaviour = honest) -> None:
        self.behaviour = behaviour
        self.requests: list[Request] = []
        self.counts: Counter[str] = Counter()
        self.most_at_once = self._now = 0
        self._lock = Lock()
        self._server = ThreadingHTTPServer(("127.0.0.1", 0), self._handler())
        self._server.daemon_threads = True
        self._thread = Thread(target=self._server.serve_forever, kwargs={"poll_interval": 0.01}, daemon=True)
        self.url = f"http://127.0.0.1:{self._server.server_port}/v1"

    def __enter__(self) -> Self:
        self._thread.start()
        return self

    def __exit__(self, *fault: object) -> None:
        self._server.shutdown()
        self._server.server_close()

    def forget(self) -> None:
        self.requests.clear()
        self.counts.clear()

    def _answer(self, body: dict, headers: dict) -> Reply:
        with self._lock:
            request = Request(body, headers, 0)
            request.seen = self.counts[request.key]
            self.counts[request.key] += 1
            self.requests.append(request)
            self._now += 1
            self.most_at_once = max(self.most_at_once, self._now)
        try:
            return self.behaviour(request)
        finally:
            with self._lock:
                self._now -= 1

    def _handler(self) -> type[BaseHTTPRequestHandler]:
        server = self

        class Handler(BaseHTTPRequestHandler):
            def handle(self) -> None:
                with suppress(ConnectionResetError):  # the client was killed
                    super().handle()

            protocol_version = "HTTP/1.1"

            def do_POST(self) -> None:
                data = self.rfile.read(int(self.headers["content-length"]))
                reply = server._answer(json.loads(data), dict(self.headers))
                status, body, headers = reply if isinstance(reply, tuple) else (200, reply, {})
                raw = body.encode() if isinstance(body, str) else json.dumps(body).encode()
                try:
                    self.send_response(status)
                    self.send_header("content-type", "application/json")
                    self.send_header("content-length", str(len(raw)))
                    for name, value in headers.items():
                        self.send_header(name.replace("_", "-"), value)
                    self.end_headers()
                    self.wfile.write(raw)
                except (BrokenPipeError, ConnectionResetError):
                    self.close_connection = True

            def log_message(self, *_: object) -> None:
                pass

        return Handler


def slowly(seconds: float, then: Behaviour = honest) -> Behaviour:
    def answer(request: Request) -> Reply:
        time.sleep(seconds)
        return then(request)

    return answer
