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
desligue a água
Stop the basil
stop watering the tomatoes now please
turn the basil's pump off
don't water it any more today
stop the fern's pump
stop pumping
stop the water
stop the water to the basil
please stop watering my tomatoes
no more water
no more water please
no more watering today
don't water anything
enough water
that's enough water
enough
switch the pump of the basil off
shut off the tomato pump
kill the pump on the balcony
stop watering right now
stop all the pumps
stop it now, the floor is wet
turn everything off in the kitchen
cut the water
hey stop the balcony one
turn off both pumps
it's overflowing, stop
Stopp das Basilikum
Stoppe die Tomaten
hör auf, das Basilikum zu gießen
hör auf die Tomaten zu gießen
schalte die Pumpe vom Basilikum aus
nicht mehr gießen
bitte nicht mehr gießen heute
gieß das Basilikum nicht mehr
kein Wasser mehr
genug Wasser
es reicht
Wasser abstellen
stopp die Pumpe am Balkon
para de regar los tomates
deja de regar la albahaca
apaga la bomba de la albahaca
no riegues más
no la riegues más hoy
no más agua
basta de agua
cierra el agua
detén la bomba
apaga todo en la cocina
corta el riego
ya basta
que pare la bomba
pare de regar os tomates
deixa de regar
desliga a bomba do manjericão
não regues mais
não regue mais hoje
chega de água
chega
fecha a água
corta a água
mais água não
desliga já a bomba da varanda
parem a bomba
para com isso
arrête tout
éteins la pompe
coupe l'eau
stop
arrête d'arroser
arrête d'arroser le basilic
arrêtez la pompe
stoppe la pompe s'il te plaît
éteins tout
coupe tout de suite l'eau
n'arrose plus
n'arrose plus le basilic aujourd'hui
plus d'eau
ça suffit
assez d'eau
ferme l'eau
spegni tutto
ferma la pompa
chiudi l'acqua
basta
smetti di annaffiare
smetti di annaffiare il basilico
ferma il basilico
fermati
spegni la pompa del basilico
non annaffiare più
basta acqua
blocca la pompa subito
shut the valve
no more water for the basil
dreh den Hahn zu
ne l'arrose plus
STOP THE WATERING
don't give it any more water
that's enough water for today
the pump must stop
die Pumpe soll aufhören
gib der Minze kein Wasser mehr
no eches más agua
não ponhas mais água
il faut arrêter la pompe
ne lui donne plus d'eau
non dare più acqua
smetti di dare acqua`;

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
pause
stop reminding me
stop by the shop
don't stop watering
don't stop the pump
stop the reminders
stop telling me about the fern
stop watering so often
when did you stop the basil
did the pump stop?
do not water the fern on Sundays
I don't water it any more, you do
the basil is off
no more questions
is that enough water?
turn the basil towards the window
nicht aufhören zu gießen
hör nicht auf
hör auf mich zu erinnern
gieß morgen nicht
wie viel Wasser ist genug?
ich gieße nicht mehr, du machst das
das Basilikum sieht nicht gut aus
para mañana riega la albahaca
no dejes de regar
deja de recordarme
es para la albahaca
riega más
por qué no riegas más
basta con 20 ml
para amanhã rega o manjericão
não pares de regar
é para o manjericão
deixa de me lembrar
não desligues
chega de lembretes
chega amanhã o vaso novo
n'arrête pas
ne coupe pas l'eau
arrête de me rappeler
arrose plus
plus d'eau demain s'il te plaît
est-ce que la pompe est arrêtée ?
comment couper l'eau ?
non fermare la pompa
non smettere di annaffiare
smetti di ricordarmelo
annaffia di più
basta così poco?
la pompa è spenta?
non spegnere niente
turn off the radiator
stop the timer
éteins la télé
no water in the tank
para o manjericão
give it more water
the pump should start
soll die Pumpe laufen?
gib der Minze Wasser
ponle más agua
il faut arroser
dai più acqua`;

const linesOf = (text: string): readonly string[] => text.trim().split("\n");

t.test(
  "a wish to switch off is understood in six languages, also with the name of a plant or a thing",
  (t) => {
    for (const text of linesOf(OFF)) t.equal(wantsOff(text), true, text);
    t.end();
  },
);

t.test("questions, advice, and what says no switch nothing off", (t) => {
  for (const text of linesOf(OTHER)) t.equal(wantsOff(text), false, text);
  t.end();
});

t.test("a stranger's long message is read within a moment", (t) => {
  // of 360 characters it took 1.6 s, and twice as long for each dozen more: the bridge heard nobody else meanwhile
  for (const text of [
    "stop water off ",
    "off ",
    "stop watering the ",
    "/",
    "s",
    "no ",
    "stop the a of the a, ",
    "x,",
  ]) {
    const began = performance.now();
    t.equal(wantsOff(`${text.repeat(4000)}x`), false);
    t.ok(performance.now() - began < 1000, text);
  }
  t.end();
});
