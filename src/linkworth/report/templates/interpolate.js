"use strict";
/** Time and choice from a replayed grid: bilinear between its knots in log-log space, exact at the knots. */
const linkworth = (() => {
  /** Value of an axis at a position counted in knots. */
  const valueAt = (knots, place) => {
    const index = Math.min(Math.max(Math.floor(place), 0), knots.length - 1);
    const fraction = place - index;
    if (fraction <= 0 || index === knots.length - 1) return knots[index];
    return knots[index] * (knots[index + 1] / knots[index]) ** fraction;
  };

  /** Seconds at a position (latency, bandwidth), both counted in knots. */
  const secondsAt = (grid, row, column) => {
    const i = Math.floor(row), u = row - i, j = Math.floor(column), v = column - j;
    let product = 1;
    for (const [r, weight] of [[i, 1 - u], [i + 1, u]]) {
      for (const [c, other] of [[j, 1 - v], [j + 1, v]]) {
        if (weight > 0 && other > 0) product *= grid[r][c] ** (weight * other);
      }
    }
    return product;
  };

  /** The option to take, or null: those within deadline and budget, by cost then time (or time then cost). */
  const choose = (options, { goal, deadline, budget }) => {
    const fitting = options.filter((o) => o.cost !== null
      && (deadline === null || o.seconds <= deadline) && (budget === null || o.cost <= budget));
    const rank = goal === "time" ? (o) => [o.seconds, o.cost] : (o) => [o.cost, o.seconds];
    return fitting.reduce((best, o) => {
      if (best === null) return o;
      const [a, b] = [rank(o), rank(best)];
      return a[0] < b[0] || (a[0] === b[0] && a[1] < b[1]) ? o : best;
    }, null);
  };

  /** Time ratio of the cheapest node's fabric to the fastest, or null with fewer than two priced options. */
  const breakEven = (options) => {
    const priced = options.filter((o) => o.cost !== null);
    if (priced.length < 2) return null;
    const fastest = priced.reduce((a, b) => (b.seconds < a.seconds ? b : a));
    const cheapest = priced.reduce((a, b) => (b.price < a.price ? b : a));
    return cheapest.seconds / fastest.seconds;
  };

  return Object.freeze({ valueAt, secondsAt, choose, breakEven });
})();
