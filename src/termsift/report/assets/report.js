// The page: what is chosen, and everything that follows from it.

const held = JSON.parse(document.getElementById("held").textContent);
const { data } = held;
const at = (id) => document.getElementById(id);
const state = { c: data.first, m: 0, k: data.opening, term: null, use: null, focus: null };
const views = {};

const own = () => data.classes[state.c];
const k = () => data.ks[state.k];
const termOf = (i) => data.terms[own().terms[i]];
const scoreOf = (i, m = state.m) => own().scores[m][i];
const ratesOf = (i) => {
  const { tp, fp, pos, neg } = own();
  return [pos ? tp[i] / pos : 0, neg ? fp[i] / neg : 0];
};
const sideOf = (i) => {
  const [tpr, fpr] = ratesOf(i);
  return tpr > fpr ? "for" : tpr < fpr ? "against" : "neither";
};

function termCells(i) {
  const [tpr, fpr] = ratesOf(i);
  return [
    pick(i), sideOf(i), amount(own().tp[i]), amount(own().fp[i]), share(tpr), share(fpr), score(scoreOf(i)),
  ];
}

// A term in a table is a button that shows it on the map.
function pick(i) {
  const button = element("button", { type: "button", class: "term" }, nameOf(termOf(i)));
  button.addEventListener("click", () => choose({ term: i }));
  return button;
}

function chosenRows() {
  const rows = own().best[state.m].slice(0, k()).map((i, rank) => [i, rank + 1]);
  return rows.filter(([i]) => i >= 0).map(([i, rank]) => [String(rank), ...termCells(i)]);
}

function sideRows(places, colour) {
  const both = [...own().speaking[state.m], ...own().against[state.m]];
  const longest = Math.max(...both.map((i) => Math.abs(scoreOf(i))), 0) || 1;
  return places.map((i) => [
    useButton(i, colour === "for"), bar(Math.abs(scoreOf(i)) / longest, score(scoreOf(i)), colour),
    amount(own().tp[i]), amount(own().fp[i]),
  ]);
}

const usesOf = (i, inside) => data.uses[`${state.c} ${own().terms[i]} ${inside ? 1 : 0}`] ?? [];

function useButton(i, inside) {
  if (!usesOf(i, inside).length) return nameOf(termOf(i));
  const pressed = state.use && state.use[0] === i && state.use[1] === inside;
  const button = element("button", { type: "button", class: "term", "aria-pressed": String(!!pressed) }, nameOf(termOf(i)));
  button.addEventListener("click", () => {
    state.use = pressed ? null : [i, inside];
    const again = button.closest("table").id, row = button.closest("tr").rowIndex;
    showBest();
    at(again).rows[row].querySelector("button")?.focus();
  });
  return button;
}

function contextRows() {
  const both = [[own().speaking[state.m], true], [own().against[state.m], false]];
  const wanted = state.use ? [state.use] : both.flatMap(([places, inside]) => places.map((i) => [i, inside]));
  return wanted.flatMap(([i, inside]) => usesOf(i, inside)).map(([before, term, after, label]) => [
    nameOf(before), element("strong", {}, nameOf(term)), nameOf(after), nameOf(label),
  ]);
}

function pointRows() {
  const { best, terms } = own();
  const chosen = new Set(best[state.m].slice(0, k()));
  const points = new Map();
  terms.forEach((_, i) => {
    const [y, x] = ratesOf(i), key = `${x} ${y}`;
    if (!points.has(key)) points.set(key, { x, y, members: [], chosen: 0 });
    points.get(key).members.push(i);
    points.get(key).chosen += chosen.has(i) ? 1 : 0;
  });
  const rows = [...points.values()].map((point) => {
    const first = point.members[0], side = sideOf(first);
    const base = side === "neither" ? "other" : side;
    const words = point.members.slice(0, 6).map(termOf).join(", ");
    const more = point.members.length > 6 ? ` and ${point.members.length - 6} more` : "";
    return {
      x: point.x, y: point.y, first, size: 22 + 16 * Math.log2(point.members.length) + (point.chosen ? 14 : 0),
      kind: point.chosen && base !== "other" ? base + " chosen" : base, rank: point.chosen ? 1 : 0,
      said: [words + more, ["speaks", side === "neither" ? "neither way" : side + " the class"], ...countLines(first)],
    };
  });
  return rows.sort((a, b) => a.rank - b.rank);
}

