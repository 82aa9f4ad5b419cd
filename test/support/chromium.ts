import { existsSync } from 'node:fs';
import { type Browser, chromium } from 'playwright-core';

const { CHROMIUM_PATH = '/usr/bin/chromium' } = process.env;

/** Starts Debian's Chromium, or the one that `CHROMIUM_PATH` names. @throws if there is none */
export async function launchChromium(): Promise<Browser> {
  if (!existsSync(CHROMIUM_PATH)) {
    throw new Error(`${CHROMIUM_PATH} does not exist. Install Debian's chromium, or set CHROMIUM_PATH.`);
  }
  // Its sandbox refuses to start for root, as which containers run tests.
  return chromium.launch({ executablePath: CHROMIUM_PATH, args: ['--no-sandbox'] });
}
