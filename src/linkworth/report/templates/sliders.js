/** The sliders: read their places, compute every program anew, show and announce what changed. */
(() => {
  const section = document.getElementById("what-if");
  if (!section) return;
  const data = JSON.parse(document.getElementById("what-if-data").textContent);
  const panels = [...section.querySelectorAll("[data-group]")];
  const status = document.getElementById("what-if-status");
  const PRICE_STEPS = 50;

  const significant = (value, digits = 3) => {
    if (value === 0 || !Number.isFinite(value)) return String(value);
    const decimals = Math.max(0, digits - 1 - Math.floor(Math.log10(Math.abs(value))));
    if (decimals === 0) return value.toFixed(0); // whole numbers keep their digits, as in the page's tables
    const rounded = Number(value.toPrecision(digits));
    const exact = Math.max(0, digits - 1 - Math.floor(Math.log10(Math.abs(rounded))));
    return rounded.toFixed(Math.min(decimals, exact, 20));
  };
  const prefixed = (value, unit, scales) => {
    const [scale, prefix] = scales.find(([x]) => value >= x * 0.9995) ?? scales.at(-1);
    return `${significant(value / scale)} ${prefix}${unit}`;
  };
  const duration = (s) => prefixed(s, "s", [[1, ""], [1e-3, "m"], [1e-6, "µ"], [1e-9, "n"]]);
  const rate = (bytes) => prefixed(bytes, "B/s", [[1e9, "G"], [1e6, "M"], [1e3, "k"], [1, ""]]);
  const cost = (usd) => significant(usd * data.runs);
  const change = (now, before) => {
    const percent = (now / before - 1) * 100;
    if (Math.abs(percent) < 0.05) return "";
    const digits = Math.abs(percent) < 10 ? 1 : 0;
    return `${percent > 0 ? "+" : "−"}${Math.abs(percent).toFixed(digits)} %`;
  };

  const input = (panel, what) => panel.querySelector(`input[data-what="${what}"]`);
  /** Snap a position to the knot that rounding missed. */
  const place = (panel, what, axis) => {
    const control = input(panel, what);
    const at = control ? Number(control.value) : axis.base;
    return Math.abs(at - Math.round(at)) < 1e-9 ? Math.round(at) : at;
  };

  /** Current values of a group's sliders. */
  const read = (group, panel) => ({
    latency: group.latency && place(panel, "latency", group.latency),
    bandwidth: group.bandwidth && place(panel, "bandwidth", group.bandwidth),
    price: group.price && (group.price * Number(input(panel, "price").value)) / PRICE_STEPS,
  });

  const label = (panel, what, text) => {
    const control = input(panel, what);
    if (!control) return;
    control.setAttribute("aria-valuetext", text);
    panel.querySelector(`output[data-what="${what}"]`).textContent = text;
  };

  const compute = (places) => data.programs.map((program) => {
    const options = program.options.map((option) => {
      const at = places[option.group];
      const seconds = option.grid ? linkworth.secondsAt(option.grid, at.latency, at.bandwidth) : option.seconds;
      const usd = at.price === null ? null : (seconds * program.nodes * at.price) / 3600;
      return { fabric: option.fabric, seconds, cost: usd, price: at.price, leastRatios: option.least_ratios };
    });
    const usable = options.filter((_, n) => program.options[n].has_room);
    const best = linkworth.choose(usable, program, data.tie);
    const close = linkworth.doubtful(usable, best, program, data.close);
    const without = options.every((o) => o.cost === null) ? "not priced" : "none fits";
    const choice = best === null ? without : [best, ...close].map((o) => o.fabric).join(" or ");
    return { options, best: close.length ? null : best, choice, ratio: linkworth.breakEven(usable) };
  });

  const initialPlaces = data.groups.map((g) => ({
    latency: g.latency && g.latency.base, bandwidth: g.bandwidth && g.bandwidth.base, price: g.price,
  }));
  const initial = compute(initialPlaces);

  const show = () => {
    const places = data.groups.map((group, n) => read(group, panels[n]));
    data.groups.forEach((group, n) => {
      const at = places[n];
      if (group.latency) {
        label(panels[n], "latency", duration(linkworth.valueAt(group.latency.knots, at.latency)));
        label(panels[n], "bandwidth", rate(linkworth.valueAt(group.bandwidth.knots, at.bandwidth)));
      }
      if (group.price) label(panels[n], "price", `${significant(at.price, 4)} US$`);
    });
    const results = compute(places);
    results.forEach((result, p) => {
      const row = section.querySelector(`[data-program="${p}"]`);
      result.options.forEach((option, o) => {
        const cell = row.querySelector(`[data-option="${o}"]`);
        cell.querySelector(".time").textContent = duration(option.seconds);
        cell.querySelector(".cost").textContent = option.cost === null ? "no price" : cost(option.cost);
        cell.querySelector(".change").textContent = change(option.seconds, initial[p].options[o].seconds);
        cell.classList.toggle("chosen", result.best === option);
      });
      for (const choice of row.querySelectorAll(".choice")) {
        choice.textContent = result.choice;
        choice.classList.toggle("moved", result.choice !== initial[p].choice);
      }
      row.querySelector(".breakeven").textContent = result.ratio === null ? "–" : significant(result.ratio);
    });
    return results;
  };

  let announcing = 0;
  const announce = (group, results) => {
    clearTimeout(announcing);
    announcing = setTimeout(() => {
      status.textContent = data.groups[group].programs.slice(0, 6).map((p) => {
        const option = results[p].options.find((o) => o.fabric === data.groups[group].fabric);
        const usd = option.cost === null ? "" : `, ${cost(option.cost)} ${section.dataset.costLabel}`;
        return `${data.programs[p].name} on ${option.fabric}: ${duration(option.seconds)}${usd}; choice ${results[p].choice}.`;
      }).join(" ");
    }, 300);
  };

  const reset = () => {
    data.groups.forEach((group, n) => {
      for (const what of ["latency", "bandwidth"]) if (group[what]) input(panels[n], what).value = String(group[what].base);
      if (group.price) input(panels[n], "price").value = String(PRICE_STEPS);
    });
    show();
  };

  panels.forEach((panel, n) => panel.addEventListener("input", () => announce(n, show())));
  document.getElementById("what-if-reset").addEventListener("click", () => {
    reset();
    clearTimeout(announcing);
    status.textContent = "All sliders are back where they started.";
  });
  section.classList.add("ready");
  reset();
})();
