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

  /** The first by the given keys, the earlier key first. */
  const least = (options, ...keys) => options.reduce((best, option) => {
    for (const key of keys) {
      if (key(option) !== key(best)) return key(option) < key(best) ? option : best;
    }
    return best;
  });

  const within = (options, { deadline, budget }) => options.filter((o) => o.cost !== null
    && (deadline === null || o.seconds <= deadline) && (budget === null || o.cost <= budget));
  /** Goal of a program: the time if all its nodes are free. */
  const goalOf = (options, { goal }) => (options.every((o) => !o.cost) ? "time" : goal);
  const measureOf = (goal) => (goal === "time" ? (o) => o.seconds : (o) => o.cost);

  /**
   * The option to take, or null: the least cost (or time) of those within deadline and budget. Options that differ by
   * less than the share `tie` are equal: equal costs go to the cheaper node, equal times to the cheaper run.
   */
  const choose = (options, program, tie) => {
    const goal = goalOf(options, program), fitting = within(options, program), measure = measureOf(goal);
    if (fitting.length === 0) return null;
    const limit = Math.min(...fitting.map(measure)) * (1 + tie);
    const spent = goal === "time" ? (o) => o.cost : (o) => o.price;
    return least(fitting.filter((o) => measure(o) <= limit), spent, (o) => o.seconds, (o) => o.fabric);
  };

  /** Options that may be better than the choice by over the share `close`, within the 90 % interval. */
  const doubtful = (options, choice, program, close) => {
    const measure = measureOf(goalOf(options, program));
    return within(options, program).filter((o) => choice !== null
      && choice.leastRatios[o.fabric] * measure(o) < (1 - close) * measure(choice)).sort((a, b) => measure(a) - measure(b));
  };

  /** Time ratio of the cheapest node's fabric to the fastest, or null with fewer than two priced options. */
  const breakEven = (options) => {
    const priced = options.filter((o) => o.cost !== null);
    if (priced.length < 2) return null;
    const fastest = least(priced, (o) => o.seconds, (o) => o.price);
    const cheapest = least(priced, (o) => o.price, (o) => o.seconds);
    return cheapest.seconds / fastest.seconds;
  };

  return Object.freeze({ valueAt, secondsAt, choose, doubtful, breakEven });
})();
