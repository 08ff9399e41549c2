// Charts: Vega draws them without eval; tooltips are built here.

const tip = element("div", { class: "tip", role: "tooltip" });

function showTip(handler, event, item, value) {
  tip.hidden = !value;
  if (!value || !item.datum.tooltip) return;
  const [head, ...entries] = item.datum.tooltip;
  const list = element("dl");
  for (const [name, text] of entries) list.append(element("dt", {}, name), element("dd", {}, text));
  placeTip(event.clientX, event.clientY, element("strong", {}, isolatedText(head)), list);
}

function placeTip(x, y, ...content) {
  tip.hidden = false;
  tip.replaceChildren(...content);
  const windowWidth = document.documentElement.clientWidth, right = x + 16;
  const left = right + tip.offsetWidth > windowWidth ? Math.min(x - 16, windowWidth - 4) - tip.offsetWidth : right;
  const top = Math.min(y + 12, window.innerHeight - tip.offsetHeight - 8);
  tip.style.transform = `translate(${Math.max(left, 4)}px, ${Math.max(top, 4)}px)`;
}

// Explanations are titles; here they also appear on keyboard focus and without delay.
function explain(node) {
  const text = node.title;
  if (!text) return;
  node.removeAttribute("title");
  const target = node.querySelector("button") ?? node;
  target.setAttribute("aria-description", text);
  const show = () => {
    const box = node.getBoundingClientRect();
    placeTip(box.left - 16, box.bottom - 6, text);
  };
  for (const name of ["mouseenter", "focusin"]) node.addEventListener(name, show);
  for (const name of ["mouseleave", "focusout"]) node.addEventListener(name, () => (tip.hidden = true));
}

async function draw(id, spec, sets, patch = (compiled) => compiled) {
  const pageOptions = { actions: false, defaultStyle: false, tooltip: showTip, patch };
  const options = { mode: "vega-lite", renderer: "svg", ast: true, ...pageOptions };
  const fullSpec = { ...spec, datasets: { ...spec.datasets, ...sets } };
  const { view } = await vegaEmbed("#" + id, fullSpec, options);
  return view;
}

function updateData(view, sets) {
  for (const [name, rows] of Object.entries(sets)) view.data(name, rows);
  return view.runAsync();
}

// Shares have logarithmic scales whose unit is one document, because most terms are rare.
function useLogScales(spec) {
  for (const name of ["x", "y"]) {
    const signal = (suffix) => ({ signal: name + suffix }), scale = spec.scales.find((entry) => entry.name === name);
    spec.signals.push({ name: `${name}Unit`, value: 1 }, { name: `${name}End`, value: 1 }, { name: `${name}Ticks`, value: [0] });
    Object.assign(scale, { constant: signal("Unit"), domain: [0, signal("End")] });
    for (const axis of spec.axes.filter((entry) => entry.scale === name)) axis.values = signal("Ticks");
  }
  return spec;
}

function setLogScale(view, name, documents, end) {
  const ticks = [0, ...[...Array(18).keys()].map((i) => [1, 2, 5][i % 3] * 10 ** (Math.floor(i / 3) - 6)), 1];
  view.signal(`${name}Unit`, 1 / Math.max(documents, 1)).signal(`${name}End`, end);
  view.signal(`${name}Ticks`, ticks.filter((tick) => tick <= end && (!tick || tick * documents >= 0.5)));
}

// Places labels next to points without overlaps, first ones first; a label without space is left out.
function placeLabels(points, view) {
  const [width, height, x, y] = [view.width(), view.height(), view.scale("x"), view.scale("y")];
  const occupied = [], labels = [];
  for (const { soft, text, ...point } of points) {
    const left = x(point.x), top = y(point.y), wide = textWidth(text, "11.5px") + 2;
    const offsets = [[6, 0], [-6 - wide, 0], [-wide / 2, -10], [-wide / 2, 10], [4, -9], [4, 9], [-4 - wide, -9], [-4 - wide, 9]];
    const free = offsets.find(([dx, dy]) => {
      const box = boxAt(left + dx, top + dy, wide, 11);
      const inside = box[0] >= 0 && box[2] <= width && box[1] >= 0 && box[3] <= height;
      return inside && !occupied.some((box2) => overlap(box, box2));
    });
    if (!free) continue;
    occupied.push(boxAt(left + free[0], top + free[1], wide, 11), boxAt(left - 3, top, 6, 6));
    labels.push({ ...point, soft, text, dx: free[0], dy: free[1] });
  }
  return labels;
}

