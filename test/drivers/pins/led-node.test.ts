import { join } from "node:path";
import t, { type Test } from "tap";
import { ledNode } from "../../../drivers/pins/led-line.js";

/** A property of cells, as the kernel shows it: 4 bytes each, the highest first. */
function cells(...values: readonly number[]): Buffer {
  const bytes = Buffer.alloc(values.length * 4);
  values.forEach((value, at) => void bytes.writeUInt32BE(value, at * 4));
  return bytes;
}

type Node = Readonly<Record<string, string | Buffer>>;

/** /sys/class/leds/NAME over a node of `gpio-leds` with these children. */
function led(t: Test, name: string, children: Readonly<Record<string, Node>>): string {
  const own = { compatible: "gpio-leds\0", name: "leds\0", status: "okay\0" };
  const root = t.testdir({ [name]: { brightness: "0", device: { of_node: { ...own, ...children } } } });
  return join(root, name);
}

const PHANDLE = 0x0f;

t.test("line and polarity are the second and third cell of the child that has the LED's label", async (t) => {
  for (const [flags, activeLow] of [
    [0, false],
    [1, true],
    [5, true],
    [6, false],
  ] as const) {
    const path = led(t, "basil-pump", { led: { label: "basil-pump\0", gpios: cells(PHANDLE, 17, flags) } });
    t.same(ledNode(path), { gpio: 17, activeLow }, `flags ${flags}`);
  }
});

t.test("among several children each LED finds its own", async (t) => {
  const children = {
    act: { label: "ACT\0", gpios: cells(PHANDLE, 42, 0) },
    pump: { label: "basil-pump\0", gpios: cells(PHANDLE, 17, 0) },
    light: { label: "basil-light\0", gpios: cells(PHANDLE, 6, 1) },
  };
  t.same(ledNode(led(t, "basil-light", children)), { gpio: 6, activeLow: true });
  t.same(ledNode(led(t, "basil-pump", children)), { gpio: 17, activeLow: false });
});

t.test("where the device tree does not tell, nothing is made up", async (t) => {
  const gpios = cells(PHANDLE, 17, 0);
  const label = "basil-pump\0";
  const nodes = {
    "another label": { led: { label: "fern-pump\0", gpios } },
    "no label": { led: { gpios } },
    "no gpios": { led: { label } },
    "a specifier of two cells": { led: { label, gpios: cells(PHANDLE, 17) } },
    "no children": {},
  };
  for (const [what, children] of Object.entries(nodes))
    t.equal(ledNode(led(t, "basil-pump", children)), undefined, what);
  t.equal(ledNode(join(t.testdir({ "input0::capslock": {} }), "input0::capslock")), undefined, "no of_node");
  t.equal(ledNode("/nowhere/basil-pump"), undefined, "no LED");
});
