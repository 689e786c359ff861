-- Requests for wrk. Usage: wrk … -s load.lua URL -- KIND RUN HOLD SIGNATURE
--   place   a new hold under a new key, over 10,000 resources
--   replay  the same few keys again and again
--   show    one hold
--   webhook a new event of the source `bench`, of GitHub's scheme, whose signature covers the body alone
--   batch   100 new holds in one request

local next_thread = 0

function setup(thread)
  thread:set("id", next_thread)
  next_thread = next_thread + 1
end

local kind, run, hold, signature, count, head

function init(arguments)
  kind, run, hold, signature, count = arguments[1], arguments[2], arguments[3], arguments[4], 0
  math.randomseed(id + 1)
  head = " HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\n"
end

local function body()
  return string.format('{"resource":"resource_%d","requester":"requester_%d","duration":"PT1H"}',
    math.random(0, 9999), math.random(0, 99999))
end

local function post(address, key, text)
  return "POST " .. address .. head .. key .. "Content-Length: " .. #text .. "\r\n\r\n" .. text
end

function request()
  count = count + 1
  if kind == "place" then
    local key = string.format("Idempotency-Key: %s-%d-%08d\r\n", run, id, count)
    return post("/v1/holds", key, body())
  elseif kind == "replay" then
    local key = string.format("Idempotency-Key: replay-%d\r\n", count % 100)
    return post("/v1/holds", key, string.format(
      '{"resource":"resource_%d","requester":"requester","duration":"PT1H"}', count % 100))
  elseif kind == "webhook" then
    local event = string.format("X-Hub-Signature-256: sha256=%s\r\nX-GitHub-Delivery: %s-%d-%08d\r\n",
      signature, run, id, count)
    return post("/v1/webhooks/bench", event, '{"number":1,"action":"opened"}')
  elseif kind == "show" then
    return "GET /v1/holds/" .. hold .. head .. "\r\n"
  end
  local items = {}
  for i = 1, 100 do
    items[i] = string.format('{"token":"%s-%d-%d-%d","operation":"hold.place","params":%s}',
      run, id, count, i, body())
  end
  return post("/v1/batch", "", '{"operations":[' .. table.concat(items, ",") .. "]}")
end

function done(summary, latency)
  local wrong = summary.errors.connect + summary.errors.read + summary.errors.write +
    summary.errors.status + summary.errors.timeout
  io.write(string.format("RESULT %d %d %d %d %d %d\n", summary.requests, summary.duration,
    latency:percentile(50), latency:percentile(99), latency:percentile(99.9), wrong))
end
