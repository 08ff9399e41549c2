// Numbers as the tables write them: written.py writes them alike.

function plain(value, digits) {
  const size = Math.abs(value);
  if (size && !(size >= 1e-5 && size < 1e9)) return value.toExponential(2);
  const rounded = Number(value.toPrecision(digits));
  return (rounded || 0).toLocaleString("en-US", { maximumFractionDigits: 10 });
}

const score = (value) => plain(value, 4);
const share = (value) => plain(100 * value, 3) + "%";
const amount = (value) => (Number.isInteger(value) ? value.toLocaleString("en-US") : plain(value, 4));
