/** Blocks of commands in README.md that `npm run test:first-hour` does not run as they are printed, and why. */
export const EXCEPTIONS: Readonly<Record<string, string>> = {
  'docker run --detach --rm --name zookeeper --publish 2181:2181 zookeeper:3.9':
    'Not every machine has a Docker engine and a free port 2181: the server of test/support/zookeeper stands for it.',
  'npm ci && npm run demo': 'It is for a clone of the repository; .ci/run runs the demo.',
  'npm ci && npm test': 'It is for a clone of the repository; .ci/run runs the tests, of which this is one.',
};

/** Tags of blocks; a block with another tag, or none, is read by nothing. */
export const LANGUAGES: readonly string[] = ['ts', 'sh', 'yaml', 'json'];
