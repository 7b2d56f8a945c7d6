# channel_refusal channel.h: no rest between activations
s/(c.rest_ms < full_rest_ms) ? REFUSED_REST/(c.rest_ms < 1u) ? REFUSED_REST/
