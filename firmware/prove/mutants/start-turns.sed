# start_saved start.h: each start turns a slot, so that enough starts give a spent budget back
s/^  saved->boots++;/  next_slot(saved);\n  saved->boots++;/
