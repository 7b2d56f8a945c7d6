# book booking.h: an activation costs nothing
s/^    charge(saved, after.asked_ms);/    (void)charge;/
