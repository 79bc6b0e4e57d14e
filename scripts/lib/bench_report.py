"""The table, CSV file and picture of scripts/bench."""

import csv
import math
import os

OWN = "sinter"


def peers(rows):
    names = dict.fromkeys(row["engine"] for row in rows)
    return [name for name in names if not name.startswith(OWN)]


def find(rows, model, threads):
    return {row["engine"]: row for row in rows if row["model"] == model and row["threads"] == threads}


def ratio(found, engine=OWN):
    """Time of a build of Sinter over the time of the fastest peer."""
    times = [row["median_ms"] for name, row in found.items() if not name.startswith(OWN)]
    return found[engine]["median_ms"] / min(times) if times and engine in found else math.nan


def geometric_mean(values):
    values = [v for v in values if not math.isnan(v)]
    return math.exp(sum(map(math.log, values)) / len(values)) if values else math.nan


def line(rows, model, threads):
    """Prints the figures of one model as they come."""
    found = find(rows, model, threads)
    times = ", ".join(f"{name} {row['median_ms']:.3f}" for name, row in found.items())
    print(f"{model}, {threads} threads, ms: {times}; of the fastest peer {ratio(found):.2f}", flush=True)


def table(rows):
    engines = list(dict.fromkeys(row["engine"] for row in rows))
    threads = sorted({row["threads"] for row in rows})
    models = list(dict.fromkeys(row["model"] for row in rows))
    out = []
    for count in threads:
        out.append(f"\n{count} thread{'s' if count > 1 else ''}, median ms (half of the spread between the quartiles):\n")
        out.append("| | " + " | ".join(engines) + " | sinter / fastest peer | share of the limit | memory / least of peers |")
        out.append("|---|" + "---:|" * (len(engines) + 3))
        ratios = []
        for model in models:
            found = find(rows, model, count)
            if not found:
                continue
            cells = []
            for name in engines:
                row = found.get(name)
                spread = (row["upper_quartile_ms"] - row["lower_quartile_ms"]) / 2 if row else 0
                cells.append(f"{row['median_ms']:.3f} ({spread:.3f})" if row else "")
            ratios.append(ratio(found))
            least = [row["memory_bytes"] for name, row in found.items() if not name.startswith(OWN)]
            own = found.get(OWN, {}).get("memory_bytes", math.nan)
            memory = f"{own / min(least):.2f}" if least else ""
            share = f"{found[OWN]['limit_ms'] / found[OWN]['median_ms']:.2f}" if OWN in found else ""
            out.append(f"| {model} | " + " | ".join(cells) + f" | {ratios[-1]:.2f} | {share} | {memory} |")
        out.append(f"| geometric mean |{' |' * len(engines)} {geometric_mean(ratios):.2f} | | |")
    return "\n".join(out) + "\n"


def picture(rows, file):
    import matplotlib

    matplotlib.use("Agg")
    from matplotlib import pyplot

    threads = sorted({row["threads"] for row in rows})
    models = list(dict.fromkeys(row["model"] for row in rows))
    names = [OWN, *peers(rows)]
    figure, axes = pyplot.subplots(len(threads), 1, figsize=(max(8, len(models)), 4 * len(threads)), squeeze=False)
    for axis, count in zip(axes[:, 0], threads):
        width = 0.8 / len(names)
        for number, name in enumerate(names):
            heights = []
            for model in models:
                found = find(rows, model, count)
                own = found.get(OWN, {}).get("median_ms", math.nan)
                heights.append(found[name]["median_ms"] / own if name in found else math.nan)
            places = [x + number * width for x in range(len(models))]
            axis.bar(places, heights, width, label=name)
        axis.axhline(1.0, color="black", linewidth=0.8)
        axis.set_yscale("log")
        axis.set_ylabel("time / Sinter's time")
        axis.set_title(f"{count} thread{'s' if count > 1 else ''}: above the line is slower than Sinter")
        axis.set_xticks([x + 0.4 for x in range(len(models))], models, rotation=30, ha="right")
        axis.legend(ncols=len(names), fontsize="small")
    figure.tight_layout()
    figure.savefig(file, dpi=110)


def write(rows, machines, folder, name):
    os.makedirs(folder, exist_ok=True)
    with open(os.path.join(folder, f"{name}.csv"), "w", newline="") as file:
        writer = csv.DictWriter(file, rows[0].keys())
        writer.writeheader()
        writer.writerows(rows)
    text = table(rows) + "\n" + "".join(f"Limit, {machine}\n" for machine in machines)
    with open(os.path.join(folder, f"{name}.md"), "w") as file:
        file.write(text)
    picture(rows, os.path.join(folder, f"{name}.png"))
    print(text)
    print(f"written to {folder}")
