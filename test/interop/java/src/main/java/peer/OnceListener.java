package peer;

import com.google.gson.JsonObject;
import org.apache.shardingsphere.elasticjob.infra.listener.ShardingContexts;
import org.apache.shardingsphere.elasticjob.lite.api.listener.AbstractDistributeOnceElasticJobListener;

/** A distribute-once listener, found by its type. ElasticJob creates it, so it looks for its wire in the process. */
public final class OnceListener extends AbstractDistributeOnceElasticJobListener {

    private static final long TIMEOUT_MS = 5_000;

    static volatile Wire wire;

    public OnceListener() {
        super(TIMEOUT_MS, TIMEOUT_MS);
    }

    @Override
    public void doBeforeJobExecutedAtLastStarted(final ShardingContexts contexts) {
        tell("all-started", contexts);
    }

    @Override
    public void doAfterJobExecutedAtLastCompleted(final ShardingContexts contexts) {
        tell("all-completed", contexts);
    }

    @Override
    public String getType() {
        return "INTEROP_ONCE";
    }

    private static void tell(final String event, final ShardingContexts contexts) {
        JsonObject facts = new JsonObject();
        facts.addProperty("job", contexts.getJobName());
        wire.tell(event, facts);
    }
}
