# channel_refusal interlock.c: a request that is held acts
s/ || (c.held != 0u)) {/) {/
