"""Prints a module of COUNT operators: a network of sums, products and functions in which one pair of operators, a
difference that reads a product, is what a test is about."""

import sys

TYPE = "tensor<4x8xf32>"
BINARY = ("add", "max", "min")
UNARY = ("relu", "tanh", "abs", "sigmoid", "neg")


def main(count):
    lines = [f"func.func @main(%x: {TYPE}, %y: {TYPE}) -> ({TYPE}, {TYPE}) {{"]
    values = ["%x", "%y"]

    def add(text):
        name = f"%v{len(values)}"
        lines.append(f"  {name} = {text}")
        values.append(name)

    for i in range(count - 2):
        # Fixed, irregular distances.
        a, b = values[-1 - (i * 7) % min(len(values), 9)], values[-1 - (i * 5) % min(len(values), 4)]
        if i == count // 2:
            add(f"graph.mul {a}, %x : ({TYPE}, {TYPE}) -> {TYPE}")
            add(f"graph.sub {values[-1]}, %y : ({TYPE}, {TYPE}) -> {TYPE}")
            difference = values[-1]
        elif i % 3 == 0:
            add(f"graph.{BINARY[i % len(BINARY)]} {a}, {b} : ({TYPE}, {TYPE}) -> {TYPE}")
        else:
            add(f"graph.{UNARY[i % len(UNARY)]} {b} : {TYPE}")
    add(f"graph.add {values[-1]}, {difference} : ({TYPE}, {TYPE}) -> {TYPE}")
    lines.append(f"  return {values[-1]}, {difference} : {TYPE}, {TYPE}")
    lines.append("}")
    print("\n".join(lines))


main(int(sys.argv[1]))
