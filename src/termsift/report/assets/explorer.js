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

// A term in the table of the map is a button that shows it there.
function mapButton(i) {
  const button = element("button", { type: "button", class: "term" }, nameOf(termOf(i)));
  button.addEventListener("click", () => choose({ term: i }));
  return button;
}

function chosenRow(i, rank) {
  const [tpr, fpr] = ratesOf(i), { tp, fp } = own();
  const counts = [amount(tp[i]), amount(fp[i]), share(tpr), share(fpr)];
  return [String(rank), mapButton(i), sideOf(i), ...counts, score(scoreOf(i))];
}

function chosenRows() {
  const ranked = best().map((i, place) => [i, place + 1]);
  return ranked.filter(([i]) => i >= 0).map(([i, rank]) => chosenRow(i, rank));
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
  const rows = chosenRows(), chosen = best().length;
  fill("chosen", `The ${grouped(k())} best terms of ${own().name} by ${metric().name}`, rows);
  const drawn = rows.length < chosen ? `, of which ${rows.length} are drawn` : "";
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
function useButton(i, inside) {
  if (!usesOf(i, inside).length) return nameOf(termOf(i));
  const pressed = state.use !== null && state.use[0] === i && state.use[1] === inside;
  const properties = { type: "button", class: "term", "aria-pressed": String(pressed) };
  const button = element("button", properties, nameOf(termOf(i)));
  button.addEventListener("click", () => {
    const table = button.closest("table").id, row = button.closest("tr").rowIndex;
    state.use = pressed ? null : [i, inside];
    showBest();
    at(table).rows[row].querySelector("button").focus();
  });
  return button;
}

function sideRows(places, colour) {
  const both = [...own().speaking[state.m], ...own().against[state.m]];
  const longest = Math.max(...both.map((i) => Math.abs(scoreOf(i))), 0) || 1;
  return places.map((i) => [
    useButton(i, colour === "for"),
    bar(Math.abs(scoreOf(i)) / longest, score(scoreOf(i)), colour),
    amount(own().tp[i]),
    amount(own().fp[i]),
  ]);
}

function contextRows() {
  const both = [[own().speaking[state.m], true], [own().against[state.m], false]];
  const all = both.flatMap(([places, inside]) => places.map((i) => [i, inside]));
  const uses = (state.use ? [state.use] : all).flatMap(([i, inside]) => usesOf(i, inside));
  return uses.map(([before, term, after, label]) => [
    nameOf(before), element("strong", {}, nameOf(term)), nameOf(after), nameOf(label),
  ]);
}

function showBest() {
  const { name, speaking, against } = own();
  fill("for-terms", `Terms that speak for ${name}`, sideRows(speaking[state.m], "for"));
  fill("against-terms", `Terms that speak against ${name}`, sideRows(against[state.m], "against"));
  const said = state.use ? `Words in context: ${termOf(state.use[0])}` : "Words in context";
  if (at("context")) fill("context", said, contextRows());
}

function showEvery() {
  const line = ({ terms }, places) => places.flatMap((i, n) => [n ? " " : "", nameOf(data.terms[terms[i]])]);
  const rows = data.classes.map((one) => [
    nameOf(one.name), line(one, one.speaking[state.m]), line(one, one.against[state.m]),
  ]);
  fill("every", `The best terms of every class by ${metric().name}`, rows);
}

function showOverlap() {
  const cells = (row) => row.map((value) => heat(value, share(value)));
  const rows = data.overlap[state.k].map((row, m) => [data.metrics[m].name, ...cells(row)]);
  fill("overlap", `Overlap of the ${grouped(k())} best terms of a class`, rows);
}
