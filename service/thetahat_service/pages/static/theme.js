"use strict";

// The reader's choice of colours, which this script sets before anything is drawn. Without it, or
// without a choice, they are those of the system.

const THEMES = { system: "as the system", light: "light", dark: "dark" };
const SYSTEM = window.matchMedia("(prefers-color-scheme: dark)");
const DARK_SOURCE = "(prefers-color-scheme: dark)";

function readTheme() {
  try {
    const kept = localStorage.getItem("theme");
    return kept in THEMES ? kept : "system";
  } catch {
    return "system"; // the browser keeps nothing
  }
}

function isDark() {
  const theme = readTheme();
  return theme === "system" ? SYSTEM.matches : theme === "dark";
}

function showTheme() {
  const theme = readTheme();
  document.documentElement.dataset.theme = theme;
  const medium = { system: DARK_SOURCE, light: "(max-width: 0px)", dark: "(min-width: 0px)" }[theme];
  for (const source of document.querySelectorAll("source[media]")) {
    source.dataset.media ??= source.media;
    source.media = source.dataset.media.replace(DARK_SOURCE, medium);
  }
  document.dispatchEvent(new Event("theme"));
}

showTheme();
SYSTEM.addEventListener("change", showTheme);
document.addEventListener("DOMContentLoaded", () => {
  const label = document.createElement("label");
  const select = document.createElement("select");
  for (const [value, name] of Object.entries(THEMES)) select.add(new Option(name, value));
  select.value = readTheme();
  select.addEventListener("change", () => {
    try {
      localStorage.setItem("theme", select.value);
    } catch {
      return;
    }
    showTheme();
  });
  label.append(" · Colours ", select);
  document.querySelector("footer.site p").append(label);
  showTheme();
});
