// What is chosen, and the map, the card of a term and the tables that follow from it.

const held = JSON.parse(document.getElementById("held").textContent);
const { data } = held;
const at = (id) => document.getElementById(id);
const grouped = (number) => number.toLocaleString("en-US");
const state = { c: data.first, m: 0, k: data.opening, term: null, use: null, focus: null };
const views = {};

const own = () => data.classes[state.c];
const metric = () => data.metrics[state.m];
const k = () => data.ks[state.k];
const best = () => own().best[state.m].slice(0, k());
const termOf = (i) => data.terms[own().terms[i]];
const scoreOf = (i, m = state.m) => own().scores[m][i];

function ratesOf(i) {
  const { tp, fp, pos, neg } = own();
  return [pos ? tp[i] / pos : 0, neg ? fp[i] / neg : 0];
}

function sideOf(i) {
  const [tpr, fpr] = ratesOf(i);
  return tpr > fpr ? "for" : tpr < fpr ? "against" : "neither";
}

const spoken = (i) => (sideOf(i) === "neither" ? "neither way" : `${sideOf(i)} the class`);

function countLines(i) {
  const { tp, fp, pos, neg } = own(), [tpr, fpr] = ratesOf(i);
  return [
    ["in the class", `${amount(tp[i])} of ${amount(pos)}, ${share(tpr)}`],
    ["outside", `${amount(fp[i])} of ${amount(neg)}, ${share(fpr)}`],
  ];
}

// The chosen terms that are drawn, each with its rank.
const ranked = () => best().map((i, place) => [i, place + 1]).filter(([i]) => i >= 0);

function chosenCells(i, rank) {
  const [tpr, fpr] = ratesOf(i), { tp, fp } = own();
  const counts = [amount(tp[i]), amount(fp[i]), share(tpr), share(fpr)];
  return [String(rank), termOf(i), sideOf(i), ...counts, score(scoreOf(i))];
}

// A term in the table of the map is a button that shows it there.
function showChosen() {
  const shown = ranked(), fields = { k: grouped(k()), name: own().name, metric: metric().name };
  const rows = fill("chosen", fields, shown.map(([i, rank]) => chosenCells(i, rank)));
  rows.forEach((row, place) => pressable(row.cells[1], () => choose({ term: shown[place][0] })));
}

// Terms with the same counts are one point.
function pointRows() {
  const chosen = new Set(best()), points = new Map();
  own().terms.forEach((_, i) => {
    const [y, x] = ratesOf(i), key = `${x} ${y}`;
    if (!points.has(key)) points.set(key, { x, y, members: [], chosen: false });
    points.get(key).members.push(i);
    points.get(key).chosen ||= chosen.has(i);
  });
  // what is chosen lies on top
  return [...points.values()].map(pointRow).sort((a, b) => a.chosen - b.chosen);
}

function pointRow({ x, y, members, chosen }) {
  const first = members[0], side = sideOf(first) === "neither" ? "other" : sideOf(first);
  const kind = chosen && side !== "other" ? `${side} chosen` : side;
  const size = 22 + 16 * Math.log2(members.length) + (chosen ? 14 : 0);
  const more = members.length > 6 ? ` and ${members.length - 6} more` : "";
  const words = members.slice(0, 6).map(termOf).join(", ") + more;
  const lines = [["speaks", spoken(first)], ...countLines(first), [metric().name, score(scoreOf(first))]];
  return { x, y, first, kind, size, chosen, said: [words, ...lines] };
}

function mapLabels(view) {
  const chosen = best().filter((i) => i >= 0), among = new Set(chosen);
  const sides = [...own().speaking[state.m], ...own().against[state.m]].filter((i) => among.has(i));
  const wanted = [...new Set([...sides, ...chosen.slice(0, 20)])];
  const places = wanted.map((i) => ({ x: ratesOf(i)[1], y: ratesOf(i)[0], text: termOf(i) }));
  const short = places.filter((place) => place.text.length <= 24);
  return labelled(short, view.width(), view.height(), view.width() < 420 ? 8 : 18);
}