function countLines(i) {
  const { tp, fp, pos, neg } = own(), [tpr, fpr] = ratesOf(i);
  return [
    ["in the class", `${amount(tp[i])} of ${amount(pos)}, ${share(tpr)}`],
    ["outside", `${amount(fp[i])} of ${amount(neg)}, ${share(fpr)}`],
    [data.metrics[state.m].name, score(scoreOf(i))],
  ];
}

function mapLabels(view) {
  const { speaking, against, best } = own();
  const first = best[state.m].slice(0, k()).filter((i) => i >= 0);
  const wanted = [...new Set([...speaking[state.m].filter((i) => first.includes(i)), ...against[state.m].filter((i) => first.includes(i)), ...first.slice(0, 20)])];
  const places = wanted.map((i) => ({ x: ratesOf(i)[1], y: ratesOf(i)[0], text: termOf(i) })).filter((p) => p.text.length <= 24);
  return labelled(places, view.width(), view.height(), view.width() < 420 ? 8 : 18);
}

function showMap() {
  const metric = data.metrics[state.m], name = own().name;
  const lines = metric.drawn ? own().lines[state.m][state.k] : [];
  const found = state.term === null ? [] : [{ x: ratesOf(state.term)[1], y: ratesOf(state.term)[0] }];
  const rows = chosenRows(), first = own().best[state.m].slice(0, k()).length;
  fill("chosen", `The ${k().toLocaleString("en-US")} best terms of ${name} by ${metric.name}`, rows);
  at("map-said").textContent =
    `${first.toLocaleString("en-US")} of ${data.vocabulary.toLocaleString("en-US")} terms are chosen` +
    (rows.length < first ? `, of which ${rows.length} are drawn` : "") +
    (metric.drawn ? "." : `. ${metric.name} has no line here: it reads more than these two counts.`);
  if (!views.map) return null;
  return give(views.map, { points: pointRows(), lines: lineRows(lines), found, labels: mapLabels(views.map) });
}

function showCard() {
  const i = state.term, card = at("card");
  if (i === null) return card.replaceChildren();
  const list = element("dl");
  for (const [name, text] of countLines(i).slice(0, 2)) list.append(element("dt", {}, name), element("dd", {}, text));
  data.metrics.forEach((metric, m) => {
    const rank = own().best[m].indexOf(i);
    const said = score(scoreOf(i, m)) + (rank >= 0 ? `, rank ${rank + 1}` : "");
    list.append(element("dt", {}, metric.name), element("dd", {}, said));
  });
  const close = element("button", { type: "button", class: "close", "aria-label": "Close" }, "×");
  close.addEventListener("click", () => choose({ term: null }));
  card.replaceChildren(element("h3", {}, nameOf(termOf(i)), ` speaks ${sideOf(i) === "neither" ? "neither way" : sideOf(i) + " the class"}`), close, list);
}

function showBest() {
  const { name, speaking, against } = own();
  fill("for-terms", `Terms that speak for ${name}`, sideRows(speaking[state.m], "for"));
  fill("against-terms", `Terms that speak against ${name}`, sideRows(against[state.m], "against"));
  const one = state.use && termOf(state.use[0]);
  if (at("context")) fill("context", one ? `Words in context: ${one}` : "Words in context", contextRows());
}

function showEvery() {
  const line = (one, places) => places.flatMap((i, n) => [n ? " " : "", nameOf(data.terms[one.terms[i]])]);
  const rows = data.classes.map((one) => [
    nameOf(one.name), line(one, one.speaking[state.m]), line(one, one.against[state.m]),
  ]);
  fill("every", `The best terms of every class by ${data.metrics[state.m].name}`, rows);
}

function showOverlap() {
  const rows = data.overlap[state.k].map((row, m) => [data.metrics[m].name, ...row.map((v) => heat(v, share(v)))]);
  fill("overlap", `Overlap of the ${k().toLocaleString("en-US")} best terms of a class`, rows);
}

