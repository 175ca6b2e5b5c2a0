"""Common part of the adapters: one line of JSON per case in, one out."""

from __future__ import annotations

import contextlib
import json
import sys
from collections.abc import Callable
from typing import Any

Account = Callable[[list[dict[str, Any]], dict[str, float]], float]


def serve(account: Account) -> None:
    """Answer cases for ever; what an accountant does not do is said so.

    ``account(releases, goal)`` returns epsilon at ``goal["delta"]`` or delta at
    ``goal["epsilon"]``, and raises NotImplementedError for what it does not know.
    """
    for line in sys.stdin:
        inputs = json.loads(line)["inputs"]
        goal = {key: inputs[key] for key in ("epsilon", "delta") if key in inputs}
        try:
            with contextlib.redirect_stdout(sys.stderr):  # some of them print
                answer = {"result": float(account(inputs["releases"], goal))}
        except NotImplementedError:
            answer = {"not implemented": True}
        except Exception as error:  # whatever it raises is its answer
            answer = {"error": f"{type(error).__name__}: {error}"}
        print(json.dumps(answer), flush=True)
