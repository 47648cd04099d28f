// What undici sends and what must come back. Started with a JSON object of addresses; prints `ok NAME` or `FAILED NAME: why`
// for each row.

import bodies from "./bodies.mjs";
import files from "./files.mjs";
import requests from "./requests.mjs";

for (const [name, row] of Object.entries({ ...requests, ...bodies, ...files })) {
  try {
    await row();
    console.log(`ok ${name}`);
  } catch (error) {
    console.log(`FAILED ${name}: ${String(error.stack).replace(/\s+/g, " ")}`);
  }
}
// Some bodies never end.
process.exit(0);
