package org.weft.soak.process;

import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;

/**
 * OSDs that an operator starts beside a cluster, each with a data directory and, unless another is
 * named, a host of its own. Closing it kills what still runs. Not thread-safe.
 */
public final class AddedOsds implements AutoCloseable {
  private static final int FIRST_PORT = 60;

  private final Path scratch;
  private final DaemonCluster cluster;
  private final List<WeftProcess> started = new ArrayList<>();

  /**
   * @param scratch what the cluster was started under
   */
  public AddedOsds(Path scratch, DaemonCluster cluster) {
    this.scratch = scratch;
    this.cluster = cluster;
  }

  /**
   * Starts one, and waits until it listens.
   *
   * @param data its directory
   * @param settings KEY=VALUE of weft.conf
   */
  public WeftProcess start(Path data, String... settings) throws Exception {
    int number = started.size() + 1;
    List<String> words = new ArrayList<>(List.of("osd", "--data", data.toString()));
    words.addAll(List.of("--listen", "127.0.0.1:" + (cluster.port() + FIRST_PORT + number)));
    words.addAll(List.of("--metrics", "off"));
    set(words, "cluster.sysmgr=127.0.0.1:" + cluster.port());
    set(words, "cluster.join-token-file=" + scratch.resolve("data/sysmgr-1/join-token"));
    if (List.of(settings).stream().noneMatch(setting -> setting.startsWith("host="))) {
      set(words, "host=added-" + number);
    }
    for (String setting : settings) {
      set(words, setting);
    }
    WeftProcess osd = WeftProcess.start(scratch, words.toArray(String[]::new));
    started.add(osd);
    osd.awaitLine(line -> line.contains("listens on"));
    return osd;
  }

  private static void set(List<String> words, String setting) {
    words.addAll(List.of("--set", setting));
  }

  @Override
  public void close() {
    for (WeftProcess osd : started) {
      osd.close();
    }
  }
}