const boxAt = (left, middle, width, height) => [left, middle - height / 2, left + width, middle + height / 2];
const overlap = (a, b) => a[0] < b[2] && b[0] < a[2] && a[1] < b[3] && b[1] < a[3];

// Isoclines are stored as thousandths of the logarithm of 1 + documents.
function lineRows(lines, pos, neg) {
  const rate = (value, documents) => Math.expm1((value / 1000) * Math.log1p(documents)) / documents, rows = [];
  lines.forEach((flat, line) => {
    for (let i = 0; i < flat.length; i += 2) rows.push({ line, step: i, x: rate(flat[i], neg), y: rate(flat[i + 1], pos) });
  });
  return rows;
}

const PALETTE = 8;

// Returns the methods of a classifier, best first; those beyond the palette are grey.
function listMethods(findings, classifier) {
  const best = new Map();
  for (const [method, rowClassifier, , mean] of findings.curve) {
    if (rowClassifier === classifier) best.set(method, Math.max(mean, best.get(method) ?? -Infinity));
  }
  const first = findings.chosen[1] === classifier ? findings.chosen[0] : null;
  const order = [...best].sort((a, b) => (b[0] === first) - (a[0] === first) || b[1] - a[1]);
  return order.map(([name], i) => ({ name, colour: i < PALETTE ? `var(--c${i})` : "var(--faint)" }));
}

function curveSets(findings, classifier, methods, focus, view) {
  const colours = new Map(methods.map(({ name, colour }) => [name, colour]));
  const sets = { curve: [], band: [], level: [], chosen: [] };
  const curve = findings.curve.filter((row) => row[1] === classifier);
  for (const { name } of methods) {
    const methodRows = curve.filter((row) => row[0] === name).sort((a, b) => a[2] - b[2]);
    const visible = !focus || focus === name;
    const colour = visible ? colours.get(name) : "var(--faint)";
    const rows = methodRows.map(([method, , terms, mean, error]) => ({
      method, terms, mean, colour, low: mean - error, high: mean + error, weight: visible ? 2.2 : 1.2,
      tooltip: [
        method, ["terms", formatCount(terms)], [findings.goal, mean.toFixed(4)], ["standard error", error.toFixed(4)],
      ],
    }));
    sets.curve.push(...rows);
    if (rows.length === 1) sets.level.push(rows[0]);
    else if (visible && colours.get(name) !== "var(--faint)") sets.band.push(...rows);
  }
  if (findings.chosen[1] === classifier && view) sets.chosen.push(chosenLabel(findings.chosen, view));
  return sets;
}

// Returns the label of the recommended point, wrapped into as many lines as needed.
function chosenLabel([method, , terms, mean], view) {
  const number = `${formatCount(terms)} ${terms === 1 ? "term" : "terms"}`, room = view.width();
  const layouts = [
    [`recommended: ${method}, ${number}`], ["recommended:", `${method}, ${number}`], ["recommended:", method, number],
  ];
  const widest = (lines) => Math.max(...lines.map((line) => textWidth(line)));
  const text = layouts.find((lines) => widest(lines) <= room) ?? layouts.at(-1), width = Math.min(widest(text), room);
  const x = view.scale("x")(terms), left = Math.max(Math.min(x - width / 2, room - width), 0);
  return { terms, mean, text, limit: room, dx: left - x, dy: -12 - 16 * text.length };
}

const context2d = document.createElement("canvas").getContext("2d");

function textWidth(text, font = "bold 12.5px") {
  context2d.font = `${font} ${getComputedStyle(document.body).fontFamily}`;
  return context2d.measureText(text).width;
}
