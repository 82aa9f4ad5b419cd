package cloud;

import com.google.gson.Gson;
import com.google.gson.JsonArray;
import com.google.gson.JsonElement;
import com.google.gson.JsonObject;
import java.io.BufferedReader;
import java.io.InputStreamReader;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.Collectors;
import java.util.stream.StreamSupport;
import org.apache.shardingsphere.elasticjob.cloud.config.pojo.CloudJobConfigurationPOJO;
import org.apache.shardingsphere.elasticjob.infra.context.ExecutionType;
import org.apache.shardingsphere.elasticjob.infra.context.TaskContext;
import org.apache.shardingsphere.elasticjob.infra.yaml.YamlEngine;

/**
 * Answers each line of JSON with another line: {@code {"call":"writeJob","with":{...}}} with {@code {"result":...}} or
 * {@code {"failed":"..."}}. It ends with its standard input.
 */
public final class Oracle {

    private static final Gson GSON = new Gson();

    private Oracle() {
    }

    public static void main(final String[] args) throws Exception {
        PrintStream out = new PrintStream(System.out, false, StandardCharsets.UTF_8);
        // Other output must not break the lines.
        System.setOut(System.err);
        BufferedReader lines = new BufferedReader(new InputStreamReader(System.in, StandardCharsets.UTF_8));
        for (String line = lines.readLine(); line != null; line = lines.readLine()) {
            JsonObject reply = new JsonObject();
            try {
                JsonObject request = GSON.fromJson(line, JsonObject.class);
                reply.add("result", GSON.toJsonTree(answer(request.get("call").getAsString(), request.get("with"))));
            } catch (final RuntimeException ex) {
                reply.addProperty("failed", ex.toString());
            }
            out.println(GSON.toJson(reply));
        }
        out.flush();
    }

    private static Object answer(final String call, final JsonElement with) {
        switch (call) {
            case "writeJob":
                return YamlEngine.marshal(GSON.fromJson(with, CloudJobConfigurationPOJO.class));
            case "rewriteJob":
                return YamlEngine.marshal(CloudJobConfigurationPOJO.fromCloudJobConfiguration(
                        GSON.fromJson(with, CloudJobConfigurationPOJO.class).toCloudJobConfiguration()));
            case "readJob":
                return job(YamlEngine.unmarshal(with.getAsString(), CloudJobConfigurationPOJO.class));
            case "writeApp":
                return YamlEngine.marshal(GSON.fromJson(with, App.class));
            case "readApp":
                return YamlEngine.unmarshal(with.getAsString(), App.class);
            case "makeTask":
                return task(made(with.getAsJsonObject()));
            case "readTask":
                return task(TaskContext.from(with.getAsString()));
            default:
                throw new IllegalArgumentException(call);
        }
    }

    // Values of props may have any type. Java's own code takes their texts.
    private static JsonElement job(final CloudJobConfigurationPOJO pojo) {
        Map<String, String> props = new LinkedHashMap<>();
        pojo.getProps().forEach((key, value) -> props.put(key.toString(), value.toString()));
        pojo.getProps().clear();
        JsonObject result = GSON.toJsonTree(pojo).getAsJsonObject();
        result.add("props", GSON.toJsonTree(props));
        return result;
    }

    private static TaskContext made(final JsonObject with) {
        JsonArray items = with.getAsJsonArray("items");
        List<Integer> list = StreamSupport.stream(items.spliterator(), false).map(JsonElement::getAsInt).collect(Collectors.toList());
        ExecutionType type = ExecutionType.valueOf(with.get("type").getAsString());
        String jobName = with.get("jobName").getAsString();
        return with.has("slaveId") ? new TaskContext(jobName, list, type, with.get("slaveId").getAsString()) : new TaskContext(jobName, list, type);
    }

    private static Map<String, Object> task(final TaskContext context) {
        Map<String, Object> result = new LinkedHashMap<>();
        result.put("id", context.getId());
        result.put("meta", context.getMetaInfo().toString());
        result.put("jobName", context.getMetaInfo().getJobName());
        result.put("items", new ArrayList<>(context.getMetaInfo().getShardingItems()));
        result.put("type", context.getType().name());
        result.put("slaveId", context.getSlaveId());
        return result;
    }
}
