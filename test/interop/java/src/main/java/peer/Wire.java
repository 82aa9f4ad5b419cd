package peer;

import com.google.gson.JsonObject;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;

/** Writes lines of JSON, one at a time. */
final class Wire {

    private final PrintStream out;

    Wire(final PrintStream out) {
        this.out = new PrintStream(out, true, StandardCharsets.UTF_8);
    }

    /** Adds the event's name and the time, in milliseconds since the epoch. */
    void tell(final String event, final JsonObject facts) {
        facts.addProperty("event", event);
        facts.addProperty("at", System.currentTimeMillis());
        write(facts);
    }

    synchronized void write(final JsonObject line) {
        out.println(line);
    }
}
