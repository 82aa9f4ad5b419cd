#!/usr/bin/env python3
"""A worker of nestjs-elastic-job in Python, with the standard library alone.

A scheduler starts it for one item of a job, with the envelope of the run in ELASTIC_JOB_TASK
(docs/cloud/task-envelope.schema.json). It reports over the channel that the envelope names, or into the file, and its
exit code says how the run has ended:

    0    the work is done
    79   the work has failed
    143  it was told to end, or its scheduler has lost the item, and it has done so
    78   the task cannot be: nothing was done

Put your own work in place of `work`. It is called in steps, and between two of them asks whether it may go on.
"""
import json
import os
import signal
import sys
import threading
import time
import traceback

SUCCEEDED, CANNOT_BE, FAILED, ABORTED = 0, 78, 79, 143
MOST_REPORT_BYTES = 4096


class Aborted(Exception):
    """The run may not go on; its argument says why."""


class Lost(Aborted):
    """The scheduler may not act for the item any more, or has fallen silent."""


class Task:
    """The run, its checkpoint, and the line to the scheduler."""

    def __init__(self, envelope):
        self.envelope = envelope
        self.checkpoint = envelope.get("checkpoint")
        self._reason = None
        self._deadline = None
        self._held_until = None
        self._granted = threading.Event()
        self._answers = {}
        self._answered = threading.Condition()
        self._channel = None
        if "timeoutMs" in envelope:
            self._deadline = time.monotonic() + envelope["timeoutMs"] / 1000
        signal.signal(signal.SIGTERM, lambda *_: self.abort(Aborted("told to end (SIGTERM)")))
        if "channel" in envelope:
            self._channel = os.fdopen(envelope["channel"], "r+b", buffering=0)
            threading.Thread(target=self._listen, daemon=True).start()
            self._granted.wait()

    def abort(self, reason):
        self._reason = self._reason or reason
        self._granted.set()

    def assert_held(self):
        """Raises if this process may not act for its item any more. Ask before each effect."""
        now = time.monotonic()
        if self._deadline is not None and now >= self._deadline:
            raise TimeoutError("ran longer than %d ms" % self.envelope["timeoutMs"])
        if self._held_until is not None and now >= self._held_until:
            self.abort(Lost("the scheduler has not been heard for as long as it had granted"))
        if self._reason is not None:
            raise self._reason

    def save(self, value):
        """Saves a checkpoint. Returns once the scheduler has it."""
        self.assert_held()
        if self._channel is None:
            raise RuntimeError("there is no channel to the scheduler, so no checkpoint can be saved")
        with self._answered:
            number = len(self._answers) + 1
            self._answers[number] = None
            self._say({"checkpoint": value, "id": number})
            # A signal notifies nobody, so look again now and then.
            while self._answers[number] is None and self._reason is None:
                self._answered.wait(0.2)
        answer = self._answers[number]
        if answer is None or "refused" in answer:
            raise RuntimeError("the checkpoint is not saved: %s" % (self._reason or answer["message"]))
        self.checkpoint = value

    def report(self, outcome, started, error=None):
        said = {"v": 1, "outcome": outcome, "ms": round((time.monotonic() - started) * 1000)}
        if error is not None:
            said["error"] = {"name": type(error).__name__, "message": str(error)[:1000]}
            stack = "".join(traceback.format_exception(error))
            whole = {**said, "error": {**said["error"], "stack": stack}}
            if len(json.dumps(whole)) <= MOST_REPORT_BYTES:
                said = whole
        if self._channel is not None:
            self._say({"report": said})
        elif "report" in self.envelope:
            with open(self.envelope["report"], "w") as file:
                json.dump(said, file)

    def _say(self, statement):
        line = (json.dumps(statement) + "\n").encode()
        while line:
            line = line[self._channel.write(line) :]

    def _listen(self):
        unread = b""
        while True:
            some = self._channel.read(65536)
            if not some:
                break
            *lines, unread = (unread + some).split(b"\n")
            for line in lines:
                self._hear(json.loads(line))
        self.abort(Lost("the channel to the scheduler has closed"))
        with self._answered:
            self._answered.notify_all()

    def _hear(self, said):
        if "heldForMs" in said:
            # A grant that has waited in the channel counts from when it was given.
            self._held_until = min(time.monotonic(), said["at"] / 1000) + said["heldForMs"] / 1000
            self._granted.set()
        if "lost" in said:
            self.abort(Lost(said["lost"]))
        with self._answered:
            for key in ("saved", "refused"):
                if key in said:
                    self._answers[said[key]] = said
            self._answered.notify_all()


def read_envelope():
    envelope = json.loads(os.environ["ELASTIC_JOB_TASK"])
    if envelope["v"] > 1:
        raise ValueError("the envelope is of version %s, and this worker reads up to 1" % envelope["v"])
    return envelope


def work(task):
    """Counts up to the prop `rows` and goes on where an earlier run has stopped."""
    rows = int(task.envelope["props"].get("rows", "3"))
    for row in range((task.checkpoint or {"row": 0})["row"], rows):
        task.assert_held()
        time.sleep(float(task.envelope["props"].get("seconds", "0")))
        if str(row) == task.envelope["props"].get("bad"):
            raise ValueError("row %d is bad" % row)
        print(json.dumps({"item": task.envelope["shardingItem"], "row": row}), flush=True)
        if "channel" in task.envelope:
            task.save({"row": row + 1})
    task.assert_held()


def main():
    try:
        task = Task(read_envelope())
    except (KeyError, TypeError, ValueError, OSError) as error:
        print("the task cannot be: %r" % error, file=sys.stderr)
        return CANNOT_BE
    started = time.monotonic()
    try:
        work(task)
    except Aborted as reason:
        task.report("lost" if isinstance(reason, Lost) else "aborted", started, reason)
        return ABORTED
    except Exception as error:  # whatever the work has raised is its outcome
        traceback.print_exc()
        task.report("failed", started, error)
        return FAILED
    task.report("succeeded", started)
    return SUCCEEDED


if __name__ == "__main__":
    sys.exit(main())
