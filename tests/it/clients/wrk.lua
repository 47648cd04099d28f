-- What wrk sends and what must come back, started with `-- TABLE [FILE]`. At the end each row of TABLE has its line, `ok NAME`
-- or `FAILED NAME: why`, and the last line counts what wrk saw go wrong.

local ffi = require("ffi")
ffi.cdef("int getpid(void); int kill(int, int);")
local SIGINT = 2

-- The bytes of /bytes/N.
local line = "0123456789abcdefghijklmnopqrstuvwxyz-ABCDEFGHIJKLMNOPQRSTUVWXYZ\n"
local function filler(length)
  return line:rep(math.ceil(length / #line)):sub(1, length)
end

local function header(headers, name)
  for known, value in pairs(headers) do
    if known:lower() == name then return value end
  end
end

-- A row: its name; the bytes of the request, or a function that makes them when it is their turn; the status; the body, or a
-- function of body and headers whose answer says what is wrong unless it is true; or nothing.
local rows = {}
local function row(name, bytes, status, expected)
  rows[#rows + 1] = { name = name, bytes = bytes, status = status, expected = expected }
end

local function get(path, headers)
  return wrk.format("GET", path, headers)
end

local function post(path, body, headers)
  return wrk.format("POST", path, headers, body)
end

local function chunked(path, pieces)
  local body = {}
  for _, piece in ipairs(pieces) do body[#body + 1] = ("%x\r\n%s\r\n"):format(#piece, piece) end
  local head = "POST " .. path .. " HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\n"
  return head .. table.concat(body) .. "0\r\n\r\n"
end

local function closes(_, headers)
  return header(headers, "connection") == "close" or "no Connection: close"
end

local tables = {}

function tables.boardd()
  for _, length in ipairs({ 0, 1, 4096, 65537, 1000000 }) do
    row("bytes/" .. length, get("/bytes/" .. length), 200, filler(length))
  end
  row("json", get("/json"), 200, '{"message":"Hello, World!"}')
  row("errors/404", get("/nothing"), 404, "404 Not Found\n")
  row("errors/405", wrk.format("DELETE", "/json"), 405, "405 Method Not Allowed\n")
  row("errors/501", wrk.format("BREW", "/json"), 501, "501 Not Implemented\n")
  row("errors/many", get("/bytes/many"), 400)
  row("errors/host", "GET / HTTP/1.1\r\n\r\n", 400, closes)
  row("errors/line", "GET / HTTP/1.1 \r\n\r\n", 400, closes)
  row("query", get("/hello?name=%3Cb%3EJ%C3%BCrgen+%26+Co&x=%2541"), 200, function(body)
    local is = body:find("<dt>name<dd>&lt;b&gt;J\195\188rgen &amp; Co\n", 1, true) and body:find("<dt>x<dd>%41\n", 1, true)
    return is and true or body
  end)
  local large = filler(1000000)
  row("echo-length/5", post("/echo", "hello"), 200, "hello")
  row("echo-length/1000000", post("/echo", large), 200, large)
  row("echo-chunked/5", chunked("/echo", { "he", "llo" }), 200, "hello")
  row("echo-chunked/1000000", chunked("/echo", { large:sub(1, 3), large:sub(4, 700000), large:sub(700001) }), 200, large)
  -- Refused before the rest of it is there.
  row("large-body", "POST /echo HTTP/1.1\r\nHost: a\r\nContent-Length: 32000000\r\n\r\n" .. ("x"):rep(1500000), 413, closes)
  row("large-body/unwanted", post("/json", ("x"):rep(60000)), 405)
  row("large-body/unwanted-megabyte", post("/json", ("x"):rep(1000000)), 405, closes)
  row("large-head/one", get("/", { X = ("y"):rep(17000) }), 431, closes)
  row("large-head/many", "GET / HTTP/1.1\r\nHost: a\r\n" .. ("X: y\r\n"):rep(200) .. "\r\n", 431, closes)
  row("long-target", get("/" .. ("a"):rep(8192)), 414, closes)
  row("long-target/70000", get("/" .. ("a"):rep(70000)), 414, closes)
  row("close", get("/json", { Connection = "close" }), 200, closes)
  -- Not of an answer that ends with its connection: wrk counts that end as an error.
  row("http-1.0", "GET /json HTTP/1.0\r\n\r\n", 200, closes)
  row("http-1.0-kept", "GET /json HTTP/1.0\r\nConnection: keep-alive\r\n\r\n", 200, function(_, headers)
    return header(headers, "connection") == "keep-alive" or "not kept"
  end)
end

function tables.library(file)
  local first, etag
  local function same(body)
    first = first or body
    return first == body or first .. " was the port before, now " .. body
  end
  for turn = 1, 4 do row("kept/" .. turn, get("/port"), 200, same) end
  local letters = {}
  for at = 0, 19 do letters[#letters + 1] = string.char(97 + at):rep(at * 1000) end
  row("chunked", get("/letters/20"), 200, table.concat(letters))
  row("file", get("/page.html"), 200, function(_, headers)
    etag = header(headers, "etag")
    return etag ~= nil or "no ETag"
  end)
  row("file/not-modified", function() return get("/page.html", { ["If-None-Match"] = etag }) end, 304, "")
  local large = assert(io.open(file, "rb")):read("*a")
  row("large-file", get("/large.bin"), 200, large)
  row("range", get("/large.bin", { Range = "bytes=5000000-" }), 206, large:sub(5000001))
  row("range/last", get("/large.bin", { Range = "bytes=-5" }), 206, large:sub(-5))
  row("range/beyond", get("/large.bin", { Range = "bytes=10000000-" }), 416)
  local texts = { gzip = "by gzip\n", br = "by brotli\n", zstd = "by zstd\n" }
  for coding, text in pairs(texts) do
    row("precompressed/" .. coding, get("/coded.txt", { ["Accept-Encoding"] = coding }), 200, function(body, headers)
      return header(headers, "content-encoding") == coding and body:find(text, 1, true) ~= nil or body
    end)
  end
  for turn = 5, 6 do row("kept/" .. turn, get("/port"), 200, same) end
end

function tables.hasty()
  row("stalled", "POST /length HTTP/1.1\r\nHost: a\r\nContent-Length: 9\r\n\r\nhalf", 408, closes)
end

-- Ten at once, a hundred times.
function tables.pipelined()
  for turn = 1, 1000 do
    local length = turn % 10 * 1000
    row("pipelined", get("/bytes/" .. length), 200, filler(length))
  end
end

-- Over many connections: in any order, but all alike.
function tables.parallel()
  for turn = 1, 200 do
    row("parallel", get(turn % 2 == 0 and "/slow?ms=30" or "/work?us=500"), 200, "done\n")
  end
end

-- One that never ends.
function tables.drain()
  row("drain", get("/plaintext"), 200, "Hello, World!")
end

-- ---- each thread ----

-- What came of each row by its name: true, or what was wrong.
results = {}
-- Rows left to answer.
left = 0

local at_once, in_order, looked_at, asked, answered = 1, true, false, 0, 0

function init(arguments)
  local name, file = arguments[1], arguments[2]
  tables[name](file)
  at_once = name == "pipelined" and 10 or 1
  in_order = name ~= "pipelined" and name ~= "parallel" and name ~= "drain"
  left = name == "drain" and math.huge or #rows
  for _, one in ipairs(rows) do results[one.name] = "not answered" end
end

function request()
  -- The first call only asks how many requests it makes at once.
  if not looked_at then
    looked_at = true
    return get("/"):rep(at_once)
  end
  -- The connection ended instead of the last answer, which stays a failure: on to the next row.
  if in_order and asked > answered then
    answered, left = answered + 1, left - 1
  end
  local bytes = {}
  for turn = 1, at_once do
    local one = rows[asked % #rows + 1].bytes
    bytes[turn] = type(one) == "function" and one() or one
    asked = asked + 1
  end
  return table.concat(bytes)
end

local function wrong(row, status, headers, body)
  if status ~= row.status then return status .. " " .. body:sub(1, 100) end
  if type(row.expected) == "string" then return body ~= row.expected and #body .. " other bytes" end
  local said = row.expected and row.expected(body, headers)
  return said and said ~= true and said
end

function response(status, headers, body)
  if left == 0 then return end
  local row = rows[answered % #rows + 1]
  answered, left = answered + 1, left - 1
  local why = wrong(row, status, headers, body)
  local before = results[row.name]
  if why or before == "not answered" then results[row.name] = why or true end
  if left == 0 then
    wrk.thread:stop()
    -- wrk would sleep until its time is over.
    ffi.C.kill(ffi.C.getpid(), SIGINT)
  end
end

-- ---- the whole run ----

local thread
function setup(it) thread = it end

function done(summary)
  for name, result in pairs(thread:get("results")) do
    print(result == true and "ok " .. name or "FAILED " .. name .. ": " .. result)
  end
  local errors, left = summary.errors, thread:get("left")
  print(("left %d; errors: connect %d, read %d, write %d, timeout %d"):format(
    left < math.huge and left or -1, errors.connect, errors.read, errors.write, errors.timeout))
end
