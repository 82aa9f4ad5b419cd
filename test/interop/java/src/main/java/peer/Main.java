package peer;

import com.google.gson.Gson;
import com.google.gson.JsonElement;
import com.google.gson.JsonObject;
import java.io.BufferedReader;
import java.io.InputStreamReader;
import java.lang.reflect.Field;
import java.nio.charset.StandardCharsets;
import org.apache.shardingsphere.elasticjob.infra.env.IpUtils;

/**
 * A Java peer, driven by lines of JSON: {@code {"id":1,"call":"start","with":{...}}} is answered by
 * {@code {"id":1,"result":...}} or {@code {"id":1,"failed":"..."}}. Events of jobs are reported by lines with an
 * {@code event}. It ends with its standard input.
 */
public final class Main {

    private static final Gson GSON = new Gson();

    private Main() {
    }

    /** Arguments: the server list, the namespace, the session timeout in milliseconds, the address to register under. */
    public static void main(final String[] args) throws Exception {
        Wire wire = new Wire(System.out);
        // Other output must not break the lines.
        System.setOut(System.err);
        registerUnder(args[3]);
        Jobs jobs = new Jobs(args[0], args[1], Integer.parseInt(args[2]), wire);
        wire.tell("ready", new JsonObject());
        Pulse.start(wire);
        BufferedReader lines = new BufferedReader(new InputStreamReader(System.in, StandardCharsets.UTF_8));
        for (String line = lines.readLine(); line != null; line = lines.readLine()) {
            JsonObject request = GSON.fromJson(line, JsonObject.class);
            // Some calls block until another call is made.
            new Thread(() -> answer(wire, jobs, request)).start();
        }
        Runtime.getRuntime().halt(0);
    }

    private static void answer(final Wire wire, final Jobs jobs, final JsonObject request) {
        JsonObject reply = new JsonObject();
        reply.add("id", request.get("id"));
        try {
            Object result = jobs.call(request.get("call").getAsString(), request.getAsJsonObject("with"));
            JsonElement json = GSON.toJsonTree(result);
            reply.add("result", json);
        } catch (final Exception | LinkageError ex) {
            Throwable cause = ex.getCause() == null ? ex : ex.getCause();
            reply.addProperty("failed", cause.toString());
            cause.printStackTrace();
        }
        wire.write(reply);
    }

    // ElasticJob takes the host's address, once per process. Several peers of one host would share it.
    private static void registerUnder(final String ip) throws ReflectiveOperationException {
        Field cached = IpUtils.class.getDeclaredField("cachedIpAddress");
        cached.setAccessible(true);
        cached.set(null, ip);
    }
}
