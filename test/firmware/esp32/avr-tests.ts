/** The tests that the AVR's binary passes: a program of its own, with INTERLOCK_CHIP in its environment. */
for (const name of ["doses", "contacts", "silence", "bad-lines", "resets"])
  await import(`../${name}.test.js`);
