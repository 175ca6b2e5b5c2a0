"""OpenDP: randomised response of bits keeps the length of the vector."""

import opendp.prelude as dp

dp.enable_features("contrib")
release = dp.m.make_randomized_response_bitvec(
    dp.bitvector_domain(max_weight=1), dp.discrete_distance(), f=0.5
)
print(f"claimed epsilon {release.map(1):.4g} for any two members of the domain")
for data in (b"\x01", b"\x01\x00"):
    print(f"{data}: released lengths { ({len(release(data)) for _ in range(1000)}) } in 1000 runs")
