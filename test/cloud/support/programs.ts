/** Programs that tasks run. Each says "ready" once it does what it is named after. */

/** Its event loop never turns again. */
export const BUSY_NODE = [process.execPath, '-e', 'require("fs").writeSync(1, "ready\\n"); for (;;);'];

/** Ignores SIGTERM as well. */
export const PYTHON = [
  'python3',
  '-c',
  'import signal, time; signal.signal(signal.SIGTERM, signal.SIG_IGN); print("ready", flush=True)\nwhile True: time.sleep(60)',
];

/** A shell, its child, and a child of that. */
export const GRANDCHILD = ['sh', '-c', 'sh -c "sleep 600 & echo ready; wait" & wait'];

/** A child in a session of its own, as daemons have one. */
export const DETACHED_CHILD = [
  process.execPath,
  '-e',
  `require("child_process").spawn("sleep", ["600"], { detached: true, stdio: "ignore" });
   require("fs").writeSync(1, "ready\\n"); for (;;);`,
];

/** Writes into the file that it is given whatever its channel brings, and heeds nothing. */
export const LISTENER = [
  process.execPath,
  '-e',
  `process.on("SIGTERM", () => {});
   const channel = new (require("net").Socket)({ fd: 3 });
   channel.on("data", (chunk) => require("fs").appendFileSync(process.env.HEARD, chunk));
   channel.once("data", () => console.log("ready"));
   setInterval(() => {}, 1e6);`,
];

/** Takes so much memory and keeps it. @param mebibytes how much */
export function hungry(mebibytes: number): readonly string[] {
  return [
    'python3',
    '-c',
    `import time; held = b"x" * (${mebibytes} << 20); print("ready", flush=True); time.sleep(600)`,
  ];
}
