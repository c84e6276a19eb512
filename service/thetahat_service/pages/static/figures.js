"use strict";

/* global isDark, vegaEmbed */

// Figures that readers can point at: each image is replaced by a chart that is drawn from the same
// specification. Without this script, in print, and if anything fails, the image stays.

const LIBRARY = document.currentScript.dataset.library;
const NARROWEST = 320; // pixels, as in service/thetahat_service/figures/style.py
const STEP = 20; // widths are multiples of it, so that a resized window draws few charts anew

let library = null;
const shown = new Map(); // figure -> the address of the specification that its chart shows

function loadLibrary() {
  library ??= new Promise((resolve, reject) => {
    const script = document.createElement("script");
    script.src = LIBRARY;
    script.onload = resolve;
    script.onerror = () => reject(new Error("The library for figures was not loaded."));
    document.head.append(script);
  });
  return library;
}

function findAddress(figure) {
  const room = Math.min(figure.clientWidth, Number(figure.dataset.width));
  const width = Math.max(NARROWEST, STEP * Math.floor(room / STEP));
  const theme = isDark() ? "dark" : "light";
  const axis = figure.dataset.axis ? `&${figure.dataset.axis}` : "";
  return `${figure.dataset.figure}?theme=${theme}&width=${width}${axis}`;
}

async function showChart(figure) {
  const address = findAddress(figure);
  if (shown.get(figure) === address) return;
  shown.set(figure, address);
  const response = await fetch(address);
  if (!response.ok) throw new Error(`Status ${response.status}`);
  const spec = await response.json();
  await loadLibrary();
  if (shown.get(figure) !== address) return; // the width or the theme has changed since
  const chart = document.createElement("div");
  chart.className = "chart";
  figure.prepend(chart);
  try {
    await vegaEmbed(chart, spec, {
      actions: false,
      ast: true, // expressions are interpreted: eval is forbidden by the content security policy
      defaultStyle: false, // styles are in pages.css, for the same reason
      tooltip: { disableDefaultStyle: true },
      renderer: "svg",
    });
  } catch (error) {
    chart.remove();
    throw error;
  }
  chart.setAttribute("role", "img");
  chart.removeAttribute("aria-roledescription");
  chart.setAttribute("aria-label", figure.querySelector("img").alt);
  chart.querySelector("svg").setAttribute("aria-hidden", "true"); // one text, not one for each mark
  for (const earlier of figure.querySelectorAll(".chart")) {
    if (earlier !== chart) earlier.remove();
  }
  figure.classList.add("has-chart");
}

async function tryChart(figure) {
  try {
    await showChart(figure);
  } catch {
    shown.delete(figure); // the image stays
  }
}

const near = new Set();
const watcher = new IntersectionObserver(
  (entries) => {
    for (const { target, isIntersecting } of entries) {
      if (!isIntersecting) near.delete(target);
      else {
        near.add(target);
        tryChart(target);
      }
    }
  },
  { rootMargin: "400px" },
);
const resizing = new ResizeObserver((entries) => {
  for (const { target } of entries) if (near.has(target)) tryChart(target);
});
for (const figure of document.querySelectorAll("[data-figure]")) {
  watcher.observe(figure);
  resizing.observe(figure);
}
document.addEventListener("theme", () => near.forEach(tryChart));
