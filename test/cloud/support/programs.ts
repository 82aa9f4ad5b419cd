/** Programs that tasks run. Each prints "ready" once it behaves as its name says. */

/** Blocks its event loop for ever. */
export const BUSY_NODE = [process.execPath, '-e', 'require("fs").writeSync(1, "ready\\n"); for (;;);'];

/** Ignores SIGTERM, too. */
export const PYTHON = [
  'python3',
  '-c',
  'import signal, time; signal.signal(signal.SIGTERM, signal.SIG_IGN)\n' +
    'print("ready", flush=True)\nwhile True: time.sleep(60)',
];

/** Says that it is told to end, and goes on. */
export const HEARING = ['sh', '-c', 'trap "echo told" TERM; echo ready; while :; do sleep 0.05; done'];

/** A shell, its child, and a child of that. */
export const GRANDCHILD = ['sh', '-c', 'sh -c "sleep 600 & echo ready; wait" & wait'];

/** A child in a session of its own, as daemons have one. */
export const DETACHED_CHILD = [
  process.execPath,
  '-e',
  `require("child_process").spawn("sleep", ["600"], { detached: true, stdio: "ignore" });
   require("fs").writeSync(1, "ready\\n"); for (;;);`,
];

/**
 * A parent with a child in a session of its own.
 * @param parent code that it runs then
 * @param options further options of the child
 */
export function withDetached(parent: string, options = ''): readonly string[] {
  const spawn = `require("child_process").spawn("sleep", ["600"], { detached: true, stdio: "ignore"${options} })`;
  return [process.execPath, '-e', `const child = ${spawn}; require("fs").writeSync(1, "ready\\n"); ${parent}`];
}

/** Writes everything from its channel into the given file, and ignores all of it. */
export const LISTENER = [
  process.execPath,
  '-e',
  `process.on("SIGTERM", () => {});
   const channel = new (require("net").Socket)({ fd: 3 });
   channel.on("data", (chunk) => require("fs").appendFileSync(process.env.HEARD, chunk));
   channel.once("data", () => console.log("ready"));
   setInterval(() => {}, 1e6);`,
];

/** Takes this much memory and keeps it. @param mebibytes size of the memory */
export function hungry(mebibytes: number): readonly string[] {
  return [
    'python3',
    '-c',
    `import time; held = b"x" * (${mebibytes} << 20); print("ready", flush=True); time.sleep(600)`,
  ];
}
