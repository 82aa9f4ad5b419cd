package cloud;

/**
 * The properties of an application's node. ElasticJob-Cloud's own class is in its scheduler, which no registry of
 * packages has. The text that its YAML engine makes of a class depends only on these names, types and first values.
 */
public final class App {

    private String appName;

    private String appURL;

    private String bootstrapScript;

    private double cpuCount = 1d;

    private double memoryMB = 128d;

    private boolean appCacheEnable = true;

    private int eventTraceSamplingCount;

    public String getAppName() {
        return appName;
    }

    public void setAppName(final String appName) {
        this.appName = appName;
    }

    public String getAppURL() {
        return appURL;
    }

    public void setAppURL(final String appURL) {
        this.appURL = appURL;
    }

    public String getBootstrapScript() {
        return bootstrapScript;
    }

    public void setBootstrapScript(final String bootstrapScript) {
        this.bootstrapScript = bootstrapScript;
    }

    public double getCpuCount() {
        return cpuCount;
    }

    public void setCpuCount(final double cpuCount) {
        this.cpuCount = cpuCount;
    }

    public double getMemoryMB() {
        return memoryMB;
    }

    public void setMemoryMB(final double memoryMB) {
        this.memoryMB = memoryMB;
    }

    public boolean isAppCacheEnable() {
        return appCacheEnable;
    }

    public void setAppCacheEnable(final boolean appCacheEnable) {
        this.appCacheEnable = appCacheEnable;
    }

    public int getEventTraceSamplingCount() {
        return eventTraceSamplingCount;
    }

    public void setEventTraceSamplingCount(final int eventTraceSamplingCount) {
        this.eventTraceSamplingCount = eventTraceSamplingCount;
    }
}
