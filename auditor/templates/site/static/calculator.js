// The calculators on the pages of algorithms: the port's constants, from numbers that are typed in.

// The numbers in the inputs of a case, each with its path: {loss: {bound: 1}} has loss.bound.
const numbersIn = (value, path = []) => {
  if (typeof value === "number") return [{ path, value }];
  if (value === null || typeof value !== "object" || Array.isArray(value)) return [];
  return Object.entries(value).flatMap(([key, item]) => numbersIn(item, [...path, key]));
};

// The inputs with another number at a path.
const replaced = (inputs, [key, ...rest], number) => ({
  ...inputs,
  [key]: rest.length === 0 ? number : replaced(inputs[key], rest, number),
});

// What the port computes from the inputs of a case; null where it has nothing to say.
const computed = (constants, algorithm, inputs, decoded) => {
  if (!(algorithm in constants)) return null;
  try {
    return constants[algorithm](decoded(inputs));
  } catch {
    return null;
  }
};

const shown = (value) => {
  if (typeof value !== "number") return JSON.stringify(value);
  if (!Number.isFinite(value)) return "none: a number is out of its range";
  return Number.isInteger(value) ? String(value) : String(Number(value.toPrecision(6)));
};

const withSymbol = (name, document) => {
  const symbol = document.querySelector(`.symbols [data-name="${CSS.escape(name)}"] math`);
  const label = document.createElement("span");
  if (symbol !== null) label.append(symbol.cloneNode(true), " ");
  const code = document.createElement("code");
  code.textContent = name;
  label.append(code);
  return label;
};

const setUp = (form, constants, decoded, document) => {
  let inputs = JSON.parse(form.dataset.inputs);
  const { algorithm } = form.dataset;
  const results = form.querySelector("output");
  const update = () => {
    const found = computed(constants, algorithm, inputs, decoded);
    results.replaceChildren();
    for (const [name, value] of Object.entries(found ?? {})) {
      const line = document.createElement("div");
      const number = document.createElement("b");
      number.textContent = shown(value);
      line.append(withSymbol(name, document), " = ", number);
      results.append(line);
    }
    if (found === null) results.textContent = "Nothing is computed for these numbers.";
    return found !== null;
  };
  if (!update()) return;
  for (const { path, value } of numbersIn(inputs)) {
    const label = document.createElement("label");
    const field = document.createElement("input");
    Object.assign(field, { type: "number", step: "any", value, name: path.join(".") });
    field.addEventListener("input", () => {
      if (field.value === "") return;
      inputs = replaced(inputs, path, Number(field.value));
      update();
    });
    label.append(withSymbol(path.join("."), document), field);
    results.before(label);
  }
  form.addEventListener("submit", (event) => event.preventDefault());
  form.hidden = false;
};

if (typeof document !== "undefined") {
  for (const form of document.querySelectorAll("form.calculator")) {
    setUp(form, globalThis.touchstoneConstants, globalThis.touchstoneDecoded, document);
  }
}
if (typeof module !== "undefined") module.exports = { numbersIn, replaced, computed };
