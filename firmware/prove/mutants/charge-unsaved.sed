# decided decision.h: a slot that begins is not saved
s/^    d.now.unsaved = 1;/    d.now.unsaved = c.unsaved;/
