package org.weft.cli.demo;

import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.io.PrintWriter;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.time.Duration;
import java.util.HexFormat;
import java.util.Locale;
import java.util.concurrent.CompletionException;
import org.weft.cli.output.CommandFailure;
import org.weft.cli.quickstart.OsdSwitch;
import org.weft.client.CreateOptions;
import org.weft.client.FileStatus;
import org.weft.client.WeftClient;
import org.weft.client.WeftFiles;
import org.weft.client.WeftOutputStream;
import org.weft.client.WeftPath;
import org.weft.client.internal.ClientParts;
import org.weft.protocol.error.WeftException;
import org.weft.protocol.id.OsdId;
import org.weft.protocol.layout.Layout;
import org.weft.protocol.layout.StorageMap;
import org.weft.protocol.system.PolledWait;
import org.weft.protocol.wire.NodeState;
import org.weft.protocol.wire.OsdRow;

/** The steps of the demo, each of which shows what it found. */
final class DemoTour {
  private static final int BUFFER_BYTES = 1 << 20;
  private static final int FIRST_OSD_PORT = 100;
  private static final Duration MAX_START = Duration.ofMinutes(1);
  private static final Duration POLL = Duration.ofMillis(500);
  private static final double MEBIBYTE = 1 << 20;

  private final WeftClient client;
  private final WeftFiles files;
  private final OsdSwitch osds;
  private final int portBase;
  private final PrintWriter out;

  DemoTour(WeftClient client, OsdSwitch osds, int portBase, PrintWriter out) {
    this.client = client;
    this.files = client.files();
    this.osds = osds;
    this.portBase = portBase;
    this.out = out;
  }

  void run(Path file, WeftPath target) throws IOException, InterruptedException {
    String written = write(file, target);
    FileStatus status = files.attributes(target);
    StorageMap map =
        status
            .map()
            .orElseThrow(
                () -> new CommandFailure(target + " has no storage map; see `weft status`"));
    showMap(status, map);
    int lost = numberOf(map.osdOf(map.layout().dataComponent(0, 0)));
    step("Stopping osd-" + lost + ", which holds the first data unit of the file");
    osds.stop(lost);
    String degraded;
    try {
      degraded = read(target, "Reading it back without osd-" + lost);
    } finally {
      step("Starting osd-" + lost + " again");
      osds.start(lost);
    }
    awaitUp(map.osdOf(map.layout().dataComponent(0, 0)));
    compare(written, degraded);
    compare(written, read(target, "Reading it once more, with every OSD"));
    files.unlink(target);
    out.printf("%nThe file came back with the same SHA-256, with one OSD lost and with all.%n");
    out.flush();
  }

  private String write(Path file, WeftPath target) throws IOException {
    step(
        String.format(
            Locale.ROOT, "Writing %s (%.1f MiB) to %s", file, Files.size(file) / MEBIBYTE, target));
    MessageDigest digest = sha256();
    long started = System.nanoTime();
    try (InputStream in = Files.newInputStream(file);
        WeftOutputStream to = files.create(target, CreateOptions.replacing())) {
      copy(in, to, digest);
    }
    return finish("wrote", Files.size(file), started, digest);
  }

  private String read(WeftPath path, String what) throws IOException {
    step(what);
    MessageDigest digest = sha256();
    long started = System.nanoTime();
    long bytes;
    try (InputStream in = files.open(path)) {
      bytes = copy(in, OutputStream.nullOutputStream(), digest);
    }
    return finish("read", bytes, started, digest);
  }

  private static long copy(InputStream in, OutputStream to, MessageDigest digest)
      throws IOException {
    byte[] buffer = new byte[BUFFER_BYTES];
    long total = 0;
    for (int read = in.read(buffer); read >= 0; read = in.read(buffer)) {
      digest.update(buffer, 0, read);
      to.write(buffer, 0, read);
      total += read;
    }
    return total;
  }

  private String finish(String verb, long bytes, long startedNanos, MessageDigest digest) {
    double seconds = Math.max(1, System.nanoTime() - startedNanos) / 1e9;
    String sum = HexFormat.of().formatHex(digest.digest());
    out.printf(
        Locale.ROOT,
        "  %s %,d bytes in %.2f s (%.0f MiB/s)%n  SHA-256 %s%n",
        verb,
        bytes,
        seconds,
        bytes / MEBIBYTE / seconds,
        sum);
    out.flush();
    return sum;
  }

  private void showMap(FileStatus status, StorageMap map) {
    Layout layout = map.layout();
    step(
        String.format(
            Locale.ROOT,
            "Its storage map: RAID %d+%d, stripe unit %d KiB, %,d stripes",
            layout.dataUnits(),
            layout.parityUnits(),
            layout.unitBytes() >> 10,
            (status.sizeBytes() + layout.stripeBytes() - 1) / layout.stripeBytes()));
    for (int component = 0; component < layout.componentCount(); component++) {
      int role = layout.roleOf(0, component);
      out.printf(
          "  component %d  osd-%-3d %s of stripe 0%n",
          component, numberOf(map.osdOf(component)), role >= 0 ? "d" + role : "P" + (-1 - role));
    }
    out.flush();
  }

  /** OSDs of a quickstart are numbered by their ports. */
  private int numberOf(OsdId osd) {
    return ClientParts.of(client).cluster().addressesOf(osd).stream()
        .findFirst()
        .map(address -> address.port() - portBase - FIRST_OSD_PORT + 1)
        .orElseThrow(() -> new CommandFailure("the cluster's table does not know OSD " + osd));
  }

  private void awaitUp(OsdId osd) throws IOException {
    if (!PolledWait.every(POLL).atMost(MAX_START).until(() -> isUp(osd))) {
      throw new CommandFailure(
          "OSD " + osd + " did not come up again; see its log and `weft status`");
    }
  }

  /** No, while SysMgr does not reply: the next question may have an answer. */
  private boolean isUp(OsdId osd) {
    try {
      return ClientParts.of(client).cluster().refresh().join().getOsdsList().stream()
          .filter(row -> row.getOsdId() == osd.value())
          .map(OsdRow::getState)
          .anyMatch(NodeState.UP::equals);
    } catch (CompletionException e) {
      if (!WeftException.of(e).code().mayPass()) {
        throw e;
      }
      return false;
    }
  }

  private void compare(String expected, String actual) {
    if (!expected.equals(actual)) {
      throw new CommandFailure(
          "what was read is NOT what was written: " + actual + ", not " + expected);
    }
    out.println("  the same SHA-256 as written");
    out.flush();
  }

  private void step(String what) {
    out.printf("%n%s%n", what);
    out.flush();
  }

  private static MessageDigest sha256() {
    try {
      return MessageDigest.getInstance("SHA-256");
    } catch (NoSuchAlgorithmException e) {
      throw new IllegalStateException("this JVM has no SHA-256", e);
    }
  }
}
