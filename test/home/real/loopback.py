"""Home Assistant, unchanged but for two things: it speaks to loopback only, and the kernel ends it after a while.

    loopback.py SECONDS [arguments of hass...]

Home Assistant opens multicast DNS on every interface, whatever its configuration says. Here an address that is not
loopback fails as on a computer without a network.
"""
import errno
import ipaddress
import signal
import sys

seconds = int(sys.argv.pop(1))
REACHING = ("socket.bind", "socket.connect", "socket.sendto", "socket.sendmsg")


def is_loopback(address):
    if not isinstance(address, tuple):  # a path: a socket of this computer
        return True
    host, port = address[:2]
    if (host, port) == ("", 0):  # a client that leaves its own side to the kernel
        return True
    try:
        return ipaddress.ip_address(host).is_loopback
    except ValueError:
        return host == "localhost"


def refuse_others(event, args):
    reaches = event in REACHING and not is_loopback(args[1])
    looks_up = event == "socket.getaddrinfo" and args[0] is not None and not is_loopback((args[0], 1))
    if reaches or looks_up:
        raise OSError(errno.ENETUNREACH, "this test home is held to loopback")


signal.alarm(seconds)
sys.addaudithook(refuse_others)

from aiohttp.resolver import ThreadedResolver  # noqa: E402
from homeassistant.__main__ import main  # noqa: E402
from homeassistant.helpers import aiohttp_client  # noqa: E402

aiohttp_client._async_make_resolver = lambda hass: ThreadedResolver()  # the usual one is multicast DNS
sys.exit(main())
