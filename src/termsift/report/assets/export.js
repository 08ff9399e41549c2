// Figures as files: colours of the page become fixed, and the title is drawn above the figure.

const TITLE_HEIGHT = 34;

function colourResolver() {
  const probe = element("span"), colours = new Map();
  document.body.append(probe);
  const resolve = (name) => {
    if (!colours.has(name)) {
      probe.style.color = name;
      colours.set(name, getComputedStyle(probe).color);
    }
    return colours.get(name);
  };
  return { resolve: (text) => text.replace(/var\(--[\w-]+\)/g, resolve), done: () => probe.remove() };
}

function part(name, properties, ...content) {
  const node = document.createElementNS("http://www.w3.org/2000/svg", name);
  for (const [key, value] of Object.entries(properties)) node.setAttribute(key, value);
  node.append(...content);
  return node;
}

// Entries of the legend, or of the numbered list, above the figure.
function legendParts(figure, width, resolve) {
  const parts = [];
  let x = 8, y = TITLE_HEIGHT + 10;
  for (const item of figure.querySelectorAll(".legend li, ol li")) {
    const dot = item.querySelector(".dot"), text = dot ? item.textContent.trim() : `${item.value} ${item.textContent}`;
    const wide = textWidth(text, "13px") + 34;
    if (x > 8 && (x + wide > width || !dot)) [x, y] = [8, y + 18];
    if (dot) {
      const background = getComputedStyle(dot).backgroundColor, isLine = dot.classList.contains("line");
      const fill = /, 0\)|transparent/.test(background) ? resolve("var(--positive-pale)") : background;
      parts.push(part("rect", { x, y: isLine ? y - 5 : y - 9, width: isLine ? 16 : 10, height: isLine ? 2 : 10, rx: isLine ? 0 : 5, fill }));
    }
    parts.push(part("text", { x: dot ? x + 20 : x, y, "font-size": 13, fill: resolve("var(--soft)") }, text));
    x += wide;
  }
  return { parts, height: parts.length ? y - TITLE_HEIGHT + 14 : 0 };
}

function svgText(figure) {
  const source = figure.querySelector("svg"), { resolve, done } = colourResolver();
  const { width, height } = source.getBoundingClientRect(), copy = source.cloneNode(true);
  const { fontFamily } = getComputedStyle(source), legend = legendParts(figure, width, resolve);
  const top = TITLE_HEIGHT + legend.height, tall = top + height;
  for (const node of [copy, ...copy.querySelectorAll("*")]) {
    for (const { name, value } of [...node.attributes]) if (value.includes("var(")) node.setAttribute(name, resolve(value));
  }
  for (const [name, value] of Object.entries({ y: top, width, height, overflow: "visible" })) copy.setAttribute(name, value);
  const title = part("text", { x: 8, y: 22, "font-size": 16, "font-weight": 600, fill: resolve("var(--ink)") }, figure.dataset.title);
  const paper = part("rect", { width, height: tall, fill: resolve("var(--paper)") });
  const size = { width, height: tall, viewBox: `0 0 ${width} ${tall}`, "font-family": fontFamily, "font-size": getComputedStyle(source).fontSize };
  done();
  return new XMLSerializer().serializeToString(part("svg", size, paper, title, ...legend.parts, copy));
}

async function pngBlob(svg) {
  const image = new Image();
  image.src = "data:image/svg+xml;charset=utf-8," + encodeURIComponent(svg);
  await image.decode();
  const canvas = element("canvas", { width: 2 * image.width, height: 2 * image.height });
  canvas.getContext("2d").drawImage(image, 0, 0, canvas.width, canvas.height);
  return new Promise((resolve) => canvas.toBlob(resolve, "image/png"));
}

function addExport(figure) {
  const name = (extension) => `${figure.dataset.title.replace(/[^\p{L}\p{N}]+/gu, "-").replace(/^-|-$/g, "")}.${extension}`;
  const svg = saveButton("SVG", () => save(name("svg"), "image/svg+xml", svgText(figure)));
  const png = saveButton("PNG", async () => save(name("png"), "image/png", await pngBlob(svgText(figure))));
  figure.append(element("div", { class: "export" }, svg, png));
}
