"""Waters one plant: measure, write a plan, pour 15 ml. Usage: python3 water.py http://127.0.0.1:8731/mcp TOKEN_FILE"""
import json, sys, urllib.request
url, token = sys.argv[1], open(sys.argv[2]).read().strip()
headers = {"Authorization": f"Bearer {token}", "Content-Type": "application/json",
           "Accept": "application/json, text/event-stream", "MCP-Protocol-Version": "2025-11-25"}

def call(tool, **arguments):
    body = {"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": {"name": tool, "arguments": arguments}}
    with urllib.request.urlopen(urllib.request.Request(url, json.dumps(body).encode(), headers)) as reply:
        lines = [line.removeprefix("data: ") for line in reply.read().decode().split("\n")]
    result = next(json.loads(line) for line in lines if line.startswith("{"))["result"]
    if result.get("isError"):
        sys.exit(f"{tool} was refused: {result['content'][0]['text']}")
    return result["structuredContent"]

status = {"timestamp": call("get_current_time")["timestamp"], "sensor_reading": call("read_moisture")["value"],
          "water_24h": call("get_water_usage_24h")["used_ml"], "light_today": call("get_light_status")["light_today"],
          "plant_state": "healthy", "reasoning": "a little water",
          "next_action_sequence": [{"order": 1, "action": "water", "value": 15}]}
answer = call("write_plant_status", **status)
print(call("dispense_water", ml=15) if answer["proceed"] else answer["reason"])
call("release_care")
