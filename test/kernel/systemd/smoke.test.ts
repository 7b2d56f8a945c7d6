import t from "tap";
import { run } from "./system.js";
t.comment(run("systemd-analyze", "time"));
t.comment(run("systemctl", "--failed", "--no-legend"));
t.comment(run("ls", "-la", "/sys/class/leds", "/dev/i2c-0", process.env.STORY ?? ""));
t.comment(run("uname", "-a"));
t.comment(run("systemctl","status", "bench-chip"));
t.comment(run("free", "-m"));
t.pass();
