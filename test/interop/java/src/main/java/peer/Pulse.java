package peer;

import com.google.gson.JsonObject;

/** Reports {@code stalled} when the processor comes late to this process, as {@code pulse.ts} does for others. */
final class Pulse {

    private static final int BEAT_MS = 100;

    private static final int BEATS = 10;

    private static final int STALL_MS = 300;

    private Pulse() {
    }

    static void start(final Wire wire) {
        Thread pulse = new Thread(() -> run(wire), "pulse");
        pulse.setDaemon(true);
        pulse.start();
    }

    private static void run(final Wire wire) {
        for (;;) {
            long from = System.nanoTime();
            for (int beat = 0; beat < BEATS; beat++) {
                sleep();
            }
            long tookMs = (System.nanoTime() - from) / 1_000_000;
            if (tookMs - BEATS * BEAT_MS >= STALL_MS) {
                JsonObject facts = new JsonObject();
                facts.addProperty("tookMs", tookMs);
                wire.tell("stalled", facts);
            }
        }
    }

    private static void sleep() {
        try {
            Thread.sleep(BEAT_MS);
        } catch (final InterruptedException ex) {
            throw new IllegalStateException(ex);
        }
    }
}
