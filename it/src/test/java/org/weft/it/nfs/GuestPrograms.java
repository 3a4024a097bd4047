package org.weft.it.nfs;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.concurrent.TimeUnit;
import org.weft.soak.process.DaemonCluster;
import org.weft.testkit.process.Await;

/**
 * A command that uses the first gateway by a client of its own, as a kernel's in a virtual machine.
 * It is told where the gateway is and for how long faults come, and says by its exit code whether
 * its programs saw an error.
 */
final class GuestPrograms implements GatewayPrograms {
  /** Beyond the time of the faults: it may end by itself. */
  private static final long BEYOND_SECONDS = 900;

  /** What it prints when it uses the gateway. */
  private static final String BEGINS = "the load begins";

  private final Findings findings;
  private final Process guest;
  private final Path output;
  private boolean begun;
  private final String command;

  GuestPrograms(NfsKillsOptions options, DaemonCluster cluster, Findings findings)
      throws IOException {
    this.findings = findings;
    this.command = options.guest().orElseThrow();
    this.output = options.directory().resolve("guest.log");
    ProcessBuilder builder =
        new ProcessBuilder("sh", "-c", command)
            .redirectErrorStream(true)
            .redirectOutput(output.toFile());
    builder.environment().put("WEFT_NFS_PORT", Integer.toString(cluster.gatewayPort(1)));
    builder.environment().put("WEFT_NFS_EXPORT", NfsKillsRun.EXPORT);
    builder.environment().put("WEFT_NFS_SECONDS", Long.toString(options.seconds()));
    guest = builder.start();
    System.err.println("nfs-kills: the guest's output is in " + output);
  }

  /** Before the first fault its client must have mounted: a mount gives up at once. */
  @Override
  public void awaitProgress(long seconds) throws Exception {
    Await.until(
        seconds,
        () -> "the guest did not say " + BEGINS + ", see " + output,
        () -> !guest.isAlive() || begun());
    if (!guest.isAlive()) {
      ended();
    }
  }

  private boolean begun() throws IOException {
    begun = begun || Files.readString(output, StandardCharsets.ISO_8859_1).contains(BEGINS);
    return begun;
  }

  private void ended() {
    int exitCode = guest.exitValue();
    if (exitCode != 0 && findings.isSound()) {
      findings.wrong("the guest ended with " + exitCode + ": " + command);
    }
  }

  @Override
  public void finish(long seconds) throws InterruptedException {
    if (guest.waitFor(seconds + BEYOND_SECONDS, TimeUnit.SECONDS)) {
      ended();
    } else {
      findings.wrong("the guest does not end: " + command);
    }
  }

  @Override
  public void close() {
    guest.descendants().forEach(ProcessHandle::destroy);
    guest.destroy();
  }
}
