// Looks at pages of Hallmark in a real browser, as people see them: at 390, 820 and 1280 pixels, dark and light, and in
// print; what axe-core finds, what is wider than the window, cut or scrolled sideways, and which texts lie on each other.
//
//   node check.mjs [--shots DIR] [--views 390,820,1280,print] PAGE.html…
//
// It wants Chromium (CHROMIUM names it; else /usr/bin/chromium) and the packages axe-core and puppeteer-core. It exits
// with 1 where it finds anything.
import { createRequire } from "node:module";
import { readFileSync, mkdirSync } from "node:fs";
import { basename, resolve } from "node:path";
import { pathToFileURL } from "node:url";

const require = createRequire(resolve(process.cwd(), "package.json"));
const puppeteer = require("puppeteer-core");
const axe = readFileSync(require.resolve("axe-core/axe.min.js"), "utf8");

const args = process.argv.slice(2);
let shots = "", wanted = ["390", "820", "1280", "print"];
for (; args[0]?.startsWith("--"); args.splice(0, 2)) {
  if (args[0] === "--shots") { shots = args[1]; mkdirSync(shots, { recursive: true }); }
  if (args[0] === "--views") { wanted = args[1].split(","); }
}

// In the page: what is wider than its box, and which texts overlap.
function look(print) {
  const found = [];
  const name = (e) => e.tagName.toLowerCase() + (e.id ? "#" + e.id : "") +
    (e.getAttribute("class") ? "." + e.getAttribute("class").split(" ").join(".") : "") + " “" + e.textContent.trim().slice(0, 50) + "”";
  const root = document.documentElement;
  if (!print && root.scrollWidth > root.clientWidth + 1) { found.push("the page is " + root.scrollWidth + " wide, the window " + root.clientWidth); }
  const seen = (e) => e.checkVisibility({ contentVisibilityAuto: true, visibilityProperty: true }) && !e.closest(".sr, .skip") &&
    !(e.closest("thead") && getComputedStyle(e.closest("thead")).clipPath !== "none"); // kept for screen readers alone
  for (const e of document.querySelectorAll("body *")) {
    if (e.closest("svg") || !seen(e)) { continue; }
    const style = getComputedStyle(e);
    if (style.display === "inline") { continue; }
    if (style.overflowX !== "visible" && e.scrollWidth > e.clientWidth + 1) { found.push("cut or scrolled sideways: " + name(e) + " " + e.scrollWidth + " in " + e.clientWidth); }
    const r = e.getBoundingClientRect();
    if (r.width > 0 && (r.right > root.clientWidth + 1 || r.left < -1)) { found.push("beyond the window: " + name(e)); }
  }
  const boxes = [];
  const walk = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
  while (walk.nextNode()) {
    const n = walk.currentNode, e = n.parentElement;
    if (!n.data.trim() || !seen(e) || e.closest("script, style, title")) { continue; }
    const range = document.createRange();
    range.selectNodeContents(n);
    for (const r of range.getClientRects()) {
      if (r.width > 1 && r.height > 1) { boxes.push({ r, n, e }); }
    }
    const svg = e.closest("svg");
    if (svg) {
      const t = e.getBoundingClientRect();
      if (t.left < -1 || t.right > root.clientWidth + 1) { found.push("text of a chart beyond the window: " + name(e)); }
    }
  }
  boxes.sort((a, b) => a.r.top - b.r.top);
  let last = "";
  for (let i = 0; i < boxes.length; i++) {
    for (let j = i + 1; j < boxes.length && boxes[j].r.top < boxes[i].r.bottom; j++) {
      const a = boxes[i], b = boxes[j];
      if (a.n === b.n) { continue; }
      const w = Math.min(a.r.right, b.r.right) - Math.max(a.r.left, b.r.left);
      const h = Math.min(a.r.bottom, b.r.bottom) - Math.max(a.r.top, b.r.top);
      if (w > 1.5 && h > Math.min(a.r.height, b.r.height) * .35) {
        const says = "texts on each other: " + name(a.e) + " and " + name(b.e);
        if (says !== last) { found.push(says); }
        last = says;
      }
    }
  }
  return found;
}

const browser = await puppeteer.launch({ executablePath: process.env.CHROMIUM || "/usr/bin/chromium", headless: true,
  args: ["--no-sandbox", "--disable-gpu", "--disable-dev-shm-usage", "--font-render-hinting=none"] });
let bad = 0;
for (const file of args) {
  const views = [];
  for (const width of wanted.filter((w) => w !== "print").map(Number)) { for (const scheme of ["light", "dark"]) { views.push({ width, scheme }); } }
  if (wanted.includes("print")) { views.push({ width: 673, scheme: "light", print: true }); } // A4 within its margins
  for (const v of views) {
    for (const open of v.print ? [false] : [false, true]) {
      const page = await browser.newPage();
      await page.setBypassCSP(true); // axe-core is no script of the page
      await page.setViewport({ width: v.width, height: 900 });
      if (v.print) { // one of the two ends the other
        await page.emulateMediaType("print");
      } else {
        await page.emulateMediaFeatures([{ name: "prefers-color-scheme", value: v.scheme }]);
      }
      await page.goto(pathToFileURL(resolve(file)).href);
      if (open) { // what is folded, and three of the cases
        await page.evaluate(() => { document.querySelectorAll("details:not(.case)").forEach((d) => { d.open = true; });
          [...document.querySelectorAll("details.case")].slice(0, 3).forEach((d) => { d.open = true; }); });
      }
      await page.evaluate(() => { // cases are alike: six of them stand for all
        [...document.querySelectorAll("details.case")].slice(6).forEach((d) => d.remove()); });
      const what = `${basename(file)} ${v.print ? "print" : v.width + " " + v.scheme}${open ? " unfolded" : ""}`;
      const found = await page.evaluate(look, !!v.print);
      if (v.print) {
        found.push(...await page.evaluate(() => [...document.querySelectorAll("details:not([open]):not(.case)")].filter((d) =>
          d.checkVisibility() && [...d.children].slice(1).some((c) => !c.checkVisibility({ contentVisibilityAuto: true }) || c.getBoundingClientRect().height === 0))
          .map((d) => "folded in print: " + d.querySelector("summary").textContent)));
      } else {
        await page.evaluate(axe);
        const result = await page.evaluate(() => globalThis.axe.run(document, { resultTypes: ["violations"] }));
        for (const x of result.violations) { found.push(`axe: ${x.id} (${x.nodes.length}): ${x.help}: ${x.nodes[0].html.slice(0, 160)}`); }
      }
      if (shots) {
        const height = Math.min(9000, await page.evaluate(() => document.documentElement.scrollHeight));
        await page.screenshot({ path: `${shots}/${basename(file, ".html")}-${v.print ? "print" : v.width + "-" + v.scheme}${open ? "-unfolded" : ""}.png`,
          clip: { x: 0, y: 0, width: v.width, height } });
      }
      console.log(`${what}: ${found.length ? found.length + " found" : "nothing"}`);
      for (const f of found.slice(0, 12)) { console.log("  " + f); }
      bad += found.length;
      await page.close();
    }
  }
}
await browser.close();
process.exit(bad ? 1 : 0);
