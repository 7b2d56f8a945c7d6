# saved_sound interlock.c: damaged words are believed
s/(saved->crc != saved_crc(saved)) || //
