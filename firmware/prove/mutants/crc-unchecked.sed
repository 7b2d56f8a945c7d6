# saved_sound saved.h: damaged words are believed
s/(saved->crc != saved_crc(saved)) || //
