"""The line protocol between the benchmark and a peer's environment."""

from __future__ import annotations

import sys
from pathlib import Path

import numpy as np
import pytest

from benchmarks.peers import peers
from benchmarks.peers.peers import PEERS, Adapter, Peer, PeerError, PeerMethod

ADAPTER = """
import sys
sys.path.insert(0, {protocol!r})
from protocol import serve

def mean(request):
    print("a peer that prints")
    one, two = request.certifying
    return one.mean() - two.mean() + request.delta + request.seed

def fails(request):
    raise KeyError("no such thing")

def ends(request):
    raise SystemExit

def hangs(request):
    import time
    time.sleep(60)

serve({{"mean": mean, "fails": fails, "ends": ends, "hangs": hangs}})
"""


@pytest.fixture
def ask(tmp_path, monkeypatch):
    protocol = str(Path(peers.__file__).parent / "adapters")
    (tmp_path / "adapters").mkdir()
    (tmp_path / "adapters" / "made_up_adapter.py").write_text(ADAPTER.format(protocol=protocol))
    monkeypatch.setattr(peers, "HERE", tmp_path)
    scores = tmp_path / "scores.npz"
    np.savez(scores, first=np.array([100.0, 5.0, 7.0]), second=np.array([0.0, 1.0, 1.0]))
    adapter = Adapter(Peer("made-up", (PeerMethod("mean"),)), Path(sys.executable), timeout=5)

    def asked(*methods):
        return adapter.ask(scores, methods, held=1, delta=0.5, alpha=0.05, seed=10)

    yield asked
    adapter.close()


def test_held_runs_do_not_certify_and_printing_does_no_harm(ask):
    for _ in range(2):
        answer = ask("mean")["mean"]
        assert answer["epsilon"] == 5.0 + 0.5 + 10
        assert answer["seconds"] >= 0


def test_a_method_that_fails_is_reported_and_the_others_answer(ask):
    answers = ask("fails", "mean")
    assert answers["fails"] == {"error": "KeyError: 'no such thing'"}
    assert answers["mean"]["epsilon"] == 15.5


@pytest.mark.parametrize(("method", "message"), [("ends", "ended"), ("hangs", "over 5 seconds")])
def test_an_adapter_that_ends_or_hangs_is_a_clear_error(ask, method, message):
    with pytest.raises(PeerError, match=message):
        ask(method)


def test_every_peer_has_an_adapter_and_pinned_requirements():
    for peer in PEERS:
        assert peer.adapter.exists()
        lines = [
            line for line in peer.requirements.read_text().splitlines() if not line.startswith("#")
        ]
        assert all("==" in line for line in lines)
        assert any(line.startswith(peer.package.replace("-", "_")) for line in lines) or any(
            line.startswith(peer.package) for line in lines
        )
