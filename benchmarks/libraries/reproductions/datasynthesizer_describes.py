"""DataDescriber: what a description of one column says that has no noise, or too little."""

from io import StringIO

from DataSynthesizer.DataDescriber import DataDescriber


def described(values, ranges, **seed):
    lines = "\n".join(f"{value},{number}" for number, value in enumerate(values))
    describer = DataDescriber(histogram_bins=4)
    describer.describe_dataset_in_independent_attribute_mode(
        StringIO(f"x,key\n{lines}\n"),
        epsilon=1.0,
        attribute_to_datatype={"x": "Float", "key": "Integer"},
        attribute_to_is_categorical={"x": False, "key": False},
        attribute_to_is_candidate_key={"x": False, "key": True},
        numerical_attribute_ranges={"key": [0, 10], **ranges},
        **seed,
    )
    return describer.data_description["attribute_description"]["x"]


given, ones = {"x": [0, 10]}, [1.0] * 10
first = [described(ones, given)["distribution_probabilities"] for _ in range(2)]
print(f"two descriptions with the default seed are equal: {first[0] == first[1]}")
for value in (1.0, 9.0):
    wins = 0
    for seed in range(300):
        shares = described([value, *[""] * 9], given, seed=seed)["distribution_probabilities"]
        wins += shares[0] > shares[3]
    print(f"nine values missing, one is {value:g}: the first bin is larger in {wins} of 300 runs")
rates = [described([*ones[:9], last], given, seed=1)["missing_rate"] for last in (1.0, "")]
print(f"missing rates, none or one missing: {rates}")
ends = [described([*ones[:9], last], {}, seed=1)["max"] for last in (2.0, 1000.0)]
print(f"largest values, 2 or 1000: {ends}")
