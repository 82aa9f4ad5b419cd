package peer;

import com.google.gson.Gson;
import com.google.gson.JsonArray;
import com.google.gson.JsonElement;
import com.google.gson.JsonObject;
import java.lang.reflect.Method;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.apache.shardingsphere.elasticjob.infra.pojo.JobConfigurationPOJO;
import org.apache.shardingsphere.elasticjob.lite.lifecycle.api.JobAPIFactory;
import org.apache.shardingsphere.elasticjob.lite.lifecycle.api.JobConfigurationAPI;

/** ElasticJob's lifecycle API, which its console calls. It has a connection of its own. */
final class Console {

    private static final Gson GSON = new Gson();

    private final String servers;

    private final String namespace;

    Console(final String servers, final String namespace) {
        this.servers = servers;
        this.namespace = namespace;
    }

    /** Calls a method of {@code JobOperateAPI}, {@code JobStatisticsAPI} and so on. All of them take texts. */
    Object call(final String api, final String method, final JsonArray given) throws ReflectiveOperationException {
        Object target = JobAPIFactory.class.getMethod("create" + api, String.class, String.class, String.class)
            .invoke(null, servers, namespace, null);
        List<String> texts = new ArrayList<>();
        for (JsonElement each : given) {
            texts.add(each.isJsonNull() ? null : each.getAsString());
        }
        for (Method each : target.getClass().getMethods()) {
            if (each.getName().equals(method) && each.getParameterCount() == texts.size()) {
                return each.invoke(target, texts.toArray());
            }
        }
        throw new NoSuchMethodException(api + '.' + method);
    }

    /** Reads the configuration, changes fields of it, and writes it back, as a console does. */
    Object edit(final String job, final JsonObject changes) {
        JobConfigurationAPI api = JobAPIFactory.createJobConfigurationAPI(servers, namespace, null);
        JsonObject stored = GSON.toJsonTree(api.getJobConfiguration(job)).getAsJsonObject();
        for (Map.Entry<String, JsonElement> each : changes.entrySet()) {
            stored.add(each.getKey(), each.getValue());
        }
        api.updateJobConfiguration(GSON.fromJson(stored, JobConfigurationPOJO.class));
        return null;
    }
}
