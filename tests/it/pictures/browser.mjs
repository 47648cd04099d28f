// Opens a page in a headless Chromium, light and dark, on a phone and on a desk, and says what is wrong with it.
//
// node browser.mjs CHROMIUM PAGE FOLDER: prints one line of JSON for each of the four, and leaves pictures of them in FOLDER.
// Chromium is driven through a pipe (its file descriptors 3 and 4), with a NUL after each message.

import { spawn } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';

import { inspect } from './inspect.mjs';

const [chromium, page, folder] = process.argv.slice(2);
const profile = mkdtempSync(join(tmpdir(), 'boardkit-chromium-'));
const browser = spawn(
  chromium,
  [
    '--headless', '--no-sandbox', '--disable-gpu', '--disable-quic', '--no-first-run', '--disable-background-networking',
    '--disable-component-update', '--disable-sync', '--disable-dev-shm-usage', '--hide-scrollbars',
    `--user-data-dir=${profile}`, '--remote-debugging-pipe',
  ],
  { stdio: ['ignore', 'ignore', 'pipe', 'pipe', 'pipe'] },
);
const [, , errors, toBrowser, fromBrowser] = browser.stdio;
let said = '';
errors.on('data', (data) => (said += data));

// ---- the protocol ----

const waiting = new Map();
const listeners = [];
let number = 0;
let rest = '';
fromBrowser.setEncoding('utf8');
fromBrowser.on('data', (data) => {
  const messages = (rest + data).split('\0');
  rest = messages.pop();
  for (const text of messages) {
    const message = JSON.parse(text);
    const answer = waiting.get(message.id);
    waiting.delete(message.id);
    if (answer && message.error) answer.reject(new Error(message.error.message));
    else if (answer) answer.resolve(message.result);
    else for (const listener of listeners) listener(message);
  }
});
browser.on('exit', (code) => {
  for (const { reject } of waiting.values()) reject(new Error(`Chromium ended with ${code}: ${said}`));
});

function send(method, params = {}, sessionId = undefined) {
  const id = ++number;
  toBrowser.write(`${JSON.stringify({ id, method, params, sessionId })}\0`);
  return new Promise((resolve, reject) => waiting.set(id, { resolve, reject }));
}

function event(method, sessionId) {
  return new Promise((resolve) => {
    listeners.push((message) => {
      if (message.method === method && message.sessionId === sessionId) resolve(message.params);
    });
  });
}

// ---- the page ----

/** What the page asked for, and what it complained of. */
function watch(sessionId, own) {
  const problems = [];
  listeners.push(({ method, params, sessionId: of }) => {
    if (of !== sessionId) return;
    const url = method === 'Network.requestWillBeSent' && params.request.url;
    if (url && url !== own) problems.push(`asks for ${url}`);
    if (method === 'Runtime.consoleAPICalled') problems.push(`console: ${JSON.stringify(params.args)}`);
    if (method === 'Runtime.exceptionThrown') problems.push(`exception: ${params.exceptionDetails.text}`);
    if (method === 'Log.entryAdded') problems.push(`${params.entry.level}: ${params.entry.text}`);
    if (method === 'Page.javascriptDialogOpening') problems.push(`dialog: ${params.message}`);
  });
  return problems;
}

async function look(scheme, width) {
  const { targetId } = await send('Target.createTarget', { url: 'about:blank' });
  const { sessionId } = await send('Target.attachToTarget', { targetId, flatten: true });
  const on = (method, params) => send(method, params, sessionId);
  for (const domain of ['Network', 'Runtime', 'Log', 'Page']) await on(`${domain}.enable`);
  const phone = width < 700;
  await on('Emulation.setDeviceMetricsOverride', { width, height: 800, deviceScaleFactor: phone ? 2 : 1, mobile: phone });
  await on('Emulation.setEmulatedMedia', { features: [{ name: 'prefers-color-scheme', value: scheme }] });
  const url = pathToFileURL(page).href;
  const problems = watch(sessionId, url);
  const loaded = event('Page.loadEventFired', sessionId);
  await on('Page.navigate', { url });
  await loaded;
  const shot = await on('Page.captureScreenshot', { format: 'png', captureBeyondViewport: true });
  writeFileSync(join(folder, `${scheme}-${width}.png`), Buffer.from(shot.data, 'base64'));
  const { result, exceptionDetails } = await on('Runtime.evaluate', {
    expression: `(${inspect})(${JSON.stringify({ scheme, phone })})`,
    returnByValue: true,
  });
  if (exceptionDetails) problems.push(exceptionDetails.exception.description);
  else problems.push(...result.value.problems);
  await send('Target.closeTarget', { targetId });
  const { texts, pictures, words } = result.value ?? {};
  return { scheme, width, problems, texts, pictures, words };
}

try {
  for (const scheme of ['light', 'dark']) {
    for (const width of [360, 1280]) console.log(JSON.stringify(await look(scheme, width)));
  }
  await send('Browser.close').catch(() => {});
} finally {
  if (browser.exitCode === null) {
    const ended = new Promise((resolve) => browser.on('exit', resolve));
    setTimeout(() => browser.kill('SIGKILL'), 5000).unref();
    await ended;
  }
  rmSync(profile, { recursive: true, force: true, maxRetries: 20, retryDelay: 100 });
}
