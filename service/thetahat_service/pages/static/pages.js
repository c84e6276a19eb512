"use strict";

// What pages do beyond HTML: live progress, a question before a deletion, and forms that show the
// fields of a choice. Every page works without it.

const MOST_STREAMS = 3; // a browser keeps few connections to a host open

function showProgress(element, data) {
  const bar = element.querySelector("progress");
  const text = element.querySelector("[data-progress-text]");
  if (bar && data.total) {
    bar.max = data.total;
    bar.value = data.done;
    if (text && data.unit) text.textContent = `${formatCount(data.done)} of ${formatCount(data.total)} ${data.unit}`;
  }
  const left = element.querySelector("[data-seconds-left]");
  if (left && data.unit) left.textContent = data.seconds_left == null ? "" : `· about ${describeSeconds(data.seconds_left)} left`;
  for (const [name, part] of Object.entries(data.learners || {})) {
    const row = [...element.querySelectorAll("[data-learner]")].find((each) => each.dataset.learner === name);
    if (!row) continue;
    row.cells[1].textContent = part.status;
    row.cells[2].textContent = `${formatCount(part.done)} of ${formatCount(part.total)}`;
  }
}

function formatCount(n) {
  return n < 10000 ? String(n) : String(n).replace(/\B(?=(\d{3})+$)/g, " ");
}

function describeSeconds(seconds) {
  if (seconds < 90) return `${Math.max(1, Math.round(seconds))} seconds`;
  if (seconds < 5400) return `${Math.round(seconds / 60)} minutes`;
  return `${(seconds / 3600).toFixed(1)} hours`;
}

async function refreshList(list) {
  const response = await fetch(window.location.href, { headers: { Accept: "text/html" } });
  if (!response.ok) return;
  const page = new DOMParser().parseFromString(await response.text(), "text/html");
  const fresh = page.getElementById(list.id);
  if (!fresh) return;
  const ticked = new Set([...list.querySelectorAll("input:checked")].map((box) => box.value));
  list.replaceChildren(...fresh.childNodes);
  for (const box of list.querySelectorAll("input[type=checkbox]")) box.checked = ticked.has(box.value);
  list.closest("form")?.dispatchEvent(new Event("change"));
  followEvents();
}

function endStream(element) {
  const list = element.closest("[data-live-list]");
  if (list) refreshList(list);
  else if ("reload" in element.dataset) window.location.reload();
}

const streams = new Map();

function followEvents() {
  for (const [element, source] of streams) {
    if (!element.isConnected) {
      source.close();
      streams.delete(element);
    }
  }
  for (const element of document.querySelectorAll("[data-events]")) {
    if (streams.size >= MOST_STREAMS) return;
    if (streams.has(element)) continue;
    const source = new EventSource(element.dataset.events);
    streams.set(element, source);
    const finish = () => {
      source.close();
      streams.delete(element);
      endStream(element);
    };
    source.addEventListener("progress", (event) => showProgress(element, JSON.parse(event.data)));
    source.addEventListener("started", (event) => {
      if ("reload" in element.dataset && !element.querySelector("[data-learners]")) return;
      showProgress(element, JSON.parse(event.data));
    });
    for (const name of ["succeeded", "failed", "cancelled"]) source.addEventListener(name, finish);
    source.addEventListener("error", () => {
      if (source.readyState === EventSource.CLOSED) finish();
    });
  }
}

function askFirst() {
  for (const button of document.querySelectorAll("[data-confirm]")) {
    button.addEventListener("click", (event) => {
      if (!window.confirm(button.dataset.confirm)) event.preventDefault();
    });
  }
}

function findChoice(field) {
  // The chosen value. One with data-from="other" stands for what the choice of the other field
  // proposes, in its data-field.
  const chosen = document.querySelector(`select[name="${field}"] > option:checked, input[name="${field}"]:checked`);
  if (chosen === null || !chosen.dataset.from) return chosen?.value;
  return document.querySelector(`select[name="${chosen.dataset.from}"] > option:checked`)?.dataset[field];
}

function showChosenFields() {
  // An element with data-shown-for="field=one two" is shown while the field has one of the values.
  const parts = document.querySelectorAll("[data-shown-for]");
  const update = () => {
    for (const part of parts) {
      const [field, values] = part.dataset.shownFor.split("=");
      const isShown = values.split(" ").includes(findChoice(field));
      part.hidden = !isShown;
      for (const input of part.querySelectorAll("input, select, textarea")) input.disabled = !isShown;
    }
  };
  if (parts.length === 0) return;
  for (const input of document.querySelectorAll("[data-default]")) input.checked = true;
  document.addEventListener("change", update);
  update();
}

// The list of evaluations: two are compared, more are ranked together; the button waits for two ticks.
function countTicks() {
  const form = document.querySelector("[data-compare]");
  const button = form?.querySelector("button");
  if (!button) return;
  const update = () => {
    const n = form.querySelectorAll("input[name=of]:checked").length;
    button.disabled = n < 2;
    form.querySelector("[data-compare-hint]").textContent = n < 2 ? `${n} of 2 ticked` : n > 2 ? `${n} ticked: all their models are ranked together` : "";
  };
  form.addEventListener("change", update);
  update();
}

followEvents();
countTicks();
askFirst();
showChosenFields();
document.querySelector("[data-focus]")?.focus();
