(function () {
  "use strict";
  var root = document.documentElement;
  var theme = document.querySelector(".theme");
  if (theme) {
    theme.hidden = false;
    theme.addEventListener("click", function (e) {
      var b = e.target.closest("button");
      if (!b) { return; }
      if (b.value === "auto") { root.removeAttribute("data-theme"); } else { root.setAttribute("data-theme", b.value); }
      theme.querySelectorAll("button").forEach(function (o) { o.setAttribute("aria-pressed", String(o === b)); });
    });
  }
  var lists = {};
  document.querySelectorAll(".cases").forEach(function (box) {
    var form = box.querySelector(".filters");
    if (!form) { return; }
    var cases = Array.prototype.slice.call(box.querySelectorAll(".case"));
    var search = form.querySelector("input");
    var selects = Array.prototype.slice.call(form.querySelectorAll("select"));
    var out = form.querySelector("output");
    var text = new Map();
    function apply() {
      var want = search.value.toLowerCase().trim(), shown = 0;
      cases.forEach(function (c) {
        var ok = selects.every(function (s) {
          return s.value === "" || (c.getAttribute("data-" + s.name) || "").indexOf("|" + s.value + "|") !== -1;
        });
        if (ok) {
          if (want !== "") {
            if (!text.has(c)) { text.set(c, c.textContent.toLowerCase()); }
            ok = text.get(c).indexOf(want) !== -1;
          }
        }
        c.hidden = !ok;
        if (ok) { shown++; }
      });
      out.textContent = shown + " of " + cases.length + " cases";
    }
    form.hidden = false;
    form.addEventListener("submit", function (e) { e.preventDefault(); });
    form.addEventListener("input", apply);
    form.addEventListener("reset", function () { setTimeout(apply, 0); });
    lists[box.id] = function (filter) {
      form.reset();
      filter.split(";").forEach(function (pair) {
        var at = pair.indexOf("="), name = pair.slice(0, at), value = pair.slice(at + 1);
        selects.forEach(function (s) { if (s.name === name) { s.value = value; } });
      });
      apply();
    };
    apply();
  });
  document.addEventListener("click", function (e) {
    var a = e.target.closest("a[data-filter]");
    if (!a) { return; }
    var set = lists[a.getAttribute("href").slice(1)];
    if (set) { set(a.getAttribute("data-filter")); reveal(a.getAttribute("href")); }
  });
  function reveal(to) {
    var hash = typeof to === "string" ? to : location.hash;
    var t = hash.length > 1 ? document.getElementById(decodeURIComponent(hash.slice(1))) : null;
    for (; t; t = t.parentElement) { if (t.tagName === "DETAILS") { t.open = true; } }
  }
  window.addEventListener("hashchange", reveal);
  reveal();
}());
