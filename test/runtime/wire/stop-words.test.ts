import t from "tap";
import { wantsOff } from "../../../runtime/wire/stop-words.js";

const OFF = `
STOP!!
STOOOP
stpo
pls stop
ok stop
no, stop!
NO STOP IT
wait stop
stop that
Stop, the floor is wet
water is leaking, stop
stop its leaking
stop and tell me why
stop everything but the light
turn off
turn it off already
can you turn off the pump please
somebody stop the pump
shut down the pump
kill the pump
stop watering the basil
cancel the watering
🛑
/off@bot water on the floor
Stopp!
Pumpe aus!
mach alles aus
stell das Wasser ab
hör auf zu gießen
Not aus
¡Para!
apágalo
corta el agua
deja de regar
desliga tudo agora
Pára!
desligue a água`;

const OTHER = `
stop watering reminders
stop reminding me to water
stop watering so much
stop watering in winter
stop watering tomorrow
stop it when it rains
stop at 5
don't stop
don´t stop
dont stop
never stop
do not stop watering
you must not stop
don’t turn it off please
is the pump off?
did you turn it off?
how do I stop the pump?
what happens if I say stop
I switched off the pump myself
we had a power cut
cut the basil
turn off the light
Monday: off
remind me to turn off the tap
/office
nicht stoppen
ist die Pumpe aus?
Wie sieht das Basilikum aus?
dreh das Wasser auf
mach die Pumpe an
no pares
no pare
para la albahaca
para que serve
não pare
não desliga a bomba
yes
pause`;

const linesOf = (text: string): readonly string[] => text.trim().split("\n");

t.test("a wish to switch off is understood in the four languages of the page", (t) => {
  for (const text of linesOf(OFF)) t.equal(wantsOff(text), true, text);
  t.end();
});

t.test("questions, advice, and what says no switch nothing off", (t) => {
  for (const text of linesOf(OTHER)) t.equal(wantsOff(text), false, text);
  t.end();
});

t.test("a stranger's long message is read within a moment", (t) => {
  // of 360 characters it took 1.6 s, and twice as long for each dozen more: the bridge heard nobody else meanwhile
  for (const text of ["stop water off ", "off ", "stop watering the ", "/", "s", "no "]) {
    const began = performance.now();
    t.equal(wantsOff(`${text.repeat(4000)}x`), false);
    t.ok(performance.now() - began < 1000, text);
  }
  t.end();
});
