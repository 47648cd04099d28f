-- wrk's way to pipeline: the number of requests after `--` leaves in one write.
local all

function init(args)
   local depth = tonumber(args[1]) or 16
   local one = {}
   for i = 1, depth do
      one[i] = wrk.format()
   end
   all = table.concat(one)
end

function request()
   return all
end
