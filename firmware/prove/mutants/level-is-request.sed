# channel_refusal channel.h: a request that is held acts
s/ || (c.held != 0u)) {/) {/
