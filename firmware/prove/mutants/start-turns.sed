# start_saved interlock.c: each start turns a slot, so that enough starts give a spent budget back
s/^  saved->boots++;/  next_slot(saved);\n  saved->boots++;/
