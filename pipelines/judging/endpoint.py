"""An OpenAI-compatible endpoint, and what its answers mean.

The key comes from the environment and goes into requests only: whatever an endpoint sends back
is cleared of it before it is stored or shown.
"""

from __future__ import annotations

import json
import math
import os
import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final, NamedTuple

from grade.errors import InputError, SettingsError
from grade.judging.replies import reply_schema

Messages = Sequence[Mapping[str, str]]

_FATAL: Final = frozenset({401, 402, 403, 404})
_REFUSED: Final = frozenset({400, 413, 415, 422})
_QUOTA: Final = "insufficient_quota"
_MOST_TOKENS: Final = 2**40
_SHOWN: Final = 300
_NO_KEY: Final = "no-key"


class EndpointError(Exception):
    """A call that brought no answer; told in words that may be shown."""


class BusyError(EndpointError):
    """Try again: too many requests, a failing server, a lost connection.

    Args:
        text: What happened.
        wait_s: How long the endpoint wants to be left alone; None when it does not say.
    """

    def __init__(self, text: str, wait_s: float | None = None) -> None:
        super().__init__(text)
        self.wait_s = wait_s


class RefusedError(EndpointError):
    """This request will never be taken, others may be."""


class FatalError(EndpointError):
    """No request will be taken: wrong key, no such model, no money left."""


class Answer(NamedTuple):
    """What one call brought.

    Attributes:
        text: The reply; empty when there is none.
        finish_reason: Why it ended.
        served_model: The model that the endpoint names.
        prompt_tokens: Null when not told.
        completion_tokens: Null when not told.
        cost_usd: What the endpoint says it cost; null when it does not.
        latency_ms: How long the call took; null for a batch.
    """

    text: str
    finish_reason: str | None
    served_model: str | None
    prompt_tokens: int | None
    completion_tokens: int | None
    cost_usd: float | None
    latency_ms: float | None


@dataclass(frozen=True, slots=True, kw_only=True)
class EndpointSettings:
    """How an endpoint is reached.

    Attributes:
        base_url: Its address; None is the library's own default.
        key_variable: The environment variable with the key.
        timeout_s: How long one call may take.
    """

    base_url: str | None = None
    key_variable: str = "OPENAI_API_KEY"
    timeout_s: float = 120.0


class Endpoint:
    """An endpoint that is asked with the `openai` library.

    Args:
        settings: How to reach it.

    Raises:
        InputError: The library is not installed, or the address is none.
        SettingsError: There is no key for a hosted endpoint.
    """

    def __init__(self, settings: EndpointSettings) -> None:
        try:
            import openai
        except ImportError as fault:
            raise InputError(
                "asking a judge needs the openai library",
                got=str(fault),
                hint="install grade with its extra: pip install 'grade[judge]'",
            ) from fault
        self._openai = openai
        self._key = _read_key(settings)
        self._client = openai.OpenAI(
            api_key=self._key, base_url=settings.base_url, max_retries=0, timeout=settings.timeout_s
        )

    def ask(self, model: str, messages: Messages, extra: Mapping[str, Any]) -> Answer:
        """Put one request.

        Args:
            model: The model.
            messages: The conversation.
            extra: Everything else in the request's body.

        Raises:
            BusyError, RefusedError, FatalError: There is no answer.
        """
        started = time.monotonic()
        try:
            raw = self._client.chat.completions.with_raw_response.create(
                model=model,
                messages=list(messages),  # type: ignore[arg-type]
                extra_body=dict(extra),
            )
            text = raw.http_response.text
        except self._openai.APIStatusError as fault:
            raise _status_error(fault.status_code, self._clear(str(fault)), fault.response.headers) from None
        except self._openai.OpenAIError as fault:
            raise BusyError(self._clear(f"{type(fault).__name__}: {fault}")) from None
        latency_ms = (time.monotonic() - started) * 1000
        return read_body(_load(self._clear(text)), latency_ms=latency_ms)

    def _clear(self, text: str) -> str:
        """Take the key out of what the endpoint sent back."""
        return text if self._key == _NO_KEY else text.replace(self._key, "[key]")


def request_body(
    model: str, messages: Messages, parameters: Mapping[str, Any], *, is_claim: bool, with_schema: bool
) -> dict[str, Any]:
    """Return the body of a chat completion request."""
    body: dict[str, Any] = {"model": model, "messages": list(messages)}
    return body | extra_body(parameters, is_claim=is_claim, with_schema=with_schema)


def extra_body(parameters: Mapping[str, Any], *, is_claim: bool, with_schema: bool) -> dict[str, Any]:
    """Return what a request holds beside model and messages: parameters, and the reply's schema."""
    if not with_schema:
        return dict(parameters)
    schema = {"name": "verdict", "strict": True, "schema": reply_schema(is_claim=is_claim)}
    return {**parameters, "response_format": {"type": "json_schema", "json_schema": schema}}


def read_body(body: object, *, latency_ms: float | None = None) -> Answer:
    """Read the body of a chat completion, trusting none of it.

    Raises:
        BusyError: It is no chat completion.
    """
    choices = body.get("choices") if isinstance(body, dict) else None
    first = choices[0] if isinstance(choices, list) and choices else None
    if not isinstance(body, dict) or not isinstance(first, dict):
        raise BusyError("the endpoint sent something that is no chat completion")
    message, usage = first.get("message"), body.get("usage")
    content = message.get("content") if isinstance(message, dict) else None
    used = usage if isinstance(usage, dict) else {}
    return Answer(
        content if isinstance(content, str) else "",
        _text(first.get("finish_reason")),
        _text(body.get("model")),
        _tokens(used.get("prompt_tokens")),
        _tokens(used.get("completion_tokens")),
        _cost(used.get("cost")),
        latency_ms,
    )


def _read_key(settings: EndpointSettings) -> str:
    key = os.environ.get(settings.key_variable, "").strip()
    if key:
        return key
    if settings.base_url is None:
        raise SettingsError(
            "there is no key for the endpoint",
            where=f"environment variable {settings.key_variable}",
            hint="set it, or name an endpoint that needs none with --base-url",
        )
    return _NO_KEY


def _status_error(status: int, text: str, headers: Mapping[str, str]) -> EndpointError:
    told = f"status {status}: {text[:_SHOWN]}"
    if status in _FATAL or _QUOTA in text:
        return FatalError(told)
    if status in _REFUSED:
        return RefusedError(told)
    return BusyError(told, _wait(headers.get("retry-after-ms"), 0.001) or _wait(headers.get("retry-after")))


def _wait(value: str | None, scale: float = 1.0) -> float | None:
    try:
        seconds = float(value or "") * scale
    except ValueError:
        return None
    return seconds if math.isfinite(seconds) and seconds >= 0 else None


def _load(text: str) -> object:
    try:
        loaded: object = json.loads(text)
    except (ValueError, RecursionError):
        return None
    return loaded


def _text(value: object) -> str | None:
    return value if isinstance(value, str) and value else None


def _tokens(value: object) -> int | None:
    is_count = isinstance(value, int) and not isinstance(value, bool) and 0 <= value < _MOST_TOKENS
    return value if is_count else None  # type: ignore[return-value]


def _cost(value: object) -> float | None:
    if isinstance(value, bool) or not isinstance(value, int | float):
        return None
    return float(value) if math.isfinite(value) and value >= 0 else None