function showMap() {
  showChosen();
  const rows = ranked().length, chosen = best().length;
  const drawn = rows < chosen ? `, of which ${rows} are drawn` : "";
  const line = metric().drawn ? "" : ` ${metric().name} reads more than these two counts, so it has no line.`;
  at("map-said").textContent =
    `${grouped(chosen)} of ${grouped(data.vocabulary)} terms are chosen${drawn}.${line}`;
  return views.map ? give(views.map, mapSets()) : null;
}

function mapSets() {
  const lines = metric().drawn ? own().lines[state.m][state.k] : [];
  const found = state.term === null ? [] : [{ x: ratesOf(state.term)[1], y: ratesOf(state.term)[0] }];
  return { points: pointRows(), lines: lineRows(lines), found, labels: mapLabels(views.map) };
}

function showCard() {
  const i = state.term;
  if (i === null) return at("card").replaceChildren();
  const list = element("dl");
  const scores = data.metrics.map(({ name }, m) => {
    const rank = own().best[m].indexOf(i);
    return [name, score(scoreOf(i, m)) + (rank >= 0 ? `, rank ${rank + 1}` : "")];
  });
  for (const [name, text] of [...countLines(i), ...scores]) {
    list.append(element("dt", {}, name), element("dd", {}, text));
  }
  const close = element("button", { type: "button", class: "close", "aria-label": "Close" }, "×");
  close.addEventListener("click", () => choose({ term: null }));
  const head = element("h3", {}, nameOf(termOf(i)), ` speaks ${spoken(i)}`);
  at("card").replaceChildren(head, close, list);
}

const usesOf = (i, inside) => data.uses[`${state.c} ${own().terms[i]} ${inside ? 1 : 0}`] ?? [];

// A term among the best is a button that shows its words in context alone.
function showSide(side) {
  const { speaking, against, tp, fp, name } = own(), inside = side === "for";
  const both = [...speaking[state.m], ...against[state.m]], places = (inside ? speaking : against)[state.m];
  const longest = Math.max(...both.map((i) => Math.abs(scoreOf(i))), 0) || 1;
  const bar = (i) => shaded(Math.abs(scoreOf(i)) / longest, score(scoreOf(i)));
  const cells = places.map((i) => [termOf(i), bar(i), amount(tp[i]), amount(fp[i])]);
  fill(`${side}-terms`, { name }, cells).forEach((row, place) => offerUses(row, places[place], inside));
}

function offerUses(row, i, inside) {
  if (!usesOf(i, inside).length) return;
  const pressed = state.use !== null && state.use[0] === i && state.use[1] === inside;
  const table = inside ? "for-terms" : "against-terms", place = row.rowIndex;
  const button = pressable(row.cells[0], () => {
    state.use = pressed ? null : [i, inside];
    showBest();
    at(table).rows[place].querySelector("button").focus();
  });
  button.setAttribute("aria-pressed", String(pressed));
}

function showContext() {
  const both = [[own().speaking[state.m], true], [own().against[state.m], false]];
  const all = both.flatMap(([places, inside]) => places.map((i) => [i, inside]));
  const uses = (state.use ? [state.use] : all).flatMap(([i, inside]) => usesOf(i, inside));
  fill("context", { of: state.use ? `: ${termOf(state.use[0])}` : "" }, uses);
}

function showBest() {
  showSide("for");
  showSide("against");
  if (at("context")) showContext();
}

function showEvery() {
  const names = ({ terms }, places) => places.map((i) => data.terms[terms[i]]);
  const rows = data.classes.map((one) => [
    one.name, names(one, one.speaking[state.m]), names(one, one.against[state.m]),
  ]);
  fill("every", { metric: metric().name }, rows);
}

function showOverlap() {
  const cells = (row) => row.map((value) => shaded(value, share(value)));
  const rows = data.overlap[state.k].map((row, m) => [data.metrics[m].name, ...cells(row)]);
  fill("overlap", { k: grouped(k()) }, rows);
}
