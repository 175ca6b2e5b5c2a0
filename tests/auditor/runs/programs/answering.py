"""A program that speaks the protocol and misbehaves as its arguments say.

    answering.py MODE [SHARE]

``SHARE`` of the runs on the second data set (the one whose first record is 1) misbehave.
"""

import json
import os
import random
import signal
import sys
import time

MODE = sys.argv[1] if len(sys.argv) > 1 else "well"
SHARE = float(sys.argv[2]) if len(sys.argv) > 2 else 1.0
SIDES = sys.argv[3] if len(sys.argv) > 3 else "second"
STATE = random.Random(7)


def misbehave() -> None:
    if MODE == "crash":
        print("about to crash", file=sys.stderr, flush=True)
        os._exit(3)
    if MODE == "segfault":
        os.kill(os.getpid(), signal.SIGSEGV)
    if MODE == "hang":
        time.sleep(1000)
    if MODE == "leave":
        sys.exit(0)


def output(data, rng):
    affected = SIDES == "both" or (data and data[0] == 1)
    if affected and rng.random() < SHARE:
        if MODE == "error":
            raise ValueError("no such record")
        misbehave()
    if MODE == "slow":
        time.sleep(0.2)
    if MODE == "constant":
        return 5
    if MODE == "wide":
        return [rng.random() for _ in range(1000)]
    return sum(data) + rng.gauss(0, 1)


def source(seed):
    if MODE == "unseeded":
        return random.Random()
    if MODE == "fixed":
        return STATE
    if MODE == "repeats":
        return random.Random(1)
    return random.Random(seed)


for line in sys.stdin:
    request = json.loads(line)
    data, size = request["data"], request["size"]
    if MODE == "echo":
        print(json.dumps({"outputs": [data] * size}), flush=True)
        continue
    if MODE == "strange":
        values = [None, "NaN", "Infinity", "-Infinity", "word", True, [1], {"a": "NaN"}]
        print(json.dumps({"outputs": (values * size)[:size]}), flush=True)
        continue
    if MODE == "garbage":
        print("Hello, world", flush=True)
        continue
    if MODE == "long":
        print("x" * (2**26 + 1), flush=True)
        continue
    if MODE == "chatty":
        print(json.dumps({"outputs": [0] * size}) + "\nthat was it", flush=True)
        continue
    if MODE == "noisy":
        print("e" * 200_000, file=sys.stderr, flush=True)
    rng = source(request["seed"])
    try:
        outputs = [output(data, rng) for _ in range(size)]
    except ValueError as error:
        print(json.dumps({"error": str(error)}), flush=True)
        continue
    if MODE == "short":
        outputs.pop()
    print(json.dumps({"outputs": outputs}), flush=True)
    if MODE == "once":
        break
