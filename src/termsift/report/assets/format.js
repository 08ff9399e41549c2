// Formats numbers like formatting.py.

function formatNumber(value, digits) {
  const size = Math.abs(value);
  if (size && !(size >= 1e-5 && size < 1e9)) return value.toExponential(2);
  const rounded = Number(value.toPrecision(digits));
  return (rounded || 0).toLocaleString("en-US", { maximumFractionDigits: 10 });
}

const formatScore = (value) => formatNumber(value, 4);
const formatP = (value) => (value ? formatScore(value) : "<1e-290");
const formatPercent = (value) => formatNumber(100 * value, 3) + "%";
const formatShare = (part, total) => `${formatCount(part)} (${formatPercent(total ? part / total : 0)})`;
const formatCount = (value) => (Number.isInteger(value) ? value.toLocaleString("en-US") : formatNumber(value, 4));
