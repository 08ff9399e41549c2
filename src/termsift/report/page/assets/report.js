// The page: its controls, and how it starts.

// Takes what changes, and shows what follows from it. Gives a promise of the drawing.
function choose(change) {
  const sought = state.term === null ? null : termOf(state.term);
  Object.assign(state, change);
  if ("c" in change) {
    state.term = own().terms.findIndex((term) => data.terms[term] === sought);
    if (state.term < 0) state.term = null;
    offer();
  }
  if ("c" in change || "m" in change) {
    state.use = null;
    showBest();
  }
  if ("m" in change) showEvery();
  if ("k" in change) showOverlap();
  at("k-said").textContent = grouped(k());
  at("k").setAttribute("aria-valuetext", `${k()} terms`);
  showCard();
  return showMap();
}

// The terms that a search can find.
function offer() {
  const sorted = own().terms.map((term) => data.terms[term]).sort();
  at("known").replaceChildren(...sorted.map((term) => element("option", { value: term })));
}

function find(text) {
  const wanted = text.trim().toLowerCase();
  const terms = own().terms.map((term) => data.terms[term].toLowerCase());
  const exact = terms.indexOf(wanted);
  const found = exact >= 0 ? exact : terms.findIndex((term) => term.startsWith(wanted));
  choose({ term: wanted && found >= 0 ? found : null });
  if (!wanted || found >= 0) return;
  const said = ` is not among the ${grouped(terms.length)} terms drawn for this class.`;
  at("card").replaceChildren(element("p", {}, nameOf(text.trim()), said));
}

function methodButton({ name, colour }) {
  const dot = element("span", { class: "dot", "--dot": colour });
  const pressed = String(state.focus === name);
  const button = element("button", { type: "button", "aria-pressed": pressed }, dot, name);
  button.addEventListener("click", () => {
    const place = [...at("methods").children].indexOf(button.parentElement);
    state.focus = state.focus === name ? null : name;
    give(views.performance, performanceSets());
    at("methods").children[place].firstChild.focus();
  });
  return button;
}

function performanceSets() {
  const classifier = at("classifier").value;
  const methods = methodsOf(data.findings, classifier);
  at("methods").replaceChildren(...methods.map((one) => element("li", {}, methodButton(one))));
  return curveSets(data.findings, classifier, methods, state.focus);
}

function showTheme(dark) {
  document.documentElement.dataset.theme = dark ? "dark" : "light";
  at("theme").setAttribute("aria-pressed", String(dark));
}

function listen() {
  at("class").addEventListener("change", (event) => choose({ c: Number(event.target.value) }));
  at("metric").addEventListener("change", (event) => choose({ m: Number(event.target.value) }));
  at("k").addEventListener("input", (event) => choose({ k: Number(event.target.value) }));
  at("search").addEventListener("input", (event) => find(event.target.value));
  for (const form of document.forms) form.addEventListener("submit", (event) => event.preventDefault());
  at("theme").setAttribute("aria-pressed", String(matchMedia("(prefers-color-scheme: dark)").matches));
  at("theme").addEventListener("click", () => showTheme(at("theme").getAttribute("aria-pressed") !== "true"));
  at("classifier")?.addEventListener("change", () => {
    state.focus = null;
    give(views.performance, performanceSets());
  });
}

async function startMap() {
  views.map = await draw("map", held.charts.map, { points: pointRows(), lines: [], found: [], labels: [] });
  views.map.addEventListener("click", (event, item) => {
    if (item?.datum?.first !== undefined) choose({ term: item.datum.first });
  });
  views.map.addSignalListener("width", () => give(views.map, { labels: mapLabels(views.map) }));
  await showMap();
}

async function start() {
  document.documentElement.dataset.script = "on";
  tip.hidden = true;
  document.body.append(tip);
  for (const table of document.querySelectorAll("table.data")) {
    makeCopyable(table);
    makeSortable(table);
  }
  listen();
  choose({ c: data.first, m: 0, k: data.opening });
  await startMap();
  if (data.findings) {
    views.performance = await draw("performance-chart", held.charts.performance, performanceSets());
  }
  performance.mark("ready");
  document.documentElement.dataset.ready = "yes";
}

start();
