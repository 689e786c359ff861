#!/usr/bin/env python3
"""What two sides of a benchmark measured, side by side, from the files that bench/compare keeps.

A file is one run, <command>.<round>.<before|after>.json: the rows that the benchmark saved. A row's
words and what it was measured at name its figures; its other numbers are the figures.
"""

import argparse
import json
import re
import statistics
import sys
from collections import defaultdict
from pathlib import Path

MEASURED_AT = ("records", "in_flight", "connections", "threads")
FAULTS = ("failed", "wrong")
MORE_IS_BETTER = re.compile(r"(per_second|ratio|of_limit|batch)$")


def figures_of(row):
    """Name and value of every figure of a row."""
    row = dict(row)
    if row.get("seconds") and "opened" in row:  # runs open a few more records or a few less
        row["opened_per_second"] = row.pop("opened") / row["seconds"]
    words = [value for value in row.values() if isinstance(value, str)]
    words += [f"{key}={row[key]}" for key in MEASURED_AT if key in row]
    for key, value in row.items():
        if isinstance(value, (int, float)) and key not in MEASURED_AT:
            yield " ".join(words + [key]), value


def read(folder):
    """figure → side → round → value, in the order in which benchmarks tell them."""
    found = defaultdict(lambda: {"before": {}, "after": {}})
    paths = [path for path in folder.glob("*.json") if path.stat().st_size > 0]
    for path in sorted(paths, key=lambda path: [int(part) for part in path.name.split(".")[:2]]):
        _, number, side, _ = path.name.split(".")
        # A figure over nothing, 0/0, is not a number, and JSON has no word for it.
        text = re.sub(r":-?(nan|inf)\b", ":null", path.read_text(encoding="utf-8"))
        try:
            rows = json.loads(text)
        except ValueError as error:
            sys.exit(f"{path} is not JSON: {error}")
        for row in rows:
            for name, value in figures_of(row):
                found[name][side][int(number)] = value
    return found


def better(name, before, after):
    """How many times as good after is as before; None if that cannot be said."""
    if not before or not after:
        return None
    return after / before if MORE_IS_BETTER.search(name) else before / after


def median(values):
    return statistics.median(values) if values else None


def spread(ratios):
    """The lowest, the middle half's ends and the highest."""
    if not ratios:
        return [None] * 4
    quarters = ratios * 3  # one has no quarters
    if len(ratios) > 1:
        quarters = statistics.quantiles(ratios, n=4, method="inclusive")
    return [min(ratios), quarters[0], quarters[2], max(ratios)]


def amount(value):
    if value is None:
        return "missing"
    return f"{value:,.0f}" if abs(value) >= 1000 else f"{value:,.4g}"


def times(ratio):
    return "–" if ratio is None else f"{ratio:.3f}"


def line_of(name, sides):
    before, after = sides["before"], sides["after"]
    ratios = [better(name, before[each], after[each]) for each in before.keys() & after.keys()]
    middle = [median(before.values()), median(after.values())]
    ratio = None if None in middle else better(name, *middle)
    return [name, *map(amount, middle), times(ratio), *map(times, spread([r for r in ratios if r]))]


def print_table(lines):
    widths = [max(map(len, column)) for column in zip(*lines)]
    for name, *cells in lines:
        cells = [cell.rjust(width) for cell, width in zip(cells, widths[1:])]
        print(name.ljust(widths[0]), *cells, sep="  ")


def main():
    parser = argparse.ArgumentParser(description="Prints both sides' medians and their ratio.")
    parser.add_argument("folder", type=Path, help="where bench/compare left its figures")
    parser.add_argument("--only", default="", metavar="REGEX", help="figures whose names match")
    options = parser.parse_args()
    found = read(options.folder)
    faults = {name: sides for name, sides in found.items() if name.endswith(FAULTS)}
    shown = {name: sides for name, sides in found.items()
             if name not in faults and re.search(options.only, name)}
    if not shown:
        sys.exit(f"there are no such figures in {options.folder}")
    print_table([["figure", "before", "after", "ratio", "low", "25%", "75%", "high"],
                 *(line_of(name, sides) for name, sides in shown.items())])
    print("ratio: of the medians; above 1, after is better: more a second, or less time or memory.\n"
          "low to high: of the rounds' own ratios. A ratio says no more than their spread allows.")
    faulty = [f"{name}: {side}" for name, sides in faults.items()
              for side, values in sides.items() if any(values.values())]
    if faulty:
        sys.exit("CALLS FAILED, the figures mean nothing: " + "; ".join(faulty))


main()