function find(text) {
  const wanted = text.trim().toLowerCase();
  if (!wanted) return choose({ term: null });
  const terms = own().terms.map((t) => data.terms[t].toLowerCase());
  const exact = terms.indexOf(wanted);
  const found = exact >= 0 ? exact : terms.findIndex((term) => term.startsWith(wanted));
  choose({ term: found >= 0 ? found : null });
  if (found < 0) at("card").replaceChildren(element("p", {}, nameOf(text.trim()), ` is not among the ${terms.length.toLocaleString("en-US")} terms drawn for this class.`));
}

// Takes what changes, and shows what follows from it. Gives a promise of the drawing.
function choose(change) {
  const renamed = "c" in change && change.c !== state.c;
  const sought = state.term === null ? null : termOf(state.term);
  Object.assign(state, change);
  if (renamed) state.term = sought === null ? null : own().terms.findIndex((t) => data.terms[t] === sought);
  if (state.term === -1) state.term = null;
  if ("c" in change || "m" in change) state.use = null;
  at("k-said").textContent = k().toLocaleString("en-US");
  at("k").setAttribute("aria-valuetext", `${k()} terms`);
  if (renamed) offer();
  if (!("term" in change)) showBest();
  if ("m" in change) showEvery();
  if ("k" in change) showOverlap();
  showCard();
  return showMap();
}

function offer() {
  const sorted = own().terms.map((t) => data.terms[t]).sort();
  at("known").replaceChildren(...sorted.map((term) => element("option", { value: term })));
}

function showPerformance() {
  const found = data.findings, classifier = at("classifier").value;
  const methods = methodsOf(found, classifier);
  const items = methods.map(({ name, colour }) => {
    const button = element("button", { type: "button", "aria-pressed": String(state.focus === name) }, element("span", { class: "dot", "--dot": colour }), name);
    button.addEventListener("click", () => {
      state.focus = state.focus === name ? null : name;
      give(views.performance, showPerformance());
      [...at("methods").querySelectorAll("button")].find((b) => b.textContent === name)?.focus();
    });
    return element("li", {}, button);
  });
  at("methods").replaceChildren(...items);
  return curveSets(found, classifier, methods, state.focus);
}

function theme(dark) {
  document.documentElement.dataset.theme = dark ? "dark" : "light";
  at("theme").setAttribute("aria-pressed", String(dark));
}

function listen() {
  at("class").addEventListener("change", (event) => choose({ c: Number(event.target.value) }));
  at("metric").addEventListener("change", (event) => choose({ m: Number(event.target.value) }));
  at("k").addEventListener("input", (event) => choose({ k: Number(event.target.value) }));
  at("search").addEventListener("input", (event) => find(event.target.value));
  for (const form of document.forms) form.addEventListener("submit", (event) => event.preventDefault());
  const dark = matchMedia("(prefers-color-scheme: dark)");
  at("theme").setAttribute("aria-pressed", String(dark.matches));
  at("theme").addEventListener("click", () => theme(at("theme").getAttribute("aria-pressed") !== "true"));
  at("classifier")?.addEventListener("change", () => ((state.focus = null), give(views.performance, showPerformance())));
}

async function start() {
  document.documentElement.dataset.script = "on";
  document.body.append(tip);
  tip.hidden = true;
  for (const table of document.querySelectorAll("table.data")) makeCopyable(table), makeSortable(table);
  listen();
  offer();
  choose({ c: data.first, m: 0, k: data.opening });
  views.map = await draw("map", held.charts.map, { points: pointRows(), lines: [], found: [], labels: [] });
  views.map.addEventListener("click", (event, item) => item?.datum?.first !== undefined && choose({ term: item.datum.first }));
  views.map.addSignalListener("width", () => give(views.map, { labels: mapLabels(views.map) }));
  await showMap();
  if (data.findings) {
    views.performance = await draw("performance-chart", held.charts.performance, showPerformance());
  }
  performance.mark("ready");
  document.documentElement.dataset.ready = "yes";
}

start();
