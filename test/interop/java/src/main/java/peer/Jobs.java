package peer;

import com.google.gson.Gson;
import com.google.gson.JsonElement;
import com.google.gson.JsonObject;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import org.apache.shardingsphere.elasticjob.infra.pojo.JobConfigurationPOJO;
import org.apache.shardingsphere.elasticjob.lite.api.bootstrap.JobBootstrap;
import org.apache.shardingsphere.elasticjob.lite.api.bootstrap.impl.OneOffJobBootstrap;
import org.apache.shardingsphere.elasticjob.lite.api.bootstrap.impl.ScheduleJobBootstrap;
import org.apache.shardingsphere.elasticjob.lite.internal.snapshot.SnapshotService;
import org.apache.shardingsphere.elasticjob.reg.zookeeper.ZookeeperConfiguration;
import org.apache.shardingsphere.elasticjob.reg.zookeeper.ZookeeperRegistryCenter;

/** The jobs of this process, and its calls. */
final class Jobs {

    private static final Gson GSON = new Gson();

    private final ZookeeperRegistryCenter registry;

    private final Console console;

    private final Wire wire;

    private final Map<String, Handler> handlers = new ConcurrentHashMap<>();

    private final Map<String, JobBootstrap> bootstraps = new ConcurrentHashMap<>();

    Jobs(final String servers, final String namespace, final int sessionTimeoutMs, final Wire wire) {
        ZookeeperConfiguration settings = new ZookeeperConfiguration(servers, namespace);
        settings.setSessionTimeoutMilliseconds(sessionTimeoutMs);
        settings.setBaseSleepTimeMilliseconds(100);
        registry = new ZookeeperRegistryCenter(settings);
        registry.init();
        console = new Console(servers, namespace);
        this.wire = wire;
        OnceListener.wire = wire;
    }

    Object call(final String name, final JsonObject with) throws Exception {
        return switch (name) {
            case "start" -> start(with);
            case "stop" -> stop(text(with, "job"));
            case "execute" -> execute(text(with, "job"));
            case "behave" -> behave(with);
            case "release" -> release(text(with, "job"));
            case "dump" -> new SnapshotService(registry, 0).dumpJobDirectly(text(with, "job"));
            case "leave" -> leave();
            case "edit" -> console.edit(text(with, "job"), with.getAsJsonObject("changes"));
            case "console" -> console.call(text(with, "api"), text(with, "method"), with.getAsJsonArray("arguments"));
            default -> throw new IllegalArgumentException("There is no " + name);
        };
    }

    private Object start(final JsonObject with) {
        JobConfigurationPOJO given = GSON.fromJson(with.get("config"), JobConfigurationPOJO.class);
        String job = given.getJobName();
        Handler handler = handler(job);
        if (given.getCron() == null) {
            bootstraps.put(job, new OneOffJobBootstrap(registry, handler, given.toJobConfiguration()));
            return null;
        }
        ScheduleJobBootstrap scheduled = new ScheduleJobBootstrap(registry, handler, given.toJobConfiguration());
        bootstraps.put(job, scheduled);
        scheduled.schedule();
        return null;
    }

    private Object stop(final String job) {
        bootstraps.remove(job).shutdown();
        return null;
    }

    private Object execute(final String job) {
        ((OneOffJobBootstrap) bootstraps.get(job)).execute();
        return null;
    }

    private Object behave(final JsonObject with) {
        JsonObject behaviour = with.getAsJsonObject("behaviour");
        JsonElement ms = behaviour.get("ms");
        JsonElement most = behaviour.get("most");
        handler(text(with, "job")).behave(
            text(behaviour, "kind"), ms == null ? 0 : ms.getAsLong(), most == null ? 0 : most.getAsLong());
        return null;
    }

    private Object release(final String job) {
        handler(job).release();
        return null;
    }

    private Object leave() {
        bootstraps.values().forEach(JobBootstrap::shutdown);
        bootstraps.clear();
        registry.close();
        return null;
    }

    private Handler handler(final String job) {
        return handlers.computeIfAbsent(job, ignored -> new Handler(wire));
    }

    private static String text(final JsonObject with, final String key) {
        return with.get(key).getAsString();
    }
}
