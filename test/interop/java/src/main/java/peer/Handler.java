package peer;

import com.google.gson.Gson;
import com.google.gson.JsonObject;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ThreadLocalRandom;
import org.apache.shardingsphere.elasticjob.api.ShardingContext;
import org.apache.shardingsphere.elasticjob.simple.job.SimpleJob;

/** The work of every job. It reports begin and end of an item, and behaves in between as it was last told. */
public final class Handler implements SimpleJob {

    private static final Gson GSON = new Gson();

    private final Wire wire;

    private volatile String kind = "end";

    private volatile long ms;

    private volatile long mostMs;

    private volatile CountDownLatch gate = new CountDownLatch(1);

    Handler(final Wire wire) {
        this.wire = wire;
    }

    /**
     * Sets the behaviour of the runs that begin from now on: {@code end} at once, {@code sleep} (from and to so many
     * milliseconds), {@code block} or {@code fail}.
     */
    void behave(final String newKind, final long leastMs, final long newMostMs) {
        ms = leastMs;
        mostMs = newMostMs;
        kind = newKind;
    }

    /** Ends the blocked runs. */
    synchronized void release() {
        gate.countDown();
        gate = new CountDownLatch(1);
    }

    @Override
    public void execute(final ShardingContext context) {
        CountDownLatch current = gate;
        String how = kind;
        wire.tell("begun", about(context));
        String failed = null;
        try {
            act(how, current);
        } catch (final InterruptedException ex) {
            failed = "interrupted";
        } catch (final IllegalStateException ex) {
            failed = ex.getMessage();
            throw ex;
        } finally {
            JsonObject facts = about(context);
            facts.addProperty("failed", failed);
            wire.tell("ended", facts);
        }
    }

    private void act(final String how, final CountDownLatch current) throws InterruptedException {
        switch (how) {
            case "sleep" -> Thread.sleep(mostMs > ms ? ThreadLocalRandom.current().nextLong(ms, mostMs) : ms);
            case "block" -> current.await();
            case "fail" -> throw new IllegalStateException("told to fail");
            default -> { }
        }
    }

    private static JsonObject about(final ShardingContext context) {
        JsonObject facts = new JsonObject();
        facts.addProperty("job", context.getJobName());
        facts.addProperty("item", context.getShardingItem());
        facts.add("context", GSON.toJsonTree(context));
        return facts;
    }
}
